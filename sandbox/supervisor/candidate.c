/* `candidate`: starts a program as the candidate, for the grader that it is a process of.
 *
 * It asks the supervisor (candidates.c), passes its own stdin, stdout and stderr (relay.c), arguments, environment and
 * working directory, and ends as the program did. It has no rights of its own, and is the supervisor's file under another
 * name, so it needs nothing from the image.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "supervisor.h"

/* Exit statuses, as `timeout` and `env` have them. 128 and the number of a signal that ended the program. */
enum { TIMED_OUT = 124, FAILED = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127, SIGNALLED = 128 };

static const char usage[] =
    "usage: candidate [--timeout SECONDS] [--memory BYTES[K|M|G]] [--] PROGRAM [ARGUMENT...]\n"
    "       candidate --lend PATH...\n"
    "       candidate --reclaim PATH...\n"
    "Runs a program as the candidate, and ends with its exit status when all its processes are dead.\n"
    "128+N: signal N ended it; 124: its time was over; 125: candidate itself failed; 126: not executable; 127: not found.\n"
    "--lend gives it files and directories of yours; --reclaim takes them back, and what it has made there.\n";

static int complain(int status, const char *format, ...) {
  va_list words;
  va_start(words, format);
  fprintf(stderr, "candidate: ");
  vfprintf(stderr, format, words);
  fprintf(stderr, "\n");
  va_end(words);
  return status;
}

/* A positive number with one of the units, each 1024 times the one before. False if it is none. */
static bool number(const char *text, const char *units, double scale, uint64_t *value) {
  char *rest;
  double found = text ? strtod(text, &rest) * scale : 0;
  if (!text || rest == text) return false;
  if (*rest && *units) {
    const char *unit = strchr(units, *rest);
    if (!unit) return false;
    for (; unit >= units; unit--) found *= 1024;
    rest++;
  }
  if (*rest || !(found >= 1 && found < 1e18)) return false;
  *value = (uint64_t)found;
  return true;
}

static int write_texts(int file, char **texts) {
  for (; *texts; texts++)
    if (write(file, *texts, strlen(*texts) + 1) < 0) return -1;
  return 0;
}

/* The candidate cannot search the directory of this program. */
static void leave_own_directory(void) {
  static const char own[] = "PATH=" CANDIDATE_DIRECTORY ":";
  extern char **environ;
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, own, sizeof own - 1) == 0) memmove(*variable + 5, *variable + sizeof own - 1,
                                                             strlen(*variable) - sizeof own + 2);
}

/* Working directory, arguments, environment and what is inherited, in a file in memory; -1 with errno. */
static int written(char **argv, uint32_t *size) {
  extern char **environ;
  char place[PATH_MAX];
  char *cwd[] = {getcwd(place, sizeof place), NULL};
  if (!cwd[0]) cwd[0] = "."; /* it is gone, or cannot be read: the program cannot enter it either */
  int file = memfd_create("candidate", MFD_CLOEXEC);
  if (file < 0 || write_texts(file, cwd) < 0 || write_texts(file, argv) < 0 || write_texts(file, environ) < 0) return -1;
  off_t end = lseek(file, 0, SEEK_CUR);
  if (inherit_write(file) < 0) return -1;
  *size = (uint32_t)end;
  return end < 0 || end > CANDIDATE_TEXT_MAX ? (errno = E2BIG, -1) : file;
}

/* The environment: the grader's, with what the host gives every candidate in place of variables of the same name. */
static bool environment(char **env, size_t count, char *text, const char *last, char **own) {
  size_t used = 0;
  for (char **each = own; *each; each++) env[used++] = *each;
  for (; text < last && used < count; text += strlen(text) + 1) {
    bool replaced = false;
    for (char **each = own; *each && !replaced; each++)
      replaced = strncmp(text, *each, strcspn(*each, "=") + 1) == 0;
    if (!replaced) env[used++] = text;
  }
  env[used] = NULL;
  return text >= last;
}

bool candidate_read(struct command *command, char *text, size_t size, size_t arguments, char **own) {
  char *at = text, *last = text + size;
  size_t extra = 0, given = 0;
  *last = 0;
  while (own[extra]) extra++;
  /* Each argument and variable has one byte at least. */
  command->argv = calloc(arguments + 1, sizeof *command->argv);
  command->env = calloc(size + extra + 1, sizeof *command->env);
  if (!command->argv || !command->env) return false;
  command->cwd = at;
  for (at += strlen(at) + 1; given < arguments && at < last; at += strlen(at) + 1) command->argv[given++] = at;
  return given && given == arguments && environment(command->env, size + extra, at, last, own);
}

/* Send a request with the paths that follow it, or, without any, with the descriptors of a program. */
static int ask(const int *fds, const struct candidate_request *wanted, char *paths) {
  enum { SIZE = CANDIDATE_REQUEST_FDS * sizeof(int) };
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = CANDIDATE_DIRECTORY "/socket"};
  struct ucred self = {getpid(), geteuid(), getegid()};
  struct iovec pieces[] = {{(void *)wanted, sizeof *wanted}, {paths, paths ? wanted->size : 0}};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof self) + CMSG_SPACE(SIZE)];
  } control = {0};
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2, .msg_control = &control,
                           .msg_controllen = paths ? CMSG_SPACE(sizeof self) : sizeof control};
  struct cmsghdr *part = CMSG_FIRSTHDR(&message);
  *part = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof self), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_CREDENTIALS};
  memcpy(CMSG_DATA(part), &self, sizeof self);
  part = (struct cmsghdr *)(control.room + CMSG_SPACE(sizeof self));
  *part = (struct cmsghdr){.cmsg_len = CMSG_LEN(SIZE), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  if (fds) memcpy(CMSG_DATA(part), fds, SIZE);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&name, sizeof name) < 0) return -1;
  size_t size = pieces[0].iov_len + pieces[1].iov_len;
  return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)size ? connection : -1;
}

