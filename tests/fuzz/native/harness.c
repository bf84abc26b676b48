/* The supervisor's parsers in a process that can be fuzzed: `harness frames|archives|requests DIRECTORY`.
 *
 * Inputs come on stdin, each a big-endian length of 4 bytes and that many bytes; each is answered by a line on stdout.
 * The directory becomes the root of all that this process can see, and it gives up root before the first input. What
 * the supervisor does with processes, cgroups and system calls is left out; whose a file is, too, since nobody may give
 * files away. An end of the process that the supervisor means is the end of an input here.
 */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf over;
static _Noreturn void ended(int status) {
  longjmp(over, status + 1);
}

/* A part of this file, so that what it remembers of one input can be cleared before the next. */
#include "channel.c"
_Noreturn void leave(int status) { ended(status); }

enum { IN = 100, OUT = 101, INPUT_MAX = 1 << 20, KEPT_FDS = 3, NOBODY = 65534 };


/* Of the files that are not linked. */
bool facts_own_kernel(void) { return false; }
int here_empty(int dir) { return tree_empty(dir); }
void here_forget(const char *path) { (void)path; }
int interact(int argc, char **argv) {
  (void)argc, (void)argv;
  return 1;
}

int relay_begin(int streams[3]) {
  (void)streams;
  return -1;
}
void relay_started(const int streams[3]) { (void)streams; }
void relay(int connection) { (void)connection; }
void relay_end(int signal_number) { (void)signal_number; }

uint64_t sweep_all(pid_t main, int *status, struct usage *usage) {
  (void)main, (void)status, (void)usage;
  return 0;
}

int __wrap_fchown(int fd, uid_t uid, gid_t gid) {
  (void)fd, (void)uid, (void)gid;
  return 0;
}
int __wrap_fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags) {
  struct stat stat;
  (void)uid, (void)gid;
  return fstatat(dir, path, &stat, flags);
}

static int only_parsed(struct frame *frame, struct fields *fields, struct failure *why) {
  char **texts = field_texts(fields, F_ARG);
  (void)why;
  answer_begin(T_OK, frame->id);
  for (char **text = texts; text && *text; text++) answer_text(F_PATH, *text);
  free(texts);
  answer_number(F_COUNT, field_number(fields, F_WALL_US, 0));
  answer_flush();
  return 0;
}

/* As in main.c. RESET empties directories anywhere, so it is only parsed, and RUN starts nothing. */
static const struct request {
  int (*grant)(struct frame *frame, struct fields *fields, struct failure *why);
  struct shape shape;
} requests[] = {
    [T_PUT] = {files_put, {.needs = BIT(F_UID), .takes = BIT(F_PROTECT) | BIT(F_GRADER)}},
    [T_SNAPSHOT] = {files_snapshot, {.needs = BIT(F_LIMIT)}},
    [T_RESET] = {only_parsed,
                 {.needs = BIT(F_UID),
                  .takes = BIT(F_SCRATCH) | BIT(F_HOME) | BIT(F_PATH) | BIT(F_GRADER) | BIT(F_GRADER_HOME),
                  .repeats = BIT(F_SCRATCH) | BIT(F_HOME) | BIT(F_PATH) | BIT(F_GRADER_HOME)}},
    [T_SCRUB] = {scrub, {BIT(F_PATTERN), BIT(F_KEEP) | BIT(F_PATH), BIT(F_PATTERN) | BIT(F_KEEP) | BIT(F_PATH)}},
    [T_RUN] = {only_parsed,
               {.needs = BIT(F_ARG) | BIT(F_CWD) | BIT(F_UID) | BIT(F_WALL_US) | BIT(F_OUTPUT) | BIT(F_CAPTURE),
                .takes = BIT(F_ENV) | BIT(F_REPORT) | BIT(F_NOFILE) | BIT(F_FSIZE) | BIT(F_NPROC) | BIT(F_CPU_US) |
                         BIT(F_PATIENCE_US) | BIT(F_CANDIDATE) | BIT(F_CANDIDATES) | BIT(F_CANDIDATE_ENV) |
                         BIT(F_OWN_STDOUT) | BIT(F_FORKS) | BIT(F_INPUT_FILE),
                .repeats = BIT(F_ARG) | BIT(F_ENV) | BIT(F_CANDIDATE_ENV)}},
    [T_GET] = {files_get, {BIT(F_LIMIT), BIT(F_PATH) | BIT(F_GRADER), BIT(F_PATH)}},
};

/* A letter for each request that was granted or refused, and the end: what an input came to, for whoever made it. */
static char story[100];
static size_t letters;

static void serve(void) {
  struct frame frame;
  for (channel_wait(&frame); frame.type != T_BYE; channel_wait(&frame)) {
    struct failure why;
    struct fields fields = {0};
    bool known = frame.type < sizeof requests / sizeof *requests && requests[frame.type].grant;
    if (frame.type == T_KILL) continue;
    if (!known) protocol_error("a frame is unknown, or comes at the wrong time");
    int result = fields_parse(&fields, &frame, &requests[frame.type].shape, &why);
    if (result == 0) result = requests[frame.type].grant(&frame, &fields, &why);
    fields_free(&fields);
    if (result < 0) answer_error(frame.id, &why);
    if (letters < 40) story[letters++] = (char)((result < 0 ? 'a' : 'A') + frame.type);
    channel_clean();
  }
}

