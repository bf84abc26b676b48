/* Processes, and the objects that outlive them.
 *
 * SIGCHLD is blocked except during a wait, so the end of a child interrupts the wait and is never missed before it. The
 * supervisor is the parent of every orphan: when wait4 reports no children, no process lives.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor.h"

/* How long to wait for the next process to die. A program can make that slow on purpose: each inotify instance takes
 * the kernel milliseconds, and a process may have a thousand of them. */
#define PATIENCE_NS (20 * SECOND_NS)

static uid_t own; /* of the command that runs */

void sweep_own(uid_t uid) { own = uid; }

static void noticed(int number) { (void)number; }

void sweep_open(void) {
  struct sigaction action = {.sa_handler = noticed};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  sigaction(SIGCHLD, &action, NULL);
}

void sweep_poll(struct pollfd *fds, size_t count, int64_t timeout_ns) {
  if (timeout_ns < 0) timeout_ns = 0;
  struct timespec timeout = {.tv_sec = timeout_ns / SECOND_NS, .tv_nsec = timeout_ns % SECOND_NS};
  sigset_t none;
  sigemptyset(&none);
  if (ppoll(fds, count, &timeout, &none) <= 0)
    for (size_t i = 0; i < count; i++) fds[i].revents = 0;
}

/* A process that requests tracing by its parent may have the supervisor as its parent. It then stops at every signal,
 * and wait4 reports it. It is continued with that signal, as if it were not traced. */
static void decline_to_trace(const struct reaped *stopped) {
  ptrace(PTRACE_DETACH, stopped->pid, NULL, (void *)(intptr_t)WSTOPSIG(stopped->status));
}

void add_usage(struct usage *sum, const struct usage *used) {
  sum->user_us += used->user_us;
  sum->system_us += used->system_us;
  if (used->rss_bytes > sum->rss_bytes) sum->rss_bytes = used->rss_bytes;
}

int sweep_reap(struct reaped *reaped, struct usage *usage) {
  struct rusage used;
  reaped->pid = wait4(-1, &reaped->status, WNOHANG, &used);
  if (reaped->pid <= 0) return reaped->pid < 0 ? -1 : 0;
  if (WIFSTOPPED(reaped->status)) {
    if (!shield_stopped(reaped)) decline_to_trace(reaped);
    *reaped = (struct reaped){0};
    return 1;
  }
  forkserver_reaped(reaped->pid);
  reaped->used = (struct usage){used.ru_utime.tv_sec * INT64_C(1000000) + used.ru_utime.tv_usec,
                                used.ru_stime.tv_sec * INT64_C(1000000) + used.ru_stime.tv_usec,
                                used.ru_maxrss * INT64_C(1024)};
  add_usage(usage, &reaped->used);
  return 1;
}

/* Whether an entry of /proc is a process of a user. One that cannot be dumped belongs to root there. */
static bool is_of(int processes, const char *name, uid_t uid) {
  struct stat stat;
  char path[300], text[512];
  unsigned real = 0;
  if (!isdigit((unsigned char)*name) || fstatat(processes, name, &stat, AT_SYMLINK_NOFOLLOW) < 0) return false;
  if (stat.st_uid != 0 || strcmp(name, "1") == 0) return stat.st_uid == uid;
  snprintf(path, sizeof path, "%s/status", name);
  int fd = openat(processes, path, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[size < 0 ? 0 : size] = 0;
  const char *line = strstr(text, "\nUid:");
  return line && sscanf(line, " Uid: %u", &real) == 1 && real == uid;
}

int64_t sweep_used_ns(uid_t uid) {
  unsigned long long ticks = 0;
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; processes && (entry = readdir(processes));) {
    unsigned long long used[4] = {0};
    char path[300], text[1024];
    if (!is_of(dirfd(processes), entry->d_name, uid)) continue;
    snprintf(path, sizeof path, "%s/stat", entry->d_name);
    int fd = openat(dirfd(processes), path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[size < 0 ? 0 : size] = 0;
    const char *rest = strrchr(text, ')'); /* its name may hold anything */
    if (rest && sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &used[0], &used[1],
                       &used[2], &used[3]) == 4)
      ticks += used[0] + used[1] + used[2] + used[3];
  }
  if (processes) closedir(processes);
  return (int64_t)(ticks * (unsigned long long)(SECOND_NS / sysconf(_SC_CLK_TCK)));
}

void sweep_kill(uid_t uid) {
  /* As this user for a moment, without the right to kill, which goes with the effective user root: the kernel then kills
   * the processes of this user alone. Nobody can signal the supervisor meanwhile, since its real user is nobody's. */
  if (setresuid(here_spare(), uid, 0) < 0) _exit(EXIT_UNKILLABLE);
  kill(-1, SIGKILL);
  if (setresuid(0, 0, 0) < 0) _exit(EXIT_UNKILLABLE);
  prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0); /* the change of user may have reset it */
}

