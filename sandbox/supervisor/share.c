/* The share of the processors that a command gets, and what others keep from it.
 *
 * The processor time of a command is its cgroup's, without the supervisor's own: no process can leave it, and it
 * outlives them all. At intervals the supervisor counts the threads that run or could run (state R), as many as there
 * are processors for them. Their number times the interval is the processor time that the command wanted. The part of
 * it that it did not get is the part of that time in which others held the command up.
 *
 * A command that waits wants nothing. One that starts many threads wants all processors of the container, and gets
 * them if nobody else does. So neither is held up by itself. Threads that are bound to one processor hold up each
 * other, but together they get that one: a command is starved only by what it lacks of a single processor. Where the
 * cgroup cannot be read, nothing is claimed.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define MILLION UINT64_C(1000000)
/* Intervals grow with the command's age: short commands cost nothing, long ones little. */
#define SHORTEST_NS (SECOND_NS / 40)
#define LONGEST_NS (SECOND_NS / 4)
/* Threads looked at; more do not change the count of a container with a sane number of processors. */
#define LOOKED_AT 1024

static int64_t own_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * SECOND_NS + time.tv_nsec;
}

void share_start(struct share *share) {
  uint64_t online = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) * MILLION;
  *share = (struct share){.last = monotonic_ns(), .own_before = own_ns()};
  share->begun = share->last;
  share->known = cgroup_cpu_ns(&share->before);
  if (!cgroup_cpus(&share->processors) || share->processors > online) share->processors = online;
}

bool share_used_ns(const struct share *share, int64_t *used) {
  uint64_t now;
  if (!share->known || !cgroup_cpu_ns(&now)) return false;
  *used = (int64_t)(now - share->before) - (own_ns() - share->own_before);
  if (*used < 0) *used = 0;
  return true;
}

/* The state in the line of a thread in /proc: after its name, which may hold anything. */
static bool runs(int tasks, const char *thread) {
  char path[64], line[256];
  if (snprintf(path, sizeof path, "%s/stat", thread) >= (int)sizeof path) return false;
  int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t size = read(fd, line, sizeof line - 1);
  close(fd);
  if (size <= 0) return false;
  line[size] = 0;
  const char *end = strrchr(line, ')');
  return end && end[1] == ' ' && end[2] == 'R';
}

/* How many threads of commands run or could run, `most` at most. */
static uint64_t runnable(uint64_t most) {
  uint64_t found = 0;
  unsigned looked_at = 0;
  DIR *processes = opendir("/proc");
  if (!processes) return 0;
  for (struct dirent *process; found < most && looked_at < LOOKED_AT && (process = readdir(processes));) {
    char path[300];
    if (!isdigit((unsigned char)*process->d_name) || strcmp(process->d_name, "1") == 0) continue;
    snprintf(path, sizeof path, "/proc/%s/task", process->d_name);
    DIR *tasks = opendir(path);
    if (!tasks) continue; /* it has ended */
    for (struct dirent *task; found < most && looked_at < LOOKED_AT && (task = readdir(tasks));)
      if (isdigit((unsigned char)*task->d_name)) looked_at++, found += runs(dirfd(tasks), task->d_name);
    closedir(tasks);
  }
  closedir(processes);
  return found;
}

void share_look(struct share *share) {
  if (!share->known) return;
  uint64_t wanted = runnable((share->processors + MILLION - 1) / MILLION) * MILLION;
  int64_t now = monotonic_ns(), passed = now - share->last;
  share->last = now;
  if (!wanted) return;
  if (wanted > share->processors) wanted = share->processors;
  share->wanting_ns += passed;
  share->wanted_ns += (double)passed * (double)wanted / MILLION;
}

int64_t share_held_ns(const struct share *share) {
  int64_t used;
  if (!share_used_ns(share, &used) || share->wanted_ns <= (double)used) return 0;
  return (int64_t)((double)share->wanting_ns * (1 - (double)used / share->wanted_ns));
}

int64_t share_starved_ns(const struct share *share) {
  int64_t used;
  double one = share->processors < MILLION ? (double)share->processors / MILLION : 1;
  return share_used_ns(share, &used) ? share->wanting_ns - (int64_t)((double)used / one) : 0;
}

int64_t share_least_ns(const struct share *share, int64_t time) {
  return time > 0 ? (int64_t)((double)time * MILLION / (double)share->processors) : 0;
}

int64_t share_next_ns(const struct share *share) {
  int64_t pause = (share->last - share->begun) / 8;
  if (!share->known) return INT64_MAX;
  return share->last + (pause < SHORTEST_NS ? SHORTEST_NS : pause > LONGEST_NS ? LONGEST_NS : pause);
}

bool share_queue(uint64_t *runnable_now) {
  /* Of the whole machine, this process included. /proc/loadavg, which has it too, is hidden from every sandbox. */
  static const char name[] = "procs_running ";
  char line[256];
  *runnable_now = 0;
  FILE *file = fopen("/proc/stat", "re");
  if (!file) return false;
  while (!*runnable_now && fgets(line, sizeof line, file))
    if (strncmp(line, name, sizeof name - 1) == 0) *runnable_now = strtoull(line + sizeof name - 1, NULL, 10);
  fclose(file);
  return *runnable_now > 0;
}
