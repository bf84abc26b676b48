/* SCRUB: removing files by path or by last name component, such as files that configure a test runner. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor.h"

#define REPORTED 1000
/* Paths are cut at this length, so that 1,000 of them fit into a frame. */
#define PATH_SHOWN 4095

struct search {
  char **patterns, **keep, **paths;
  uint64_t count;
};

static bool is_named(const struct search *search, const char *path) {
  for (char **named = search->paths; *named; named++) {
    const char *start = path_start(*named);
    if (start && strcmp(start, path) == 0) return true;
  }
  return false;
}

static bool wanted(const struct search *search, const char *path) {
  for (char **keep = search->keep; *keep; keep++) {
    const char *kept = path_start(*keep);
    size_t size = strlen(path);
    if (kept && strncmp(kept, path, size) == 0 && (kept[size] == 0 || kept[size] == '/')) return true;
  }
  return false;
}

static int examine(void *context, const struct visit *visit, struct failure *why) {
  struct search *search = context;
  if (visit->leaving) return WALK_ON;
  bool gone = is_named(search, visit->path);
  for (char **pattern = search->patterns; *pattern && !gone; pattern++)
    gone = fnmatch(*pattern, visit->name, 0) == 0 && !wanted(search, visit->path);
  if (!gone) return WALK_ON;
  if (tree_remove(visit->dir, visit->name) < 0) return fail(why, errno, "cannot remove", visit->path);
  if (search->count++ < REPORTED)
    answer_bytes(F_PATH, visit->path, visit->path_size < PATH_SHOWN ? visit->path_size : PATH_SHOWN);
  return WALK_PAST;
}

int scrub(struct frame *frame, struct fields *fields, struct failure *why) {
  struct search search = {.patterns = field_texts(fields, F_PATTERN),
                          .keep = field_texts(fields, F_KEEP),
                          .paths = field_texts(fields, F_PATH)};
  int result = -1;
  answer_begin(T_OK, frame->id);
  if (search.patterns && search.keep && search.paths)
    result = tree_walk(files_workspace(), "", examine, &search, why);
  else
    fail(why, ENOMEM, "cannot hold the patterns", NULL);
  free(search.patterns);
  free(search.keep);
  free(search.paths);
  if (result < 0) return -1;
  answer_number(F_COUNT, search.count);
  answer_flush();
  return 0;
}