/* The input becomes all that stdin has; a pipe holds 64 KiB at least. */
static const char *frames(const unsigned char *data, size_t size) {
  int ends[2];
  if (pipe2(ends, O_NONBLOCK) < 0 || fcntl(ends[1], F_SETPIPE_SZ, INPUT_MAX) < 0) abort();
  if (size && write(ends[1], data, size) != (ssize_t)size) abort();
  if (dup2(ends[0], 0) < 0) abort();
  close(ends[0]);
  close(ends[1]);
  in.have = in.peak = 0;
  out.size = out.sent = out.peak = 0;
  out.complete = false;
  letters = 0;
  int status = setjmp(over);
  if (status == 0) {
    serve();
    status = EXIT_BYE + 1;
  }
  snprintf(story + letters, sizeof story - letters, " %s",
           status == EXIT_BYE + 1        ? "bye"
           : status == EXIT_PROTOCOL + 1 ? "protocol"
           : status == EXIT_CHANNEL + 1  ? "end of file"
                                         : "memory");
  return story;
}

struct counting {
  struct sink sink;
  uint64_t bytes;
};
static int count(struct sink *sink, const void *data, size_t size) {
  /* Every byte is looked at, so that one which nobody wrote is seen. */
  for (size_t i = 0; i < size; i++) ((struct counting *)sink)->bytes += ((const unsigned char *)data)[i];
  return 0;
}

static const char *archives(const unsigned char *data, size_t size) {
  static struct failure why;
  struct counting counting = {.sink = {.put = count, .limit = 64u << 20}};
  uint64_t members = 0;
  bool protect = size && data[0] & 1;
  size_t piece = size && data[0] & 2 ? 1u + data[0] : 64u << 10;
  memset(&why, 0, sizeof why);
  if (size) data++, size--;
  struct untar *untar = untar_start(files_workspace(), (struct owner){.uid = 10001, .protect = protect});
  int result = untar ? 0 : -1;
  for (size_t at = 0; untar && result == 0 && at < size; at += piece)
    result = untar_feed(untar, data + at, size - at < piece ? size - at : piece, &why);
  struct failure late;
  if (untar && untar_finish(untar, &members, result == 0 ? &why : &late) < 0) result = -1;
  if (result == 0 && tar_all(files_workspace(), &counting.sink, &why) < 0) result = -1;
  return result == 0 ? "fine" : why.text;
}

/* The text of a request, after the number of its arguments. */
static const char *requests_of_graders(const unsigned char *data, size_t size) {
  static char *own[] = {"HOME=/tmp/home", "TMPDIR=/tmp/candidate", NULL};
  struct command command = {0};
  size_t arguments = size ? data[0] : 0, all = 0;
  if (size) data++, size--;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  bool taken = arguments <= size && candidate_read(&command, text, size, arguments, own);
  for (size_t i = 0; taken && i < arguments; i++) all += strlen(command.argv[i]);
  for (size_t i = 0; taken && command.env[i]; i++) {
    all += strlen(command.env[i]);
    if (i > 1 && (strncmp(command.env[i], "HOME=", 5) == 0 || strncmp(command.env[i], "TMPDIR=", 7) == 0)) abort();
  }
  if (taken && (command.argv[arguments] || strlen(command.cwd) > size || all > 2 * size + 64)) abort();
  free(command.argv);
  free(command.env);
  free(text);
  return taken ? "taken" : "refused";
}

static bool read_all(void *to, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t got = read(IN, (char *)to + have, size - have);
    if (got <= 0) return false;
    have += (size_t)got;
  }
  return true;
}

/* Nothing but this directory, and no rights. */
static void enter(const char *directory) {
  if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0) exit(77);
  if (chroot(directory) < 0 || chdir("/") < 0) exit(77);
  if (geteuid() != 0) return;
  if (chown("/workspace", NOBODY, NOBODY) < 0 || setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
      setresuid(NOBODY, NOBODY, NOBODY) < 0)
    exit(77);
}

int main(int argc, char **argv) {
  static unsigned char data[INPUT_MAX];
  unsigned char head[4];
  if (argc != 3 || dup2(0, IN) < 0 || dup2(1, OUT) < 0) return 2;
  int nowhere = open("/dev/null", O_RDWR);
  if (nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0) return 2;
  close(nowhere);
  enter(argv[2]);
  umask(0);
  channel_open();
  while (read_all(head, sizeof head)) {
    size_t size = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    if (size > sizeof data || !read_all(data, size)) return 2;
    /* What an input that ended early left open. */
    for (int fd = KEPT_FDS; fd < IN; fd++) close(fd);
    if (files_open("/workspace") < 0) return 2;
    const char *saw = strcmp(argv[1], "frames") == 0     ? frames(data, size)
                      : strcmp(argv[1], "requests") == 0 ? requests_of_graders(data, size)
                                                         : archives(data, size);
    dprintf(OUT, "%s\n", saw);
    guard_clear();
    if (tree_empty(files_workspace()) < 0) dprintf(2, "cannot empty the workspace: %s\n", strerror(errno)), abort();
  }
  return 0;
}
