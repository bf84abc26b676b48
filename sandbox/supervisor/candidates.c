/* The processes of the candidate that a grader asks for, by the program `candidate` (candidate.c).
 *
 * Each request is a connection to a socket that only the grader's user can reach, and gets a user that no process has:
 * the first of the candidate's that is free, so that requests one after the other have the same. When the request is
 * over, every process of this user is killed, wherever it has moved to. The answer is sent when none is left.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "names.h"

#define PROGRAM CANDIDATE_DIRECTORY "/candidate"
#define SOCKET CANDIDATE_DIRECTORY "/socket"
/* How long to wait before looking again whether killed processes are dead; their ends interrupt the wait. */
#define LOOK_AGAIN_NS (SECOND_NS / 100)
/* A limit of time is of processor time; the wall limit, which stops what waits, is so many times as long. */
#define WALL 2

enum { IN, OUT, ERROR, TEXT, REPORT = TEXT };

struct request {
  int socket; /* -1: this user is free */
  pid_t pid;  /* 0: nothing was started */
  bool asked, ended, over, measured;
  int64_t limit, least, deadline, look; /* in nanoseconds: 0 or the limit, its end at the earliest, its end, the next look */
  int64_t graded;         /* processor time of the grader when it was started, of a request that is measured */
  struct usage used;      /* of its processes that have ended */
  struct halt halt;
  struct misstart answer; /* when it is over */
};

static struct {
  int listener; /* -1: no grader runs */
  uid_t first;
  size_t count, used;
  struct command grader;
  char **env;
  bool own_stdout;
  struct stat own[4]; /* the grader's stdin, stdout, stderr and report */
  struct request requests[CANDIDATES_MAX];
} now = {.listener = -1};

static void forget(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Put the program, which is this one, where the grader can execute it. */
static int install(void) {
  static bool installed;
  static char piece[PIECE];
  ssize_t size = 0;
  if (installed) return 0;
  unlink(PROGRAM); /* of an earlier sandbox, where the directory outlives them */
  int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int to = open(PROGRAM, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555);
  while (from >= 0 && to >= 0 && (size = read(from, piece, sizeof piece)) > 0)
    if (write(to, piece, (size_t)size) != size) size = -1;
  installed = from >= 0 && to >= 0 && size == 0;
  forget(&from), forget(&to);
  return installed ? 0 : -1;
}

static int listen_for(uid_t grader) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = SOCKET};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  unlink(SOCKET);
  if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof name) < 0) return -1;
  if (chown(SOCKET, grader, grader) < 0 || chmod(SOCKET, 0600) < 0 || listen(fd, SOMAXCONN) < 0) return -1;
  /* Nobody else can even look for it. */
  if (chown(CANDIDATE_DIRECTORY, 0, grader) < 0 || chmod(CANDIDATE_DIRECTORY, 0750) < 0) return -1;
  return fd;
}

int candidates_open(const struct fields *fields, const struct command *grader, struct failure *why) {
  uint64_t count = field_number(fields, F_CANDIDATES, 0), first = field_number(fields, F_CANDIDATE, 0);
  now.count = now.used = 0;
  names_forget();
  if (!count) return 0;
  if (count > CANDIDATES_MAX || !first || first > INT32_MAX || grader->uid - first < count)
    return fail(why, 0, "the users of the candidate cannot be these", NULL);
  now.grader = *grader;
  now.first = (uid_t)first;
  now.count = count;
  now.own_stdout = field_number(fields, F_OWN_STDOUT, 0) != 0;
  struct sides sides = {grader->uid, now.first, count};
  lending_begin(&sides);
  names_begin(&sides, files_places());
  names_check();
  room_keep(&sides, files_places());
  now.env = field_texts(fields, F_CANDIDATE_ENV);
  /* The frame with these texts is overwritten by the next one. */
  for (char **text = now.env; text && *text; text++) *text = strdup(*text);
  for (size_t i = 0; i < CANDIDATES_MAX; i++) now.requests[i] = (struct request){.socket = -1};
  now.listener = now.env && install() == 0 ? listen_for(grader->uid) : -1;
  return now.listener < 0 ? fail(why, errno, "cannot serve a grader in", CANDIDATE_DIRECTORY) : 0;
}

void candidates_know(const struct process *grader) {
  if (now.listener < 0) return;
  memset(now.own, 0, sizeof now.own);
  fstat(grader->in, &now.own[IN]);
  for (int i = 0; i < 3; i++)
    if (grader->out[i] >= 0) fstat(grader->out[i], &now.own[OUT + i]);
}

static uid_t user_of(const struct request *request) { return now.first + (uid_t)(request - now.requests); }

