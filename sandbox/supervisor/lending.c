/* Files that a grader lends to the candidate, and takes back.
 *
 * A lent tree belongs to the candidate alone: its grader cannot even enter it, so no name in it can lead the grader
 * anywhere. A tree that was taken back belongs to the grader, and holds nothing but directories, regular files with one
 * name, and links to directories in it. A link to a file has become a copy of it: a grader that writes what it expects
 * would write it into what it compares. The candidate may be alive all the time. So directories change hands from the
 * top down when they are taken back: whoever has one open can no longer change what is in it, and then it is listed.
 * When they are lent, they change hands from the bottom up.
 *
 * Files that were lent have the grader's group, and keep their inode: the grader may have them open. A file that a
 * living candidate made is handed over as a copy, since its maker may have it open.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define LENT_MAX 64
#define ENTRIES_MAX 20000
#define LINKS_MAX 40
/* Of what is copied. Larger files, and those after so many bytes, keep their inode. */
#define COPY_MAX (1u << 20)
#define COPIES_MAX (16u << 20)

static struct {
  struct sides users;
  struct lent {
    char *path;      /* NULL: free */
    uint64_t opened; /* the directories above it that were not searchable before: a bit for each depth */
  } lent[LENT_MAX];
} now;

struct work {
  const char *path;
  int top;
  uint64_t entries, copied;
  int removed;
  bool links, alive;
};

static bool is_candidate(uid_t uid) { return sides_candidate(&now.users, uid); }

/* Whether two absolute paths have the directory at this depth in common. */
static bool shares(const char *one, const char *other, unsigned depth) {
  for (; *one && *one == *other; one++, other++)
    if (*one == '/' && depth-- == 0) return true;
  return false;
}

/* The names beside `kept` that others could open, now that their directory can be searched. */
static void close_beside(int dir, const char *kept) {
  struct stat stat;
  int copy = tree_open(dir, ".");
  DIR *listing = copy < 0 ? NULL : fdopendir(copy);
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, kept) == 0) continue;
    if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) < 0 || stat.st_uid != now.users.grader) continue;
    if (!S_ISLNK(stat.st_mode) && stat.st_mode & 07) (void)fchmodat(dir, name, stat.st_mode & 07770, 0);
  }
  if (listing) closedir(listing);
}

typedef void above(struct lent *lent, int dir, unsigned depth, const char *next);

static void open_above(struct lent *lent, int dir, unsigned depth, const char *next) {
  struct stat stat;
  if (depth > 63 || fstat(dir, &stat) < 0 || stat.st_uid != now.users.grader) return;
  bool ours = !(stat.st_mode & S_IXOTH);
  if (ours) lent->opened |= UINT64_C(1) << depth;
  for (size_t i = 0; i < LENT_MAX && !ours; i++)
    ours = now.lent[i].path && now.lent[i].opened >> depth & 1 && shares(now.lent[i].path, lent->path, depth);
  if (!ours) return;
  close_beside(dir, next);
  (void)fchmod(dir, (stat.st_mode & 07777) | S_IXOTH);
}

static void close_above(struct lent *lent, int dir, unsigned depth, const char *next) {
  struct stat stat;
  (void)next;
  if (depth > 63 || !(lent->opened >> depth & 1)) return;
  for (size_t i = 0; i < LENT_MAX; i++)
    if (&now.lent[i] != lent && now.lent[i].path && shares(now.lent[i].path, lent->path, depth)) {
      now.lent[i].opened |= UINT64_C(1) << depth;
      return;
    }
  if (fstat(dir, &stat) == 0 && stat.st_uid == now.users.grader) (void)fchmod(dir, stat.st_mode & 07776);
}

/* Open the directory that holds an absolute path, following no link, and store the last name. -1 with errno. */
static int approach(const char *path, char *name, above *each, struct lent *lent) {
  const char *rest = path + 1;
  int dir = *path == '/' ? tree_open(AT_FDCWD, "/") : -1;
  for (unsigned depth = 0; dir >= 0; depth++) {
    if (path_part(&rest, name) != 1) {
      close(dir);
      break;
    }
    if (each) each(lent, dir, depth, name);
    if (!*rest) return dir;
    int inner = tree_open(dir, name), number = errno;
    close(dir);
    if (inner < 0) return errno = number, -1;
    dir = inner;
  }
  return errno = EINVAL, -1;
}

static struct lent *find_lent(const char *path) {
  for (size_t i = 0; i < LENT_MAX; i++)
    if (now.lent[i].path && strcmp(now.lent[i].path, path) == 0) return &now.lent[i];
  return NULL;
}

