/* Messages for the host. Names in them may come from the candidate, so they are escaped and cut here. */
#include "supervisor.h"

static size_t append(char *text, size_t size, size_t room, const char *more) {
  while (*more && size + 1 < room) text[size++] = *more++;
  text[size] = 0;
  return size;
}

int fail(struct failure *why, int number, const char *what, const char *name) {
  static const char digits[] = "0123456789abcdef";
  size_t room = sizeof why->text;
  size_t size = append(why->text, 0, room, what);
  why->number = number;
  if (name) {
    size = append(why->text, size, room, ": ");
    for (; *name && size + 8 < room; name++) { /* leaves room for the dots */
      unsigned char c = (unsigned char)*name;
      char shown[5] = {'\\', 'x', digits[c >> 4], digits[c & 15], 0};
      if (c >= 32 && c < 127 && c != '\\') shown[0] = (char)c, shown[1] = 0;
      size = append(why->text, size, room, shown);
    }
    if (*name) append(why->text, size, room, "...");
  }
  return -1;
}

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}
