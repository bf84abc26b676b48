/* Names that the candidate has made, and that could lead its grader to what the candidate itself cannot read.
 *
 * Before a grader starts, and when all processes of the candidate are dead, every place that the candidate can write is
 * looked at: the workspace and the scratch directories. What belongs to the candidate and is a special file, or a link
 * to what it cannot read, is removed. So is a name of somebody else's file that it cannot read. A link may lead to a
 * file or directory that the candidate can read; but to no directory with something below it that the candidate cannot
 * read, not into /proc, /sys and /dev, and not to nothing, since a grader may make something there.
 *
 * Files and directories of the workspace that the candidate alone can read become readable for all: programs that make
 * something and then give it its name make such files.
 *
 * All this is for the grader. The candidate's next program finds its links, pipes and permissions as they were.
 *
 * It would take long to look at everything each time. A directory whose ctime is the same has the same names; nobody
 * can set a ctime. So only directories that have changed are listed again, and links are followed only if there is one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

/* The clock of files advances in steps: a directory that has changed just before can change without a new ctime. */
#define CLOCK_NS (SECOND_NS / 50)
#define LINKS_MAX 40
#define REPORTED 100
/* Processor time for the links of one check; those that remain after it are removed. */
#define FOLLOW_NS (2 * SECOND_NS)
/* How many directories of the last list to compare a name with. Mostly, the order is the same. */
#define COMPARED 64

struct directory {
  struct directory *inside, *next;
  struct kept *kept; /* what was changed in it */
  mode_t closed; /* its permissions before it was opened for all; 0: it was not */
  dev_t device; /* when it was listed, like the next ones */
  ino_t inode;  /* 0 before */
  struct timespec changed;
  bool settled;     /* a change since then has another ctime */
  bool open;        /* the candidate can make names in it */
  bool shown;       /* it is in the workspace, and everybody can read it */
  bool hides;       /* the candidate cannot read it, or a file in it */
  bool hides_below; /* or in a directory below it */
  char *links;      /* names, each with its NUL */
  size_t links_size, links_room;
  char name[];
};

static struct {
  struct sides sides;
  struct directory *places; /* their names are absolute paths */
  bool changed;
  int64_t follow_until;
  char path[2 * NAME_ROOM];
  char *removed[REPORTED];
  size_t removed_count, kept;
} now;

static void drop(struct directory *directory) {
  now.kept -= undo_forget(&directory->kept) + (directory->closed != 0);
  directory->closed = 0;
}

static void forget(struct directory *directory) {
  while (directory) {
    struct directory *next = directory->next;
    forget(directory->inside);
    drop(directory);
    free(directory->links);
    free(directory);
    directory = next;
  }
}

/* What its owner may read, it can make readable. */
static bool may(const struct stat *stat, mode_t wanted) {
  mode_t granted = stat->st_mode & 07;
  if (sides_candidate(&now.sides, stat->st_uid)) return true;
  if (stat->st_gid == now.sides.first) granted = stat->st_mode >> 3 & 07;
  return (granted & wanted) == wanted;
}

static void remove_name(int dir, const char *name) {
  if (tree_remove(dir, name) < 0) return;
  now.changed = true;
  for (size_t i = 0, size = strlen(now.path); i < now.removed_count; i++)
    if (strncmp(now.removed[i], now.path, size) == 0 && strcmp(now.removed[i] + size + 1, name) == 0) return;
  if (now.removed_count < REPORTED && (now.removed[now.removed_count] = malloc(strlen(now.path) + strlen(name) + 2)))
    sprintf(now.removed[now.removed_count++], "%s/%s", now.path, name);
}

static struct directory *make(const char *name) {
  struct directory *directory = calloc(1, sizeof *directory + strlen(name) + 1);
  if (!directory) _exit(EXIT_MEMORY);
  strcpy(directory->name, name);
  return directory;
}

