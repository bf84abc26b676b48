/* The supervisor: PID 1 of every sandbox. protocol.h describes it; this file starts it and dispatches requests. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "supervisor.h"

static int stat_request(struct frame *frame, struct fields *fields, struct failure *why) {
  (void)fields, (void)why;
  uint64_t runnable;
  answer_begin(T_OK, frame->id);
  cgroup_answer(F_MEMORY, MEMORY_NOW);
  cgroup_answer(F_MEMORY_PEAK, MEMORY_PEAK);
  cgroup_answer(F_OOM, OOM_KILLS);
  cgroup_answer(F_PIDS, PIDS_NOW);
  if (share_queue(&runnable)) answer_number(F_RUNNABLE, runnable - 1);
  answer_number(F_PROCESSORS, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
  facts_interfaces();
  answer_flush();
  return 0;
}

/* Every request that has fields: its required, optional and repeatable fields. */
static const struct request {
  int (*grant)(struct frame *frame, struct fields *fields, struct failure *why);
  struct shape shape;
} requests[] = {
    [T_PUT] = {files_put, {.needs = BIT(F_UID), .takes = BIT(F_PROTECT) | BIT(F_GRADER)}},
    [T_SNAPSHOT] = {files_snapshot, {.needs = BIT(F_LIMIT), .takes = BIT(F_SLOT)}},
    [T_RESET] = {files_reset,
                 {.needs = BIT(F_UID),
                  .takes = BIT(F_SCRATCH) | BIT(F_HOME) | BIT(F_PATH) | BIT(F_GRADER) | BIT(F_GRADER_HOME) | BIT(F_SLOT),
                  .repeats = BIT(F_SCRATCH) | BIT(F_HOME) | BIT(F_PATH) | BIT(F_GRADER_HOME)}},
    [T_SCRUB] = {scrub, {BIT(F_PATTERN), BIT(F_KEEP) | BIT(F_PATH), BIT(F_PATTERN) | BIT(F_KEEP) | BIT(F_PATH)}},
    [T_RUN] = {run,
               {.needs = BIT(F_ARG) | BIT(F_CWD) | BIT(F_UID) | BIT(F_WALL_US) | BIT(F_OUTPUT) | BIT(F_CAPTURE),
                .takes = BIT(F_ENV) | BIT(F_PROTECT) | BIT(F_REPORT) | BIT(F_NOFILE) | BIT(F_FSIZE) | BIT(F_NPROC) | BIT(F_CPU_US) |
                         BIT(F_PATIENCE_US) | BIT(F_CANDIDATE) | BIT(F_CANDIDATES) | BIT(F_CANDIDATE_ENV) |
                         BIT(F_OWN_STDOUT) | BIT(F_FORKS) | BIT(F_INPUT_FILE),
                .repeats = BIT(F_ARG) | BIT(F_ENV) | BIT(F_CANDIDATE_ENV)}},
    [T_GET] = {files_get, {BIT(F_LIMIT), BIT(F_PATH) | BIT(F_GRADER), BIT(F_PATH)}},
    [T_STAT] = {stat_request, {0}},
    [T_PROBE] = {probe, {.needs = BIT(F_PORT) | BIT(F_WALL_US) | BIT(F_ARG)}},
};

static void grant(struct frame *frame) {
  struct failure why;
  struct fields fields = {0};
  int result;
  if (frame->type == T_STDIN) {
    result = run_stdin(frame, &why);
  } else {
    bool known = frame->type < sizeof requests / sizeof *requests && requests[frame->type].grant;
    if (!known) protocol_error("a frame is unknown, or comes at the wrong time");
    const struct request *request = &requests[frame->type];
    result = fields_parse(&fields, frame, &request->shape, &why);
    if (result == 0) result = request->grant(frame, &fields, &why);
    fields_free(&fields);
  }
  if (result < 0) answer_error(frame->id, &why);
  channel_clean();
}

static void lifetime_over(int number) {
  (void)number;
  if (here_lacks(WALL_PROCESSES)) sweep_end();
  _exit(EXIT_LIFETIME);
}

/* The last line of defence: a timer of the kernel, which does not depend on the supervisor's loops. */
static int limit_lifetime(const char *seconds) {
  struct sigaction action = {.sa_handler = lifetime_over};
  char *end;
  long value = strtol(seconds, &end, 10);
  if (*end || end == seconds || value <= 0) return -1;
  sigaction(SIGALRM, &action, NULL);
  return setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = value}}, NULL);
}

static _Noreturn void refuse(const char *sentence) {
  if (write(STDERR_FILENO, sentence, strlen(sentence)) < 0) _exit(EXIT_USAGE);
  _exit(EXIT_USAGE);
}

int main(int argc, char **argv) {
  struct frame frame;
  const char *name = argc ? strrchr(argv[0], '/') : NULL;
  if (argc && strcmp(name ? name + 1 : argv[0], "candidate") == 0) return candidate(argc, argv);
  here_open(&argc, &argv);
  if (getpid() != 1 && !here_lacks(WALL_PROCESSES))
    refuse("supervisor: it kills every process but itself, so it must be PID 1 of a container.\n");
  if (argc != 4) refuse("supervisor: usage: supervisor WORKSPACE LIFETIME_SECONDS LEVEL\n");
  if (limit_lifetime(argv[2]) < 0) refuse("supervisor: the lifetime must be a number of seconds above 0.\n");
  signal(SIGPIPE, SIG_IGN);
  umask(0);
  prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
  if (!filter_open(argv[3])) refuse("supervisor: the level must be default or strict.\n");
  if (files_open(argv[1]) < 0) refuse("supervisor: the workspace is not there, or root may not own it.\n");
  here_clean();
  channel_open();
  sweep_open();
  if (!here_on()) cgroup_open();
  facts_send(argv[1]);
  for (channel_wait(&frame); frame.type != T_BYE; channel_wait(&frame))
    if (frame.type != T_KILL) grant(&frame);
  leave(EXIT_BYE);
}