/* Whether another process of the candidate than this one may live. */
static bool others_live(const struct request *but) {
  for (const struct request *request = now.requests; request < now.requests + now.count; request++)
    if (request != but && request->socket >= 0 && request->pid) return true;
  return false;
}

static void end(struct request *request, int answer, int value) {
  if (!request->over) request->answer = (struct misstart){answer, value};
  request->over = true;
}

/* Kill what is left of a request that is over, and answer it when nothing is. Where kill(-1) is not atomic, a process
 * can be started while others are killed: there, nothing has to be found twice. */
static void finish(struct request *request) {
  for (int turn = 0; turn <= facts_own_kernel() && request->pid; turn++) {
    if (!request->ended) kill(request->pid, SIGKILL);
    if (!sweep_user(user_of(request)) || !request->ended) return;
  }
  if (request->pid && !others_live(request)) {
    names_check();
    room_keep(&(struct sides){now.grader.uid, now.first, now.count}, files_places());
  }
  /* The end of a program is known by its status; a time that was over may have been noticed first. */
  send(request->socket, &request->answer, sizeof request->answer, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (request->measured) {
    struct candidate_usage used = {(uint64_t)(request->used.user_us + request->used.system_us),
                                   (uint64_t)request->used.rss_bytes};
    send(request->socket, &used, sizeof used, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  forget(&request->socket);
}

/* What a request asks for; `text` is for one byte more than that has. */
static bool understand(struct command *command, char *text, int file, const struct candidate_request *wanted, uid_t uid) {
  *command = now.grader;
  command->argv = command->env = NULL;
  /* Of a file in memory; a pipe, which could make us wait, fails. */
  if (!text || pread(file, text, wanted->size, 0) != (ssize_t)wanted->size ||
      !candidate_read(command, text, wanted->size, wanted->arguments, now.env))
    return false;
#ifndef GRADEBOX_WITHOUT_GRADER_USER
  command->uid = uid;
  command->gid = now.first;
#else
  (void)uid;
#endif
  command->mask = 002, command->input = 0;
  command->report = command->grader = command->shielded = false;
  if (wanted->memory_bytes) command->data = wanted->memory_bytes;
  command->inherited = inherit_read(file, wanted->size);
  return true;
}

/* A fork of the server that the grader is a fork of, as in forkserver_fork. We read what is asked for ourselves: it is
 * small, and in a file in memory. */
static pid_t forked(const int ends[5], int file, const struct candidate_request *wanted, uid_t uid) {
  static char text[PIECE + 1];
  struct command command;
  if (wanted->what != CANDIDATE_FORK || wanted->memory_bytes || wanted->size > PIECE || fcntl(file, F_GET_SEALS) < 0) return -1;
  pid_t pid = understand(&command, text, file, wanted, uid) ? forkserver_again(ends, &command) : -1;
  free(command.argv);
  free(command.env);
  return pid;
}

static _Noreturn void become(const int ends[5], int file, const struct candidate_request *wanted, uid_t uid) {
  struct command command;
  if (understand(&command, malloc(wanted->size + 1), file, wanted, uid)) spawn_child(ends, &command);
  struct misstart misstart = {STAGE_RIGHTS, ENOMEM};
  _exit(write(ends[4], &misstart, sizeof misstart) < 0 ? 126 : 127);
}

static bool is_own(const struct stat *stat, int i) { return stat->st_dev == now.own[i].st_dev && stat->st_ino == now.own[i].st_ino; }

/* Whether what a candidate would get is not for it: what the grader reads, reports, or alone writes. */
static bool withheld(const struct stat *stat, int i) {
#ifndef GRADEBOX_WITHOUT_GRADER_STDIN
  if (i == IN && is_own(stat, IN)) return true;
#endif
  return is_own(stat, REPORT) || (i != IN && now.own_stdout && is_own(stat, OUT));
}

/* A pipe can be opened again, as /dev/stdin and so on, by whoever may read or write it: here in its one direction. gVisor
 * changes only the owner of a pipe, and the grader must keep its own. */
static void let_open(int fd, const struct stat *stat, int i, uid_t uid) {
  if (!S_ISFIFO(stat->st_mode) || fchmod(fd, (stat->st_mode & 0777) | (i == IN ? 0004 : 0002)) == 0) return;
  if (!is_own(stat, OUT) && !is_own(stat, ERROR)) (void)fchown(fd, uid, now.first);
}

static int choose(int fds[3], uid_t uid) {
  struct stat stats[3];
  for (int i = IN; i <= ERROR; i++)
    if (fstat(fds[i], &stats[i]) < 0) return -1;
  for (int i = IN; i <= ERROR; i++) {
    if (!withheld(&stats[i], i)) {
      let_open(fds[i], &stats[i], i, uid);
      continue;
    }
    close(fds[i]);
    bool to_error = i == OUT && !withheld(&stats[ERROR], ERROR);
    fds[i] = to_error ? fcntl(fds[ERROR], F_DUPFD_CLOEXEC, 0) : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fds[i] < 0) return -1;
  }
  return 0;
}

static void start(struct request *request, int fds[CANDIDATE_REQUEST_FDS], const struct candidate_request *wanted) {
  uid_t uid = user_of(request);
  request->asked = true;
  request->limit = wanted->timeout_us < INT64_MAX / 4000 / WALL ? (int64_t)wanted->timeout_us * 1000 : 0;
  request->deadline = request->look = 0;
  request->measured = wanted->what == CANDIDATE_MEASURED;
  if (request->measured) request->graded = sweep_used_ns(now.grader.uid);
  bool right = wanted->size <= CANDIDATE_TEXT_MAX && wanted->arguments && wanted->arguments <= wanted->size &&
               choose(fds, uid) == 0;
  int ends[5] = {fds[IN], fds[OUT], fds[ERROR], -1, request->socket};
  if (!others_live(request)) names_give_back();
  request->pid = right ? forked(ends, fds[TEXT], wanted, uid) : -1;
  /* No signal that the grader passes on meets a handler of ours: the new process forgets them first. */
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  if (right && request->pid < 0 && (request->pid = fork()) == 0) become(ends, fds[TEXT], wanted, uid);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (request->pid < 0) {
    end(request, CANDIDATE_REFUSED, errno);
    request->pid = 0;
    if (!others_live(request)) names_check();
  }
  if ((size_t)(request - now.requests) >= now.used) now.used = (size_t)(request - now.requests) + 1;
}

static void lend(struct request *request, const struct candidate_request *wanted, char *paths, size_t size) {
  int removed = 0;
  bool right = size == wanted->size &&
               lending_do(wanted->what == CANDIDATE_RECLAIM, paths, size, others_live(request), &removed) == 0;
  end(request, right ? CANDIDATE_ENDED : CANDIDATE_REFUSED, right ? removed : errno);
  finish(request);
}

/* Pass a signal on to the first process of a request, as its parent would send it; the end of the connection ends all. */
static void pass_on(struct request *request) {
  unsigned char number;
  ssize_t size = recv(request->socket, &number, sizeof number, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size != sizeof number) end(request, CANDIDATE_REFUSED, EPERM);
  else if (request->pid && !request->ended) (void)kill(request->pid, number);
}

/* The request, its descriptors and who sent it, in one message. The kernel vouches for the latter. */
static void receive(struct request *request) {
  static char paths[PIECE];
  struct candidate_request wanted;
  int fds[CANDIDATE_REQUEST_FDS] = {-1, -1, -1, -1};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof fds) + CMSG_SPACE(sizeof(struct ucred))];
  } control;
  struct iovec pieces[] = {{&wanted, sizeof wanted}, {paths, sizeof paths}};
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2, .msg_control = &control,
                           .msg_controllen = sizeof control};
  struct ucred sender = {.uid = 0};
  ssize_t size = recvmsg(request->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  char *last = control.room + (size < 0 ? 0 : message.msg_controllen);
  for (char *at = control.room; at + sizeof control.header <= last;) {
    const struct cmsghdr *part = (const struct cmsghdr *)at;
    size_t length = part->cmsg_len - CMSG_LEN(0);
    at += CMSG_SPACE(length);
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_RIGHTS && length <= sizeof fds) memcpy(fds, CMSG_DATA(part), length);
    if (part->cmsg_type == SCM_CREDENTIALS && length == sizeof sender) memcpy(&sender, CMSG_DATA(part), length);
  }
  bool right = size >= (ssize_t)sizeof wanted && sender.uid == now.grader.uid &&
               !(message.msg_flags & (MSG_CTRUNC | MSG_TRUNC));
  if (right && (wanted.what == CANDIDATE_LEND || wanted.what == CANDIDATE_RECLAIM))
    lend(request, &wanted, paths, (size_t)size - sizeof wanted);
  else if (right && size == sizeof wanted && fds[TEXT] >= 0)
    start(request, fds, &wanted);
  else /* nobody waits for the answer any more, or somebody else asks */
    end(request, CANDIDATE_REFUSED, EPERM);
  for (int i = 0; i < CANDIDATE_REQUEST_FDS; i++) forget(&fds[i]);
}