/* Without a PID namespace, kill(-1) would reach every process of the machine. */
static void kill_everything(void) {
  if (here_lacks(WALL_PROCESSES))
    here_each_user(sweep_kill);
  else
    kill(-1, SIGKILL);
}

void sweep_end(void) {
  /* It may have interrupted a change of the user. */
  if (setresuid(0, 0, 0) < 0) _exit(EXIT_UNKILLABLE);
  for (int64_t patience = monotonic_ns() + PATIENCE_NS; monotonic_ns() < patience; poll(NULL, 0, 5)) {
    pid_t got;
    kill_everything();
    while ((got = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (got < 0 && errno == ECHILD) return;
  }
}

#ifdef GRADEBOX_WITHOUT_KILL_ALL
uint64_t sweep_all(pid_t main, int *status, struct usage *usage) {
  (void)usage;
  if (main > 0 && kill(main, SIGKILL) == 0) waitpid(main, status, 0);
  return 0;
}
#else
/* Whether a process of another user than root lives, or is not yet reaped. */
static bool anybody_left(void) {
  struct stat stat;
  bool found = false;
  DIR *processes = opendir("/proc");
  if (!processes) return true;
  for (struct dirent *entry; !found && (entry = readdir(processes));)
    found = isdigit((unsigned char)*entry->d_name) &&
            fstatat(dirfd(processes), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && stat.st_uid != 0;
  closedir(processes);
  return found;
}

/* Kill all processes; the fork server lives, and is told apart by its user. Returns whether none is left but it. */
static bool kill_all(pid_t main) {
  if (!forkserver_pid()) return kill_everything(), false;
  /* It may not have become somebody else yet. */
  if (main > 0) kill(main, SIGKILL);
  bool candidates = candidates_kill();
  sweep_kill(own);
  return main <= 0 && !candidates && !anybody_left();
}

uint64_t sweep_all(pid_t main, int *status, struct usage *usage) {
  uint64_t killed = 0;
  int64_t patience = monotonic_ns() + PATIENCE_NS;
  for (;;) {
    struct reaped reaped;
    int got;
    if (kill_all(main)) return killed;
    bool any = false;
    while ((got = sweep_reap(&reaped, usage)) > 0) {
      any = true;
      patience = monotonic_ns() + PATIENCE_NS;
      candidates_reaped(&reaped);
      if (reaped.pid == main)
        *status = reaped.status, main = -1;
      else
        killed += WIFSIGNALED(reaped.status) && WTERMSIG(reaped.status) == SIGKILL;
    }
    if (got < 0) return killed;
    if (any) continue;
    if (monotonic_ns() > patience - (forkserver_pid() ? PATIENCE_NS / 2 : 0)) {
      if (!forkserver_pid()) _exit(EXIT_UNKILLABLE);
      /* What has become of it is unknown: all are killed. */
      forkserver_end();
    }
    sweep_poll(NULL, 0, SECOND_NS / 20);
  }
}
#endif

bool sweep_user(uid_t uid) {
#ifdef GRADEBOX_WITHOUT_CANDIDATES_KILLED
  (void)uid;
  return true;
#else
  bool found = false;
  sweep_kill(uid);
  DIR *processes = opendir("/proc");
  if (!processes) return false;
  for (struct dirent *entry; !found && (entry = readdir(processes));)
    found = is_of(dirfd(processes), entry->d_name, uid);
  closedir(processes);
  return !found;
#endif
}

static void remove_queue(int id) { msgctl(id, IPC_RMID, NULL); }
static void remove_set(int id) { semctl(id, 0, IPC_RMID); }
static void remove_segment(int id) { shmctl(id, IPC_RMID, NULL); }

void sweep_ipc(uid_t uid) {
  static const struct {
    const char *list;
    void (*remove)(int id);
  } kinds[] = {
      {"/proc/sysvipc/msg", remove_queue},
      {"/proc/sysvipc/sem", remove_set},
      {"/proc/sysvipc/shm", remove_segment},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char line[512];
    FILE *list = fopen(kinds[i].list, "re");
    if (!list) continue;
    if (fgets(line, sizeof line, list)) { /* the heading */
      while (fgets(line, sizeof line, list)) {
        char *id = line;
        strtol(line, &id, 10); /* the key comes first */
        /* Only its creator can remove an object, or CAP_SYS_ADMIN, which the supervisor does not have. It takes the
         * candidate's effective user for a moment; no process is alive to exploit that. */
        if (setresuid((uid_t)-1, uid, (uid_t)-1) < 0) break;
        kinds[i].remove(atoi(id));
        if (setresuid((uid_t)-1, 0, (uid_t)-1) < 0) _exit(EXIT_UNKILLABLE);
        prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0); /* the change of user may have reset it */
      }
    }
    fclose(list);
  }
}
