/* Requests about files: PUT, SNAPSHOT, RESET, GET. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define DATA_SIZE (256u << 10)

static int root = -1;

#define PLACES 64
static const char *places[PLACES + 1]; /* the first is the workspace */

static char *homes[8]; /* of the last reset */

static int snapshots[SNAPSHOTS] = {-1, -1}; /* archives in files without names */

/* The place of the snapshot that a request is about; NULL if there is no such place. */
static int *snapshot_of(const struct fields *fields, struct failure *why) {
  uint64_t slot = field_number(fields, F_SLOT, 0);
  if (slot < SNAPSHOTS) return &snapshots[slot];
  fail(why, 0, "there is no such snapshot", NULL);
  return NULL;
}

int files_workspace(void) { return root; }

const char *const *files_places(void) { return places; }

/* The workspace is sticky and belongs to root: the candidate can add files, but not replace those of others. */
static int own_workspace(struct failure *why) {
  if (fchown(root, 0, 0) < 0 || fchmod(root, 01777) < 0) return fail(why, errno, "cannot own the workspace", NULL);
  return 0;
}

int files_open(const char *workspace) {
  struct failure why;
  root = tree_open(AT_FDCWD, workspace);
  places[0] = realpath(workspace, NULL);
  return root < 0 || !places[0] ? -1 : own_workspace(&why);
}

int files_put(struct frame *frame, struct fields *fields, struct failure *why) {
  struct frame part;
  uint64_t members = 0;
  uid_t uid = 0;
  int result = field_uid(fields, &uid, why);
  struct owner owner = {uid, field_number(fields, F_PROTECT, 0) != 0, (gid_t)field_number(fields, F_GRADER, 0), false};
  struct untar *untar = untar_start(root, owner);
  if (result == 0) result = untar ? own_workspace(why) : fail(why, ENOMEM, "cannot unpack an archive", NULL);
  for (channel_wait(&part); part.type != T_PUT_END; channel_wait(&part)) {
    if (part.type == T_KILL) continue;
    if (part.type != T_PUT_DATA) protocol_error("only PUT_DATA and PUT_END may follow PUT");
    if (result == 0) result = untar_feed(untar, part.payload, part.size, why);
  }
  if (part.size) protocol_error("PUT_END has no payload");
  frame->id = part.id;
  if (untar) {
    struct failure late;
    if (untar_finish(untar, &members, result == 0 ? why : &late) < 0) result = -1;
  }
  if (result < 0) return -1;
  answer_begin(T_OK, frame->id);
  answer_number(F_COUNT, members);
  answer_flush();
  return 0;
}

struct file_sink {
  struct sink sink;
  int file;
};

static int put_in_file(struct sink *sink, const void *data, size_t size) {
  const char *at = data;
  while (size) {
    ssize_t written = write(((struct file_sink *)sink)->file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written ? errno : ENOSPC;
    at += written, size -= (size_t)written;
  }
  return 0;
}

int files_snapshot(struct frame *frame, struct fields *fields, struct failure *why) {
  uint64_t limit = field_number(fields, F_LIMIT, 0);
  int *snapshot = snapshot_of(fields, why);
  if (!snapshot) return -1;
  struct file_sink copy = {.sink = {.put = put_in_file, .limit = limit, .snapshot = true}, .file = memory_file()};
  if (copy.file < 0) return fail(why, errno, "cannot hold a snapshot", NULL);
  if (tar_all(root, &copy.sink, why) < 0 || tar_end(&copy.sink, why) < 0) {
    close(copy.file);
    return -1;
  }
  if (*snapshot >= 0) close(*snapshot);
  *snapshot = copy.file;
  answer_begin(T_OK, frame->id);
  answer_number(F_COUNT, copy.sink.members);
  answer_number(F_BYTES, copy.sink.size);
  answer_flush();
  return 0;
}

static int empty(const char *path, struct failure *why) {
  int dir = tree_open(AT_FDCWD, path);
  if (dir < 0) return errno == ENOENT ? 0 : fail(why, errno, "cannot open", path);
  int result = here_empty(dir) < 0 ? fail(why, errno, "cannot empty", path) : 0;
  close(dir);
  return result;
}

void files_forget_homes(void) {
  for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
    if (homes[i]) here_forget(homes[i]);
    free(homes[i]);
    homes[i] = NULL;
  }
}

