/* READY: the container as the kernel reports it, so that the host need not trust its own settings. */
#include <linux/capability.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "supervisor.h"

/* Some kernels put a tunnel device into every network namespace. It is down, has no address, and leads nowhere. */
static bool usable(int fd, const char *name) {
  struct ifreq request = {0};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0 || request.ifr_flags & IFF_UP) return true;
  return ioctl(fd, SIOCGIFADDR, &request) == 0;
}

bool facts_own_kernel(void) {
  static int known = -1;
  /* Only gVisor's kernel has this file. */
  if (known < 0) known = access("/proc/sentry-meminfo", F_OK) == 0;
  return known;
}

void facts_interfaces(void) {
  char line[512];
  FILE *list = fopen("/proc/net/dev", "re");
  if (!list) return;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  while (fgets(line, sizeof line, list)) {
    char *end = strchr(line, ':');
    if (!end) continue; /* the heading */
    *end = 0;
    const char *name = line + strspn(line, " ");
    if (strcmp(name, "lo") != 0 && usable(fd, name)) answer_text(F_IFACE, name);
  }
  if (fd >= 0) close(fd);
  fclose(list);
}

static uint64_t capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {{0}};
  if (syscall(SYS_capget, &header, data) < 0) return UINT64_MAX;
  return (uint64_t)data[1].effective << 32 | data[0].effective;
}

/* What the machine is, for people: two verdicts may differ by it. */
static void answer_machine(void) {
  struct utsname name;
  if (uname(&name) == 0) {
    char kernel[sizeof name.sysname + sizeof name.release + 1];
    snprintf(kernel, sizeof kernel, "%s %s", name.sysname, name.release);
    answer_text(F_KERNEL, kernel);
  }
  char line[256];
  FILE *list = fopen("/proc/cpuinfo", "re");
  if (!list) return;
  while (fgets(line, sizeof line, list)) {
    /* Not every architecture has such a line. */
    if (strncmp(line, "model name", 10) != 0) continue;
    char *model = strchr(line, ':');
    if (!model) break;
    model += 1 + strspn(model + 1, " \t");
    model[strcspn(model, "\n")] = 0;
    answer_text(F_PROCESSOR, model);
    break;
  }
  fclose(list);
}

/* The size of a file system for the candidate's files, and the number of files it can have; 0 if unlimited. */
static void answer_room(const char *path) {
  struct statvfs room;
  if (statvfs(path, &room) < 0) return;
  answer_text(F_PATH, path);
  answer_number(F_BYTES, (uint64_t)room.f_blocks * room.f_frsize);
  answer_number(F_COUNT, room.f_files);
}

void facts_send(const char *workspace) {
  uint64_t value;
  struct rlimit files;
  struct statvfs root;
  int seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0), nnp = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  answer_begin(T_READY, 0);
  answer_number(F_VERSION, PROTOCOL_VERSION);
  facts_interfaces();
  answer_number(F_SECCOMP, seccomp > 0 ? (uint64_t)seccomp : 0);
  answer_number(F_NNP, nnp > 0);
  answer_number(F_CAPS, capabilities());
  answer_number(F_ROOT_RO, statvfs("/", &root) == 0 && root.f_flag & ST_RDONLY);
  cgroup_answer(F_MEMORY_LIMIT, MEMORY_LIMIT);
  cgroup_answer(F_PIDS_LIMIT, PIDS_LIMIT);
  if (cgroup_swap(&value)) answer_number(F_SWAP_LIMIT, value);
  if (cgroup_cpus(&value)) answer_number(F_CPUS, value);
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) answer_number(F_NOFILE, files.rlim_max);
  answer_number(F_FILTER, filter_in_force());
  answer_number(F_OWN_KERNEL, facts_own_kernel());
  if (here_on()) answer_number(F_LACKS, here_lacking());
  answer_machine();
  answer_room(workspace);
  answer_room("/tmp");
  answer_room("/dev/shm");
  answer_flush();
}
