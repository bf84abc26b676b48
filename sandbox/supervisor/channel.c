/* Frames from and to the host, on stdin and stdout.
 *
 * Only the current frame is read, so a buffer for one frame is enough. Answers are composed in another buffer. While a
 * command runs it has at most one OUT frame, which is sent as fast as the host reads it.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "supervisor.h"

#define HEADER 9u
/* How much memory of a large frame is kept; a multiple of every page size. */
#define KEEP (64u << 10)

static struct {
  unsigned char *data; /* HEADER, payload, one spare byte */
  size_t have, peak;
} in;

static struct {
  unsigned char *data;
  size_t size, sent, peak;
  bool complete; /* ready to send; until then it can be started again */
} out;

static uint32_t load32(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store32(unsigned char *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (24 - 8 * i));
}

void channel_open(void) {
  size_t room = HEADER + FRAME_MAX + 1;
  in.data = memory_take(room);
  out.data = memory_take(room);
  if (!in.data || !out.data) leave(EXIT_MEMORY);
  for (int fd = 0; fd < 2; fd++) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) leave(EXIT_CHANNEL);
  }
}

static bool again(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static void await(int fd, short events) {
  struct pollfd one = {.fd = fd, .events = events};
  if (poll(&one, 1, -1) < 0 && errno != EINTR) leave(EXIT_CHANNEL);
}

bool channel_receive(struct frame *frame) {
  for (;;) {
    size_t want = HEADER;
    if (in.have >= HEADER) {
      uint32_t size = load32(in.data);
      if (size > FRAME_MAX) protocol_error("a frame is too large");
      want += size;
      if (in.have == want) {
        frame->type = in.data[4];
        frame->id = load32(in.data + 5);
        frame->payload = (char *)in.data + HEADER;
        frame->size = size;
        if (in.have > in.peak) in.peak = in.have;
        in.have = 0;
        return true;
      }
    }
    ssize_t got = read(STDIN_FILENO, in.data + in.have, want - in.have);
    if (got > 0) {
      in.have += (size_t)got;
    } else if (got == 0) {
      leave(EXIT_CHANNEL);
    } else if (errno != EINTR) {
      if (again()) return false;
      leave(EXIT_CHANNEL);
    }
  }
}

void channel_wait(struct frame *frame) {
  while (!channel_receive(frame)) await(STDIN_FILENO, POLLIN);
}

void channel_clean(void) {
  if (in.peak > KEEP && !in.have) memory_clean(in.data + KEEP, FRAME_MAX - KEEP);
  if (out.peak > KEEP && !channel_sending()) memory_clean(out.data + KEEP, FRAME_MAX - KEEP);
  in.peak = out.peak = 0;
}

/* The supervisor decides what an answer has; one that does not fit is a bug and not the fault of a request. */
static unsigned char *reserve(size_t size) {
  if (out.size + size > HEADER + FRAME_MAX) leave(EXIT_PROTOCOL);
  unsigned char *at = out.data + out.size;
  out.size += size;
  return at;
}

void answer_begin(uint8_t type, uint32_t id) {
  while (channel_sending()) await(STDOUT_FILENO, POLLOUT), channel_send();
  out.size = out.sent = 0;
  out.complete = false;
  unsigned char *at = reserve(HEADER);
  at[4] = type;
  store32(at + 5, id);
}

void answer_raw(const void *data, size_t size) {
  if (size) memcpy(reserve(size), data, size);
}

void answer_bytes(uint8_t tag, const void *data, size_t size) {
  unsigned char *at = reserve(5);
  at[0] = tag;
  store32(at + 1, (uint32_t)size);
  answer_raw(data, size);
}

void answer_number(uint8_t tag, uint64_t value) {
  unsigned char bytes[8];
  store32(bytes, (uint32_t)(value >> 32));
  store32(bytes + 4, (uint32_t)value);
  answer_bytes(tag, bytes, sizeof bytes);
}

void answer_text(uint8_t tag, const char *text) { answer_bytes(tag, text, strlen(text)); }

void answer_end(void) {
  store32(out.data, (uint32_t)(out.size - HEADER));
  out.complete = true;
  if (out.size > out.peak) out.peak = out.size;
}

bool channel_sending(void) { return out.complete && out.sent < out.size; }

void channel_send(void) {
  while (channel_sending()) {
    ssize_t sent = write(STDOUT_FILENO, out.data + out.sent, out.size - out.sent);
    if (sent > 0) {
      out.sent += (size_t)sent;
    } else if (sent < 0 && again()) {
      return;
    } else {
      leave(EXIT_CHANNEL);
    }
  }
}

void answer_flush(void) {
  answer_end();
  for (channel_send(); channel_sending(); channel_send()) await(STDOUT_FILENO, POLLOUT);
}

void answer_error(uint32_t id, const struct failure *why) {
  answer_begin(T_ERR, id);
  answer_number(F_ERRNO, (uint64_t)why->number);
  answer_text(F_MESSAGE, why->text);
  answer_flush();
}

void protocol_error(const char *text) {
  struct failure why;
  fail(&why, 0, text, NULL);
  answer_error(0, &why);
  leave(EXIT_PROTOCOL);
}
