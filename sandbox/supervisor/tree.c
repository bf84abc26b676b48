/* Directories of any size, depth and permission, made by a hostile program. Symbolic links are never followed.
 *
 * No process of the candidate is alive meanwhile, so nothing else changes a directory, and ".." leads back to its
 * parent. Only a handful of descriptors is open at any time, however deep the tree.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

const char *path_start(const char *path) {
  if (*path == '/' || !*path) return NULL;
  while (path[0] == '.' && path[1] == '/') path += 2;
  return strcmp(path, ".") == 0 ? path + 1 : path;
}

int path_part(const char **path, char *part) {
  size_t length = strcspn(*path, "/");
  if (!**path) return 0;
  if (!length || length > NAME_MAX) return -1;
  memcpy(part, *path, length);
  part[length] = 0;
  *path += length + ((*path)[length] == '/');
  return strcmp(part, ".") == 0 || strcmp(part, "..") == 0 ? -1 : 1;
}

int tree_open(int dir, const char *name) {
  /* In two steps: gVisor follows a link to a directory despite O_NOFOLLOW, unless it is opened with O_PATH. */
  int place = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), number = errno;
  close(place);
  errno = number;
  return fd;
}

static DIR *list(int dir) {
  int fd = tree_open(dir, ".");
  if (fd < 0) return NULL;
  DIR *listing = fdopendir(fd);
  if (!listing) close(fd);
  return listing;
}

