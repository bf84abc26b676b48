/* The supervisor's protocol, and the theory of its operation.
 *
 * Processes. The container has one program of ours, the supervisor: PID 1, root, with the few capabilities that
 * container_request.py lists. It starts one command at a time as an unprivileged user without capabilities. Every other
 * process of the PID namespace descends from a command. To end everything that a command left, PID 1 calls
 * kill(-1, SIGKILL), which the kernel carries out atomically against fork, and then waitpid until it has no child. Only
 * then does it send the outcome.
 *
 * Grader and candidate. A command may be a grader, which judges, and is judged itself by nobody. It runs as a user of
 * its own. The processes of the candidate are not its children: it asks for them at a socket that only its user can
 * connect to, and passes three descriptors, the arguments, the environment and the working directory. The supervisor
 * starts the process as one of the candidate's users, which no other process has at that time. When it has ended, or its
 * time is over, or nobody waits for it any more, every process of that user is killed, and then the answer is sent
 * (candidates.c).
 *
 * Pipes. The supervisor's stdin and stdout are the attached streams of the container; the host is at the other end.
 * A command gets three or four pipes of its own (stdin, stdout, stderr, and descriptor 3 when a report is requested)
 * and inherits nothing else. One poll loop serves them. Output that the host has not read yet waits in a queue whose
 * size is bounded by the capture sizes of the command. A slow host can therefore neither block the supervisor nor make
 * it grow, and the deadline holds.
 *
 * Requests. The host sends one request at a time. The supervisor answers each by exactly one OK, ERR or DONE with the
 * request's id, possibly after DATA or OUT frames with that id. The only frame allowed before the answer is KILL. End
 * of file on stdin ends the supervisor, and with it the container. A frame that violates the protocol (unknown type or
 * field, a field missing, repeated or of the wrong size, a frame at the wrong time) ends it too, after an ERR with id
 * 0: nothing could resynchronise the two sides.
 *
 * Frame:   u32 length of payload | u8 type | u32 id | payload          all integers big-endian
 * Fields:  u8 tag | u32 length | value, repeated; a number is 8 bytes. Unknown tags are an error.
 * Payloads of PUT_DATA, STDIN and DATA are raw bytes; all others are fields. No payload exceeds FRAME_MAX.
 *
 * Start: supervisor WORKSPACE LIFETIME_SECONDS LEVEL. After that lifetime it ends by itself, whatever runs. It only
 * runs as PID 1, since elsewhere its kill(-1) would end every process of the machine. The level, "default" or "strict",
 * selects the filter of system calls that every command gets before it executes its program (filter.c).
 *
 * Archives are POSIX ustar with GNU long names ('L', 'K'), closed by a block of zeros. Regular files, directories and
 * symbolic links are accepted. Any other member (hard links, PAX headers, devices) is an error, as are absolute names,
 * "..", and names of more than 4,095 bytes. A leading "./" and a directory's trailing "/" are tolerated; "." itself is
 * skipped, since the workspace always belongs to root with mode 1777. A directory comes before its contents.
 * Unpacking never follows a symbolic link and never writes to an existing file: anything in the way of a file or link
 * is removed first, a directory with its contents, and a path component that is not a directory is replaced by one. A
 * failed PUT is answered only after its PUT_END, so the host can always write the whole archive; members unpacked
 * before the failure stay. Archives for the host have times in seconds, snapshots have exact times.
 *
 * All files that the supervisor handles are below the workspace; the snapshot is an archive in anonymous memory.
 * Objects that outlive a process are removed after each command (System V IPC objects of its user) or by RESET (POSIX
 * message queues, and files: every directory where a candidate can write must be requested as a scratch directory).
 */
#ifndef GRADEBOX_PROTOCOL_H
#define GRADEBOX_PROTOCOL_H

#define PROTOCOL_VERSION 1
#define FRAME_MAX (4u << 20)

