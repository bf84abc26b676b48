/* Starting a process of a command: everything between fork and exec.
 *
 * The child gives up every right before it enters the working directory and executes the program, so both need the
 * command's permissions. An error is reported through a pipe that exec closes. The supervisor does not wait for it,
 * but reads it when the process has ended.
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor.h"

/* The supervisor's descriptors start here, above those of the command. */
#define FIRST_FD 10
#define REPORT_FD 3
#define TROUBLE_FD 4

/* How long to wait until another process can be started. */
#define ROOM_NS (2 * SECOND_NS)

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static void close_all(int *fds, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (fds[i] >= 0) close(fds[i]), fds[i] = -1;
}

int spawn_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) < 0) return -1;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, FIRST_FD);
    if (ends[i] < 0) {
      int number = errno;
      close_all(low, 2);
      if (i) close_all(ends, 1);
      errno = number;
      return -1;
    }
  }
  close_all(low, 2);
  return 0;
}

/* A limit above the hard one is impossible; the hard one, which is tighter, then holds. */
static int limit(int resource, uint64_t value) {
  struct rlimit now;
  if (value == UINT64_MAX) return 0;
  if (getrlimit(resource, &now) < 0) return -1;
  rlim_t wanted = (rlim_t)value < now.rlim_max ? (rlim_t)value : now.rlim_max;
  return setrlimit(resource, &(struct rlimit){wanted, wanted});
}

static int close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return 0;
  /* For old kernels, and seccomp filters that do not know the call. The supervisor has a few dozen open, in this
   * range. */
  for (unsigned fd = first; fd < 256; fd++) close((int)fd);
  return 0;
}

static int drop_rights(uid_t uid, gid_t gid) {
#ifdef GRADEBOX_WITHOUT_CANDIDATE_USER
  (void)uid, (void)gid;
#else
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct left[2] = {{0}};
  /* The fork server stays root, to become somebody else and nothing more. */
  if (uid == 0) left[0].effective = left[0].permitted = 1u << CAP_SETUID | 1u << CAP_SETGID;
  if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) return -1;
  if (syscall(SYS_capset, &header, left) < 0) return -1;
  if (uid != 0 && setuid(0) == 0) return errno = EPERM, -1;
#endif
#ifndef GRADEBOX_WITHOUT_NO_NEW_PRIVILEGES
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
#endif
  return filter_apply();
}

static void reset_signals(void) {
  /* By system call, with a structure of zeros: libc reserves two real-time signals and would refuse them. They may be
   * ignored all the same, which is inherited from the process that started the engine. */
  static const unsigned long standard[8];
  sigset_t none;
  for (int number = 1; number <= 64; number++) syscall(SYS_rt_sigaction, number, standard, NULL, 8);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Priority and processors are inherited, and under gVisor any process can change those of others, the supervisor's
 * included. Every command therefore gets those from before the first command, and no higher priority of the engine. */
static struct {
  cpu_set_t processors;
  int priority;
  bool known;
} scheduling;

static void remember_scheduling(void) {
  if (scheduling.known) return;
  scheduling.known = sched_getaffinity(0, sizeof scheduling.processors, &scheduling.processors) == 0;
  scheduling.priority = getpriority(PRIO_PROCESS, 0);
  if (scheduling.priority < 0) scheduling.priority = 0;
}

/* A value that cannot be set has not been changed either. An engine may have the right to a higher priority; commands
 * must not request it. */
static void reset_scheduling(void) {
  setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_NICE, &(struct rlimit){0, 0});
  if (!scheduling.known) return;
  sched_setaffinity(0, sizeof scheduling.processors, &scheduling.processors);
  setpriority(PRIO_PROCESS, 0, scheduling.priority);
}

/* When memory runs out, the kernel kills these processes before the supervisor, and candidates before their grader;
 * raising the score needs no right. */
static void volunteer_for_oom(bool grader) {
#ifndef GRADEBOX_WITHOUT_OOM_SCORE
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t written = write(fd, grader ? "500" : "1000", grader ? 3 : 4); /* an error is harmless */
  (void)written;
  close(fd);
#endif
}

/* A limit of 0 only concerns files: if the machine pipes dumps to a program, that program still starts and reads a dump
 * of any size. With 1 the kernel does not start a dump at all (core(5), fs/coredump.c). */
#define NO_DUMPS 1

/* `trouble` is set to the descriptor for reporting an error. */
static int give_up_rights(const int ends[5], const struct command *command, int *trouble) {
  setsid();
  reset_signals();
  reset_scheduling();
  volunteer_for_oom(command->grader);
  if (limit(RLIMIT_CORE, NO_DUMPS) < 0 || limit(RLIMIT_NOFILE, command->nofile) < 0 ||
      limit(RLIMIT_FSIZE, command->fsize) < 0 || limit(RLIMIT_NPROC, command->nproc) < 0 ||
      limit(RLIMIT_DATA, command->data) < 0)
    return -1;
  for (int i = 0; i < REPORT_FD + command->report; i++)
    if (dup2(ends[i], i) < 0) return -1;
  if (!command->report) close(REPORT_FD);
  if (dup3(ends[4], TROUBLE_FD, O_CLOEXEC) < 0) return -1;
  *trouble = TROUBLE_FD;
  close_from(TROUBLE_FD + 1);
  umask(command->mask);
  if (command->shielded) shield_ask();
  return drop_rights(command->uid, command->gid);
}

