/* The payload of a request: checked against the fields of the request, and split in place. */
#include <stdlib.h>
#include <string.h>

#include "supervisor.h"

static const uint64_t numbers = BIT(F_UID) | BIT(F_PROTECT) | BIT(F_LIMIT) | BIT(F_WALL_US) | BIT(F_OUTPUT) |
                                BIT(F_CAPTURE) | BIT(F_REPORT) | BIT(F_NOFILE) | BIT(F_FSIZE) | BIT(F_NPROC) |
                                BIT(F_CPU_US) | BIT(F_PATIENCE_US) | BIT(F_GRADER) | BIT(F_CANDIDATE) |
                                BIT(F_CANDIDATES) | BIT(F_OWN_STDOUT) | BIT(F_FORKS) | BIT(F_SLOT) |
                                BIT(F_PORT) | BIT(F_INPUT_FILE);

static uint32_t load32(const char *at) {
  const unsigned char *byte = (const unsigned char *)at;
  return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* Check the structure of the payload and count its fields; after an error no other frame can be understood. */
static size_t count(const struct frame *frame, const struct shape *shape) {
  size_t fields = 0, at = 0;
  uint64_t seen = 0;
  while (at < frame->size) {
    if (frame->size - at < 5) protocol_error("a field is cut short");
    uint8_t tag = (uint8_t)frame->payload[at];
    uint32_t size = load32(frame->payload + at + 1);
    if (size > frame->size - at - 5) protocol_error("a field is longer than its frame");
    if (tag >= 64 || !((shape->needs | shape->takes) & BIT(tag))) protocol_error("a field does not belong here");
    if (seen & BIT(tag) && !(shape->repeats & BIT(tag))) protocol_error("a field is there twice");
    if (numbers & BIT(tag) && size != 8) protocol_error("a number is not 8 bytes");
    seen |= BIT(tag);
    fields++;
    at += 5 + size;
  }
  if (shape->needs & ~seen) protocol_error("a field is missing");
  return fields;
}

int fields_parse(struct fields *fields, struct frame *frame, const struct shape *shape, struct failure *why) {
  fields->count = count(frame, shape);
  fields->items = calloc(fields->count + 1, sizeof *fields->items);
  if (!fields->items) return fail(why, ENOMEM, "cannot take the request apart", NULL);
  char *at = frame->payload;
  for (size_t i = 0; i < fields->count; i++) {
    struct field *field = &fields->items[i];
    field->tag = (uint8_t)at[0];
    field->size = load32(at + 1);
    field->value = at + 5;
    at = field->value + field->size;
  }
  /* After each value comes a tag that was already read, or the frame's spare byte: there is room for the NUL. */
  for (size_t i = 0; i < fields->count; i++) {
    struct field *field = &fields->items[i];
    field->value[field->size] = 0;
    if (!(numbers & BIT(field->tag)) && strlen(field->value) != field->size)
      return fail(why, 0, "a NUL byte is in", field->value);
  }
  return 0;
}

void fields_free(struct fields *fields) {
  free(fields->items);
  fields->items = NULL;
}

static const struct field *find(const struct fields *fields, uint8_t tag) {
  for (size_t i = 0; i < fields->count; i++)
    if (fields->items[i].tag == tag) return &fields->items[i];
  return NULL;
}

uint64_t field_number(const struct fields *fields, uint8_t tag, uint64_t otherwise) {
  const struct field *field = find(fields, tag);
  return field ? (uint64_t)load32(field->value) << 32 | load32(field->value + 4) : otherwise;
}

int field_uid(const struct fields *fields, uid_t *uid, struct failure *why) {
  uint64_t value = field_number(fields, F_UID, 0);
  /* The next number is (uid_t)-1, for which setresuid changes nothing. */
  if (value > INT32_MAX) return fail(why, 0, "a user number is too large", NULL);
  *uid = (uid_t)value;
  return 0;
}

const char *field_text(const struct fields *fields, uint8_t tag, const char *otherwise) {
  const struct field *field = find(fields, tag);
  return field ? field->value : otherwise;
}

char **field_texts(const struct fields *fields, uint8_t tag) {
  char **texts = calloc(fields->count + 1, sizeof *texts);
  size_t used = 0;
  for (size_t i = 0; texts && i < fields->count; i++)
    if (fields->items[i].tag == tag) texts[used++] = fields->items[i].value;
  return texts;
}
