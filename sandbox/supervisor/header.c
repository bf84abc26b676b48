/* The headers of archives: POSIX ustar, also in GNU's dialect. Numbers are octal, or base 256 as GNU marks them.
 *
 * ustar does not use the last 12 bytes of a header. Snapshots, which only the supervisor reads, have the nanoseconds of
 * the modification time there, since build tools compare them.
 */
#include <string.h>

#include "supervisor.h"

static const struct place {
  unsigned short at, size;
} name_place = {0, 100}, mode_place = {100, 8}, uid_place = {108, 8}, gid_place = {116, 8}, size_place = {124, 12},
  mtime_place = {136, 12}, checksum_place = {148, 8}, target_place = {157, 100}, prefix_place = {345, 155},
  nanoseconds_place = {500, 12};
#define KIND_AT 156
#define MAGIC_AT 257
#define OCTAL_11 077777777777

/* The number, or -1 if it is invalid; negative base-256 numbers become 0, as only times may be negative. */
static int64_t number(const unsigned char *block, struct place place) {
  const unsigned char *at = block + place.at, *end = at + place.size;
  int64_t value = 0;
  if (*at == 0xff) return 0;
  if (*at == 0x80) {
    while (++at < end) {
      if (value > INT64_MAX >> 8) return -1;
      value = value << 8 | *at;
    }
    return value;
  }
  while (at < end && *at == ' ') at++;
  for (; at < end && *at >= '0' && *at <= '7'; at++) value = value << 3 | (*at - '0');
  for (; at < end; at++)
    if (*at != ' ' && *at != 0) return -1;
  return value;
}

static unsigned checksum(const unsigned char *block) {
  unsigned sum = 0;
  for (unsigned i = 0; i < BLOCK; i++) {
    bool own = i >= checksum_place.at && i < (unsigned)checksum_place.at + checksum_place.size;
    sum += own ? ' ' : block[i];
  }
  return sum;
}

static char *text(char *to, const unsigned char *block, struct place place) {
  size_t length = strnlen((const char *)block + place.at, place.size);
  memcpy(to, block + place.at, length);
  to[length] = 0;
  return to + length;
}

const char *header_read(const unsigned char *block, struct member *member) {
  char *end = member->name;
  int64_t size = number(block, size_place), mode = number(block, mode_place);
  int64_t mtime = number(block, mtime_place), nanoseconds = number(block, nanoseconds_place);
  if (number(block, checksum_place) != (int64_t)checksum(block)) return "the checksum of an archive header is wrong";
  if (memcmp(block + MAGIC_AT, "ustar\0", 6) == 0 && block[prefix_place.at]) {
    end = text(end, block, prefix_place);
    *end++ = '/';
  }
  text(end, block, name_place);
  text(member->target, block, target_place);
  if (size < 0 || block[size_place.at] == 0xff) return "the size in an archive header is wrong";
  if (mode < 0 || mtime < 0) return "a number in an archive header is wrong";
  member->kind = block[KIND_AT] ? (char)block[KIND_AT] : KIND_FILE;
  member->mode = (mode_t)(mode & 07777);
  member->size = (uint64_t)size;
  member->mtime.tv_sec = (time_t)mtime;
  member->mtime.tv_nsec = nanoseconds > 0 && nanoseconds < SECOND_NS ? (long)nanoseconds : 0;
  if ((member->kind == KIND_LINK || member->kind == KIND_DIRECTORY) && size) return "a link or directory has contents";
  switch (member->kind) {
    case KIND_FILE:
    case KIND_LINK:
    case KIND_DIRECTORY:
    case KIND_LONG_NAME:
    case KIND_LONG_TARGET:
      return NULL;
    case '1':
      return "hard links are not supported in archives";
    case 'x':
    case 'g':
      return "PAX headers are not supported in archives";
    default:
      return "only files, directories and symbolic links are supported in archives";
  }
}

static void put(unsigned char *block, struct place place, uint64_t value) {
  for (unsigned i = place.at + place.size - 1u; i-- > place.at; value >>= 3)
    block[i] = (unsigned char)('0' + (value & 7));
}

static void put_text(unsigned char *block, struct place place, const char *value) {
  memcpy(block + place.at, value, strnlen(value, place.size));
}

void header_write(unsigned char *block, char kind, mode_t mode, uint64_t size, struct timespec mtime, const char *name,
                  const char *target) {
  int64_t seconds = mtime.tv_sec < 0 ? 0 : mtime.tv_sec > OCTAL_11 ? OCTAL_11 : mtime.tv_sec;
  memset(block, 0, BLOCK);
  put_text(block, name_place, name);
  put_text(block, target_place, target);
  put(block, mode_place, mode & 07777);
  put(block, uid_place, 0);
  put(block, gid_place, 0);
  put(block, size_place, size);
  put(block, mtime_place, (uint64_t)seconds);
  block[KIND_AT] = (unsigned char)kind;
  memcpy(block + MAGIC_AT, "ustar\00000", 8);
  if (mtime.tv_nsec) put(block, nanoseconds_place, (uint64_t)mtime.tv_nsec);
  unsigned sum = checksum(block);
  put(block, (struct place){checksum_place.at, 7}, sum);
  block[checksum_place.at + 7] = ' ';
}
