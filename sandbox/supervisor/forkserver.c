/* The fork server: a program that is loaded once, and forks for every command that asks for it (F_FORKS).
 *
 *     supervisor               fork server (root)             the command, a child of the supervisor's
 *         | - identity, descriptors -> | - fork ----------------> | becomes the command's user
 *         | <---------------- number - |                          |
 *         | <---------- reaps it, as any command of its own ----- |
 *
 * It reads nothing that a candidate wrote: its program lies on a file system that nobody can write to, its environment
 * has only what chooses a language, and it runs in the root directory. It is root's, so no candidate can signal, trace
 * or read it, with the two capabilities by which its children become the command's user; the kernel takes these from
 * them when they do. What a command reads, its stdin, is read by its own process alone, so nothing of one command is in
 * the memory of another. Only the hash seed and the addresses are those of the fork server.
 *
 * It serves commands with the same program, arguments, environment and limits, and ends before any other command is
 * run. Where it cannot be started, or does not answer, the command is started like any other. A grader that is a fork of
 * it can have the candidate forked, too (candidates.c): the one who gets no report.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor.h"

/* How long it may take to load its program. Items have as long by default. */
#define ANSWER_SECONDS 10
#define ENDS 5

static struct {
  pid_t pid; /* 0: there is none */
  int socket;
  char *served; /* what the commands that it serves have in common */
  size_t size;
} server = {.socket = -1};

pid_t forkserver_pid(void) { return server.pid; }

void forkserver_reaped(pid_t pid) {
  if (!server.pid || pid != server.pid) return;
  close(server.socket);
  free(server.served);
  server.pid = 0;
}

void forkserver_end(void) {
  pid_t pid = server.pid;
  if (!pid) return;
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  forkserver_reaped(pid);
}

static bool starts_with_any(const char *text, const char *const *starts) {
  for (; *starts; starts++)
    if (strncmp(text, *starts, strlen(*starts)) == 0) return true;
  return false;
}

/* What changes how the kernel or the C library starts a program cannot be caught up on later. */
static bool is_possible(const struct command *command) {
  static const char *const starts[] = {"LD_", "GLIBC_", "MALLOC_", "GCONV_PATH=", "LOCPATH=", NULL};
  if (!command->forks || command->shielded || command->nproc != UINT64_MAX || facts_own_kernel() ||
      here_lacks(WALL_PROCESSES))
    return false;
  for (char **variable = command->env; *variable; variable++)
    if (starts_with_any(*variable, starts)) return false;
  return true;
}

/* The texts of a list, each with its NUL, and another one after the last. */
static void put_texts(FILE *to, char *const *texts) {
  for (; *texts; texts++) fwrite(*texts, strlen(*texts) + 1, 1, to);
  fputc(0, to);
}

static char *in_common(const struct command *command, size_t *size) {
  char *text = NULL;
  FILE *to = open_memstream(&text, size);
  if (!to) return NULL;
  put_texts(to, command->argv);
  put_texts(to, command->env);
  fwrite(&command->nofile, sizeof command->nofile, 1, to);
  fwrite(&command->fsize, sizeof command->fsize, 1, to);
  return fclose(to) == 0 ? text : NULL;
}

static void close_both(int ends[2]) {
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
}

/* Start a server for commands like this one. Its streams are pipes, as those of commands are; nobody is at their ends. */
static void start(const struct command *like) {
  static const char *const languages[] = {"PATH=", "LANG=", "LANGUAGE=", "LC_", "TZ=", NULL};
  int streams[2], errors[2] = {-1, -1}, sockets[2] = {-1, -1};
  size_t count = 0, chosen = 0;
  struct misstart misstart = {.stage = STAGE_RIGHTS};
  while (like->env[count]) count++;
  char **env = calloc(count + 2, sizeof *env);
  if (!env || spawn_pipe(streams) < 0) return free(env);
  for (size_t i = 0; i < count; i++)
    if (starts_with_any(like->env[i], languages)) env[chosen++] = like->env[i];
  env[chosen] = "GRADEBOX_SERVES=1";
  struct command command = *like;
  command.env = env;
  command.cwd = "/";
#ifndef GRADEBOX_WITHOUT_FORK_SERVER_USER
  command.uid = command.gid = 0;
#endif
  command.grader = true;
  if (spawn_pipe(errors) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 &&
      (server.pid = fork()) == 0) {
    int low = sockets[1], high = fcntl(low, F_DUPFD_CLOEXEC, 10);
    int ends[ENDS] = {streams[0], streams[1], streams[1], high, errors[1]};
    spawn_child(ends, &command);
  }
  free(env);
  close_both(streams);
  if (sockets[1] >= 0) close(sockets[1]);
  if (errors[1] >= 0) close(errors[1]);
  if (server.pid > 0) {
    server.socket = sockets[0];
    server.served = in_common(like, &server.size);
    spawn_result(errors[0], &misstart);
    if (!server.served || misstart.stage) forkserver_end();
  } else {
    server.pid = 0;
    if (errors[0] >= 0) close(errors[0]);
    if (sockets[0] >= 0) close(sockets[0]);
  }
}

static bool serves(const struct command *command) {
  size_t size;
  char *text = server.pid ? in_common(command, &size) : NULL;
  bool same = text && size == server.size && memcmp(text, server.served, size) == 0;
  free(text);
  return same;
}

/* Who the command is, in one message with its descriptors. */
static int ask(const int ends[ENDS], const struct command *command) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(ENDS * sizeof(int))];
  } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  int given[ENDS];
  size_t count = 0;
  char *text = NULL;
  size_t size;
  for (int i = 0; i < ENDS; i++)
    if (ends[i] >= 0) given[count++] = ends[i];
  FILE *to = open_memstream(&text, &size);
  if (!to) return -1;
  fprintf(to, "%u%c%u%c%d%c%u%c%s%c", command->uid, 0, command->gid, 0, command->grader ? 500 : 1000, 0, command->mask, 0,
          command->cwd, 0);
  put_texts(to, command->env);
  bool complete = fclose(to) == 0;
  struct iovec piece = {text, size};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
                           .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
  memcpy(CMSG_DATA(&control.header), given, count * sizeof(int));
  ssize_t sent = complete ? sendmsg(server.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  free(text);
  return sent == (ssize_t)size ? 0 : -1;
}

/* Nothing is reaped before the number is known, so it is of a process that lives or can still be reaped. */
static pid_t answer(void) {
  struct pollfd fd = {.fd = server.socket, .events = POLLIN};
  int64_t patience = monotonic_ns() + ANSWER_SECONDS * SECOND_NS;
  int32_t pid = 0;
  while (poll(&fd, 1, 100) <= 0)
    if (monotonic_ns() > patience) return -1;
  return recv(server.socket, &pid, sizeof pid, MSG_DONTWAIT) == sizeof pid && pid > 1 ? pid : -1;
}

pid_t forkserver_fork(const int ends[ENDS], const struct command *command) {
  bool possible = command->report && is_possible(command);
  if (!possible || (server.pid && !serves(command))) forkserver_end();
  if (possible && !server.pid) start(command);
  return forkserver_again(ends, command);
}

pid_t forkserver_again(const int ends[ENDS], const struct command *command) {
  if (!server.pid || !is_possible(command)) return -1;
  pid_t pid = ask(ends, command) == 0 ? answer() : -1;
  if (pid < 0) forkserver_end();
  return pid;
}