/* Requests */
enum {
  /* Unpack an archive below the workspace. PUT begins it (F_UID, F_PROTECT), PUT_DATA carries it in pieces of any
   * size, PUT_END ends it and alone is answered: OK with F_COUNT (members).
   * Without F_PROTECT (absent or 0) members belong to F_UID, with the permissions of the archive (no setuid, setgid,
   * sticky); directories that are on the way but not in the archive are made with mode 0755. A directory that an
   * earlier protected archive made root's stays as it is.
   * With F_PROTECT members belong to root. Files become 0444, or 0555 if the archive makes them executable for anyone.
   * A directory that is a member becomes 0755, so the candidate cannot add to it. If it existed before and was
   * writable, it is removed first with its contents, so that no file of the submission remains in it. A directory that
   * is only on the way becomes 1777, whether it existed or not: the candidate may add files beside the members, but
   * neither replace nor unlink them. One made on the way below a protected one gets 0755.
   * With F_GRADER, too, only the group of that number can read them: 0440, 0550 and 0750 in place of 0444, 0555, 0755.
   * Their times then have a fraction of a second that nobody knows. */
  T_PUT = 1,
  T_PUT_DATA = 2,
  T_PUT_END = 3,
  /* Save the workspace as it is now, in place of an earlier snapshot of the same F_SLOT (below SNAPSHOTS; absent is 0).
   * OK with F_BYTES (size of the archive) and F_COUNT (members). Fails with EFBIG when the archive would exceed F_LIMIT,
   * and with ENAMETOOLONG when a path is longer than an archive takes; then the earlier snapshot stays. Hard links
   * become copies, special files are left out. */
  T_SNAPSHOT = 4,
  /* Kill every process, empty the workspace and the scratch directories (F_SCRATCH...; missing ones are skipped), and
   * unpack the snapshot of F_SLOT (absent is 0; nothing if there is none) as F_UID, who must not be root. Creates
   * F_HOME..., if given, for that user alone (mode 0700); none may exist yet. With F_GRADER, F_UID is the first of several candidates: their group can
   * write what its user can, F_HOME... included (mode 0770), everybody can read what is in the workspace, whatever its
   * permissions were, and F_GRADER_HOME... is created for the grader.
   * With F_PATH... the first F_HOME is root's with mode 1777: everybody can make files there. Only the places F_PATH
   * (relative to it) are closed: each is an empty file of root's, or with a trailing slash an empty directory. A
   * directory on the way to one has mode 1777, too. OK. */
  T_RESET = 5,
  /* Remove every file, link or directory below the workspace whose last name component matches one of the F_PATTERN
   * globs (fnmatch, no flags), except the paths F_KEEP (relative, exact) and their parents, and always the paths F_PATH
   * (relative, exact). OK with an F_PATH for each removed path, at most 1,000 of them, and F_COUNT for
   * all. */
  T_SCRUB = 6,
  /* Bytes of the next command's stdin, kept until RUN. OK for each frame. At most STDIN_MAX in total, else EFBIG. */
  T_STDIN = 7,
  /* Run a command: F_ARG..., F_ENV... ("NAME=value"), F_CWD, F_UID, F_WALL_US, F_OUTPUT (bytes per stream that end it),
   * F_CAPTURE (bytes kept per stream, at most CAPTURE_MAX), F_REPORT (0 or 1, absent is 0), F_NOFILE, F_FSIZE, F_NPROC
   * (rlimits, unchanged when absent; core is always 0), F_CPU_US (processor time of all its processes; absent is no
   * limit), F_PATIENCE_US (absent is 0). Of the time in which others kept the processors from it (share.c), so much
   * does not count against F_WALL_US. F_ENV may be absent. The user must not be root; the group is
   * F_CANDIDATE or the user's number, and there are no supplementary groups. A program without a slash is looked up in
   * PATH of F_ENV. With F_CANDIDATES the command is a grader, which can start processes of the candidate
   * (candidates.c): so many at a time (at most CANDIDATES_MAX), as the users from F_CANDIDATE on, in the group of the
   * first. F_CANDIDATE_ENV... ("NAME=value") replaces what the grader gives them. With F_OWN_STDOUT (0 or 1, absent is
   * 0) they cannot write to its stdout: what would go there goes to their stderr.
   * With F_FORKS (0 or 1, absent is 0) the program can be a fork server (forkserver.c). Commands that have the same
   * arguments, environment, F_NOFILE and F_FSIZE, and come one after the other, are then children of one process that
   * has loaded the program; where that is impossible, and for the program itself, nothing else changes. To serve, it is
   * started once with GRADEBOX_SERVES in its environment and a socket as descriptor 3. For each message there, "UID",
   * "GID", "SCORE" (of oom_score_adj), "CWD" and "NAME=value"... with a NUL after each, it forks a child of its parent's,
   * which becomes this user, with the five descriptors of the message: 0 to 3, and where to write an error. It answers
   * with the number of that (4 bytes of the machine), or -1.
   * With F_PROTECT (0 or 1, absent is 0) no other process of its user can trace it, or open its memory and
   * descriptors, as far as the kernel allows that (shield.c).
   * With F_INPUT_FILE (0 or 1, absent is 0) stdin is not a pipe but a file in memory, which can be mapped and read again
   * and not written. So whoever may read it later can do so: it is for input that is no secret of the command's.
   * Answered by DONE, or by ERR if the supervisor could not set up the process.
   * OUT frames carry the head of each stream (the first half of F_CAPTURE) as it is read. When the command has ended,
   * OUT frames with F_TAIL carry the last bytes that are not in the head, at most the other half; then comes DONE. */
  T_RUN = 8,
  /* End the running command now, as its deadline would. Has no answer of its own. Ignored when nothing runs. */
  T_KILL = 9,
  /* Send an archive of the F_PATH paths (relative; directories with what is below them; "." is everything) as DATA
   * frames, then OK with F_COUNT and F_BYTES. Missing paths are left out; special files too; symbolic links are sent as
   * links and never followed, not even in the middle of a path. EFBIG when it would exceed F_LIMIT, and ENAMETOOLONG as
   * for SNAPSHOT: the host then discards the DATA received. Permissions are sent, owners are not. With F_GRADER, EPERM
   * when a file belongs to somebody else, or has several names. */
  T_GET = 10,
  /* Report F_MEMORY, F_MEMORY_PEAK, F_OOM, F_PIDS as far as the cgroup can be read, F_IFACE as in READY, and of the
   * machine F_RUNNABLE and F_PROCESSORS. OK. */
  T_STAT = 11,
  /* End. The container ends with exit status EXIT_BYE. Not answered. */
  T_BYE = 12,
  /* Connect to F_PORT of 127.0.0.1, send F_ARG unless it is empty, and read up to the end of the first line. All of it may
   * take F_WALL_US (at most PROBE_MAX_US). OK with F_ERRNO (0 when nothing failed) and F_HEAD, the bytes that were read
   * (at most 512; none if F_ARG is empty). */
  T_PROBE = 13,
};

