/* PROBE: whether a program listens at a port of the container's loopback, and what it answers first.
 *
 * It is requested before any file of the candidate is there. The program is a service of the case, in a container of
 * its own that shares the network namespace of this one.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor.h"

#define MILLISECOND_NS (SECOND_NS / 1000)

/* Wait until a descriptor is ready: 0, or an error number. */
static int await(int fd, short events, int64_t end) {
  for (;;) {
    int64_t left = end - monotonic_ns();
    if (left <= 0) return ETIMEDOUT;
    struct pollfd ready = {.fd = fd, .events = events};
    int found = poll(&ready, 1, (int)(left / MILLISECOND_NS) + 1);
    if (found > 0) return 0;
    if (found < 0 && errno != EINTR) return errno;
  }
}

static int connected(int fd, uint16_t port, int64_t end) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (connect(fd, (struct sockaddr *)&place, sizeof place) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  int number = await(fd, POLLOUT, end);
  socklen_t size = sizeof number;
  if (number) return number;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) < 0 ? errno : number;
}

static int sent(int fd, const char *text, int64_t end) {
  while (*text) {
    ssize_t size = send(fd, text, strlen(text), MSG_NOSIGNAL);
    if (size > 0) text += size;
    int number = size > 0 ? 0 : errno == EAGAIN ? await(fd, POLLOUT, end) : errno;
    if (number) return number;
  }
  return 0;
}

/* Read up to the end of the first line, of the connection or of the room. */
static int received(int fd, char *line, size_t room, size_t *used, int64_t end) {
  while (*used < room && !memchr(line, '\n', *used)) {
    ssize_t size = recv(fd, line + *used, room - *used, 0);
    if (size == 0) return 0;
    if (size > 0) *used += (size_t)size;
    int number = size > 0 ? 0 : errno == EAGAIN ? await(fd, POLLIN, end) : errno;
    if (number) return number;
  }
  return 0;
}

int probe(struct frame *frame, struct fields *fields, struct failure *why) {
  char line[512];
  size_t used = 0;
  uint64_t port = field_number(fields, F_PORT, 0), wait = field_number(fields, F_WALL_US, 0);
  const char *request = field_text(fields, F_ARG, "");
  if (port == 0 || port > UINT16_MAX || wait > PROBE_MAX_US) return fail(why, 0, "a port or a time is too large", NULL);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fail(why, errno, "cannot make a socket", NULL);
  int64_t end = monotonic_ns() + (int64_t)wait * 1000;
  int number = connected(fd, (uint16_t)port, end);
  if (!number && *request) number = sent(fd, request, end);
  if (!number && *request) number = received(fd, line, sizeof line, &used, end);
  close(fd);
  answer_begin(T_OK, frame->id);
  answer_number(F_ERRNO, (uint64_t)number);
  answer_bytes(F_HEAD, line, used);
  answer_flush();
  return 0;
}
