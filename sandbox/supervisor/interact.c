/* `candidate --interact`: a program of the grader that talks with the candidate, and what came of it.
 *
 *   candidate --interact WORDS CANDIDATE_US INTERACTOR_SECONDS OUTPUT_BYTES ACCEPTS INTERACTOR... PROGRAM...
 *
 * Starts the interactor, which has WORDS words, as a child, and asks the supervisor for PROGRAM as the candidate. What one
 * prints the other reads. All of it goes through this process, so neither has a descriptor of the other. The interactor's
 * stderr is our stdout, and the candidate's is ours. Descriptor 3 gets a line of JSON, and then the end of what they
 * said. The exit status is 0 if the interactor ended with ACCEPTS and the candidate with 0, otherwise 1.
 *
 * Who keeps whom waiting is decided by what they do to each other. The candidate's time is its processor time, and twice
 * as much wall time in which the interactor did not compute (candidates.c). When the candidate has ended, or has closed
 * its stdout, the interactor reads all that was said. Only if it then waits for more does it see the end: `waited`. An
 * interactor that neither ends then nor computes hangs by itself.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor.h"

#define REPORT_FD 3
/* How much of what they said last is reported. */
#define SAID 2048u
/* How long an interactor sleeps with nothing to read before it counts as waiting for more. */
#define WAITING_NS (SECOND_NS / 50)
/* How often to look whether the interactor computes; how much of that time it then uses; and for how many looks in a row
 * it may do neither that nor end. */
#define LOOK_NS SECOND_NS
#define COMPUTES_NS (SECOND_NS / 50)
#define IDLE_LOOKS 5

/* One direction: from whose stdout, to whose stdin. -1 when closed. */
struct way {
  int from, to;
  char piece[PIECE];
  size_t at, size;
  uint64_t total;
  char last;
  const char *mark; /* before what is said */
};

static struct {
  struct way asks, answers; /* of the interactor, of the candidate */
  pid_t interactor;
  int connection, status, idle;
  bool over, ended, hung, first, waited, flooded, answered;
  struct misstart start, answer;
  struct candidate_usage used;
  int64_t empty, look, worked; /* since when it waits; when to look again; what the grader had used by then */
  uint64_t limit, unread;
  char said[SAID];
  size_t said_size;
  const struct way *speaker;
} now = {.connection = -1};

static void forget(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void remember(const char *text, size_t size) {
  if (size > SAID) text += size - SAID, size = SAID;
  size_t excess = now.said_size + size > SAID ? now.said_size + size - SAID : 0;
  memmove(now.said, now.said + excess, now.said_size - excess);
  memcpy(now.said + now.said_size - excess, text, size);
  now.said_size += size - excess;
}

/* Read a piece. False if there is none now, or no more. */
static bool take(struct way *way) {
  if (way->from < 0 || way->size) return false;
  ssize_t size = read(way->from, way->piece, sizeof way->piece);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size <= 0) return forget(&way->from), false;
  way->at = 0;
  way->size = (size_t)size;
  way->total += way->size;
  way->last = way->piece[size - 1];
  if (now.speaker != way) {
    if (now.said_size && now.said[now.said_size - 1] != '\n') remember("\n", 1);
    remember(way->mark, strlen(way->mark));
  }
  now.speaker = way;
  remember(way->piece, way->size);
  return true;
}

/* Write what there is; nobody may read it any more. */
static void give(struct way *way) {
  ssize_t size = way->to < 0 ? -1 : write(way->to, way->piece + way->at, way->size);
  if (way->to >= 0 && size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size < 0) forget(&way->to), size = (ssize_t)way->size;
  way->at += (size_t)size;
  way->size -= (size_t)size;
}

static int pipes(int ends[2], int ours) {
  return spawn_pipe(ends) < 0 || fcntl(ends[ours], F_SETFL, O_NONBLOCK) < 0 ? -1 : 0;
}

