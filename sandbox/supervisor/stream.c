/* One output stream: its head, which is sent to the host as it is read, its tail in a ring, and the count and hash of
 * all of it. The memory is fixed when the command starts; no output can add to it.
 */
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

void stream_start(struct stream *stream, uint8_t number, int fd, char *store, size_t capture) {
  *stream = (struct stream){.fd = fd, .number = number, .head = store, .head_room = capture / 2};
  stream->tail = store + stream->head_room;
  stream->tail_room = capture - stream->head_room;
  sha256_start(&stream->hash);
}

static void keep_tail(struct stream *stream, const char *data, size_t size) {
  if (size > stream->tail_room) data += size - stream->tail_room, size = stream->tail_room;
  while (size) {
    size_t part = stream->tail_room - stream->tail_next;
    if (part > size) part = size;
    memcpy(stream->tail + stream->tail_next, data, part);
    stream->tail_next = (stream->tail_next + part) % stream->tail_room;
    stream->tail_size += part;
    data += part, size -= part;
  }
  if (stream->tail_size > stream->tail_room) stream->tail_size = stream->tail_room;
}

bool stream_read(struct stream *stream) {
  static char piece[PIECE];
  if (stream->fd < 0) return false;
  ssize_t got = read(stream->fd, piece, sizeof piece);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {
    close(stream->fd);
    stream->fd = -1;
    return false;
  }
  size_t size = (size_t)got, head = stream->head_room - stream->head_size;
  sha256_add(&stream->hash, piece, size);
  stream->total += size;
  if (head > size) head = size;
  memcpy(stream->head + stream->head_size, piece, head);
  stream->head_size += head;
  keep_tail(stream, piece + head, size - head);
  return true;
}

static void put_piece(const struct stream *stream, uint32_t id, uint8_t tag, const char *data, size_t size) {
  answer_begin(T_OUT, id);
  answer_number(F_STREAM, stream->number);
  answer_bytes(tag, data, size);
  answer_end();
}

void stream_offer_head(struct stream *stream, uint32_t id) {
  size_t size = stream->head_size - stream->head_sent;
  if (!size || channel_sending()) return;
  if (size > PIECE) size = PIECE;
  put_piece(stream, id, F_HEAD, stream->head + stream->head_sent, size);
  stream->head_sent += size;
}

static void send_tail(const struct stream *stream, uint32_t id, const char *data, size_t size) {
  while (size) {
    size_t part = size < PIECE ? size : PIECE;
    put_piece(stream, id, F_TAIL, data, part);
    data += part, size -= part;
  }
}

void stream_send_rest(struct stream *stream, uint32_t id) {
  while (stream->head_sent < stream->head_size) {
    size_t size = stream->head_size - stream->head_sent;
    if (size > PIECE) size = PIECE;
    put_piece(stream, id, F_HEAD, stream->head + stream->head_sent, size);
    stream->head_sent += size;
  }
  /* A ring that is not full has never wrapped, so it starts at 0. */
  size_t first = stream->tail_size < stream->tail_room ? 0 : stream->tail_next;
  send_tail(stream, id, stream->tail + first, stream->tail_size - first);
  send_tail(stream, id, stream->tail, first);
}

void stream_report(struct stream *stream) {
  unsigned char digest[32];
  sha256_finish(&stream->hash, digest);
  answer_number(F_STREAM, stream->number);
  answer_number(F_TOTAL, stream->total);
  answer_bytes(F_SHA256, digest, sizeof digest);
}