/* Answers */
enum {
  /* Sent once, before any request, with id 0: F_VERSION, F_IFACE... (up, or with an address), F_SECCOMP (0, or the
   * mode), F_NNP, F_CAPS (effective), F_ROOT_RO, F_FILTER (of the commands: 0 when the kernel did not accept it, 1
   * default, 2 strict), F_NOFILE (hard limit), F_OWN_KERNEL. Absent when unlimited or unknown: F_MEMORY_LIMIT,
   * F_PIDS_LIMIT, F_SWAP_LIMIT, F_CPUS, F_KERNEL, F_PROCESSOR. For the workspace and each scratch directory that always exists: F_PATH,
   * followed by its F_BYTES and its F_COUNT of files (0: no limit). */
  T_READY = 65,
  T_OK = 66,
  /* F_ERRNO (0 when no error number fits) and F_MESSAGE: a clause that names the file, in printable ASCII, without the
   * meaning of the number */
  T_ERR = 67,
  T_DATA = 68,
  /* F_STREAM (1, 2 or 3) and F_HEAD or F_TAIL (a piece of it, in order). Without fields: F_WALL_US have passed, and the
   * command has more time, since others held it up. */
  T_OUT = 69,
  /* F_CAUSE (below), F_STATUS (wait status of the command; after a limit mostly that of our SIGKILL; SIGSTOP or its
   * like if that has kept the command from running for ten seconds), for CAUSE_NOT_STARTED F_ERRNO and F_MESSAGE
   * (below), the usage fields F_TIME_US ... F_LEFT as far as they can be read, and for each stream F_STREAM followed by
   * its F_TOTAL and F_SHA256 (32 bytes). An F_PATH (at most 100) names a protected file that the command removed or
   * replaced, which a correct kernel prevents. An F_REMOVED (at most 100) is the absolute path of a name that the
   * candidate made and that could have misled its grader (names.c). When a stream exceeded its limit, the cause is
   * CAUSE_OUTPUT even if the command ended before the supervisor noticed. CAUSE_CPU likewise. */
  T_DONE = 70,
};

