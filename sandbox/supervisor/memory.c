/* Where we keep what may be large, without being large ourselves.
 *
 * Buffers are shared anonymous mappings: their pages come only when touched and can be given back, and fork copies no
 * page tables for them, so that a command neither starts slowly nor begins its peak memory with ours. What is kept for
 * longer is in anonymous files, which are nobody's resident memory: when memory runs out, the kernel's choice must not
 * fall on us for the size of a snapshot.
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
  /* Where this is not supported the pages merely stay. */
  (void)madvise(block, size, MADV_REMOVE);
}

int memory_file(void) {
  int fd = memfd_create("supervisor", MFD_CLOEXEC);
  if (fd < 0) fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  /* Such a file comes with every permission, and some kernels let anybody open another's descriptors by /proc. */
  if (fd >= 0 && fchmod(fd, 0) < 0) {
    int number = errno;
    close(fd);
    errno = number;
    return -1;
  }
  return fd;
}