int candidate_ask(char **argv, const int streams[3], struct candidate_request *wanted) {
  wanted->arguments = 0;
  while (argv[wanted->arguments]) wanted->arguments++;
  leave_own_directory();
  int file = written(argv, &wanted->size);
  if (file < 0) return -1;
  return ask((int[]){streams[0], streams[1], streams[2], file}, wanted, NULL);
}

static int refused(void) {
  return complain(FAILED, "only the grader of a check with `isolation: apart` can start the candidate: %s",
                  strerror(errno));
}

static bool next(int connection, struct misstart *answer) {
  ssize_t size;
  do size = recv(connection, answer, sizeof *answer, MSG_WAITALL);
  while (size < 0 && errno == EINTR);
  return size == sizeof *answer;
}

static int misstarted(const struct misstart *answer, const char *program) {
  const char *reason = strerror(answer->number);
  switch (answer->stage) {
    case STAGE_CWD:
      return complain(FAILED, "the candidate cannot enter the working directory: %s", reason);
    case STAGE_INTERPRETER:
      return complain(NOT_FOUND, "%s: the interpreter in its first line cannot be found", program);
    case STAGE_PROGRAM:
      return complain(answer->number == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "%s: %s", program, reason);
    default:
      return complain(FAILED, "%s was not started: %s", program, reason);
  }
}

static int outcome(int connection, const char *program) {
  struct misstart answer, first = {0};
  relay(connection);
  if (!next(connection, &answer)) return complain(FAILED, "%s: the sandbox gave no answer", program);
  if (answer.stage < CANDIDATE_ENDED) {
    first = answer;
    relay(connection);
    if (!next(connection, &answer)) answer = first;
  }
  relay_end(answer.stage == CANDIDATE_ENDED && WIFSIGNALED(answer.number) ? WTERMSIG(answer.number) : 0);
  if (answer.stage == CANDIDATE_TIMED_OUT) return TIMED_OUT;
  if (first.stage) return misstarted(&first, program);
  if (answer.stage != CANDIDATE_ENDED) return misstarted(&answer, program);
  return WIFSIGNALED(answer.number) ? SIGNALLED + WTERMSIG(answer.number) : WEXITSTATUS(answer.number);
}

/* A path without ".", ".." and empty parts, from the root on. False if it is too long. */
static bool absolute(const char *path, char *place, size_t room) {
  size_t used = 0;
  if (*path != '/' && !getcwd(place, room)) return false;
  if (*path != '/') used = strcmp(place, "/") == 0 ? 0 : strlen(place);
  for (size_t length; *path; path += length + (path[length] == '/')) {
    length = strcspn(path, "/");
    if (!length || (length == 1 && *path == '.')) continue;
    if (length == 2 && path[0] == '.' && path[1] == '.') {
      while (used && place[--used] != '/') continue;
      continue;
    }
    if (used + length + 2 > room) return false;
    place[used++] = '/';
    memcpy(place + used, path, length);
    used += length;
  }
  if (!used) place[used++] = '/';
  place[used] = 0;
  return true;
}

/* Lend or reclaim each path: a message for each, so that none is too long. */
static int lend(uint64_t what, char **paths) {
  char place[PATH_MAX];
  for (; *paths; paths++) {
    struct candidate_request wanted = {.what = what, .arguments = 1};
    struct misstart answer;
    if (!absolute(*paths, place, sizeof place)) return complain(FAILED, "%s: %s", *paths, strerror(ENAMETOOLONG));
    wanted.size = (uint32_t)strlen(place) + 1;
    int connection = ask(NULL, &wanted, place);
    if (connection < 0) return refused();
    if (!next(connection, &answer)) return complain(FAILED, "%s: the sandbox gave no answer", *paths);
    close(connection);
    if (answer.stage != CANDIDATE_ENDED) return complain(FAILED, "%s: %s", *paths, strerror(answer.number));
  }
  return 0;
}

int candidate(int argc, char **argv) {
  struct candidate_request wanted = {0};
  int at = 1;
  if (argc > 2 && strcmp(argv[1], "--interact") == 0) return interact(argc, argv);
  if (argc > 2 && strcmp(argv[1], "--lend") == 0) return lend(CANDIDATE_LEND, argv + 2);
  if (argc > 2 && strcmp(argv[1], "--reclaim") == 0) return lend(CANDIDATE_RECLAIM, argv + 2);
  for (; at < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
    const char *value = at + 1 < argc ? argv[at + 1] : NULL;
    if (!argv[at][2]) {
      at++;
      break;
    }
    if (strcmp(argv[at], "--timeout") == 0 && number(value, "", 1e6, &wanted.timeout_us)) continue;
    if (strcmp(argv[at], "--memory") == 0 && number(value, "KMG", 1, &wanted.memory_bytes)) continue;
    fputs(usage, stderr);
    return FAILED;
  }
  if (at >= argc) {
    fputs(usage, stderr);
    return FAILED;
  }
  int streams[3];
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return FAILED;
  if (relay_begin(streams) < 0) return complain(FAILED, "the standard streams cannot be passed: %s", strerror(errno));
  int connection = candidate_ask(argv + at, streams, &wanted);
  if (connection < 0 && errno == E2BIG) return complain(FAILED, "the arguments cannot be passed: %s", strerror(errno));
  if (connection < 0) return refused();
  relay_started(streams);
  return outcome(connection, argv[at]);
}