/* The next entry except "." and ".."; NULL at the end. */
static const char *next(DIR *listing) {
  for (struct dirent *entry; (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return entry->d_name;
  return NULL;
}

/* Emptying a directory of any depth: the subdirectories of a subdirectory are moved into the directory being emptied,
 * under new names, so that it can be removed. Each directory is moved at most once. */
struct emptying {
  int dir;
  unsigned long label; /* of the next directory to move */
  bool progress;
  int number; /* of the last error */
};

static void move_up(struct emptying *work, int from, const char *name) {
  char label[32];
  do {
    snprintf(label, sizeof label, ".%lu", work->label++);
    if (renameat(from, name, work->dir, label) == 0) {
      work->progress = true;
      return;
    }
  } while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR || errno == EISDIR);
  work->number = errno;
}

/* Remove a file, link or empty directory: 0, or -1 with errno, which is ENOTEMPTY for other directories. */
static int remove_one(int dir, const char *name) {
  if (unlinkat(dir, name, 0) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  if (unlinkat(dir, name, AT_REMOVEDIR) == 0) return 0;
  if (errno == EEXIST) errno = ENOTEMPTY;
  return -1;
}

static void discard(struct emptying *work, const char *name) {
  if (remove_one(work->dir, name) == 0) {
    work->progress = true;
    return;
  }
  work->number = errno;
  if (errno != ENOTEMPTY) return;
  int inner = tree_open(work->dir, name);
  DIR *listing = inner < 0 ? NULL : list(inner);
  if (listing) {
    for (const char *entry; (entry = next(listing));) {
      if (remove_one(inner, entry) == 0)
        work->progress = true;
      else if (errno == ENOTEMPTY)
        move_up(work, inner, entry);
      else
        work->number = errno;
    }
    closedir(listing);
    if (unlinkat(work->dir, name, AT_REMOVEDIR) == 0) work->progress = true;
  } else {
    work->number = errno;
  }
  if (inner >= 0) close(inner);
}

int tree_empty(int dir) {
  struct emptying work = {.dir = dir, .progress = true};
  while (work.progress) {
    DIR *listing = list(dir);
    bool found = false;
    if (!listing) return -1;
    work.progress = false;
    for (const char *name; (name = next(listing));) found = true, discard(&work, name);
    closedir(listing);
    if (!found) return 0;
  }
  errno = work.number;
  return -1;
}

int tree_remove(int dir, const char *name) {
  if (remove_one(dir, name) == 0 || errno == ENOENT) return 0;
  if (errno != ENOTEMPTY) return -1;
  int inner = tree_open(dir, name);
  if (inner < 0) return -1;
  int result = tree_empty(inner), number = errno;
  close(inner);
  errno = number;
  return result < 0 ? -1 : unlinkat(dir, name, AT_REMOVEDIR);
}

/* A walk keeps one descriptor, the path, and the names not yet visited in each directory on the path. */
struct level {
  size_t first, next, end; /* in names */
  size_t path_size;
};
struct walk {
  int dir;
  char *path, *names;
  size_t path_size, path_room, names_size, names_room;
  struct level *levels;
  size_t depth, levels_room;
  visitor *each;
  void *context;
  struct failure *why;
};

static int grow(void **block, size_t *room, size_t need, size_t unit) {
  if (need <= *room) return 0;
  size_t larger = need * 2 + 64;
  void *moved = realloc(*block, larger * unit);
  if (!moved) return -1;
  *block = moved;
  *room = larger;
  return 0;
}

static int append(char **text, size_t *size, size_t *room, const char *more, size_t length) {
  if (grow((void **)text, room, *size + length + 1, 1) < 0) return -1;
  memcpy(*text + *size, more, length);
  *size += length;
  (*text)[*size] = 0;
  return 0;
}

/* Start with the entries of the current directory. */
static int push(struct walk *walk) {
  if (grow((void **)&walk->levels, &walk->levels_room, walk->depth + 1, sizeof *walk->levels) < 0) return -1;
  DIR *listing = list(walk->dir);
  if (!listing) return -1;
  struct level *level = &walk->levels[walk->depth++];
  *level = (struct level){walk->names_size, walk->names_size, 0, walk->path_size};
  int result = 0;
  for (const char *name; result == 0 && (name = next(listing));)
    result = append(&walk->names, &walk->names_size, &walk->names_room, name, strlen(name) + 1);
  level->end = walk->names_size;
  closedir(listing);
  return result;
}

static int move_to(struct walk *walk, const char *name) {
  int fd = tree_open(walk->dir, name);
  if (fd < 0) return -1;
  close(walk->dir);
  walk->dir = fd;
  return 0;
}

static int show(struct walk *walk, size_t parent_size, bool leaving, mode_t *mode) {
  struct stat stat;
  const char *name = walk->path + parent_size + (parent_size != 0);
  if (fstatat(walk->dir, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
    return fail(walk->why, errno, "cannot look at", walk->path);
  struct visit visit = {walk->dir, name, walk->path, walk->path_size, &stat, leaving};
  *mode = stat.st_mode;
  return walk->each(walk->context, &visit, walk->why);
}

static void cut(struct walk *walk, size_t size) {
  walk->path_size = size;
  walk->path[size] = 0;
}

static int step(struct walk *walk) {
  struct level *level = &walk->levels[walk->depth - 1];
  mode_t mode;
  if (level->next == level->end) {
    walk->names_size = level->first;
    if (--walk->depth == 0) return 0;
    if (move_to(walk, "..") < 0) return fail(walk->why, errno, "cannot leave", walk->path);
    size_t parent_size = walk->levels[walk->depth - 1].path_size;
    int result = show(walk, parent_size, true, &mode);
    cut(walk, parent_size);
    return result < 0 ? -1 : 0;
  }
  const char *name = walk->names + level->next;
  size_t length = strlen(name), parent_size = level->path_size;
  level->next += length + 1;
  if ((parent_size && append(&walk->path, &walk->path_size, &walk->path_room, "/", 1) < 0) ||
      append(&walk->path, &walk->path_size, &walk->path_room, name, length) < 0)
    return fail(walk->why, ENOMEM, "cannot hold the path of", walk->path);
  int result = show(walk, parent_size, false, &mode);
  if (result < 0) return -1;
  if (result == WALK_ON && S_ISDIR(mode)) {
    if (move_to(walk, walk->path + parent_size + (parent_size != 0)) < 0 || push(walk) < 0)
      return fail(walk->why, errno, "cannot list", walk->path);
  } else {
    cut(walk, parent_size);
  }
  return 0;
}

int tree_walk(int dir, const char *prefix, visitor *each, void *context, struct failure *why) {
  struct walk walk = {.dir = tree_open(dir, "."), .each = each, .context = context, .why = why};
  int result = 0;
  if (walk.dir < 0 || append(&walk.path, &walk.path_size, &walk.path_room, prefix, strlen(prefix)) < 0 ||
      push(&walk) < 0)
    result = fail(why, errno, "cannot list", prefix);
  while (result == 0 && walk.depth) result = step(&walk);
  if (walk.dir >= 0) close(walk.dir);
  free(walk.path);
  free(walk.names);
  free(walk.levels);
  return result;
}