enum {
  CAUSE_ENDED = 0,       /* by itself, or by a signal that the supervisor did not send */
  CAUSE_DEADLINE = 1,    /* F_WALL_US passed, without the time in which others held it up */
  CAUSE_OUTPUT = 2,      /* a stream passed F_OUTPUT */
  CAUSE_KILLED = 3,      /* the host sent KILL */
  CAUSE_NOT_STARTED = 4, /* with F_ERRNO; F_MESSAGE is "cwd", "program", or "interpreter" (the program exists, but not
                            the one in its first line) */
  CAUSE_CPU = 5,         /* it used more than F_CPU_US */
  CAUSE_STARVED = 6,     /* F_WALL_US and F_PATIENCE_US passed; others held it up for most of the latter */
};

/* Exit statuses, for a host whose channel was closed */
enum {
  EXIT_BYE = 0,
  EXIT_USAGE = 2,      /* not PID 1, bad arguments, no workspace; a sentence on stderr */
  EXIT_PROTOCOL = 3,   /* after ERR with id 0 */
  EXIT_UNKILLABLE = 4, /* for 20 seconds no process died of SIGKILL, although some live */
  EXIT_LIFETIME = 5,
  EXIT_MEMORY = 6,     /* no memory for the supervisor's own buffers */
  EXIT_CHANNEL = 7,    /* end of file, or an error, on stdin or stdout */
};

/* Fields */
enum {
  F_FORKS = 0,
  F_VERSION = 1,
  F_UID = 2,
  F_PROTECT = 3,
  F_COUNT = 4,
  F_BYTES = 5,
  F_LIMIT = 6,
  F_PATTERN = 7,
  F_KEEP = 8,
  F_PATH = 9,
  F_ARG = 10,
  F_ENV = 11,
  F_CWD = 12,
  F_WALL_US = 13,
  F_OUTPUT = 14,
  F_CAPTURE = 15,
  F_REPORT = 16,
  F_NOFILE = 17,
  F_FSIZE = 18,
  F_ERRNO = 19,
  F_MESSAGE = 20,
  F_STREAM = 21,
  F_HEAD = 22,
  F_CAUSE = 23,
  F_STATUS = 24,
  F_TOTAL = 25,
  F_SHA256 = 26,
  F_TAIL = 27,
  F_TIME_US = 28,      /* wall time, from its start until every process was dead */
  F_USER_US = 29,
  F_SYSTEM_US = 30,
  F_RSS = 31,          /* bytes, largest single process */
  F_MEMORY = 32,       /* bytes, of the cgroup */
  F_MEMORY_PEAK = 33,
  F_OOM = 34,          /* oom kills: of the command in DONE, of the container in STAT */
  F_PIDS = 35,
  F_PORT = 36,         /* PROBE */
  F_LEFT = 37,         /* processes that had to be killed when the command had ended; above 0 if there were any */
  F_SLOT = 38,         /* SNAPSHOT, RESET: which snapshot */
  F_SECCOMP = 39,
  F_NNP = 40,
  F_CAPS = 41,
  F_ROOT_RO = 42,
  F_MEMORY_LIMIT = 43,
  F_PIDS_LIMIT = 44,
  F_SCRATCH = 45,      /* RESET: a directory to empty besides the workspace */
  F_HOME = 46,         /* RESET: an absolute path */
  F_FILTER = 47,
  F_SWAP_LIMIT = 48,   /* bytes beyond F_MEMORY_LIMIT; 0 also when the machine has no swap */
  F_CPUS = 49,         /* processor time per time, in millionths of a processor */
  F_OWN_KERNEL = 50,   /* 1 when the container has a kernel of its own */
  F_NPROC = 51,        /* RUN: rlimit */
  F_WITHIN_LIMIT = 52, /* DONE, with F_OOM above 0: 1 when the container had not reached its own memory limit, so that
                          memory was lacking elsewhere; absent when unknown */
  F_CPU_US = 53,       /* RUN: limit; DONE: processor time of all processes, absent when unknown */
  F_PATIENCE_US = 54,
  F_HELD_US = 55,      /* for how long others kept the processors from it; absent when unknown */
  F_INPUT_FILE = 56,
  F_PROCESSORS = 57,   /* of the machine */
  F_GRADER = 58,       /* PUT, RESET, GET: the user of the grader */
  F_GRADER_HOME = 59,  /* RESET: an absolute path */
  F_CANDIDATE = 60,
  F_CANDIDATES = 61,
  F_CANDIDATE_ENV = 62,
  F_OWN_STDOUT = 63,
  F_REMOVED = 65,      /* DONE */
  F_IFACE = 66,        /* a network interface that is not loopback */
  F_KERNEL = 67,       /* READY: name and release */
  F_PROCESSOR = 68,    /* READY: the model of the first processor */
  F_PIDS_REFUSED = 69,
  F_RUNNABLE = 70,     /* processes of the machine that run or could run, without the supervisor */
  F_LACKS = 64,        /* READY, without an engine: the walls that it could not build, as bits (enum wall) */
};

