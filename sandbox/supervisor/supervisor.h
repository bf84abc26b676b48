/* The functions that the files of the supervisor share. protocol.h is the contract with the host and the theory of
 * operation; read it first.
 *
 * Functions return 0, or -1 after filling in a `struct failure`, unless they say otherwise. A function that cannot
 * continue ends the process, which ends the container: the host then knows that the sandbox is lost, and grades
 * nothing.
 */
#ifndef GRADEBOX_SUPERVISOR_H
#define GRADEBOX_SUPERVISOR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "protocol.h"

/* Tests compile a supervisor without a single defence (GRADEBOX_WITHOUT_...), to see that an attack then succeeds
 * (tests/support/weakened_defences.py). No shipped binary is built like this. */
#ifdef GRADEBOX_WITHOUT_SUPERVISOR_UNDUMPABLE
#define DUMPABLE 1
#else
#define DUMPABLE 0
#endif

#define BIT(tag) (UINT64_C(1) << (tag))
#define SECOND_NS INT64_C(1000000000)

/* One read or write of a stream or file: large enough for speed, small enough that no other stream waits long. */
#define PIECE (64u << 10)

/* The longest name of an archive member, with its NUL: the kernel's limit of a path. */
#define NAME_ROOM 4096

/* failure.c: why a request is refused */
struct failure {
  int number; /* errno, or 0 */
  char text[512];
};
/* Fill in a failure, with `name` (may be NULL) escaped and cut. Returns -1. */
int fail(struct failure *why, int number, const char *what, const char *name);
int64_t monotonic_ns(void);

/* memory.c: large buffers and files in memory */
void *memory_take(size_t size); /* zeroed; NULL without memory */
void memory_drop(void *block, size_t size);
void memory_clean(void *block, size_t size); /* release the pages, keep the addresses */
int memory_file(void);                       /* an empty file without a name; -1 with errno */

/* channel.c: frames from and to the host */
struct frame {
  uint8_t type;
  uint32_t id;
  char *payload; /* valid until the next frame is read; one writable byte follows it */
  size_t size;
};
void channel_open(void);
void channel_wait(struct frame *frame);    /* the next frame; ends the process at end of file */
bool channel_receive(struct frame *frame); /* the same without waiting: whether a frame is complete */
void channel_clean(void);                  /* between requests: release large buffers */
/* One answer at a time is composed, then sent: waiting for the host, or in pieces by channel_send. */
void answer_begin(uint8_t type, uint32_t id);
void answer_number(uint8_t tag, uint64_t value);
void answer_bytes(uint8_t tag, const void *data, size_t size);
void answer_text(uint8_t tag, const char *text);
void answer_raw(const void *data, size_t size);
void answer_end(void);   /* complete; nothing is sent yet */
void answer_flush(void); /* complete and sent */
bool channel_sending(void);
void channel_send(void); /* what can be sent without waiting */
void answer_error(uint32_t id, const struct failure *why);
_Noreturn void protocol_error(const char *text);

/* fields.c: the payload of a request */
struct field {
  uint8_t tag;
  char *value; /* NUL-terminated in place */
  size_t size;
};
struct fields {
  struct field *items;
  size_t count;
};
struct shape {
  uint64_t needs, takes, repeats; /* sets of BIT(tag): required, optional, repeatable */
};
int fields_parse(struct fields *fields, struct frame *frame, const struct shape *shape, struct failure *why);
void fields_free(struct fields *fields);
uint64_t field_number(const struct fields *fields, uint8_t tag, uint64_t otherwise);
const char *field_text(const struct fields *fields, uint8_t tag, const char *otherwise);
int field_uid(const struct fields *fields, uid_t *uid, struct failure *why);
char **field_texts(const struct fields *fields, uint8_t tag); /* NULL-terminated, to be freed; NULL without memory */

