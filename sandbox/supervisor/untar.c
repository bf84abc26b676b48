/* Unpacking an archive that arrives in pieces of any size. T_PUT in protocol.h defines owners and permissions. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "supervisor.h"

struct untar {
  int root;
  struct owner owner;
  unsigned char block[BLOCK];
  size_t held;      /* bytes of the block */
  uint64_t left;    /* bytes of the member's contents still to come */
  size_t padding;   /* bytes to skip after them */
  bool ended;       /* the block of zeros was read */
  uint64_t members;
  struct member member;
  char long_name[NAME_ROOM + 1], long_target[NAME_ROOM + 1]; /* of the next member; empty if it has none */
  char *text; /* where contents go: one of these, or */
  size_t text_size;
  int file;   /* a file, or -1 */
  char leaf[NAME_MAX + 1];
  /* The directory of the last member stays open: most members have the same one. */
  char parent[NAME_ROOM];
  int dir;     /* -1 before the first */
  bool locked; /* it is, or is below, a directory that the candidate must not add to */
};

struct untar *untar_start(int root, struct owner owner) {
  struct untar *untar = calloc(1, sizeof *untar);
  if (!untar) return NULL;
  untar->root = root;
  untar->owner = owner;
  untar->file = untar->dir = -1;
  return untar;
}

static uid_t owner(const struct untar *untar) { return untar->owner.protect ? 0 : untar->owner.uid; }

/* Only a protected archive makes directories of root that no one else can write. */
static bool is_locked(const struct stat *stat) {
  return S_ISDIR(stat->st_mode) && stat->st_uid == 0 && (stat->st_mode & 07772) == 0750;
}

/* Give a new file or directory to its owner. */
static int set(const struct untar *untar, int fd, mode_t mode) {
  const struct owner *to = &untar->owner;
  gid_t group = to->protect ? to->grader : to->uid;
  if (to->protect && to->grader && !(mode & S_ISVTX)) mode &= 07770;
  if (to->shared) mode |= 0444 | (mode & 0111 ? 0111 : 0) | (mode >> 3 & 0020);
  return fchown(fd, owner(untar), group) < 0 || fchmod(fd, mode) < 0 ? -1 : 0;
}

/* Open the directory `name`; create it if it is missing, in place of any other file. -1 with errno. */
static int enter(struct untar *untar, int dir, const char *name, bool *made) {
  struct stat stat;
  *made = false;
  int fd = tree_open(dir, name);
  if (fd < 0 && (errno == ENOTDIR || errno == ELOOP) && unlinkat(dir, name, 0) == 0) errno = ENOENT;
  if (fd < 0 && errno == ENOENT) {
    if (mkdirat(dir, name, 0700) < 0) return -1;
    *made = true;
    fd = tree_open(dir, name);
  }
  if (fd < 0) return -1;
  int result = 0;
  if (!untar->owner.protect) {
    if (*made) result = set(untar, fd, 0755);
  } else if (!*made && (result = fstat(fd, &stat)) == 0 && is_locked(&stat)) {
    untar->locked = true;
  } else if (result == 0) {
    result = set(untar, fd, untar->locked ? 0755 : 01777);
  }
  if (result == 0) return fd;
  int number = errno;
  close(fd);
  errno = number;
  return -1;
}

/* Make the directory of `path` current, and its last component the leaf. */
static int find_parent(struct untar *untar, const char *path, struct failure *why) {
  const char *name = untar->member.name;
  size_t size = strlen(path);
  if (path[size - 1] == '/') size--;
  while (size && path[size - 1] != '/') size--;
  const char *last = path + size;
  if (path_part(&last, untar->leaf) != 1) return fail(why, 0, "a name in the archive is not allowed", name);
  if (untar->dir >= 0 && strlen(untar->parent) == size && memcmp(untar->parent, path, size) == 0) return 0;

  if (untar->dir >= 0) close(untar->dir);
  untar->locked = false;
  untar->dir = tree_open(untar->root, ".");
  if (untar->dir < 0) return fail(why, errno, "cannot open the workspace", NULL);
  memcpy(untar->parent, path, size);
  untar->parent[size] = 0;
  const char *rest = untar->parent;
  char part[NAME_MAX + 1];
  bool made;
  for (int more; (more = path_part(&rest, part));) {
    int inner = more < 0 ? -1 : enter(untar, untar->dir, part, &made), number = errno;
    close(untar->dir);
    untar->dir = inner;
    if (more < 0) return fail(why, 0, "a name in the archive is not allowed", name);
    if (inner < 0) return fail(why, number, "cannot make the way to", name);
  }
  return 0;
}