/* Take the directory of this name out of a list; NULL if it is not found. */
static struct directory *taken(struct directory **list, const char *name) {
  for (int i = 0; *list && i < COMPARED; i++, list = &(*list)->next)
    if (strcmp((*list)->name, name) == 0) {
      struct directory *found = *list;
      *list = found->next;
      found->next = NULL;
      return found;
    }
  return NULL;
}

static void note_link(struct directory *directory, const char *name) {
  size_t size = strlen(name) + 1;
  if (directory->links_size + size > directory->links_room) {
    directory->links_room = 2 * (directory->links_size + size);
    directory->links = realloc(directory->links, directory->links_room);
    if (!directory->links) _exit(EXIT_MEMORY);
  }
  memcpy(directory->links + directory->links_size, name, size);
  directory->links_size += size;
}

/* Whether a directory is one of the machine's, in a place that the sandbox shares with it. */
static bool is_foreign(const struct stat *stat) {
  return here_lacks(WALL_FILES) && !sides_candidate(&now.sides, stat->st_uid) && stat->st_uid != now.sides.grader;
}

/* Look at a name in a directory, which is open. Returns whether it is a directory to look into. */
static bool look(struct directory *directory, int dir, const char *name) {
  struct stat stat;
  if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) < 0) return false;
  bool theirs = sides_candidate(&now.sides, stat.st_uid);
  if (S_ISDIR(stat.st_mode)) {
    if (strlen(now.path) + strlen(name) + 2 < NAME_ROOM) return !is_foreign(&stat);
    remove_name(dir, name); /* no program opens a path of that length */
  } else if (S_ISLNK(stat.st_mode)) {
    if (theirs) note_link(directory, name);
  } else if (!S_ISREG(stat.st_mode)) {
    if (theirs && S_ISFIFO(stat.st_mode)) now.kept += undo_keep(&directory->kept, dir, name, &stat);
    if (theirs) remove_name(dir, name);
  } else if (theirs) {
    if (!directory->shown || stat.st_mode & S_IROTH) return false;
    now.kept += undo_keep(&directory->kept, dir, name, &stat);
    (void)fchmodat(dir, name, (stat.st_mode & 07777) | 0044, 0);
  } else if (!may(&stat, 04)) {
    if (stat.st_nlink > 1 && directory->open) remove_name(dir, name);
    else directory->hides = true;
  }
  return false;
}

/* Whether `path` begins with the directory `start`; what is left of it then. */
static const char *after(const char *path, const char *start) {
  size_t size = strcmp(start, "/") == 0 ? 0 : strlen(start);
  return strncmp(path, start, size) == 0 && (!path[size] || path[size] == '/') ? path + size : NULL;
}

static bool same(const struct directory *directory, const struct stat *stat) {
  return directory->inode == stat->st_ino && directory->device == stat->st_dev;
}

static bool unchanged(const struct directory *directory, const struct stat *stat) {
  return directory->settled && same(directory, stat) && directory->changed.tv_sec == stat->st_ctim.tv_sec &&
         directory->changed.tv_nsec == stat->st_ctim.tv_nsec;
}

static void list(struct directory *directory, const struct stat *stat) {
  struct timespec time;
  struct directory *old = directory->inside, **last = &directory->inside;
  now.changed = true;
  clock_gettime(CLOCK_REALTIME, &time);
  int64_t age = (time.tv_sec - stat->st_ctim.tv_sec) * SECOND_NS + time.tv_nsec - stat->st_ctim.tv_nsec;
  if (!same(directory, stat)) forget(old), old = NULL;
  directory->inside = NULL;
  directory->device = stat->st_dev;
  directory->inode = stat->st_ino;
  directory->changed = stat->st_ctim;
  directory->settled = age > CLOCK_NS;
  directory->open = may(stat, 03);
  directory->shown = (stat->st_mode & 05) == 05 && after(now.path, files_places()[0]) != NULL;
  directory->links_size = 0;
  directory->hides = !may(stat, 05);
  int fd = directory->hides ? -1 : tree_open(AT_FDCWD, now.path);
  DIR *listing = fd < 0 ? NULL : fdopendir(fd);
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !look(directory, fd, name)) continue;
    *last = taken(&old, name);
    if (!*last) *last = make(name);
    last = &(*last)->next;
  }
  if (listing) closedir(listing);
  forget(old);
}