/* sha256.c */
struct sha256 {
  uint32_t state[8];
  uint64_t size;
  unsigned char block[64];
};
void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t size);
void sha256_finish(struct sha256 *hash, unsigned char digest[32]);

/* stream.c: one output stream of a command, and what is kept of it */
struct stream {
  int fd; /* -1 when closed or not wanted */
  uint8_t number;
  char *head, *tail; /* the tail is a ring */
  size_t head_room, head_size, head_sent;
  size_t tail_room, tail_size, tail_next;
  uint64_t total;
  struct sha256 hash;
};
void stream_start(struct stream *stream, uint8_t number, int fd, char *store, size_t capture);
bool stream_read(struct stream *stream); /* one piece; false if there is none now */
void stream_offer_head(struct stream *stream, uint32_t id);
void stream_send_rest(struct stream *stream, uint32_t id);
void stream_report(struct stream *stream);

/* spawn.c: starting a process of a command */
enum stage { STAGE_RIGHTS = 1, STAGE_CWD, STAGE_PROGRAM, STAGE_INTERPRETER };
struct misstart {
  int stage; /* 0: it was started */
  int number;
};
struct inherited;
struct command {
  char **argv, **env;
  const char *cwd;
  uid_t uid;
  gid_t gid;
  mode_t mask;
  bool report, forks;                  /* forks: its program can be a fork server */
  bool shielded;                       /* from other processes of its user */
  bool grader;                         /* it outlives candidates when memory runs out */
  int input;                           /* the file that is its stdin; 0: a pipe */
  uint64_t nofile, fsize, nproc, data; /* UINT64_MAX: unchanged */
  const struct inherited *inherited;   /* NULL: nothing */
};
struct process {
  pid_t pid;
  int in, out[3]; /* the supervisor's ends of its pipes; -1 if there is none */
  int trouble;    /* where the child writes why it did not execute the program */
};
int spawn_pipe(int ends[2]); /* of descriptors above those of a command */
int spawn(struct process *process, const struct command *command, struct failure *why);
/* In a new process: become the command, with stdin, stdout, stderr, report and trouble. */
_Noreturn void spawn_child(const int ends[5], const struct command *command);
void spawn_result(int trouble, struct misstart *misstart); /* once the process has ended */

/* forkserver.c: a program that is loaded once, and forks for each command */
/* Have it fork for a command with these ends. Returns the number of the process, which is reaped like one of our own; -1
 * if the command has to be started in another way. */
pid_t forkserver_fork(const int ends[5], const struct command *command);
/* The same, of the server that there is, for another user while that command runs; without a report. */
pid_t forkserver_again(const int ends[5], const struct command *command);
pid_t forkserver_pid(void); /* 0: there is none */
void forkserver_reaped(pid_t pid);
void forkserver_end(void);

/* filter.c: system calls that a command may not make */
enum filter { FILTER_NONE, FILTER_DEFAULT, FILTER_STRICT };
bool filter_open(const char *level); /* false: there is no such level */
enum filter filter_in_force(void);
int filter_apply(void); /* to the calling process, which can no longer gain privileges */

/* sweep.c: processes, and the objects that outlive them */
struct usage {
  int64_t user_us, system_us, rss_bytes;
};
struct reaped {
  pid_t pid; /* 0: none has ended, but one was stopped and continues */
  int status;
  struct usage used; /* with the children that it had waited for */
};
void sweep_open(void);
/* Wait up to `timeout_ns` (not at all if it is negative) for one of `fds` or for the end of a child. */
struct pollfd;
void sweep_poll(struct pollfd *fds, size_t count, int64_t timeout_ns);
void add_usage(struct usage *sum, const struct usage *used);
/* Reap one process that has ended: 1; 0 if none has ended; -1 if there are no children at all. */
int sweep_reap(struct reaped *reaped, struct usage *usage);
void sweep_own(uid_t uid); /* the user of the command that runs */
void sweep_kill(uid_t uid); /* every process of a user */
/* Kill every process but the fork server, and reap it. The status of `main` is stored if it is one of them; the others are counted. */
uint64_t sweep_all(pid_t main, int *status, struct usage *usage);
/* Kill every process of a user. False while one is left, dead ones that are not yet reaped included. */
bool sweep_user(uid_t uid);
/* Processor time of the processes of a user that live, and of the children that they have waited for. */
int64_t sweep_used_ns(uid_t uid);
void sweep_ipc(uid_t uid);
void sweep_end(void); /* kill and reap every process for good; may be called by a signal handler */