/* Where /tmp is shared with others, a home of the last reset may still be there. */
static void note_home(const char *path) {
  size_t i = 0;
  here_forget(path);
  while (i < sizeof homes / sizeof *homes && homes[i]) i++;
  if (i < sizeof homes / sizeof *homes) homes[i] = strdup(path);
}

/* Where candidates can write, besides the workspace. */
static void note_places(const struct fields *fields) {
  size_t count = 1;
  for (; count < PLACES && places[count]; count++) free((char *)places[count]), places[count] = NULL;
  count = 1;
  for (size_t i = 0; i < fields->count && count < PLACES; i++)
    if (fields->items[i].tag == F_SCRATCH && (places[count] = realpath(fields->items[i].value, NULL))) count++;
}

static int make_home(const char *path, uid_t uid, mode_t mode, struct failure *why) {
  note_home(path);
  const char *rest = path + 1;
  char part[NAME_MAX + 1];
  int dir = *path == '/' ? tree_open(AT_FDCWD, "/") : -1;
  if (dir < 0) return fail(why, 0, "cannot make the home", path);
  while (path_part(&rest, part) == 1) {
    if (!*rest) {
      int result = mkdirat(dir, part, mode) < 0 || fchownat(dir, part, uid, uid, AT_SYMLINK_NOFOLLOW) < 0 ? -1 : 0;
      if (result < 0) fail(why, errno, "cannot make the home", path);
      close(dir);
      return result;
    }
    int inner = tree_open(dir, part), number = errno;
    close(dir);
    if (inner < 0) return fail(why, number, "cannot make the home", path);
    dir = inner;
  }
  close(dir);
  return fail(why, 0, "cannot make the home", path);
}

/* Enter `name`. If it is missing, it is made as a directory in which everybody can make files and remove their own.
 * Closes `dir`; -1 with errno. */
static int enter_shared(int dir, const char *name) {
  int inner = tree_open(dir, name);
  if (inner < 0 && errno == ENOENT && mkdirat(dir, name, 0700) == 0 && (inner = tree_open(dir, name)) >= 0 &&
      fchmod(inner, 01777) < 0)
    close(inner), inner = -1;
  int number = errno;
  close(dir);
  errno = number;
  return inner;
}

/* Make an empty file or directory of root's in `dir`, so that nobody else can make one of its name. */
static int make_closed(int dir, const char *name, bool directory) {
  if (directory) return mkdirat(dir, name, 0755);
  int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
  return fd < 0 ? -1 : close(fd);
}

/* Close a place of the home. gVisor lets others replace by renaming what is root's, so there it is watched. */
static int close_place(int home, const char *start, const char *path) {
  const char *rest = path;
  char part[NAME_MAX + 1], place[NAME_ROOM];
  struct stat stat;
  int dir = home, result = -1;
  while (dir >= 0 && path_part(&rest, part) == 1) {
    if (!*rest) {
      result = make_closed(dir, part, rest[-1] == '/');
      break;
    }
    dir = enter_shared(dir == home ? dup(home) : dir, part);
  }
  if (dir >= 0 && dir != home) close(dir);
  if (result < 0 || !facts_own_kernel()) return result;
  if (snprintf(place, sizeof place, "%s/%s", start, path) >= (int)sizeof place) return errno = ENAMETOOLONG, -1;
  if (rest[-1] == '/') place[strlen(place) - 1] = 0;
  return lstat(place, &stat) < 0 ? -1 : guard_add(place, &stat);
}

/* Give the home to root: everybody can make files there, but not in the places F_PATH. */
static int close_home(const char *path, const struct fields *fields, struct failure *why) {
  int home = tree_open(AT_FDCWD, path), result = home < 0 || fchown(home, 0, 0) < 0 || fchmod(home, 01777) < 0 ? -1 : 0;
  for (size_t i = 0; i < fields->count && result == 0; i++)
    if (fields->items[i].tag == F_PATH) result = close_place(home, path, fields->items[i].value);
  if (result < 0) fail(why, errno, "cannot close the home", path);
  if (home >= 0) close(home);
  return result;
}