static int make_directory(struct untar *untar) {
  bool outer = untar->locked, made;
  struct stat stat;
  if (untar->owner.protect) {
    if (fstatat(untar->dir, untar->leaf, &stat, AT_SYMLINK_NOFOLLOW) < 0 || !is_locked(&stat)) {
      if (tree_remove(untar->dir, untar->leaf) < 0) return -1;
    }
    untar->locked = true;
  }
  int fd = enter(untar, untar->dir, untar->leaf, &made);
  untar->locked = outer;
  if (fd < 0) return -1;
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, untar->member.mtime};
  int result = fstat(fd, &stat);
  /* A directory that an earlier protected archive gave to root stays so: it may hold protected files. */
  if (result == 0 && !untar->owner.protect && (made || stat.st_uid != 0))
    result = set(untar, fd, (untar->member.mode & 0777) | (untar->owner.shared ? 0111 : 0));
  if (result == 0) result = futimens(fd, times);
  int number = errno;
  close(fd);
  errno = number;
  return result;
}

/* Below a locked directory nothing can be replaced. */
static int watch(const struct untar *untar) {
  struct stat stat;
  if (!untar->owner.protect || untar->locked) return 0;
  if (fstatat(untar->dir, untar->leaf, &stat, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  return guard_add(path_start(untar->member.name), &stat);
}

static int make_link(struct untar *untar) {
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, untar->member.mtime};
  if (tree_remove(untar->dir, untar->leaf) < 0) return -1;
  if (symlinkat(untar->member.target, untar->dir, untar->leaf) < 0) return -1;
  if (fchownat(untar->dir, untar->leaf, owner(untar), owner(untar), AT_SYMLINK_NOFOLLOW) < 0) return -1;
  return utimensat(untar->dir, untar->leaf, times, AT_SYMLINK_NOFOLLOW) < 0 ? -1 : watch(untar);
}

static int make_file(struct untar *untar) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  untar->file = openat(untar->dir, untar->leaf, flags, 0600);
  if (untar->file < 0 && errno == EEXIST && tree_remove(untar->dir, untar->leaf) == 0)
    untar->file = openat(untar->dir, untar->leaf, flags, 0600);
  return untar->file < 0 ? -1 : 0;
}

/* Who compares files by their size and time reads neither. So hidden files have a time that nobody else can give to a
 * file: the same fraction of a second for all, which changes neither their order nor a byte of Python's. */
static long hidden_fraction(void) {
  static uint32_t random;
  while (!random)
    if (getrandom(&random, sizeof random, 0) < 0) _exit(EXIT_MEMORY);
  return random % SECOND_NS;
}

static int close_file(struct untar *untar) {
  mode_t mode = untar->member.mode & 0777;
  struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, untar->member.mtime};
  if (untar->owner.protect && untar->owner.grader) times[1].tv_nsec = hidden_fraction();
  if (untar->owner.protect) mode = mode & 0111 ? 0555 : 0444;
  int result = set(untar, untar->file, mode);
  if (result == 0) result = futimens(untar->file, times);
  if (result == 0) result = watch(untar);
  int number = errno;
  if (close(untar->file) < 0 && result == 0) result = -1, number = errno;
  untar->file = -1;
  errno = number;
  return result;
}

