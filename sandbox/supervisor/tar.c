/* Packing files into an archive: a snapshot in memory, or DATA frames for the host. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define SHORT_NAME 100

static const char zeros[BLOCK * 2];

static size_t padding(uint64_t size) { return (BLOCK - size % BLOCK) % BLOCK; }

static int put(struct sink *sink, const void *data, size_t size) {
  int number = size > sink->limit - sink->size ? EFBIG : sink->put(sink, data, size);
  if (number == 0) sink->size += size;
  return number;
}

static int put_long(struct sink *sink, char kind, const char *text) {
  unsigned char block[BLOCK];
  size_t size = strlen(text) + 1;
  header_write(block, kind, 0644, size, (struct timespec){0}, "././@LongLink", "");
  int number = put(sink, block, BLOCK);
  if (number == 0) number = put(sink, text, size);
  return number ? number : put(sink, zeros, padding(size));
}

static int put_header(struct sink *sink, char kind, const struct stat *stat, const char *name, const char *target) {
  unsigned char block[BLOCK];
  struct timespec mtime = stat->st_mtim;
  mode_t mode = stat->st_mode & 0777;
  uint64_t size = kind == KIND_FILE ? (uint64_t)stat->st_size : 0, room = sink->limit - sink->size;
  int number = 0;
  if (size > room || BLOCK + size + padding(size) > room) return EFBIG;
  if (!sink->snapshot) mtime.tv_nsec = 0;
  /* A directory on the way of a protected archive: writable for all, since its owner is no longer known. */
  if (S_ISDIR(stat->st_mode) && stat->st_uid == 0 && stat->st_mode & S_ISVTX) mode = 0755;
  if (strlen(target) > SHORT_NAME) number = put_long(sink, KIND_LONG_TARGET, target);
  if (number == 0 && strlen(name) > SHORT_NAME) number = put_long(sink, KIND_LONG_NAME, name);
  header_write(block, kind, mode, size, mtime, name, target);
  sink->members++;
  return number ? number : put(sink, block, BLOCK);
}

static int put_file(struct sink *sink, int dir, const char *name, const struct stat *stat, const char *path) {
  static char piece[PIECE];
  uint64_t left = (uint64_t)stat->st_size;
  if (sink->owner && (stat->st_uid != sink->owner || stat->st_nlink != 1)) return EPERM;
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno;
  int number = put_header(sink, KIND_FILE, stat, path, "");
  while (number == 0 && left) {
    size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
    ssize_t got = read(fd, piece, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      number = errno;
    } else {
      /* A file that became shorter is padded, so that the next member starts where it must. */
      if (got == 0) memset(piece, 0, size), got = (ssize_t)size;
      number = put(sink, piece, (size_t)got);
      left -= (size_t)got;
    }
  }
  close(fd);
  return number ? number : put(sink, zeros, padding((uint64_t)stat->st_size));
}

static int put_link(struct sink *sink, int dir, const char *name, const struct stat *stat, const char *path) {
  char target[NAME_ROOM];
  ssize_t size = readlinkat(dir, name, target, sizeof target - 1);
  if (size < 0) return errno;
  target[size] = 0;
  return put_header(sink, KIND_LINK, stat, path, target);
}

static int put_directory(struct sink *sink, const struct stat *stat, const char *path) {
  char name[NAME_ROOM];
  size_t size = strlen(path);
  memcpy(name, path, size);
  memcpy(name + size, "/", 2);
  return put_header(sink, KIND_DIRECTORY, stat, name, "");
}

static int take(void *context, const struct visit *visit, struct failure *why) {
  struct sink *sink = context;
  int number = 0;
  if (visit->path_size + 2 > NAME_ROOM)
    number = ENAMETOOLONG;
  else if (S_ISDIR(visit->stat->st_mode))
    number = visit->leaving == sink->snapshot ? put_directory(sink, visit->stat, visit->path) : 0;
  else if (S_ISREG(visit->stat->st_mode))
    number = put_file(sink, visit->dir, visit->name, visit->stat, visit->path);
  else if (S_ISLNK(visit->stat->st_mode))
    number = put_link(sink, visit->dir, visit->name, visit->stat, visit->path);
  return number ? fail(why, number, "cannot pack", visit->path) : WALK_ON;
}

int tar_all(int root, struct sink *sink, struct failure *why) { return tree_walk(root, "", take, sink, why); }

/* Returns whether a path does not exist. A link in the middle counts as that. */
static bool missing(int number) { return number == ENOENT || number == ENOTDIR || number == ELOOP; }

static int take_path(int dir, const char *leaf, const char *path, struct sink *sink, struct failure *why) {
  struct stat stat;
  if (fstatat(dir, leaf, &stat, AT_SYMLINK_NOFOLLOW) < 0)
    return missing(errno) ? 0 : fail(why, errno, "cannot look at", path);
  struct visit visit = {dir, leaf, path, strlen(path), &stat, false};
  if (take(sink, &visit, why) < 0) return -1;
  if (!S_ISDIR(stat.st_mode)) return 0;
  int inner = tree_open(dir, leaf);
  if (inner < 0) return fail(why, errno, "cannot open", path);
  int result = tree_walk(inner, path, take, sink, why);
  close(inner);
  return result;
}

int tar_path(int root, const char *given, struct sink *sink, struct failure *why) {
  char path[NAME_ROOM], part[NAME_MAX + 1];
  const char *rest = path_start(given);
  size_t size = rest ? strlen(rest) : 0;
  if (!rest) return fail(why, 0, "a path is empty or absolute", given);
  if (!size) return tar_all(root, sink, why);
  if (rest[size - 1] == '/') size--;
  if (size + 2 > NAME_ROOM) return fail(why, ENAMETOOLONG, "a path is too long", given);
  memcpy(path, rest, size);
  path[size] = 0;
  int dir = tree_open(root, "."), result = 0;
  rest = path;
  for (;;) {
    if (dir < 0) return missing(errno) ? 0 : fail(why, errno, "cannot open the way to", path);
    if (path_part(&rest, part) < 1) {
      result = fail(why, 0, "a path is not allowed", given);
      break;
    }
    if (!*rest) {
      result = take_path(dir, part, path, sink, why);
      break;
    }
    int inner = tree_open(dir, part), number = errno;
    close(dir);
    dir = inner;
    errno = number;
  }
  close(dir);
  return result;
}

int tar_end(struct sink *sink, struct failure *why) {
  int number = put(sink, zeros, sizeof zeros);
  return number ? fail(why, number, "cannot end the archive", NULL) : 0;
}