#define SNAPSHOTS 2
#define CANDIDATES_MAX 16
/* The program `candidate` and its socket. An executable file system that only root can write. */
#define CANDIDATE_DIRECTORY "/.candidate"
/* The grader's variable with the path of its check's report, into which no program of the candidate writes. */
#define REPORT_VARIABLE "GRADEBOX_REPORT"

/* What a grader sends to CANDIDATE_DIRECTORY/socket, a stream. Each request has a connection of its own, and is one
 * message: a `struct candidate_request` in the machine's byte order,
 *
 *   u64 timeout_us | u64 memory_bytes | u32 size | u32 arguments | u64 what
 *
 * The first two are limits, or 0. The time is processor time, for each whole processor of the container; twice as much
 * wall time stops what waits, without the time in which others held the command up.
 * CANDIDATE_START carries the descriptors of stdin, stdout and stderr, and of a file in memory of `size` bytes that has
 * the working directory, `arguments` arguments and the environment, each with its NUL; a `struct inherited` may follow
 * them. With CANDIDATE_FORK the process
 * is a fork of the server that forked the grader, if one did; the arguments are for where none did.
 * CANDIDATE_LEND and CANDIDATE_RECLAIM carry no descriptor. `size` bytes follow the structure in the same message: absolute
 * paths without links, ".", ".." and empty parts, each with its NUL. They are served at once, and in order.
 *   LEND: a directory, with what is in it, or a regular file becomes the candidate's. It must belong to the grader's
 *   user. The grader cannot enter the directory meanwhile; it can read a file. Of the directories above it, those of the
 *   grader's become searchable, and other names in them are closed to others. What is the candidate's already stays as
 *   it is. EMLINK if a file has several names; then, part of the tree may have been lent.
 *   RECLAIM: what lies there becomes the grader's, whether it was lent or the candidate made it. Removed are special
 *   files, files of anybody else, and links that lead out of the directory or whose way does so. A file with several names
 *   becomes several files. A link as the path itself becomes a copy of the file that it leads to, if that is the
 *   candidate's and has 1 MiB at most. A missing path is not an error. E2BIG if there are more than 20,000 entries or a
 *   path of 4,096 bytes; then nobody but root can enter the directory.
 *
 * While a program runs, each byte that follows is the number of a signal for its first process. The end of the stream
 * ends the request.
 *
 * With CANDIDATE_MEASURED, which is like START, what the processes used follows the last answer, as two u64: processor
 * time in microseconds and the largest resident set in bytes. They have to be the only ones of the candidate. Processor
 * time of the grader's user is not wall time of theirs: they may have waited for it.
 *
 * Answers are of two i32. To START and FORK: first STAGE_... and errno, if the program was not executed; then, when all
 * processes of the request are dead, CANDIDATE_ENDED and the wait status, CANDIDATE_TIMED_OUT and which time was over (0:
 * processor time, 1: wall time), or CANDIDATE_REFUSED and errno. To LEND and RECLAIM: CANDIDATE_ENDED and the number of what was removed, or
 * CANDIDATE_REFUSED and errno. */
enum { CANDIDATE_START, CANDIDATE_FORK, CANDIDATE_LEND, CANDIDATE_RECLAIM, CANDIDATE_MEASURED };
enum { CANDIDATE_ENDED = 16, CANDIDATE_TIMED_OUT, CANDIDATE_REFUSED };
#define STDIN_MAX (16u << 20)
#define CAPTURE_MAX (16u << 20)
#define PROBE_MAX_US 10000000u

#endif