static _Noreturn void become(char **argv, int in, int out, long seconds) {
  sigset_t none;
  struct rlimit limit = {(rlim_t)seconds, (rlim_t)seconds + 1};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  setrlimit(RLIMIT_CPU, &limit);
  if (dup2(in, 0) == 0 && dup2(1, 2) == 2 && dup2(out, 1) == 1) {
    close(REPORT_FD);
    execvp(argv[0], argv);
  }
  dprintf(2, "%s: %s\n", argv[0], strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

/* Start both. */
static bool begin(char **interactor, char **program, long seconds, struct candidate_request *wanted) {
  int in[2], out[2], their_in[2], their_out[2];
  if (pipes(in, 1) < 0 || pipes(out, 0) < 0 || pipes(their_in, 1) < 0 || pipes(their_out, 0) < 0) return false;
  now.interactor = fork();
  if (now.interactor == 0) become(interactor, in[0], out[1], seconds);
  close(in[0]);
  close(out[1]);
  now.asks = (struct way){.from = out[0], .to = their_in[1], .mark = "> "};
  now.answers = (struct way){.from = their_out[0], .to = in[1], .mark = "< "};
  now.connection = candidate_ask(program, (int[]){their_in[0], their_out[1], 2}, wanted);
  close(their_in[0]);
  close(their_out[1]);
  return now.interactor > 0 && now.connection >= 0;
}

/* End the candidate; the supervisor then says what it used. */
static void end_candidate(void) {
  if (!now.over) shutdown(now.connection, SHUT_WR);
}

static void hear(void) {
  struct misstart answer;
  ssize_t size = recv(now.connection, &answer, sizeof answer, MSG_WAITALL);
  if (size == (ssize_t)sizeof answer && answer.stage < CANDIDATE_ENDED) {
    now.start = answer;
    return;
  }
  now.over = true;
  now.answered = size == (ssize_t)sizeof answer;
  if (now.answered) now.answer = answer;
  if (recv(now.connection, &now.used, sizeof now.used, MSG_WAITALL) != (ssize_t)sizeof now.used)
    now.used = (struct candidate_usage){0};
  int left = 0;
  if (now.asks.to >= 0 && ioctl(now.asks.to, FIONREAD, &left) == 0) now.unread = (uint64_t)left;
  now.unread += now.asks.size;
  forget(&now.asks.to);
}

static void reap(int accepts) {
  if (now.ended || waitpid(now.interactor, &now.status, WNOHANG) != now.interactor) return;
  now.ended = true;
  if (!now.over) now.first = true;
  if (!WIFEXITED(now.status) || WEXITSTATUS(now.status) != accepts) end_candidate();
}

/* Whether the interactor sleeps, as far as it can be known: it neither computes nor waits for a processor. */
static bool sleeps(void) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", now.interactor);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  forget(&fd);
  text[size < 0 ? 0 : size] = 0;
  const char *rest = strrchr(text, ')'); /* its name may hold anything */
  return !rest || rest[1] != ' ' || rest[2] == 'S';
}

/* Let the interactor see the end of what the candidate said, once it has read that and waits for more. */
static void close_answers(int64_t time) {
  struct way *way = &now.answers;
  int left = 0;
  if (now.over && way->from >= 0 && !way->size && !take(way)) forget(&way->from);
  if (way->from >= 0 || way->size || way->to < 0) return;
  if (ioctl(way->to, FIONREAD, &left) < 0) left = 0;
  if (left || !sleeps()) now.empty = 0;
  else if (!now.empty) now.empty = time;
  if (!now.ended && (!now.empty || time - now.empty < WAITING_NS)) return;
  now.waited = !now.ended;
  forget(&way->to);
}

/* End an interactor that waits for nobody, and neither ends nor computes. */
static void check_idle(int64_t time) {
  if (now.ended || (!now.over && now.answers.to >= 0) || time < now.look) return;
  int64_t worked = sweep_used_ns(geteuid());
  now.idle = !now.look || worked - now.worked > COMPUTES_NS || now.asks.size ? 0 : now.idle + 1;
  now.worked = worked;
  now.look = time + LOOK_NS;
  if (now.idle < IDLE_LOOKS) return;
  now.hung = true;
  kill(now.interactor, SIGKILL);
}

static void talk(int signals, int accepts) {
  while (!(now.over && now.ended)) {
    struct way *asks = &now.asks, *answers = &now.answers;
    struct pollfd fds[] = {
        {.fd = signals, .events = POLLIN},
        {.fd = now.over ? -1 : now.connection, .events = POLLIN},
        {.fd = asks->size ? -1 : asks->from, .events = POLLIN},
        {.fd = asks->size ? asks->to : -1, .events = POLLOUT},
        {.fd = answers->size ? -1 : answers->from, .events = POLLIN},
        {.fd = answers->size ? answers->to : -1, .events = POLLOUT},
    };
    /* Where the end is near, nothing wakes us when the interactor has read all of it. */
    bool closing = answers->from < 0 && answers->to >= 0;
    poll(fds, sizeof fds / sizeof *fds, closing ? (int)(WAITING_NS / 4000000) : 200);
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) > 0) continue;
    reap(accepts);
    if (take(asks) || asks->size) give(asks);
    if (take(answers) || answers->size) give(answers);
    if (answers->total > now.limit && !now.flooded) now.flooded = true, end_candidate();
    if (now.ended && asks->from >= 0 && !asks->size && !take(asks)) forget(&asks->from);
    if (asks->from < 0 && !asks->size) {
      if (!now.over && asks->to >= 0) now.first = true;
      forget(&asks->to);
    }
    if (fds[1].revents && !now.over) hear();
    int64_t time = monotonic_ns();
    close_answers(time);
    check_idle(time);
  }
}

