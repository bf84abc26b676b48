/* One command: its start, the poll loop that serves it, its end, and its outcome. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names.h"

#define STREAMS 3
/* Processes reaped per round of the loop: a fork bomb must not delay the check of the deadline. */
#define REAPED_PER_TURN 256
/* How often the host gets a sign while a command has more time than F_WALL_US. */
#define SIGN_NS (10 * SECOND_NS)
/* How long a command, or a program that a grader starts, may itself be stopped. */
#define HALTED_NS (10 * SECOND_NS)

static struct {
  int file; /* -1 while it is empty */
  size_t size;
} input = {.file = -1}; /* the next command's stdin */

struct job {
  uint32_t id;
  struct process process;
  struct stream streams[STREAMS];
  size_t written; /* of input */
  int64_t started, deadline, look; /* when time is over, and when to look at the processors again */
  int64_t sign;                    /* when the host was last told that the command is waited for */
  int64_t wall, patience, cpu;     /* limits in nanoseconds; `cpu` is INT64_MAX if there is none */
  struct share share;
  uint64_t output;
  int cause, status;
  bool ended;
  struct halt halt; /* of the command's own process */
  int halted;       /* the signal that has stopped it for too long, else 0 */
  uint64_t left, oom_before, refused_before, hits_before;
  struct usage usage;
};

int run_stdin(struct frame *frame, struct failure *why) {
  if (frame->size > STDIN_MAX - input.size) return fail(why, EFBIG, "the standard input is too large", NULL);
  if (input.file < 0) input.file = memory_file();
  if (input.file < 0) return fail(why, errno, "cannot keep the standard input", NULL);
  for (size_t at = 0; at < frame->size;) {
    ssize_t written = pwrite(input.file, frame->payload + at, frame->size - at, (off_t)(input.size + at));
    if (written <= 0) return fail(why, written ? errno : ENOSPC, "cannot keep the standard input", NULL);
    at += (size_t)written;
  }
  input.size += frame->size;
  answer_begin(T_OK, frame->id);
  answer_flush();
  return 0;
}

static void forget_input(void) {
  if (input.file >= 0) close(input.file);
  input.file = -1;
  input.size = 0;
}

static void feed(struct job *job) {
  static char piece[PIECE];
  ssize_t held = input.size ? pread(input.file, piece, sizeof piece, (off_t)job->written) : 0;
  ssize_t sent = held > 0 ? write(job->process.in, piece, (size_t)held) : held;
  if (sent > 0) job->written += (size_t)sent;
  if ((sent < 0 && errno != EAGAIN && errno != EINTR) || job->written == input.size) {
    close(job->process.in);
    job->process.in = -1;
  }
}

/* Returns whether there may be more to reap. */
static bool reap(struct job *job) {
  struct reaped reaped;
  for (int i = 0; i < REAPED_PER_TURN; i++) {
    if (sweep_reap(&reaped, &job->usage) <= 0) return false;
    candidates_reaped(&reaped);
    /* Only the first process with its number is the command: numbers are reused, also on purpose. */
    if (reaped.pid == job->process.pid && !job->ended) job->ended = true, job->status = reaped.status;
  }
  return true;
}

static void heed_host(struct job *job) {
  struct frame frame;
  while (channel_receive(&frame)) {
    if (frame.type != T_KILL) protocol_error("only KILL may come while a command runs");
    job->cause = CAUSE_KILLED;
  }
}

static void check_limits(struct job *job) {
  for (int i = 0; i < STREAMS; i++)
    if (job->streams[i].total > job->output && job->cause == CAUSE_ENDED) job->cause = CAUSE_OUTPUT;
}

