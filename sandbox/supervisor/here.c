/* Without an engine: a sandbox in the container, pod or machine that we are in (sandbox/engines/here).
 *
 * Start: supervisor here WORD... -- WORKSPACE LIFETIME_SECONDS LEVEL. "probe" reports which walls it can build, and
 * "sweep" kills every process of its users. It builds the walls that an engine would
 * build, each as far as the kernel permits it, and becomes the supervisor of protocol.h. READY says which are missing
 * (F_LACKS). In a mount namespace of its own everything is read-only but the tmpfs that it mounts. In a PID namespace
 * it is process 1; the first process then only waits for it, and kills it on SIGTERM.
 *
 * Where there is no PID namespace, it kills by user. No process outside has one of its users: the host looks before it
 * starts, and holds a lock on them. As "subreaper" it inherits every orphan, so that no process lives when it has no
 * child. Where there is no mount namespace, only one sandbox runs at a time. The workspace is a directory that it has
 * for itself. Of directories that it shares, it removes only files of candidates' users.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor.h"

/* <sys/mount.h> and <linux/mount.h> cannot be combined with some libraries. */
int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data);
#define M_RDONLY 1ul
#define M_NOSUID 2ul
#define M_NODEV 4ul
#define M_NOEXEC 8ul
#define M_BIND 4096ul
#define M_REC 16384ul
#define M_PRIVATE (1ul << 18)
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4u
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

/* All users that a sandbox may have (users.py): files of these are removed from shared directories. */
#define EVERY_USER 4096
#define LIST_MAX 256
/* CHOWN, DAC_OVERRIDE, FOWNER, SETUID, SETGID and KILL. */
#define CAPABILITIES (1u << 0 | 1u << 1 | 1u << 3 | 1u << 7 | 1u << 6 | 1u << 5)
/* How deep below a shared directory candidates can have made files in directories of others. */
#define DEPTH 8

static struct {
  bool on, network, apart, probe, sweep;
  unsigned lacks;
  uint64_t first, users, spare, from, memory, disk, inodes, tmp, shm;
  const char *workspace;
  const char *scratch[LIST_MAX], *hidden[LIST_MAX], *cgroups[LIST_MAX];
} here = {.first = 1, .spare = 65533};

bool here_lacks(enum wall wall) { return here.lacks & wall; }
unsigned here_lacking(void) { return here.lacks; }
uid_t here_spare(void) { return (uid_t)here.spare; }
uint64_t here_memory(void) { return here.on && here_lacks(WALL_LIMITS) ? here.memory : UINT64_MAX; }

static _Noreturn void stop(const char *what, const char *name) {
  dprintf(STDERR_FILENO, "supervisor: %s%s%s: %s.\n", what, *name ? " " : "", name, strerror(errno));
  _exit(EXIT_USAGE);
}

/* NAME=VALUE; a name that comes more than once fills a list. */
static void take(const char *word) {
  const struct {
    const char *name;
    uint64_t *number;
    const char **list;
  } known[] = {
      {"first=", &here.first, NULL}, {"users=", &here.users, NULL},   {"spare=", &here.spare, NULL},
      {"from=", &here.from, NULL},   {"memory=", &here.memory, NULL}, {"disk=", &here.disk, NULL},
      {"inodes=", &here.inodes, NULL}, {"tmp=", &here.tmp, NULL},     {"shm=", &here.shm, NULL},
      {"scratch=", NULL, here.scratch}, {"hide=", NULL, here.hidden}, {"cgroup=", NULL, here.cgroups},
  };
  if (strcmp(word, "network") == 0) here.network = true;
  else if (strcmp(word, "apart") == 0) here.apart = true;
  else if (strcmp(word, "probe") == 0) here.probe = true;
  else if (strcmp(word, "sweep") == 0) here.sweep = true;
  else if (strcmp(word, "open") == 0) here.lacks |= WALL_HIDDEN;
  else
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      size_t length = strlen(known[i].name);
      if (strncmp(word, known[i].name, length) != 0) continue;
      if (known[i].number) *known[i].number = strtoull(word + length, NULL, 10);
      for (size_t at = 0; known[i].list && at < LIST_MAX - 1; at++)
        if (!known[i].list[at]) {
          known[i].list[at] = word + length;
          break;
        }
      return;
    }
}

/* A directory, or a file, that nobody can look into. */
static void hide(const char *path) {
  struct stat stat;
  if (lstat(path, &stat) < 0 || S_ISLNK(stat.st_mode)) return;
  int result = S_ISDIR(stat.st_mode) ? mount("tmpfs", path, "tmpfs", M_RDONLY | M_NOSUID | M_NODEV, "mode=0,size=4k")
                                     : mount("/dev/null", path, NULL, M_BIND, NULL);
  if (result < 0) stop("cannot hide", path);
}