static struct request *free_request(void) {
  for (size_t i = 0; i < now.count; i++)
    if (now.requests[i].socket < 0) return &now.requests[i];
  return NULL;
}

static void admit(void) {
  struct request *request = free_request();
  int fd = request ? accept4(now.listener, NULL, NULL, SOCK_CLOEXEC) : -1;
  if (fd < 0) return;
  /* Above the descriptors of a command, which take its place in the new process. */
  *request = (struct request){.socket = fcntl(fd, F_DUPFD_CLOEXEC, 10)};
  close(fd);
  setsockopt(request->socket, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int));
  if (request->socket >= 0) receive(request);
}

/* End a request whose program nothing continues, or whose time is over: that of its processes as far as they live or were
 * waited for, or what has passed without the time in which others held the command up. Returns when to look again. */
static int64_t check_time(struct request *request, int64_t time, const struct share *share) {
  int halted = run_halted(request->pid, &request->halt, time);
  int64_t next = request->halt.look;
  if (halted) end(request, CANDIDATE_ENDED, halted);
  if (!request->limit) return next;
  if (!request->deadline) {
    request->look = time + share_least_ns(share, request->limit);
    request->deadline = time + WALL * request->limit;
    request->least = request->deadline - share_held_ns(share);
  }
  if (time >= request->look) {
    int64_t whole = share->processors < 1000000 ? 1 : (int64_t)(share->processors / 1000000);
    int64_t left = whole * request->limit - sweep_used_ns(user_of(request));
    if (request->measured) left -= (request->used.user_us + request->used.system_us) * 1000;
    if (left <= 0) end(request, CANDIDATE_TIMED_OUT, 0);
    request->look = time + share_least_ns(share, left) + LOOK_AGAIN_NS;
  }
  if (time >= request->deadline) {
    request->deadline = request->least + share_held_ns(share);
    if (request->measured) request->deadline += sweep_used_ns(now.grader.uid) - request->graded;
    if (time >= request->deadline) end(request, CANDIDATE_TIMED_OUT, 1);
  }
  if (request->look < next) next = request->look;
  return request->deadline < next ? request->deadline : next;
}