/* The contents of the member are complete. */
static int end_member(struct untar *untar, struct failure *why) {
  if (untar->text) {
    size_t length = strlen(untar->text);
    bool whole = length && length < NAME_ROOM && length + 1 >= untar->text_size;
    untar->text = NULL;
    return whole ? 0 : fail(why, 0, "a long name in the archive is empty or holds a NUL byte", NULL);
  }
  untar->long_name[0] = untar->long_target[0] = 0;
  if (untar->file >= 0 && close_file(untar) < 0) return fail(why, errno, "cannot finish", untar->member.name);
  return 0;
}

static int begin_text(struct untar *untar, char *text, struct failure *why) {
  if (untar->member.size == 0 || untar->member.size > NAME_ROOM)
    return fail(why, ENAMETOOLONG, "a name in the archive is too long", NULL);
  memset(text, 0, NAME_ROOM + 1);
  untar->text = text;
  untar->text_size = 0;
  return 0;
}

static int begin_member(struct untar *untar, struct failure *why) {
  static const unsigned char zeros[BLOCK];
  struct member *member = &untar->member;
  if (memcmp(untar->block, zeros, BLOCK) == 0) {
    untar->ended = true;
    return 0;
  }
  const char *wrong = header_read(untar->block, member);
  if (wrong) return fail(why, 0, wrong, member->name[0] ? member->name : NULL);
  untar->left = member->size;
  untar->padding = (BLOCK - member->size % BLOCK) % BLOCK;
  if (member->kind == KIND_LONG_NAME) return begin_text(untar, untar->long_name, why);
  if (member->kind == KIND_LONG_TARGET) return begin_text(untar, untar->long_target, why);
  if (untar->long_name[0]) memcpy(member->name, untar->long_name, NAME_ROOM);
  if (untar->long_target[0]) memcpy(member->target, untar->long_target, NAME_ROOM);

  const char *path = path_start(member->name);
  if (!path) return fail(why, 0, "a name in the archive is empty or absolute", member->name);
  if (!*path && member->kind == KIND_DIRECTORY) return 0;
  if (!*path) return fail(why, 0, "a name in the archive is not allowed", member->name);
  if (find_parent(untar, path, why) < 0) return -1;
  untar->members++;
  int result = member->kind == KIND_DIRECTORY ? make_directory(untar)
               : member->kind == KIND_LINK    ? make_link(untar)
                                              : make_file(untar);
  return result < 0 ? fail(why, errno, "cannot make", member->name) : 0;
}

static int take_contents(struct untar *untar, const char *data, size_t size, struct failure *why) {
  untar->left -= size;
  if (untar->text) {
    memcpy(untar->text + untar->text_size, data, size);
    untar->text_size += size;
    return 0;
  }
  while (size) {
    ssize_t written = write(untar->file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(why, written ? errno : ENOSPC, "cannot write", untar->member.name);
    data += written, size -= (size_t)written;
  }
  return 0;
}

int untar_feed(struct untar *untar, const void *data, size_t size, struct failure *why) {
  const char *at = data;
  while (size && !untar->ended) {
    size_t part = size;
    if (untar->left) {
      if (part > untar->left) part = (size_t)untar->left;
      if (take_contents(untar, at, part, why) < 0) return -1;
      if (!untar->left && end_member(untar, why) < 0) return -1;
    } else if (untar->padding) {
      if (part > untar->padding) part = untar->padding;
      untar->padding -= part;
    } else {
      if (part > BLOCK - untar->held) part = BLOCK - untar->held;
      memcpy(untar->block + untar->held, at, part);
      untar->held += part;
      if (untar->held == BLOCK) {
        untar->held = 0;
        if (begin_member(untar, why) < 0) return -1;
        if (!untar->left && !untar->ended && end_member(untar, why) < 0) return -1;
      }
    }
    at += part, size -= part;
  }
  return 0;
}

int untar_finish(struct untar *untar, uint64_t *members, struct failure *why) {
  int result = untar->ended ? 0 : fail(why, 0, "the archive ends early", NULL);
  *members = untar->members;
  if (untar->file >= 0) close(untar->file);
  if (untar->dir >= 0) close(untar->dir);
  free(untar);
  return result;
}
