/* The container's cgroup, version 1 or 2. Everything here may be missing: gVisor shows none of it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

/* Version 1 shows "unlimited" as the largest multiple of a page. */
#define UNLIMITED (UINT64_C(1) << 60)

struct source {
  const char *file;
  const char *key; /* of a line "key number"; NULL when the file is the number */
};

static const struct source version1[] = {
    [MEMORY_NOW] = {"memory/memory.usage_in_bytes", NULL},
    [MEMORY_PEAK] = {"memory/memory.max_usage_in_bytes", NULL},
    [MEMORY_LIMIT] = {"memory/memory.limit_in_bytes", NULL},
    [SWAP_LIMIT] = {"memory/memory.memsw.limit_in_bytes", NULL},
    [OOM_KILLS] = {"memory/memory.oom_control", "oom_kill"},
    [PIDS_NOW] = {"pids/pids.current", NULL},
    [PIDS_LIMIT] = {"pids/pids.max", NULL},
    [PIDS_REFUSED] = {"pids/pids.events", "max"},
    [LIMIT_HITS] = {NULL, NULL},
    [CPU_TIME] = {"cpuacct/cpuacct.usage", NULL},
};

static const struct source version2[] = {
    [MEMORY_NOW] = {"memory.current", NULL},
    [MEMORY_PEAK] = {"memory.peak", NULL},
    [MEMORY_LIMIT] = {"memory.max", NULL},
    [SWAP_LIMIT] = {"memory.swap.max", NULL},
    [OOM_KILLS] = {"memory.events", "oom_kill"},
    [PIDS_NOW] = {"pids.current", NULL},
    [PIDS_LIMIT] = {"pids.max", NULL},
    [PIDS_REFUSED] = {"pids.events", "max"},
    [LIMIT_HITS] = {"memory.events", "oom"},
    [CPU_TIME] = {"cpu.stat", "usage_usec"},
};

static const struct source *sources = version1;
static char base[1024] = "/sys/fs/cgroup";
static const char *const *given; /* directories that the host has made for this sandbox; NULL: the container's */

void cgroup_use(const char *const *directories) {
  given = directories;
  if (access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0) sources = version2;
}

/* The path of a file, such as "memory.max", or "memory/memory.limit_in_bytes" of version 1. */
static bool locate(const char *file, char *path, size_t room) {
  if (!given) return snprintf(path, room, "%s/%s", base, file) < (int)room;
  const char *rest = sources == version1 ? strchr(file, '/') : NULL;
  char part[32];
  snprintf(part, sizeof part, "/%.*s/", rest ? (int)(rest - file) : 0, file);
  for (size_t i = 0; given[i]; i++) {
    const char *mounted = strstr(given[i], "/sys/fs/cgroup");
    bool wanted = !rest || (mounted && strncmp(mounted + strlen("/sys/fs/cgroup"), part, strlen(part)) == 0);
    if (wanted) return snprintf(path, room, "%s/%s", given[i], rest ? rest + 1 : file) < (int)room;
  }
  return false;
}

static bool read_text(const char *path, char *text, size_t room) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t size = read(fd, text, room - 1);
  close(fd);
  if (size <= 0) return false;
  text[size] = 0;
  return true;
}

void cgroup_open(void) {
  char text[1024], *own;
  if (access("/sys/fs/cgroup/cgroup.controllers", R_OK) < 0) return;
  sources = version2;
  /* In a private namespace the container's group is the visible root; otherwise its path is below it. */
  if (!read_text("/proc/self/cgroup", text, sizeof text) || !(own = strstr(text, "0::/"))) return;
  own += 3;
  own[strcspn(own, "\n")] = 0;
  if (strcmp(own, "/") != 0 && !strstr(own, "..") && strlen(own) + strlen(base) < sizeof base - 64) strcat(base, own);
}

bool cgroup_read(enum counter counter, uint64_t *value) {
  const struct source *source = &sources[counter];
  if (!source->file) return false;
  char path[sizeof base + 64], text[1024], *at = text;
  if (!locate(source->file, path, sizeof path) || !read_text(path, text, sizeof text)) return false;
  if (source->key) {
    size_t length = strlen(source->key);
    while (strncmp(at, source->key, length) != 0 || at[length] != ' ') {
      if (!(at = strchr(at, '\n'))) return false;
      at++;
    }
    at += length + 1;
  }
  if (*at < '0' || *at > '9') return false; /* "max" */
  *value = strtoull(at, NULL, 10);
  return (counter != MEMORY_LIMIT && counter != SWAP_LIMIT) || *value < UNLIMITED;
}

bool cgroup_within_limit(uint64_t hits_before, bool *within) {
  uint64_t hits, peak, limit;
  if (sources == version2) {
    *within = cgroup_read(LIMIT_HITS, &hits) && hits == hits_before;
    return hits_before != UINT64_MAX;
  }
  /* The container's peak: if it reached its limit, the peak is close to it. */
  if (!cgroup_read(MEMORY_PEAK, &peak) || !cgroup_read(MEMORY_LIMIT, &limit)) return false;
  *within = peak < limit - limit / 8;
  return true;
}

bool cgroup_swap(uint64_t *bytes) {
  char text[4096], *line;
  uint64_t memory;
  /* Only with a memory limit: without a readable cgroup, /proc may be emulated, too. */
  if (!cgroup_read(MEMORY_LIMIT, &memory)) return false;
  if (read_text("/proc/meminfo", text, sizeof text) && (line = strstr(text, "SwapTotal:")) &&
      strtoull(line + strlen("SwapTotal:"), NULL, 10) == 0) {
    *bytes = 0; /* the machine has none */
    return true;
  }
  if (!cgroup_read(SWAP_LIMIT, bytes)) return false;
  if (sources == version1) *bytes = *bytes > memory ? *bytes - memory : 0;
  return true;
}

bool cgroup_cpus(uint64_t *millionths) {
  char path[sizeof base + 64], text[128], *rest = text;
  long long quota, period;
  const char *file = sources == version1 ? "cpu/cpu.cfs_quota_us" : "cpu.max";
  if (!locate(file, path, sizeof path) || !read_text(path, text, sizeof text)) return false;
  quota = strtoll(text, &rest, 10); /* "max", or -1, is unlimited */
  if (rest == text || quota <= 0) return false;
  if (sources == version1) {
    if (!locate("cpu/cpu.cfs_period_us", path, sizeof path) || !read_text(path, text, sizeof text)) return false;
    rest = text;
  }
  period = strtoll(rest, NULL, 10);
  if (period <= 0) return false;
  *millionths = (uint64_t)quota * 1000000 / (uint64_t)period;
  return true;
}

bool cgroup_cpu_ns(uint64_t *used) {
  /* gVisor shows a file that says nothing of the machine's processors. */
  if (facts_own_kernel() || !cgroup_read(CPU_TIME, used)) return false;
  if (sources == version2) *used *= 1000;
  return true;
}

void cgroup_answer(uint8_t tag, enum counter counter) {
  uint64_t value;
  if (cgroup_read(counter, &value)) answer_number(tag, value);
}