/* candidates.c: the processes of the candidate that a grader asks for, while its command runs */
#define CANDIDATE_FDS (1 + CANDIDATES_MAX)
int candidates_open(const struct fields *fields, const struct command *grader, struct failure *why);
void candidates_know(const struct process *grader); /* it was started */
/* Fill in CANDIDATE_FDS descriptors to poll, and return for how many nanoseconds at most. */
struct share;
int64_t candidates_wait(struct pollfd *fds, const struct share *share);
void candidates_serve(const struct pollfd *fds);
void candidates_reaped(const struct reaped *reaped);
bool candidates_kill(void);  /* all of them; whether there is one that was not reaped */
void candidates_close(void); /* all of them are dead */
/* candidate.c: the program that asks, by the messages of protocol.h */
struct candidate_request {
  uint64_t timeout_us, memory_bytes; /* 0: no limit */
  uint32_t size, arguments;
  uint64_t what; /* CANDIDATE_START ... */
};
#define CANDIDATE_REQUEST_FDS 4
#define CANDIDATE_TEXT_MAX (4u << 20)
/* What follows the last answer to CANDIDATE_MEASURED. */
struct candidate_usage { uint64_t cpu_us, rss_bytes; };
int candidate(int argc, char **argv);
/* Ask for a program with these descriptors. Returns the connection, where answers come; -1 with errno. */
int candidate_ask(char **argv, const int streams[3], struct candidate_request *wanted);
/* inherit.c: limits and the like of the process that asks, for its program; NULL: there are none */
int inherit_write(int file);
const struct inherited *inherit_read(int file, off_t at);
void inherit(const struct inherited *given); /* after all rights are given up */
/* relay.c: what the program gets in place of its streams and signals */
int relay_begin(int streams[3]); /* the descriptors to pass; -1 with errno */
void relay_started(const int streams[3]);
void relay(int connection);        /* until there is an answer */
void relay_end(int signal_number); /* all of it is dead; 0: no signal ended it */
/* interact.c: a grader's program that talks with the candidate, for whose arguments see there */
int interact(int argc, char **argv);
/* Take the text of a request apart, which has room for one byte more; `own` replaces variables of the same name. False
 * for one that `candidate` does not send, and without memory. What is allocated is not freed. */
bool candidate_read(struct command *command, char *text, size_t size, size_t arguments, char **own);

/* The users of a grader and of its candidate, whose group is its first user's. */
struct sides {
  uid_t grader, first;
  size_t count;
};
static inline bool sides_candidate(const struct sides *sides, uid_t uid) {
  return uid >= sides->first && uid - sides->first < sides->count;
}

/* lending.c: files that a grader lends to the candidate and takes back */
void lending_begin(const struct sides *sides);
/* Lend paths, each with its NUL, or take them back and count what had to be removed. 0, or -1 with errno. `alive`: a
 * process of the candidate may live. */
