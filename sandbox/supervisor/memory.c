/* Large buffers and files in memory that do not make the supervisor itself large.
 *
 * Buffers are shared anonymous mappings: their pages are allocated when touched and can be released. fork copies no
 * page tables for them, so a command starts fast, and its peak memory does not include the supervisor's. Longer-lived
 * data is in anonymous files, which are no process's resident memory: when memory runs out, the kernel must not choose
 * the supervisor for the size of a snapshot.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "supervisor.h"

void *memory_take(size_t size) {
  void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? NULL : block;
}

void memory_drop(void *block, size_t size) {
  if (block) munmap(block, size);
}

void memory_clean(void *block, size_t size) {
  /* Where this is not supported, the pages stay. */
  (void)madvise(block, size, MADV_REMOVE);
}

int memory_file(void) {
  int fd = memfd_create("supervisor", MFD_CLOEXEC);
  if (fd < 0) fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  /* Such a file has every permission, and some kernels let any process open another's descriptors by /proc. */
  if (fd >= 0 && fchmod(fd, 0) < 0) {
    int number = errno;
    close(fd);
    errno = number;
    return -1;
  }
  return fd;
}