static struct lent *note_lent(const char *path) {
  struct lent *known = find_lent(path);
  for (size_t i = 0; i < LENT_MAX && !known; i++)
    if (!now.lent[i].path && (now.lent[i].path = strdup(path))) known = &now.lent[i];
  return known;
}

/* Open a directory or a regular file, and look at it. -1 with errno; other files are looked at all the same. */
static int open_top(int dir, const char *name, struct stat *stat) {
  struct stat opened;
  int fd = -1;
  if (fstatat(dir, name, stat, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  if (S_ISDIR(stat->st_mode)) fd = tree_open(dir, name);
  else if (S_ISREG(stat->st_mode)) fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  else return errno = EINVAL, -1;
  if (fd >= 0 && (fstat(fd, &opened) < 0 || opened.st_dev != stat->st_dev || opened.st_ino != stat->st_ino))
    close(fd), fd = -1, errno = EAGAIN;
  return fd;
}

/* The group of the candidate's users may do what its first user may. */
static mode_t lent_mode(mode_t mode) { return (mode & 0700) | (mode & 0700) >> 3; }

static int give(void *context, const struct visit *visit, struct failure *why) {
  const struct sides *users = &now.users;
  const struct stat *stat = visit->stat;
  struct work *work = context;
  int result = 0;
  if (++work->entries > ENTRIES_MAX || visit->path_size >= NAME_ROOM) return fail(why, E2BIG, "too large", NULL);
  if (stat->st_uid != users->grader) return WALK_PAST;
  if (S_ISDIR(stat->st_mode) && !visit->leaving)
    result = stat->st_mode & 022 ? fchmodat(visit->dir, visit->name, stat->st_mode & 0755, 0) : 0;
  else if (S_ISDIR(stat->st_mode))
    result = fchownat(visit->dir, visit->name, users->first, users->first, AT_SYMLINK_NOFOLLOW) < 0 ||
                     fchmodat(visit->dir, visit->name, lent_mode(stat->st_mode), 0) < 0
                 ? -1
                 : 0;
  else if (S_ISREG(stat->st_mode) && stat->st_nlink != 1) /* its other names may lie anywhere */
    result = -1, errno = EMLINK;
  else
    result = fchownat(visit->dir, visit->name, users->first, users->grader, AT_SYMLINK_NOFOLLOW);
  return result < 0 ? fail(why, errno, "cannot lend", visit->path) : WALK_ON;
}

static int give_top(int fd, const struct stat *stat) {
  struct work work = {.top = fd};
  struct failure why;
  if (S_ISREG(stat->st_mode) && stat->st_nlink != 1) return errno = EMLINK, -1;
  if (S_ISREG(stat->st_mode)) return fchown(fd, now.users.first, now.users.grader);
  if (fchmod(fd, stat->st_mode & 0755) < 0) return -1;
  if (tree_walk(fd, "", give, &work, &why) < 0) return errno = why.number, -1;
  return fchown(fd, now.users.first, now.users.first) < 0 ? -1 : fchmod(fd, lent_mode(stat->st_mode));
}

static int lend(const char *path) {
  char name[NAME_MAX + 1];
  struct stat stat;
  struct lent *lent = NULL;
  int dir = approach(path, name, NULL, NULL), fd = dir < 0 ? -1 : open_top(dir, name, &stat), result = -1;
  if (fd >= 0 && is_candidate(stat.st_uid)) result = 0; /* in a tree that is lent, or its own */
  else if (fd >= 0 && stat.st_uid != now.users.grader) errno = EPERM;
  else if (fd >= 0 && !(lent = note_lent(path))) errno = ENOSPC;
  else if (fd >= 0) result = give_top(fd, &stat);
  int number = errno;
  if (fd >= 0) close(fd);
  if (dir >= 0) close(dir);
  if (result == 0 && lent && (dir = approach(path, name, open_above, lent)) >= 0) close(dir);
  return errno = number, result;
}

static mode_t taken_mode(mode_t mode) { return (mode & 0700) | 0500; }

/* A copy in place of a file, which is the grader's. False if that is impossible. */
static bool copy_file(int dir, const char *name, int from, const struct stat *stat) {
  static char piece[PIECE];
  static unsigned long label;
  char temporary[40];
  struct timespec times[2] = {stat->st_atim, stat->st_mtim};
  int to;
  do {
    snprintf(temporary, sizeof temporary, ".taken-%lu", label++);
    to = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  } while (to < 0 && errno == EEXIST);
  bool copied = to >= 0;
  for (off_t at = 0; copied && at < stat->st_size;) {
    size_t wanted = stat->st_size - at < (off_t)sizeof piece ? (size_t)(stat->st_size - at) : sizeof piece;
    ssize_t got = pread(from, piece, wanted, at);
    if (got == 0) break; /* it was cut meanwhile */
    copied = got > 0 && write(to, piece, (size_t)got) == got;
    at += got;
  }
  copied = copied && fchown(to, now.users.grader, now.users.grader) == 0 && fchmod(to, stat->st_mode & 0777) == 0 &&
           futimens(to, times) == 0 && renameat(dir, temporary, dir, name) == 0;
  if (to >= 0 && !copied) unlinkat(dir, temporary, 0);
  if (to >= 0) close(to);
  return copied;
}

/* Returns whether it may stay. */
static bool take_file(struct work *work, int dir, const char *name) {
  struct stat stat;
  int fd = open_top(dir, name, &stat);
  if (fd < 0) return errno == ENOENT;
  bool one = stat.st_nlink == 1, right = is_candidate(stat.st_uid);
  bool lent = stat.st_gid == now.users.grader, small = stat.st_size <= COPY_MAX && work->copied <= COPIES_MAX;
  if (stat.st_uid == now.users.grader && one) {
    right = true;
  } else if (right && small && (!one || (work->alive && !lent)) && copy_file(dir, name, fd, &stat)) {
    work->copied += (uint64_t)stat.st_size;
  } else if (right) {
    /* It may have got another name since: then its maker cannot use it, as it belongs to the grader. */
    right = one && fchown(fd, now.users.grader, now.users.grader) == 0 && fchmod(fd, stat.st_mode & 0777) == 0;
  }
  close(fd);
  return right;
}

static int take(void *context, const struct visit *visit, struct failure *why) {
  uid_t grader = now.users.grader;
  const struct stat *stat = visit->stat;
  struct work *work = context;
  bool known = is_candidate(stat->st_uid) || stat->st_uid == grader;
  if (visit->leaving) return WALK_ON;
  if (++work->entries > ENTRIES_MAX || visit->path_size >= NAME_ROOM) return fail(why, E2BIG, "too large", NULL);
  if (known && S_ISREG(stat->st_mode) && take_file(work, visit->dir, visit->name)) return WALK_ON;
  if (known && S_ISLNK(stat->st_mode) && fchownat(visit->dir, visit->name, grader, grader, AT_SYMLINK_NOFOLLOW) == 0)
    return work->links = true, WALK_ON;
  if (known && S_ISDIR(stat->st_mode) && fchownat(visit->dir, visit->name, grader, grader, AT_SYMLINK_NOFOLLOW) == 0 &&
      fchmodat(visit->dir, visit->name, taken_mode(stat->st_mode), 0) == 0)
    return WALK_ON;
  work->removed++;
  return tree_remove(visit->dir, visit->name) < 0 ? fail(why, errno, "cannot remove", visit->path) : WALK_PAST;
}

static void cut(char *path) {
  char *last = strrchr(path, '/');
  *(last ? last : path) = 0;
}

/* Whether what lies at `link` in the tree leads to a place in it, wherever links on the way lead. Nobody changes the
 * tree meanwhile. What is missing counts by its name. */
static bool stays(const struct work *work, const char *link) {
  char place[2 * NAME_ROOM] = "", rest[2 * NAME_ROOM], target[NAME_ROOM];
  size_t start = strlen(work->path);
  int turns = LINKS_MAX;
  snprintf(rest, sizeof rest, "%s", link);
  for (char *next = rest; *next;) {
    size_t length = strcspn(next, "/"), used = strlen(place);
    char *part = next;
    next += length + (next[length] == '/');
    if (length == 0 || (length == 1 && *part == '.')) continue;
    if (length == 2 && memcmp(part, "..", 2) == 0) {
      if (!used) return false;
      cut(place);
      continue;
    }
    if (used + length + 2 > NAME_ROOM) return false;
    snprintf(place + used, sizeof place - used, "%s%.*s", used ? "/" : "", (int)length, part);
    ssize_t size = readlinkat(work->top, place, target, sizeof target - 1);
    if (size < 0 && errno != EINVAL && errno != ENOENT && errno != ENOTDIR) return false;
    if (size < 0) continue;
    target[size] = 0;
    cut(place);
    char *from = target;
    if (*target == '/') {
      if (strncmp(target, work->path, start) != 0 || (target[start] && target[start] != '/')) return false;
      from += start, *place = 0;
    }
    char after[2 * NAME_ROOM];
    if (!turns-- || snprintf(after, sizeof after, "%s/%s", from, next) >= (int)sizeof after) return false;
    strcpy(rest, after);
    next = rest;
  }
  return true;
}

/* Whether a link of a tree that nobody changes is one to a directory, or a copy of the file that it led to. */
static bool settle_link(struct work *work, int dir, const char *name) {
  struct stat stat;
  int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool settled = fd >= 0 && fstat(fd, &stat) == 0;
  if (settled && !S_ISDIR(stat.st_mode)) {
    settled = stat.st_size <= COPY_MAX && work->copied <= COPIES_MAX && copy_file(dir, name, fd, &stat);
    work->copied += (uint64_t)stat.st_size;
  }
  if (fd >= 0) close(fd);
  return settled;
}

static int check_link(void *context, const struct visit *visit, struct failure *why) {
  (void)why;
  struct work *work = context;
  if (!S_ISLNK(visit->stat->st_mode)) return WALK_ON;
  if (stays(work, visit->path) && settle_link(work, visit->dir, visit->name)) return WALK_ON;
#ifndef GRADEBOX_WITHOUT_LENT_FILES
  work->removed++;
  if (unlinkat(visit->dir, visit->name, 0) < 0) return fail(why, errno, "cannot remove", visit->path);
#endif
  return WALK_ON;
}

static int take_directory(struct work *work, const struct stat *stat) {
  struct failure why;
  if (fchown(work->top, now.users.grader, now.users.grader) < 0) return -1;
  if (fchmod(work->top, taken_mode(stat->st_mode)) < 0) return -1;
  if (tree_walk(work->top, "", take, work, &why) == 0 &&
      (!work->links || tree_walk(work->top, "", check_link, work, &why) == 0))
    return 0;
  /* Nobody may enter what is left. */
  (void)fchown(work->top, 0, 0), (void)fchmod(work->top, 0700);
  return errno = why.number, -1;
}

/* Whether a link was replaced by a copy of the file that it leads to, which must be the candidate's own. Its way there
 * may change at any time, but not whose the file is that was found. */
static bool copy_target(int dir, const char *name) {
  struct stat stat;
  char again[40];
  int found = openat(dir, name, O_PATH | O_CLOEXEC), fd = -1;
  if (found < 0) return false;
  snprintf(again, sizeof again, "/proc/self/fd/%d", found);
  if (fstat(found, &stat) == 0 && S_ISREG(stat.st_mode) && is_candidate(stat.st_uid) && stat.st_size <= COPY_MAX)
    fd = open(again, O_RDONLY | O_CLOEXEC);
  bool copied = fd >= 0 && copy_file(dir, name, fd, &stat);
  if (fd >= 0) close(fd);
  close(found);
  return copied;
}

static int take_top(struct work *work, int dir, const char *name) {
  struct stat stat;
  int fd = open_top(dir, name, &stat), number = errno, result;
  if (fd < 0 && number == ENOENT) return 0; /* the candidate removed it */
  if (fd < 0 && number != EINVAL) return errno = number, -1;
  if (!is_candidate(stat.st_uid) && stat.st_uid != now.users.grader) {
    result = -1, number = EPERM;
  } else if (fd >= 0 && S_ISDIR(stat.st_mode)) {
    work->top = fd, result = take_directory(work, &stat), number = errno;
  } else if (fd >= 0 ? take_file(work, dir, name) : S_ISLNK(stat.st_mode) && copy_target(dir, name)) {
    result = 0;
  } else {
    work->removed++;
    result = unlinkat(dir, name, 0), number = errno;
  }
  if (fd >= 0) close(fd);
  return errno = number, result;
}

static int reclaim(const char *path, bool alive, int *removed) {
  struct work work = {.path = path, .top = -1, .alive = alive};
  char name[NAME_MAX + 1];
  struct lent *lent = find_lent(path);
  int dir = approach(path, name, lent ? close_above : NULL, lent);
  int result = dir < 0 ? -1 : take_top(&work, dir, name), number = errno;
  if (dir >= 0) close(dir);
  if (lent) {
    free(lent->path);
    *lent = (struct lent){0};
  }
  *removed += work.removed;
  return errno = number, result;
}

int lending_do(bool back, char *paths, size_t size, bool alive, int *removed) {
  if (!size || paths[size - 1]) return errno = EINVAL, -1;
  for (char *path = paths; path < paths + size; path += strlen(path) + 1)
    if ((back ? reclaim(path, alive, removed) : lend(path)) < 0) return -1;
  return 0;
}

void lending_begin(const struct sides *sides) {
  now.users = *sides;
  for (size_t i = 0; i < LENT_MAX; i++) {
    free(now.lent[i].path);
    now.lent[i] = (struct lent){0};
  }
}