/* Look at the processors: for how long others held the command up so far, and when to look again. */
static void look(struct job *job) {
  int64_t used, held;
  share_look(&job->share);
  held = share_held_ns(&job->share);
  job->deadline = job->started + job->wall + (held < job->patience ? held : job->patience);
  job->look = share_next_ns(&job->share);
  if (job->cpu == INT64_MAX || !share_used_ns(&job->share, &used)) return;
  /* So often that no command uses much more than it may. */
  int64_t soon = monotonic_ns() + share_least_ns(&job->share, job->cpu - used) + SECOND_NS / 500;
  if (soon < job->look) job->look = soon;
  if (used > job->cpu && job->cause == CAUSE_ENDED) job->cause = CAUSE_CPU;
}

static bool watched(const struct job *job) { return job->patience || job->cpu < INT64_MAX; }

/* Tell the host, which cannot know how patient we have to be, that a late command is still waited for. */
static void give_sign(struct job *job, int64_t now) {
  if (now - job->sign < SIGN_NS || channel_sending()) return;
  job->sign = now;
  answer_begin(T_OUT, job->id);
  answer_end();
}

/* How often a process has run so far, 0 if that is not known. */
static unsigned long long times_run(pid_t pid) {
  unsigned long long runs = 0;
  char path[32], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "voluntary_ctxt_switches: %llu", &runs) == 1) break;
  if (file) fclose(file);
  return runs;
}

/* It is asked for the present state, which is left there. Whoever traces a process stops it in another way. */
int run_halted(pid_t pid, struct halt *halt, int64_t now) {
  siginfo_t seen = {0};
  int asked = waitid(P_PID, (id_t)pid, &seen, WSTOPPED | WNOHANG | WNOWAIT);
  bool is_stopped = asked == 0 && seen.si_pid != 0 && seen.si_code == CLD_STOPPED;
  halt->look = is_stopped ? now + SECOND_NS : INT64_MAX;
  if (!is_stopped) halt->since = 0;
  if (!is_stopped) return 0;
  unsigned long long runs = times_run(pid);
  if (!halt->since || runs != halt->runs) halt->since = now, halt->runs = runs;
  return now - halt->since < HALTED_NS ? 0 : seen.si_status;
}

/* Returns how long to wait at most until time is checked again. */
static int64_t check_time(struct job *job) {
  int64_t now = monotonic_ns();
  if (watched(job) && (now >= job->look || now >= job->deadline)) look(job);
  if (now >= job->deadline && job->cause == CAUSE_ENDED) {
    bool starved = job->patience && share_starved_ns(&job->share) >= job->patience / 2 &&
                   now - job->started >= job->wall + job->patience;
    job->cause = starved ? CAUSE_STARVED : CAUSE_DEADLINE;
  }
  if (now - job->started > job->wall) give_sign(job, now);
  int64_t next = watched(job) && job->look < job->deadline ? job->look : job->deadline;
  job->halted = run_halted(job->process.pid, &job->halt, now);
  if (job->halt.look < next) next = job->halt.look;
  return next > now ? next - now : 0;
}

static void serve(struct job *job) {
  for (;;) {
    bool more = reap(job);
    if (job->ended) return;
    check_limits(job);
    int64_t left = check_time(job);
    if (job->cause != CAUSE_ENDED || job->halted) return;
    for (int i = 0; i < STREAMS; i++) stream_offer_head(&job->streams[i], job->id);

    struct pollfd fds[3 + STREAMS + CANDIDATE_FDS] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = channel_sending() ? STDOUT_FILENO : -1, .events = POLLOUT},
        {.fd = job->process.in, .events = POLLOUT},
    };
    for (int i = 0; i < STREAMS; i++) fds[3 + i] = (struct pollfd){.fd = job->streams[i].fd, .events = POLLIN};
    int64_t soon = candidates_wait(fds + 3 + STREAMS, &job->share);
    if (soon < left) left = soon;
    sweep_poll(fds, 3 + STREAMS + CANDIDATE_FDS, more ? 0 : left);
    if (fds[0].revents) heed_host(job);
    if (fds[1].revents) channel_send();
    if (fds[2].revents) feed(job);
    for (int i = 0; i < STREAMS; i++)
      if (fds[3 + i].revents) stream_read(&job->streams[i]);
    candidates_serve(fds + 3 + STREAMS);
  }
}