static int lay_out(int snapshot, struct owner owner, struct failure *why) {
  static char piece[PIECE];
  struct failure late;
  uint64_t members;
  int result = 0;
  if (snapshot < 0) return 0;
  struct untar *untar = untar_start(root, owner);
  if (!untar) return fail(why, ENOMEM, "cannot unpack the snapshot", NULL);
  for (off_t at = 0; result == 0;) {
    ssize_t got = pread(snapshot, piece, sizeof piece, at);
    if (got == 0) break;
    if (got < 0) result = fail(why, errno, "cannot read the snapshot", NULL);
    if (got > 0) result = untar_feed(untar, piece, (size_t)got, why);
    at += got;
  }
  return untar_finish(untar, &members, result == 0 ? why : &late) < 0 ? -1 : result;
}

int files_reset(struct frame *frame, struct fields *fields, struct failure *why) {
  struct usage usage = {0};
  uid_t uid, grader = (uid_t)field_number(fields, F_GRADER, 0);
  int status, *snapshot = snapshot_of(fields, why);
  if (!snapshot || field_uid(fields, &uid, why) < 0) return -1;
  if (uid == 0) return fail(why, 0, "the workspace is reset for a candidate, not for root", NULL);
  sweep_all(-1, &status, &usage);
  guard_clear();
  files_forget_homes();
  if (tree_empty(root) < 0) return fail(why, errno, "cannot empty the workspace", NULL);
  for (size_t i = 0; i < fields->count; i++)
    if (fields->items[i].tag == F_SCRATCH && empty(fields->items[i].value, why) < 0) return -1;
  note_places(fields);
  if (empty("/dev/mqueue", why) < 0) return -1; /* POSIX message queues outlive their processes */
  struct owner owner = {.uid = uid, .shared = grader != 0};
  if (own_workspace(why) < 0 || lay_out(*snapshot, owner, why) < 0) return -1;
  for (size_t i = 0; i < fields->count; i++) {
    const struct field *field = &fields->items[i];
    if (field->tag == F_HOME && make_home(field->value, uid, grader ? 0770 : 0700, why) < 0) return -1;
    if (field->tag == F_GRADER_HOME && make_home(field->value, grader, 0700, why) < 0) return -1;
  }
  const char *home = field_text(fields, F_HOME, NULL);
  if (home && field_text(fields, F_PATH, NULL) && close_home(home, fields, why) < 0) return -1;
  answer_begin(T_OK, frame->id);
  answer_flush();
  return 0;
}

struct data_sink {
  struct sink sink;
  uint32_t id;
  size_t used; /* of the frame being composed; 0 if there is none */
};

static int put_in_frames(struct sink *sink, const void *data, size_t size) {
  struct data_sink *frames = (struct data_sink *)sink;
  if (!size) return 0;
  if (!frames->used) answer_begin(T_DATA, frames->id);
  answer_raw(data, size);
  frames->used += size;
  if (frames->used >= DATA_SIZE) {
    answer_flush();
    frames->used = 0;
  }
  return 0;
}

int files_get(struct frame *frame, struct fields *fields, struct failure *why) {
  uint64_t limit = field_number(fields, F_LIMIT, 0);
  uid_t owner = (uid_t)field_number(fields, F_GRADER, 0);
  struct data_sink frames = {.sink = {.put = put_in_frames, .limit = limit, .owner = owner}, .id = frame->id};
  for (size_t i = 0; i < fields->count; i++)
    if (fields->items[i].tag == F_PATH && tar_path(root, fields->items[i].value, &frames.sink, why) < 0) return -1;
  if (tar_end(&frames.sink, why) < 0) return -1;
  if (frames.used) answer_flush();
  answer_begin(T_OK, frame->id);
  answer_number(F_COUNT, frames.sink.members);
  answer_number(F_BYTES, frames.sink.size);
  answer_flush();
  return 0;
}
