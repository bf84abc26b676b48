/* Large buffers live in shared anonymous mappings: their pages come only when touched and can be given back, and fork
 * copies no page tables for them, so that a command neither starts slowly nor begins its peak memory with ours.
 */
#include <sys/mman.h>

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
