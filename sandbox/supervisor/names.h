/* What the candidate has left, between its programs, for its grader. */
#ifndef GRADEBOX_NAMES_H
#define GRADEBOX_NAMES_H

#include "supervisor.h"

/* names.c: what the candidate left that a grader cannot read, or that leads where the candidate cannot */
void names_begin(const struct sides *sides, const char *const *places); /* absolute paths of directories, which stay */
void names_check(void);     /* no process of the candidate is alive */
void names_give_back(void); /* the same; one is about to start */
void names_answer(void); /* fields for those that were removed */
void names_forget(void);

/* undo.c: links, pipes and permissions of the candidate's that were changed for its grader */
struct kept;
/* Keep a link, a pipe or the permissions of a file, which is about to be changed, and return how many were kept. */
size_t undo_keep(struct kept **list, int dir, const char *name, const struct stat *stat);
/* Undo what was changed, in the same directory. Who has taken a name meanwhile keeps it. */
void undo(const struct kept *list, int dir, gid_t group);
size_t undo_forget(struct kept **list); /* returns how many they were */

#endif