static void report(void) {
  char line[1024];
  int size = snprintf(
      line, sizeof line,
      "{\"answered\": %d, \"answer\": [%d, %d], \"start\": [%d, %d], \"cpu_us\": %llu, \"rss_bytes\": %llu, \"flooded\": %d, "
      "\"said_bytes\": %llu, \"open_line\": %d, \"unread_bytes\": %llu, \"status\": %d, \"hung\": %d, \"first\": %d, "
      "\"waited\": %d, \"asked_bytes\": %llu}\n",
      now.answered, now.answer.stage, now.answer.number, now.start.stage, now.start.number,
      (unsigned long long)now.used.cpu_us, (unsigned long long)now.used.rss_bytes, now.flooded,
      (unsigned long long)now.answers.total, now.answers.total && now.answers.last != '\n',
      (unsigned long long)now.unread, now.status, now.hung, now.first, now.waited, (unsigned long long)now.asks.total);
  if (write(REPORT_FD, line, (size_t)size) != size || write(REPORT_FD, now.said, now.said_size) < 0) _exit(125);
}

int interact(int argc, char **argv) {
  struct candidate_request wanted = {.what = CANDIDATE_MEASURED};
  sigset_t child;
  if (argc < 8) return 125;
  int words = atoi(argv[2]), accepts = atoi(argv[6]);
  if (words < 1 || argc < 8 + words) return 125;
  wanted.timeout_us = strtoull(argv[3], NULL, 10);
  now.limit = strtoull(argv[5], NULL, 10);
  char **program = argv + 7 + words, *interactor[words + 1];
  memcpy(interactor, argv + 7, (size_t)words * sizeof *interactor);
  interactor[words] = NULL;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  signal(SIGPIPE, SIG_IGN);
  int signals = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  if (signals < 0 || !begin(interactor, program, atol(argv[4]), &wanted)) {
    fprintf(stderr, "candidate: the programs could not be started: %s\n", strerror(errno));
    return 125;
  }
  talk(signals, accepts);
  report();
  bool ended = now.answered && now.answer.stage == CANDIDATE_ENDED && now.answer.number == 0;
  return WIFEXITED(now.status) && WEXITSTATUS(now.status) == accepts && ended && !now.flooded ? 0 : 1;
}
