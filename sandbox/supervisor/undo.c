/* What was changed for a grader among the names that its candidate made, and is undone for the next program (names.c). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

/* How many changes are undone: the rest stays as the grader found it. */
#define KEPT_MAX 4096

struct kept {
  struct kept *next;
  mode_t mode; /* that it had, with its type */
  uid_t uid;
  ino_t inode;
  const char *target; /* of a link, after its name */
  char name[];
};

static size_t count;

size_t undo_keep(struct kept **list, int dir, const char *name, const struct stat *stat) {
  char target[NAME_ROOM] = "";
  size_t size = strlen(name) + 1;
  if (count >= KEPT_MAX) return 0;
  if (S_ISLNK(stat->st_mode) && readlinkat(dir, name, target, sizeof target - 1) < 0) return 0;
  struct kept *kept = calloc(1, sizeof *kept + size + strlen(target) + 1);
  if (!kept) _exit(EXIT_MEMORY);
  *kept = (struct kept){*list, stat->st_mode, stat->st_uid, stat->st_ino, kept->name + size};
  memcpy(kept->name, name, size);
  strcpy(kept->name + size, target);
  *list = kept;
  count++;
  return 1;
}

static void undo_one(const struct kept *kept, int dir, gid_t group) {
  struct stat stat;
  mode_t mode = kept->mode & 07777;
  if (S_ISREG(kept->mode)) {
    if (fstatat(dir, kept->name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(stat.st_mode) &&
        stat.st_ino == kept->inode && stat.st_uid == kept->uid)
      (void)fchmodat(dir, kept->name, mode, 0);
  } else if ((S_ISLNK(kept->mode) ? symlinkat(kept->target, dir, kept->name) : mkfifoat(dir, kept->name, mode)) == 0) {
    (void)fchownat(dir, kept->name, kept->uid, group, AT_SYMLINK_NOFOLLOW);
  }
}

void undo(const struct kept *list, int dir, gid_t group) {
  for (; list; list = list->next) undo_one(list, dir, group);
}

size_t undo_forget(struct kept **list) {
  size_t forgotten = 0;
  for (struct kept *next; *list; *list = next, forgotten++) {
    next = (*list)->next;
    free(*list);
  }
  count -= forgotten;
  return forgotten;
}