int64_t candidates_wait(struct pollfd *fds, const struct share *share) {
  int64_t left = INT64_MAX, time = now.listener < 0 ? 0 : monotonic_ns();
  for (size_t i = 0; i < CANDIDATE_FDS; i++) fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  for (size_t i = 0; now.listener >= 0 && i < now.count; i++) {
    struct request *request = &now.requests[i];
    if (request->socket < 0) continue;
    int64_t next = request->pid && !request->over ? check_time(request, time, share) : INT64_MAX;
    if (request->over) finish(request), next = time + LOOK_AGAIN_NS;
    if (request->socket >= 0 && next - time < left) left = next - time;
    if (!request->over) fds[1 + i].fd = request->socket;
  }
  if (now.listener >= 0 && free_request()) fds[0].fd = now.listener;
  return left;
}

void candidates_serve(const struct pollfd *fds) {
  for (size_t i = 0; i < now.count; i++)
    if (fds[1 + i].revents) (now.requests[i].asked ? pass_on : receive)(&now.requests[i]);
  if (fds[0].revents) admit();
}

void candidates_reaped(const struct reaped *reaped) {
  for (size_t i = 0; now.listener >= 0 && i < now.count; i++) {
    struct request *request = &now.requests[i];
    /* Of a request that is measured, which is the only one, also what its processes have left behind. */
    if (reaped->pid && request->socket >= 0 && request->measured) add_usage(&request->used, &reaped->used);
    /* Only the first process with its number: numbers are reused, also on purpose. */
    if (!reaped->pid || request->socket < 0 || request->pid != reaped->pid || request->ended) continue;
    request->ended = true;
    end(request, CANDIDATE_ENDED, reaped->status);
  }
}

bool candidates_kill(void) {
  bool any = false;
  for (size_t i = 0; now.listener >= 0 && i < now.used; i++) {
    const struct request *request = &now.requests[i];
    /* It may not have become its user yet. */
    if (request->socket >= 0 && request->pid && !request->ended) any = kill(request->pid, SIGKILL) == 0 || any;
    sweep_kill(user_of(request));
  }
  return any;
}

void candidates_close(void) {
  if (!now.count) return;
  forget(&now.listener);
  unlink(SOCKET);
  for (size_t i = 0; i < now.count; i++) {
    forget(&now.requests[i].socket);
    if (i < now.used) sweep_ipc(now.first + (uid_t)i);
  }
  for (char **text = now.env; text && *text; text++) free(*text);
  free(now.env);
  now.count = 0;
}
