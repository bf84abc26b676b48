/* Room for what a grader writes. What it expects would be empty in a full file system, like the output of a candidate
 * that filled it. So where a candidate has left next to no room, what it made there is removed. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "supervisor.h"

/* What a grader can write at least: of a small file system, a sixteenth. */
#define LEAST_BYTES (4u << 20)
#define LEAST_FILES 256
#define SHARE 16
#define DEPTH 4

static bool is_full(const char *path) {
  struct statvfs room;
  if (statvfs(path, &room) < 0) return false;
  uint64_t whole = (uint64_t)room.f_blocks * room.f_frsize / SHARE, files = room.f_files / SHARE;
  return (uint64_t)room.f_bavail * room.f_frsize < (whole < LEAST_BYTES ? whole : LEAST_BYTES) ||
         room.f_favail < (files < LEAST_FILES ? files : LEAST_FILES);
}

/* Directories of the candidate stay: one is its home. In those of others, only its files are removed. */
static void remove_its(int dir, const struct sides *sides, int depth) {
  struct stat stat;
  int copy = tree_open(dir, ".");
  DIR *listing = copy < 0 ? NULL : fdopendir(copy);
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) < 0) continue;
    bool is_its = sides_candidate(sides, stat.st_uid);
    int inner = S_ISDIR(stat.st_mode) && (is_its || (stat.st_mode & S_IWOTH && depth)) ? tree_open(dir, name) : -1;
    if (inner >= 0 && is_its) (void)tree_empty(inner);
    if (inner >= 0 && !is_its) remove_its(inner, sides, depth - 1);
    if (inner >= 0) close(inner);
    if (!S_ISDIR(stat.st_mode) && is_its) (void)tree_remove(dir, name);
  }
  if (listing) closedir(listing);
}

void room_keep(const struct sides *sides, const char *const *places) {
#ifndef GRADEBOX_WITHOUT_ROOM
  for (const char *const *place = *places ? places + 1 : places; *place; place++) {
    int dir = is_full(*place) ? tree_open(AT_FDCWD, *place) : -1;
    if (dir < 0) continue;
    remove_its(dir, sides, DEPTH);
    close(dir);
  }
#endif
}