int lending_do(bool back, char *paths, size_t size, bool alive, int *removed);
/* room.c: no process of the candidate is alive; `places`: the workspace, and where else it can write */
void room_keep(const struct sides *sides, const char *const *places);
/* shield.c: a command that other processes of its user can neither trace nor read */
void shield_ask(void); /* by its process, before the program is executed */
void shield_begin(pid_t pid);
bool shield_stopped(const struct reaped *stopped); /* whether that was its doing; the process then goes on */
void shield_end(void);
/* run.c */
int run(struct frame *frame, struct fields *fields, struct failure *why);
int run_stdin(struct frame *frame, struct failure *why);
struct halt { int64_t since, look; unsigned long long runs; }; /* first seen, look again, how often it had run */
int run_halted(pid_t pid, struct halt *halt, int64_t now); /* the signal that has stopped it for long, else 0 */

/* tree.c: directories, never following a symbolic link */
struct visit {
  int dir;          /* the open directory that holds it */
  const char *name; /* its name there */
  const char *path; /* its path from the start of the walk */
  size_t path_size;
  const struct stat *stat;
  bool leaving; /* a directory whose entries have all been visited */
};
enum { WALK_ON = 0, WALK_STOP = -1, WALK_PAST = 1 }; /* WALK_PAST: do not enter this directory */
typedef int visitor(void *context, const struct visit *visit, struct failure *why);
/* Visit everything below `dir`; paths start with `prefix` (may be empty). A visitor may remove what it visits. */
int tree_walk(int dir, const char *prefix, visitor *each, void *context, struct failure *why);
int tree_open(int dir, const char *name);   /* a directory; -1 with errno */
int tree_empty(int dir);                    /* 0, or -1 with errno */
int tree_remove(int dir, const char *name); /* 0, or -1 with errno; a missing entry is not an error */
/* A relative path without "./"; "" for the start itself; NULL when it is absolute or empty. */
const char *path_start(const char *path);
/* The next component of such a path into `part` (NAME_MAX + 1 bytes): 1, 0 at the end, -1 when it is not allowed. */
int path_part(const char **path, char *part);

/* header.c: the 512-byte headers of archives */
#define BLOCK 512u
enum { KIND_FILE = '0', KIND_LINK = '2', KIND_DIRECTORY = '5', KIND_LONG_NAME = 'L', KIND_LONG_TARGET = 'K' };
struct member {
  char kind;
  mode_t mode;
  uint64_t size;
  struct timespec mtime;
  char name[NAME_ROOM], target[NAME_ROOM];
};
/* `block` is BLOCK bytes. Reading returns the text of what is wrong, or NULL. Writing cuts names at 100 bytes:
 * longer ones need members of their own. */
const char *header_read(const unsigned char *block, struct member *member);
void header_write(unsigned char *block, char kind, mode_t mode, uint64_t size, struct timespec mtime, const char *name,
                  const char *target);

/* untar.c: unpacking */
struct untar;
struct owner {
  uid_t uid;
  bool protect;
  gid_t grader; /* with protect: who alone may read it; 0: everybody may */
  bool shared;  /* without: its group may write what the user may, and everybody may read */
};
struct untar *untar_start(int root, struct owner owner); /* NULL without memory */
int untar_feed(struct untar *untar, const void *data, size_t size, struct failure *why);
int untar_finish(struct untar *untar, uint64_t *members, struct failure *why); /* also frees it, after failures too */

/* tar.c: packing */
struct sink {
  int (*put)(struct sink *sink, const void *data, size_t size); /* 0, or an errno */
  uint64_t size, limit, members;
  uid_t owner;   /* who alone may have made its files; 0: anybody */
  bool snapshot; /* exact times; directories after their contents, so that unpacking does not change their times */
};
int tar_all(int root, struct sink *sink, struct failure *why);
int tar_path(int root, const char *path, struct sink *sink, struct failure *why);
int tar_end(struct sink *sink, struct failure *why);

/* files.c: requests about files */
int files_open(const char *workspace);
int files_put(struct frame *frame, struct fields *fields, struct failure *why);
int files_snapshot(struct frame *frame, struct fields *fields, struct failure *why);
int files_reset(struct frame *frame, struct fields *fields, struct failure *why);
int files_get(struct frame *frame, struct fields *fields, struct failure *why);
int files_workspace(void); /* the open workspace */
const char *const *files_places(void); /* where candidates can write: the workspace and the scratch directories */
void files_forget_homes(void);

