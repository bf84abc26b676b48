/* Checks whether protected files still exist when a command has ended.
 *
 * They are in sticky directories of root, so only the supervisor can remove, rename or replace them. gVisor does not
 * enforce the last of these: any process can rename a file of its own over one of root. What a kernel does not prevent
 * is detected here. Files in directories that a candidate cannot write are not checked.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define REPORTED 100

static struct guarded {
  char *path;
  dev_t device;
  ino_t inode;
  bool here; /* when the command started */
} *guarded;
static size_t count, room;

static bool is_here(const struct guarded *file) {
  struct stat stat;
  return fstatat(files_workspace(), file->path, &stat, AT_SYMLINK_NOFOLLOW) == 0 && stat.st_uid == 0 &&
         stat.st_dev == file->device && stat.st_ino == file->inode;
}

int guard_add(const char *path, const struct stat *stat) {
  if (count == room) {
    size_t wanted = room ? 2 * room : 64;
    struct guarded *larger = realloc(guarded, wanted * sizeof *guarded);
    if (!larger) return -1;
    guarded = larger;
    room = wanted;
  }
  char *copy = strdup(path);
  if (!copy) return -1;
  guarded[count++] = (struct guarded){.path = copy, .device = stat->st_dev, .inode = stat->st_ino};
  return 0;
}

void guard_begin(void) {
  /* The supervisor may itself have replaced or removed some since they were added. */
  for (size_t i = 0; i < count; i++) guarded[i].here = is_here(&guarded[i]);
}

void guard_answer(void) {
  size_t reported = 0;
  for (size_t i = 0; i < count && reported < REPORTED; i++)
    if (guarded[i].here && !is_here(&guarded[i])) answer_text(F_PATH, guarded[i].path), reported++;
}

void guard_clear(void) {
  while (count) free(guarded[--count].path);
}