/* Read what dead processes left in the pipes. There may be no end of file: a descriptor can be in flight in a socket
 * that no process holds. */
static void drain(struct job *job) {
  for (int i = 0; i < STREAMS; i++) {
    struct stream *stream = &job->streams[i];
    while (stream_read(stream)) continue;
    if (stream->fd >= 0) close(stream->fd), stream->fd = -1;
  }
  if (job->process.in >= 0) close(job->process.in);
}

static uint64_t counted(enum counter counter) {
  uint64_t value;
  return cgroup_read(counter, &value) ? value : UINT64_MAX;
}

static void answer_difference(uint8_t tag, enum counter counter, uint64_t before) {
  uint64_t now = counted(counter);
  if (before != UINT64_MAX && now != UINT64_MAX) answer_number(tag, now - before);
}

static void answer_oom(const struct job *job) {
  bool within;
  uint64_t now = counted(OOM_KILLS);
  if (now == UINT64_MAX || job->oom_before == UINT64_MAX) return;
  answer_number(F_OOM, now - job->oom_before);
  if (now != job->oom_before && cgroup_within_limit(job->hits_before, &within)) answer_number(F_WITHIN_LIMIT, within);
}

static void report(struct job *job, const struct misstart *misstart, bool third) {
  static const char *const names[] = {
      [STAGE_CWD] = "cwd",
      [STAGE_PROGRAM] = "program",
      [STAGE_INTERPRETER] = "interpreter",
  };
  int64_t used, wall = monotonic_ns() - job->started;
  for (int i = 0; i < STREAMS; i++) stream_send_rest(&job->streams[i], job->id);
  answer_begin(T_DONE, job->id);
  answer_number(F_CAUSE, (uint64_t)job->cause);
  answer_number(F_STATUS, (uint64_t)job->status);
  if (misstart->stage) {
    answer_number(F_ERRNO, (uint64_t)misstart->number);
    answer_text(F_MESSAGE, names[misstart->stage]);
  }
  answer_number(F_TIME_US, (uint64_t)(wall / 1000));
  answer_number(F_USER_US, (uint64_t)job->usage.user_us);
  answer_number(F_SYSTEM_US, (uint64_t)job->usage.system_us);
  if (share_used_ns(&job->share, &used)) answer_number(F_CPU_US, (uint64_t)(used / 1000));
  if (watched(job) && job->share.known) answer_number(F_HELD_US, (uint64_t)(share_held_ns(&job->share) / 1000));
  answer_number(F_RSS, (uint64_t)job->usage.rss_bytes);
  cgroup_answer(F_MEMORY, MEMORY_NOW);
  cgroup_answer(F_MEMORY_PEAK, MEMORY_PEAK);
  answer_oom(job);
  cgroup_answer(F_PIDS, PIDS_NOW);
  answer_difference(F_PIDS_REFUSED, PIDS_REFUSED, job->refused_before);
  answer_number(F_LEFT, job->left);
  guard_answer();
  names_answer();
  for (int i = 0; i < STREAMS - !third; i++) stream_report(&job->streams[i]);
  answer_flush();
}

static int finish(struct job *job, const struct command *command, struct failure *why) {
  struct misstart misstart = {0};
  job->left = sweep_all(job->ended ? -1 : job->process.pid, &job->status, &job->usage);
  /* No process ends by such a signal, so the host knows what has happened. */
  if (job->halted) job->status = job->halted;
  shield_end();
  drain(job);
  check_limits(job);
  if (watched(job)) look(job);
  spawn_result(job->process.trouble, &misstart);
  if (misstart.stage == STAGE_RIGHTS) return fail(why, misstart.number, "cannot give up rights for a command", NULL);
  if (misstart.stage) job->cause = CAUSE_NOT_STARTED;
  sweep_ipc(command->uid);
  candidates_close();
  report(job, &misstart, command->report);
  return 0;
}