/* Open a directory of the candidate's in the workspace, which is at now.path. */
static void show(struct directory *directory, struct stat *stat) {
  if (!sides_candidate(&now.sides, stat->st_uid) || (stat->st_mode & 055) == 055 || !after(now.path, files_places()[0]))
    return;
  int fd = tree_open(AT_FDCWD, now.path);
  struct stat opened;
  if (fd >= 0 && fstat(fd, &opened) == 0 && opened.st_ino == stat->st_ino &&
      fchmod(fd, (stat->st_mode & 07777) | 0055) == 0 && fstat(fd, stat) == 0) {
    now.kept += !directory->closed;
    directory->closed = opened.st_mode;
  }
  if (fd >= 0) close(fd);
}

/* Bring up to date what is known of the directory at now.path and below. False if it is gone. */
static bool update(struct directory *directory) {
  struct stat stat;
  if (lstat(now.path, &stat) < 0 || !S_ISDIR(stat.st_mode)) return false;
  if (!same(directory, &stat)) drop(directory);
  show(directory, &stat);
  if (!unchanged(directory, &stat)) list(directory, &stat);
  directory->hides_below = directory->hides;
  size_t size = strlen(now.path);
  for (struct directory **each = &directory->inside; *each;) {
    struct directory *inner = *each;
    now.path[size] = '/';
    strcpy(now.path + size + 1, inner->name);
    bool there = update(inner);
    now.path[size] = 0;
    if (there) {
      directory->hides_below |= inner->hides_below;
      each = &inner->next;
    } else {
      *each = inner->next;
      inner->next = NULL;
      forget(inner);
    }
  }
  return true;
}

/* Whether there is something in a directory that the candidate cannot read. */
static bool hides(const char *path) {
  static const char *const closed[] = {"/proc", "/sys", "/dev", CANDIDATE_DIRECTORY};
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
    if (after(closed[i], path)) return true;
  for (const struct directory *place = now.places; place; place = place->next) {
    const struct directory *at = place;
    const char *rest = after(path, place->name);
    if (after(place->name, path) && place->hides_below) return true;
    while (rest && *rest && at) {
      size_t length = strcspn(++rest, "/");
      for (at = at->inside; at && (strncmp(at->name, rest, length) != 0 || at->name[length]);) at = at->next;
      rest += length;
    }
    if (rest && at && at->hides_below) return true;
  }
  return false;
}

static bool is_closed(const char *path) {
  if (after(path, "/dev/shm") || strcmp(path, "/dev") == 0) return false;
  return after(path, "/proc") || after(path, "/sys") || (after(path, "/dev") && strcmp(path, "/dev/null") != 0);
}

static int64_t spent_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * SECOND_NS + time.tv_nsec;
}

static void cut(char *path) {
  char *last = strrchr(path, '/');
  if (last) *last = 0;
}

