/* The table of the filter: which system calls are refused, with which error, and why. Only filter.c includes it. */
#ifndef GRADEBOX_FILTER_RULES_H
#define GRADEBOX_FILTER_RULES_H

#include <errno.h>
#include <sys/syscall.h>

/* Since 2019 a new system call has the same number on every architecture. The headers of a compiler may be older. */
enum {
  NR_IO_URING_SETUP = 425,
  NR_IO_URING_ENTER = 426,
  NR_IO_URING_REGISTER = 427,
  NR_OPEN_TREE = 428,
  NR_MOVE_MOUNT = 429,
  NR_FSOPEN = 430,
  NR_FSCONFIG = 431,
  NR_FSMOUNT = 432,
  NR_FSPICK = 433,
  NR_CLONE3 = 435,
  NR_PIDFD_GETFD = 438,
  NR_PROCESS_MADVISE = 440,
  NR_MOUNT_SETATTR = 442,
  NR_QUOTACTL_FD = 443,
  NR_MEMFD_SECRET = 447,
  NR_OPEN_TREE_ATTR = 467,
  NR_LAST = 469, /* file_setattr, of Linux 6.17: the youngest call that the table covers */
};

struct rule {
  int number, error;
};

static const struct rule always[] = {
    /* Passes work to the kernel around every filter, and has a long history of faults. */
    {NR_IO_URING_SETUP, ENOSYS},
    {NR_IO_URING_ENTER, ENOSYS},
    {NR_IO_URING_REGISTER, ENOSYS},
    /* Its predecessor: the whole machine has 65,536 requests, which one sandbox could take from all others. */
    {SYS_io_setup, ENOSYS},
    /* Waits for every file system of the machine, and the waiting process cannot be killed. Nothing in a sandbox is on
     * a disk, so it returns success. */
    {SYS_sync, 0},
    {SYS_syncfs, 0},
    /* Programs inside the kernel. */
    {SYS_bpf, EPERM},
    /* Stops the kernel in the middle of a copy; many known exploits win their races with it. */
    {SYS_userfaultfd, EPERM},
    /* Keyrings belong to a uid of the machine, not of the container: other sandboxes could read them. */
    {SYS_add_key, EPERM},
    {SYS_request_key, EPERM},
    {SYS_keyctl, EPERM},
    /* Counters that reveal other processes, and a large interface. */
    {SYS_perf_event_open, EPERM},
    /* Namespaces: a user namespace gives every capability inside it, and so access to the kernel code behind them. The
     * arguments of clone are checked; clone3 has its arguments in memory, and libc falls back on clone. */
    {SYS_unshare, EPERM},
    {SYS_setns, EPERM},
    {NR_CLONE3, ENOSYS},
    /* Mounts and roots. */
    {SYS_mount, EPERM},
    {SYS_umount2, EPERM},
    {SYS_pivot_root, EPERM},
    {SYS_chroot, EPERM},
    {NR_OPEN_TREE, EPERM},
    {NR_OPEN_TREE_ATTR, EPERM},
    {NR_MOVE_MOUNT, EPERM},
    {NR_FSOPEN, EPERM},
    {NR_FSCONFIG, EPERM},
    {NR_FSMOUNT, EPERM},
    {NR_FSPICK, EPERM},
    {NR_MOUNT_SETATTR, EPERM},
    /* Opens files by handle, around every directory: the known way out of a container with that capability. */
    {SYS_open_by_handle_at, EPERM},
    /* Watching every file of a mount. */
    {SYS_fanotify_init, EPERM},
    /* The machine: its kernel, modules, log, swap, accounts, quotas. */
    {SYS_kexec_load, EPERM},
#ifdef SYS_kexec_file_load
    {SYS_kexec_file_load, EPERM},
#endif
    {SYS_init_module, EPERM},
    {SYS_finit_module, EPERM},
    {SYS_delete_module, EPERM},
    {SYS_reboot, EPERM},
    {SYS_syslog, EPERM},
    {SYS_swapon, EPERM},
    {SYS_swapoff, EPERM},
    {SYS_acct, EPERM},
    {SYS_quotactl, EPERM},
    {NR_QUOTACTL_FD, EPERM},
    {SYS_vhangup, EPERM},
    /* Its clocks and names. */
    {SYS_settimeofday, EPERM},
    {SYS_clock_settime, EPERM},
    {SYS_adjtimex, EPERM},
    {SYS_clock_adjtime, EPERM},
    {SYS_sethostname, EPERM},
    {SYS_setdomainname, EPERM},
#ifdef __x86_64__
    /* Ports and segments of the processor. */
    {SYS_iopl, EPERM},
    {SYS_ioperm, EPERM},
    {SYS_modify_ldt, ENOSYS},
#endif
};

static const struct rule when_strict[] = {
    /* Other processes: debuggers are the honest use, which a strict sandbox does not support. */
    {SYS_ptrace, EPERM},
    {SYS_process_vm_readv, EPERM},
    {SYS_process_vm_writev, EPERM},
    {SYS_kcmp, EPERM},
    {NR_PIDFD_GETFD, EPERM},
    {NR_PROCESS_MADVISE, EPERM},
    /* Memory that no other process can read. */
    {NR_MEMFD_SECRET, ENOSYS},
    /* Pages of one process or file in pipes, where faults of the kernel let a reader write them. Programs copy without. */
    {SYS_splice, ENOSYS},
    {SYS_tee, ENOSYS},
    {SYS_vmsplice, ENOSYS},
    /* Pages of one process on the memory nodes of others. */
    {SYS_move_pages, EPERM},
    {SYS_migrate_pages, EPERM},
    /* Names of files as the kernel has them. */
    {SYS_name_to_handle_at, EPERM},
};

/* Objects that outlive their process. Without a list by which to remove them, they cannot be created. */
static const struct {
  const char *list;
  struct rule rule;
} lasting[] = {
    {"/proc/sysvipc/shm", {SYS_shmget, ENOSYS}},
    {"/proc/sysvipc/sem", {SYS_semget, ENOSYS}},
    {"/proc/sysvipc/msg", {SYS_msgget, ENOSYS}},
    {"/dev/mqueue", {SYS_mq_open, ENOSYS}},
};

#endif
