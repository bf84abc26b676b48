/* READY: what the container is like, as the kernel tells it, so that the host need not believe its own settings. */
#include <linux/capability.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor.h"

/* Some kernels put a tunnel device into every network namespace. It is down, has no address, and leads nowhere. */
static bool usable(int fd, const char *name) {
  struct ifreq request = {0};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0 || request.ifr_flags & IFF_UP) return true;
  return ioctl(fd, SIOCGIFADDR, &request) == 0;
}

static void answer_interfaces(void) {
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

void facts_send(void) {
  struct statvfs root;
  int seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0), nnp = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  answer_begin(T_READY, 0);
  answer_number(F_VERSION, PROTOCOL_VERSION);
  answer_interfaces();
  answer_number(F_SECCOMP, seccomp > 0 ? (uint64_t)seccomp : 0);
  answer_number(F_NNP, nnp > 0);
  answer_number(F_CAPS, capabilities());
  answer_number(F_ROOT_RO, statvfs("/", &root) == 0 && root.f_flag & ST_RDONLY);
  cgroup_answer(F_MEMORY_LIMIT, MEMORY_LIMIT);
  cgroup_answer(F_PIDS_LIMIT, PIDS_LIMIT);
  answer_flush();
}
