/* What a program gets in place of the streams and signals of its `candidate`.
 *
 * No descriptor of a regular file that the grader has open reaches the program, which could otherwise read what came
 * before, cut the file, or write anywhere in it. As stdin it gets the file opened anew, for reading alone. If somebody
 * has read from the file before, as the loop of a shell does, it is not meant for the program, which reads nothing. As
 * stdout and stderr it gets a pipe, and what it writes is appended here. What it writes into the report of the check
 * goes to stderr.
 *
 * Signals are passed on to the program, and `candidate` ends when all of its processes are dead. SIGPWR stands for
 * SIGKILL, which cannot be passed on.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor.h"

static struct {
  int signals, copied[3]; /* pipes in place of stdout and stderr; -1: passed as they are */
  int passed;             /* the last signal that was passed on */
} now = {.signals = -1, .copied = {-1, -1, -1}};

static bool same_file(const struct stat *one, const struct stat *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static int input(void) {
  struct stat stat;
  if (fstat(0, &stat) < 0) return -1;
  if (!S_ISREG(stat.st_mode) && !S_ISDIR(stat.st_mode)) return 0;
  bool whole = S_ISREG(stat.st_mode) && lseek(0, 0, SEEK_CUR) == 0;
  return open(whole ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Whether a descriptor is a file, and whether it is this file; false if there is none. */
static bool is_file(int fd, const char *path, struct stat *stat) {
  struct stat known;
  if (fstat(fd, stat) < 0 || !S_ISREG(stat->st_mode)) return false;
  return !path || (lstat(path, &known) == 0 && same_file(&known, stat));
}

/* The program's end for stdout or stderr. */
static int output(int fd) {
  const char *report = getenv(REPORT_VARIABLE);
  struct stat stat;
  int ends[2];
  if (!is_file(fd, NULL, &stat)) return fd;
  if (report && is_file(fd, report, &stat)) return open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (spawn_pipe(ends) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) return -1;
  now.copied[fd] = ends[0];
  return ends[1];
}

static void take_signals(void) {
  static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPWR};
  struct sigaction action;
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    if (sigaction(passed[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, passed[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  now.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int relay_begin(int streams[3]) {
  take_signals();
  signal(SIGXFSZ, SIG_IGN);
#ifdef GRADEBOX_WITHOUT_GRADER_STREAMS
  for (int fd = 0; fd < 3; fd++) streams[fd] = fd;
  return 0;
#endif
  const char *report = getenv(REPORT_VARIABLE);
  struct stat one, two;
  if ((streams[0] = input()) < 0 || (streams[2] = output(2)) < 0) return -1;
  /* One pipe for both keeps the order of what is written. */
  bool both = is_file(1, NULL, &one) && is_file(2, NULL, &two) && same_file(&one, &two);
  streams[1] = both || (report && is_file(1, report, &one)) ? streams[2] : output(1);
  return streams[1] < 0 ? -1 : 0;
}

void relay_started(const int streams[3]) {
  for (int fd = 0; fd < 3; fd++)
    if (streams[fd] > 2) close(streams[fd]);
  /* Who reads from the program must see the end when it closes them. */
  close(0);
  if (now.copied[1] < 0) close(1);
}

/* Copy a piece; false if there is none now. */
static bool copy(int fd) {
  static char piece[PIECE];
  ssize_t size = now.copied[fd] < 0 ? -1 : read(now.copied[fd], piece, sizeof piece);
  if (size < 0) return false;
  for (ssize_t at = 0, written; at < size; at += written)
    if ((written = write(fd, piece + at, (size_t)(size - at))) < 0) size = 0;
  /* The program has closed it, or the file takes no more: then it cannot write, either. */
  if (size == 0) close(now.copied[fd]), now.copied[fd] = -1;
  return size > 0;
}

static void pass_on(int connection) {
  struct signalfd_siginfo info;
  while (read(now.signals, &info, sizeof info) == (ssize_t)sizeof info) {
    unsigned char number = (unsigned char)info.ssi_signo;
    now.passed = number;
    if (number == SIGPWR) shutdown(connection, SHUT_WR);
    else (void)send(connection, &number, sizeof number, MSG_NOSIGNAL);
  }
}

void relay(int connection) {
  struct pollfd fds[] = {{connection, POLLIN, 0}, {now.signals, POLLIN, 0}, {0}, {0}};
  do {
    for (int fd = 1; fd < 3; fd++) fds[1 + fd] = (struct pollfd){now.copied[fd], POLLIN, 0};
    if (poll(fds, sizeof fds / sizeof *fds, -1) < 0) continue;
    if (fds[1].revents) pass_on(connection);
    for (int fd = 1; fd < 3; fd++)
      if (fds[1 + fd].revents) copy(fd);
  } while (!fds[0].revents);
}

void relay_end(int signal_number) {
  for (int fd = 1; fd < 3; fd++)
    while (copy(fd)) continue;
  /* It ends as the program would have: by the signal that was passed on. */
  if (now.passed == SIGPWR) signal_number = SIGKILL;
  else if (!signal_number || signal_number != now.passed) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal_number);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(signal_number);
}