/* Execute the program. Returns only on an error, with the stage and errno. */
static int attempt(const char *file, const struct command *command) {
  struct statvfs place;
  /* Root executes only what nobody can have written, and looks for nothing else. */
  if (command->uid == 0 && statvfs(file, &place) == 0 && !(place.f_flag & ST_RDONLY)) return errno = EPERM, STAGE_PROGRAM;
  execve(file, command->argv, command->env);
  int number = errno;
  bool there = number == ENOENT && faccessat(AT_FDCWD, file, F_OK, 0) == 0;
  errno = number;
  return there ? STAGE_INTERPRETER : STAGE_PROGRAM;
}

/* Like execvp, but with the command's own PATH, without its empty elements, and with no shell for unknown formats. */
static int execute(const struct command *command) {
  const char *name = command->argv[0], *path = "/usr/bin:/bin";
  char file[PATH_MAX];
  int seen = ENOENT;
  if (strchr(name, '/')) return attempt(name, command);
  for (char **variable = command->env; *variable; variable++)
    if (strncmp(*variable, "PATH=", 5) == 0) path = *variable + 5;
  for (size_t length; *name && *path; path += length, path += *path == ':') {
    length = strcspn(path, ":");
    if (!length || length + strlen(name) + 2 > sizeof file) continue;
    memcpy(file, path, length);
    file[length] = '/';
    strcpy(file + length + 1, name);
    int stage = attempt(file, command);
    if (stage == STAGE_INTERPRETER) return stage;
    if (errno == ENOENT || errno == ENOTDIR) continue;
    seen = errno;
    if (errno != EACCES) break;
  }
  errno = seen;
  return STAGE_PROGRAM;
}

/* Enter a directory without following a link: a submission's would lead the command to other files. */
static int enter(const char *path) {
  char name[NAME_MAX + 1];
  if (*path != '/') return chdir(path);
  int place = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (size_t length; place >= 0 && *(path += strspn(path, "/")); path += length) {
    length = strcspn(path, "/");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    int next = length < sizeof name ? openat(place, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int number = length < sizeof name ? errno : ENAMETOOLONG;
    close(place);
    errno = number;
    place = next;
  }
  return place < 0 ? -1 : fchdir(place);
}

_Noreturn void spawn_child(const int ends[5], const struct command *command) {
  struct misstart misstart = {.stage = STAGE_RIGHTS};
  int trouble = ends[4];
  if (give_up_rights(ends, command, &trouble) == 0) {
    if (command->inherited) inherit(command->inherited);
    misstart.stage = enter(command->cwd) < 0 ? STAGE_CWD : execute(command);
  }
  misstart.number = errno;
  if (write(trouble, &misstart, sizeof misstart) < 0) _exit(126);
  _exit(127);
}

/* Before Linux 5.1 a process counts against the limit for a moment after it was reaped. A fork bomb must not prevent
 * the start of the next command. */
static pid_t fork_with_room(void) {
  int64_t patience = monotonic_ns() + ROOM_NS;
  for (;;) {
    pid_t pid = fork();
    if (pid >= 0 || errno != EAGAIN || monotonic_ns() > patience) return pid;
    poll(NULL, 0, 10);
  }
}

int spawn(struct process *process, const struct command *command, struct failure *why) {
  /* stdin, stdout, stderr, report, trouble: the child reads the first and writes to the others. */
  int theirs[5] = {-1, -1, -1, -1, -1}, ours[5] = {-1, -1, -1, -1, -1};
  remember_scheduling();
  for (int i = 0; i < 5; i++) {
    int ends[2];
    if (i == REPORT_FD && !command->report) continue;
    if (i == 0 && command->input) {
      char path[32];
      snprintf(path, sizeof path, "/proc/self/fd/%d", command->input);
      int low = open(path, O_RDONLY | O_CLOEXEC);
      theirs[0] = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
      if (low >= 0) close(low);
      if (theirs[0] < 0) goto failed;
      continue;
    }
    if (spawn_pipe(ends) < 0) goto failed;
    theirs[i] = ends[i != 0];
    ours[i] = ends[i == 0];
    /* The command must own its pipes to open them again as /dev/stdin, /dev/stderr and so on. */
    if (fcntl(ours[i], F_SETFL, O_NONBLOCK) < 0 || (i < 4 && fchown(theirs[i], command->uid, command->uid) < 0))
      goto failed;
  }
  process->pid = forkserver_fork(theirs, command);
  if (process->pid < 0) process->pid = fork_with_room();
  if (process->pid < 0) goto failed;
  if (process->pid == 0) spawn_child(theirs, command);
  close_all(theirs, 5);
  process->in = ours[0];
  memcpy(process->out, ours + 1, sizeof process->out);
  process->trouble = ours[4];
  return 0;
failed:
  fail(why, errno, "cannot start a process", NULL);
  close_all(theirs, 5);
  close_all(ours, 5);
  return -1;
}

void spawn_result(int trouble, struct misstart *misstart) {
  if (read(trouble, misstart, sizeof *misstart) != (ssize_t)sizeof *misstart) misstart->stage = 0;
  close(trouble);
}