/* A limit of time in nanoseconds, INT64_MAX / 4 at most, so that sums do not overflow. */
static int64_t limit_ns(const struct fields *fields, uint8_t tag) {
  uint64_t longest = (uint64_t)INT64_MAX / 4000, us = field_number(fields, tag, 0);
  return (int64_t)((us < longest ? us : longest) * 1000);
}

static int run_command(uint32_t id, const struct fields *fields, const struct command *command, struct failure *why) {
  uint64_t capture = field_number(fields, F_CAPTURE, 0);
  size_t room = STREAMS * (size_t)capture;
  struct job job = {.id = id, .output = field_number(fields, F_OUTPUT, 0)};
  if (capture > CAPTURE_MAX) return fail(why, 0, "the capture is too large", NULL);
  char *store = memory_take(room + 1);
  if (!store) return fail(why, ENOMEM, "cannot keep the output of a command", NULL);
  job.oom_before = counted(OOM_KILLS);
  job.refused_before = counted(PIDS_REFUSED);
  job.hits_before = counted(LIMIT_HITS);
  guard_begin();
  sweep_own(command->uid);
  job.started = monotonic_ns();
  job.wall = limit_ns(fields, F_WALL_US);
  job.patience = limit_ns(fields, F_PATIENCE_US);
  job.cpu = field_number(fields, F_CPU_US, 0) ? limit_ns(fields, F_CPU_US) : INT64_MAX;
  job.deadline = job.started + job.wall;
  share_start(&job.share);
  job.look = share_next_ns(&job.share);
  int result = candidates_open(fields, command, why);
  if (result == 0) result = spawn(&job.process, command, why);
  if (result == 0) {
    if (command->shielded) shield_begin(job.process.pid);
    candidates_know(&job.process);
    for (uint8_t i = 0; i < STREAMS; i++)
      stream_start(&job.streams[i], i + 1, job.process.out[i], store + i * (size_t)capture, (size_t)capture);
    if (!input.size && !command->input) feed(&job);
    serve(&job);
    result = finish(&job, command, why);
  }
  memory_drop(store, room + 1);
  return result;
}

int run(struct frame *frame, struct fields *fields, struct failure *why) {
  struct command command = {
      .argv = field_texts(fields, F_ARG),
      .env = field_texts(fields, F_ENV),
      .cwd = field_text(fields, F_CWD, NULL),
      .report = field_number(fields, F_REPORT, 0) != 0,
      .nofile = field_number(fields, F_NOFILE, UINT64_MAX),
      .fsize = field_number(fields, F_FSIZE, UINT64_MAX),
      .nproc = field_number(fields, F_NPROC, UINT64_MAX),
      .data = here_memory(),
      .mask = 022,
      .shielded = field_number(fields, F_PROTECT, 0) != 0,
      .grader = field_number(fields, F_CANDIDATES, 0) != 0,
      .forks = field_number(fields, F_FORKS, 0) != 0,
  };
  int result = field_uid(fields, &command.uid, why);
  if (result == 0 && field_number(fields, F_INPUT_FILE, 0)) {
    command.input = input.file = input.file < 0 ? memory_file() : input.file;
    if (fchmod(input.file, 0444) < 0) result = fail(why, errno, "cannot keep the standard input", NULL);
  }
  command.gid = command.uid;
  if (result == 0 && command.uid == 0) result = fail(why, 0, "a command must not run as root", NULL);
  if (result == 0 && !(command.argv && command.env)) result = fail(why, ENOMEM, "cannot hold the arguments", NULL);
  if (result == 0) result = run_command(frame->id, fields, &command, why);
  free(command.argv);
  free(command.env);
  forget_input();
  return result;
}
