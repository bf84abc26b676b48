/* What a program inherits from its `candidate`, as if that had executed it: limits, umask, niceness, processors.
 *
 * The program is a child of the supervisor, so a grader that limits its own process would limit nothing. Nothing here
 * gives a program more than it has without it.
 */
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "supervisor.h"

/* What a command has by itself; the users of the candidate then share what they make (candidates.c). */
#define USUAL_MASK 022

struct inherited {
  struct rlimit limits[RLIM_NLIMITS];
  mode_t mask;
  int niceness;
  cpu_set_t processors;
};

int inherit_write(int file) {
  struct inherited own = {.mask = umask(0), .niceness = getpriority(PRIO_PROCESS, 0)};
  umask(own.mask);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    if (getrlimit(i, &own.limits[i]) < 0) return -1;
  if (sched_getaffinity(0, sizeof own.processors, &own.processors) < 0) CPU_ZERO(&own.processors);
  return write(file, &own, sizeof own) == sizeof own ? 0 : -1;
}

static void lower(int resource, const struct rlimit *to) {
  struct rlimit now;
  if (resource == RLIMIT_CORE || getrlimit(resource, &now) < 0) return;
  if (to->rlim_max < now.rlim_max) now.rlim_max = to->rlim_max;
  now.rlim_cur = to->rlim_cur < now.rlim_max ? to->rlim_cur : now.rlim_max;
  (void)setrlimit(resource, &now);
}

const struct inherited *inherit_read(int file, off_t at) {
  static struct inherited given;
  return pread(file, &given, sizeof given, at) == sizeof given ? &given : NULL;
}

void inherit(const struct inherited *given) {
  if (given->mask != USUAL_MASK) umask(given->mask);
  if (given->niceness > getpriority(PRIO_PROCESS, 0)) setpriority(PRIO_PROCESS, 0, given->niceness);
  if (CPU_COUNT(&given->processors)) sched_setaffinity(0, sizeof given->processors, &given->processors);
  for (int i = 0; i < RLIM_NLIMITS; i++) lower(i, &given->limits[i]);
}