static void mount_tmpfs(const char *path, unsigned long flags, const char *mode, uint64_t size, uint64_t inodes) {
  char options[128], files[40] = "";
  if (inodes) snprintf(files, sizeof files, ",nr_inodes=%llu", (unsigned long long)inodes);
  snprintf(options, sizeof options, "mode=%s,size=%llu%s", mode, (unsigned long long)size, files);
  if (mount("tmpfs", path, "tmpfs", M_NOSUID | M_NODEV | flags, options) < 0) stop("cannot mount", path);
}

/* The devices that every program expects, and no other of the machine's. */
static void mount_dev(void) {
  static const char *const names[] = {"null", "zero", "full", "random", "urandom", "tty"};
  static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                         {"/proc/self/fd/0", "/dev/stdin"},
                                         {"/proc/self/fd/1", "/dev/stdout"},
                                         {"/proc/self/fd/2", "/dev/stderr"},
                                         {"pts/ptmx", "/dev/ptmx"}};
  int fds[sizeof names / sizeof *names];
  char path[64], from[64];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "/dev/%s", names[i]);
    fds[i] = open(path, O_PATH | O_CLOEXEC);
  }
  if (mount("tmpfs", "/dev", "tmpfs", M_NOSUID | M_NOEXEC, "mode=755,size=64k") < 0) stop("cannot mount", "/dev");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (fds[i] < 0) continue;
    snprintf(path, sizeof path, "/dev/%s", names[i]);
    snprintf(from, sizeof from, "/proc/self/fd/%d", fds[i]);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || mount(from, path, NULL, M_BIND, NULL) < 0) stop("cannot mount", path);
    close(file);
    close(fds[i]);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) (void)!symlink(links[i][0], links[i][1]);
  mkdir("/dev/pts", 0755), mkdir("/dev/shm", 01777), mkdir("/dev/mqueue", 01777);
  (void)mount("devpts", "/dev/pts", "devpts", M_NOSUID | M_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
  mount_tmpfs("/dev/shm", 0, "1777", here.shm, 0);
  (void)mount("mqueue", "/dev/mqueue", "mqueue", M_NOSUID | M_NODEV | M_NOEXEC, NULL);
}

/* Processes of its own, and what settings of the kernel can be read. */
static void mount_proc(void) {
  static const char *const settings[] = {"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger"};
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  if (mount("proc", "/proc", "proc", M_NOSUID | M_NODEV | M_NOEXEC, NULL) < 0) stop("cannot mount", "/proc");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (access(settings[i], F_OK) == 0 &&
        (mount(settings[i], settings[i], NULL, M_BIND | M_REC, NULL) < 0 ||
         syscall(SYS_mount_setattr, AT_FDCWD, settings[i], AT_RECURSIVE, &read_only, sizeof read_only) < 0))
      stop("cannot protect", settings[i]);
}

/* The file system of the sandbox. Once the first mount has succeeded, nothing else may fail. */
static bool mount_all(bool own_pids) {
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  if (mount(NULL, "/", NULL, M_REC | M_PRIVATE, NULL) < 0) return false;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) < 0) return false;
  if (own_pids) mount_proc();
  mount_dev();
  for (size_t i = 0; here.hidden[i]; i++) hide(here.hidden[i]);
  mount_tmpfs(here.workspace, 0, "1777", here.disk, here.inodes);
  mount_tmpfs("/tmp", 0, "1777", here.tmp, here.inodes);
  for (size_t i = 0; here.scratch[i]; i++) mount_tmpfs(here.scratch[i], M_NOEXEC, "1777", here.tmp, here.inodes);
  if (here.apart) mount_tmpfs(CANDIDATE_DIRECTORY, 0, "0700", 4u << 20, 0);
  return true;
}

static void raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0) stop("cannot raise the loopback interface", "");
  close(fd);
}

static void join_cgroups(void) {
  char path[1100];
  for (size_t i = 0; here.cgroups[i]; i++) {
    snprintf(path, sizeof path, "%s/cgroup.procs", here.cgroups[i]);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1) stop("cannot join the cgroup", here.cgroups[i]);
    close(fd);
  }
  if (!here.cgroups[0]) here.lacks |= WALL_LIMITS;
  cgroup_use(here.cgroups);
}

static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{CAPABILITIES, CAPABILITIES, 0}};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int i = 0; i < 64; i++)
    if (i > 31 || !(CAPABILITIES >> i & 1)) prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
  if (syscall(SYS_capset, &header, data) < 0) stop("needs the capabilities CHOWN, DAC_OVERRIDE, FOWNER, SETUID, SETGID "
                                                   "and KILL", "");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) stop("cannot give up privileges", "");
}

static pid_t inner;

static void kill_inner(int number) {
  (void)number;
  kill(inner, SIGKILL);
}

