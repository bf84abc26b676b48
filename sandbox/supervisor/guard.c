/* Whether the files that were protected are still there when a command has ended.
 *
 * They lie in sticky directories of root's, so nobody but us can remove or rename them, nor put others in their place.
 * gVisor forgets the last of these: it lets anybody rename a file of their own over one of root's. What a kernel does
 * not prevent is at least seen. Files below directories that a candidate cannot write are not watched.
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
  bool here; /* when the command began */
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
  /* We may have replaced or removed some ourselves since they were added. */
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