/* guard.c: protected files where the candidate can write beside them */
int guard_add(const char *path, const struct stat *stat); /* -1 without memory */
void guard_begin(void);                                   /* a command begins */
void guard_answer(void);                                  /* fields for those that it replaced or removed */
void guard_clear(void);

/* probe.c, scrub.c */
int probe(struct frame *frame, struct fields *fields, struct failure *why);
int scrub(struct frame *frame, struct fields *fields, struct failure *why);

/* share.c: the share of the processors that a command gets */
struct share {
  int64_t begun, last, own_before, wanting_ns;
  double wanted_ns;
  uint64_t before, processors; /* millionths that the container may use */
  bool known;
};
void share_start(struct share *share);
void share_look(struct share *share);          /* whether it wants processors now; at share_next_ns or earlier */
int64_t share_next_ns(const struct share *share);
int64_t share_least_ns(const struct share *share, int64_t time); /* that it takes to use so much processor time */
bool share_used_ns(const struct share *share, int64_t *used); /* processor time; false: unknown */
int64_t share_held_ns(const struct share *share);             /* for how long others held it up; 0 where unknown */
int64_t share_starved_ns(const struct share *share);          /* the same, if one processor is enough for it */
bool share_queue(uint64_t *runnable); /* processes of the machine that run or could run, ours included; false: unknown */

/* cgroup.c, facts.c: the container as the kernel reports it */
enum counter {
  MEMORY_NOW,
  MEMORY_PEAK,
  MEMORY_LIMIT,
  SWAP_LIMIT, /* version 1: of memory and swap together */
  OOM_KILLS,
  PIDS_NOW,
  PIDS_LIMIT,
  PIDS_REFUSED,
  LIMIT_HITS, /* of memory; version 1 does not count them with every kernel */
  CPU_TIME,   /* version 2: microseconds, otherwise nanoseconds */
};
void cgroup_open(void);
bool cgroup_read(enum counter counter, uint64_t *value);         /* false: unknown or unlimited */
void cgroup_answer(uint8_t tag, enum counter counter);           /* a field, if it can be read */
/* Whether the container had memory left since LIMIT_HITS was read; false: unknown. */
bool cgroup_within_limit(uint64_t hits_before, bool *within);
bool cgroup_swap(uint64_t *bytes);                               /* beyond the memory; false: unknown or unlimited */
bool cgroup_cpus(uint64_t *millionths);                          /* of a processor; false: unknown or unlimited */
bool cgroup_cpu_ns(uint64_t *used);                              /* processor time; false: unknown */
void facts_send(const char *workspace);
bool facts_own_kernel(void);
void facts_interfaces(void); /* a field for each */
/* Read these cgroups, a directory for each controller of version 1 or one of version 2; none: there is none to read. */
void cgroup_use(const char *const *directories);

/* here.c: a sandbox without an engine */
enum wall { WALL_FILES = 1, WALL_PROCESSES = 2, WALL_IPC = 4, WALL_NETWORK = 8, WALL_LIMITS = 16, WALL_HIDDEN = 32 };
void here_open(int *argc, char ***argv); /* build the walls, if the arguments say so */
bool here_on(void);
bool here_lacks(enum wall wall);
unsigned here_lacking(void);
uid_t here_spare(void);     /* a user that no process has */
uint64_t here_memory(void); /* limit of a process's memory; UINT64_MAX where a cgroup limits all of them */
void here_each_user(void (*act)(uid_t uid));
int here_empty(int dir);             /* a scratch directory: 0, or -1 with errno */
void here_forget(const char *path); /* remove a home in a shared scratch directory */
void here_clean(void);
_Noreturn void leave(int status); /* end, and leave no process behind */

#endif