/* Wait for process 1 of the namespace, and end like it. */
static _Noreturn void wait_for_inner(void) {
  struct sigaction action = {.sa_handler = kill_inner};
  int status;
  sigaction(SIGTERM, &action, NULL);
  while (waitpid(inner, &status, 0) < 0)
    if (errno != EINTR) _exit(EXIT_USAGE);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void leave_at_once(int number) {
  sweep_end();
  _exit(128 + number);
}

static bool has_namespace(int kind, enum wall wall) {
  if (unshare(kind) == 0) return true;
  here.lacks |= wall;
  return false;
}

static void build(void) {
  struct sigaction action = {.sa_handler = leave_at_once};
  if (!here.network && has_namespace(CLONE_NEWNET, WALL_NETWORK)) raise_loopback();
  has_namespace(CLONE_NEWIPC, WALL_IPC);
  if (unshare(CLONE_NEWUTS) == 0) (void)!sethostname("sandbox", 7);
  /* Without a mount namespace, /proc would show the processes of another PID namespace. */
  bool mounts = has_namespace(CLONE_NEWNS, WALL_FILES), pids = mounts && unshare(CLONE_NEWPID) == 0;
  if (pids && (inner = fork()) != 0) {
    if (inner < 0) stop("cannot start a process", "");
    wait_for_inner();
  }
  /* Its first process is not counted. */
  join_cgroups();
  (void)unshare(CLONE_NEWCGROUP);
  if (mounts && !mount_all(pids)) here.lacks |= WALL_FILES;
  if (pids && here_lacks(WALL_FILES)) stop("cannot mount", "/proc");
  if (!pids) {
    here.lacks |= WALL_PROCESSES;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigaction(SIGTERM, &action, NULL);
  }
}

static bool some_left;
static void kill_others(uid_t uid) { some_left |= !sweep_user(uid); }

/* Kill what a supervisor that was killed itself has left. */
static _Noreturn void sweep_others(void) {
  for (int turn = 0; turn < 100; turn++) {
    some_left = false;
    here_each_user(kill_others);
    if (!some_left) _exit(0);
    poll(NULL, 0, 20);
  }
  _exit(EXIT_UNKILLABLE);
}

/* What an engine would do before it starts the supervisor. Leaves the arguments of protocol.h. */
void here_open(int *argc, char ***argv) {
  int at = 2;
  if (*argc < 2 || strcmp((*argv)[1], "here") != 0) return;
  here.on = true;
  while (at < *argc && strcmp((*argv)[at], "--") != 0) take((*argv)[at++]);
  *argc -= at, *argv += at;
  here.workspace = *argc > 1 ? (*argv)[1] : "";
  /* The host's locks stay ours until we end: nobody takes over what we still clean. No command gets them. */
  (void)syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  if (here.sweep) sweep_others();
  build();
  drop_capabilities();
  if (here.probe) _exit(dprintf(STDOUT_FILENO, "%u", here.lacks) > 0 ? 0 : 1);
}

bool here_on(void) { return here.on; }

void here_each_user(void (*act)(uid_t uid)) {
  for (uint64_t i = 0; i < here.users; i++) act((uid_t)(here.first + i));
}

/* Remove what candidates made in a directory that they share with others. */
static int remove_theirs(int dir, int depth) {
  struct stat stat;
  int result = 0, copy = tree_open(dir, ".");
  DIR *listing = copy < 0 ? NULL : fdopendir(copy);
  if (!listing) return -1;
  for (struct dirent *entry; (entry = readdir(listing));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) < 0) continue; /* others remove files, too */
    if (stat.st_uid >= here.from && stat.st_uid - here.from < EVERY_USER) {
      if (tree_remove(dir, name) < 0) result = -1;
    } else if (S_ISDIR(stat.st_mode) && stat.st_mode & S_IWOTH && depth) {
      int inner_dir = tree_open(dir, name);
      if (inner_dir >= 0) remove_theirs(inner_dir, depth - 1), close(inner_dir);
    }
  }
  closedir(listing);
  return result;
}

int here_empty(int dir) { return here_lacks(WALL_FILES) ? remove_theirs(dir, DEPTH) : tree_empty(dir); }

/* Homes have names of ours, so they are removed whoever owns them; `path` is absolute. */
void here_forget(const char *path) {
  char parent[NAME_ROOM];
  const char *name = strrchr(path, '/');
  if (!here_lacks(WALL_FILES) || !name || name == path || name - path >= NAME_ROOM) return;
  memcpy(parent, path, (size_t)(name - path));
  parent[name - path] = 0;
  int dir = tree_open(AT_FDCWD, parent);
  if (dir < 0) return;
  (void)tree_remove(dir, name + 1);
  close(dir);
}

void here_clean(void) {
  static const char *const usual[] = {"/tmp", "/dev/shm", "/dev/mqueue"};
  if (!here_lacks(WALL_FILES)) return;
  (void)tree_empty(files_workspace());
  for (size_t i = 0; i < sizeof usual / sizeof *usual + LIST_MAX; i++) {
    const char *path = i < 3 ? usual[i] : here.scratch[i - 3];
    if (!path) break;
    int dir = tree_open(AT_FDCWD, path);
    if (dir >= 0) (void)remove_theirs(dir, DEPTH), close(dir);
  }
  unlink(CANDIDATE_DIRECTORY "/candidate");
}

_Noreturn void leave(int status) {
  if (here_lacks(WALL_PROCESSES)) sweep_end();
  here_clean();
  files_forget_homes();
  _exit(status);
}