/* Whether the candidate could go where a name in now.path leads, and read everything there. */
static bool is_open(const char *name) {
  char place[NAME_ROOM], rest[2 * NAME_ROOM], target[NAME_ROOM], joined[2 * NAME_ROOM];
  struct stat stat = {.st_mode = S_IFDIR | 0755};
  int turns = LINKS_MAX;
  if (spent_ns() > now.follow_until) return false;
  if (snprintf(place, sizeof place, "%s", now.path) >= (int)sizeof place) return false;
  snprintf(rest, sizeof rest, "%s", name);
  for (char *next = rest; *next;) {
    size_t length = strcspn(next, "/"), used = strlen(place);
    const char *part = next;
    next += length + (next[length] == '/');
    if (length == 0 || (length == 1 && *part == '.')) continue;
    if (!S_ISDIR(stat.st_mode)) return false;
    if (length == 2 && part[0] == '.' && part[1] == '.') {
      cut(place);
      if (lstat(*place ? place : "/", &stat) < 0) return false;
      continue;
    }
    if (length > NAME_MAX || used + length + 2 > sizeof place) return false;
    sprintf(place + used, "/%.*s", (int)length, part);
    if (is_closed(place)) return false;
    if (lstat(place, &stat) < 0) return false;
    if (S_ISDIR(stat.st_mode) && *next && !may(&stat, 01)) return false;
    if (!S_ISLNK(stat.st_mode)) continue;
    ssize_t size = readlink(place, target, sizeof target - 1);
    if (size < 0) return false;
    target[size] = 0;
    if (!turns--) return false;
    cut(place);
    if (*target == '/') *place = 0;
    if (snprintf(joined, sizeof joined, "%s/%s", target, next) >= (int)sizeof joined) return false;
    strcpy(rest, joined);
    next = rest;
    stat.st_mode = S_IFDIR;
  }
  if (S_ISDIR(stat.st_mode)) return may(&stat, 05) && !hides(*place ? place : "/");
  return strcmp(place, "/dev/null") == 0 || (S_ISREG(stat.st_mode) && may(&stat, 04));
}

static void for_each_inside(struct directory *directory, void (*visit)(struct directory *)) {
  size_t size = strlen(now.path);
  for (struct directory *inner = directory->inside; inner; inner = inner->next) {
    now.path[size] = '/';
    strcpy(now.path + size + 1, inner->name);
    visit(inner);
    now.path[size] = 0;
  }
}

/* Follow the links of the directory at now.path and below, and remove those that the candidate could not follow. */
static void follow(struct directory *directory) {
  struct stat stat;
  int dir = -1;
  for (size_t at = 0; at < directory->links_size; at += strlen(directory->links + at) + 1) {
    const char *name = directory->links + at;
    if (is_open(name)) continue;
    if (dir < 0) dir = tree_open(AT_FDCWD, now.path);
    if (dir < 0) continue;
    if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(stat.st_mode))
      now.kept += undo_keep(&directory->kept, dir, name, &stat);
    remove_name(dir, name);
  }
  if (dir >= 0) close(dir);
  for_each_inside(directory, follow);
}

/* Undo what was changed in the directory at now.path and below, if it is still the candidate's to change. */
static void give_back(struct directory *directory) {
  struct stat stat;
  for_each_inside(directory, give_back);
  if (!directory->kept && !directory->closed) return;
  int dir = tree_open(AT_FDCWD, now.path);
  if (dir >= 0 && fstat(dir, &stat) == 0 && same(directory, &stat) && may(&stat, 03)) {
    undo(directory->kept, dir, now.sides.first);
    if (directory->closed && sides_candidate(&now.sides, stat.st_uid)) (void)fchmod(dir, directory->closed & 07777);
  }
  if (dir >= 0) close(dir);
  drop(directory);
  directory->settled = false;
}

void names_give_back(void) {
  for (struct directory *place = now.places; now.kept && place; place = place->next) {
    strcpy(now.path, place->name);
    give_back(place);
  }
}

void names_forget(void) {
  forget(now.places);
  now.places = NULL;
  while (now.removed_count) free(now.removed[--now.removed_count]);
}

void names_begin(const struct sides *sides, const char *const *places) {
  names_forget();
  now.sides = *sides;
  for (; *places; places++) {
    struct directory *place = make(*places);
    place->next = now.places;
    now.places = place;
  }
}

void names_check(void) {
#ifndef GRADEBOX_WITHOUT_NAMES
  now.changed = false;
  for (struct directory *place = now.places; place; place = place->next) {
    strcpy(now.path, place->name);
    (void)update(place);
  }
  now.follow_until = now.changed ? spent_ns() + FOLLOW_NS : 0;
  for (struct directory *place = now.places; now.follow_until && place; place = place->next) {
    strcpy(now.path, place->name);
    follow(place);
  }
#endif
}

void names_answer(void) {
  for (size_t i = 0; i < now.removed_count; i++) answer_text(F_REMOVED, now.removed[i]);
}
