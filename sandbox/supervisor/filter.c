/* The filter of system calls for commands.
 *
 * The candidate's process installs it between giving up its rights and exec, so it holds whatever filter the engine has
 * or lacks. It refuses calls for which a graded program has no honest use (filter_rules.h). Most of them need
 * capabilities that a candidate does not have, but each is a way into kernel code in which faults have been found.
 * Calls younger than the table fail as unknown, and libraries fall back on older ones. The filter is tried once when
 * the supervisor starts, since a kernel may have none. READY reports the result, which then holds for every command:
 * one that cannot get its filter is not started.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter_rules.h"
#include "supervisor.h"

#if defined __x86_64__
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter knows x86_64 and aarch64"
#endif

#define NAMESPACES                                                                                         \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define NO_RANDOM_ADDRESSES 0x0040000
#define ASK_PERSONALITY 0xffffffff
#define ROUTES 0 /* NETLINK_ROUTE */
#define TYPE_OF_SOCKET 0xf         /* SOCK_TYPE_MASK */
#define HUGE_PAGES_OF_MMAP 0x40000 /* MAP_HUGETLB */
#define HUGE_PAGES_OF_MEMFD 0x4    /* MFD_HUGETLB */
#define HUGE_PAGES_OF_SHMGET 04000 /* SHM_HUGETLB */

/* A system call and an error that only this filter returns, which show that it is active: an engine's own filter may
 * refuse all other calls as well. */
#define TRIAL 0x2fffffff
#define TRIAL_ERROR EOWNERDEAD

static struct sock_filter program[2 * (sizeof always + sizeof when_strict + sizeof lasting) / sizeof(struct rule) + 128];
static unsigned short size;
static enum filter in_force = FILTER_NONE;

static void add(uint16_t code, uint32_t operand, uint8_t if_true, uint8_t if_false) {
  program[size++] = (struct sock_filter){code, if_true, if_false, operand};
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void load_argument(unsigned index) {
  /* The lower half, which is all that the kernel uses of an int. Both architectures are little-endian. */
  load(offsetof(struct seccomp_data, args) + index * sizeof(uint64_t));
}
static void give(uint32_t result) { add(BPF_RET | BPF_K, result, 0, 0); }
static void refuse(int error) { give(SECCOMP_RET_ERRNO | (uint32_t)error); }

static void deny(const struct rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rules[i].number, 0, 1);
    refuse(rules[i].error);
  }
}

/* Allow the call with one of these values as its first argument, and refuse it with any other. */
static void only(int number, const uint32_t *values, uint8_t count, int error) {
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, (uint8_t)(count + 3));
  load_argument(0);
  for (uint8_t i = 0; i < count; i++) add(BPF_JMP | BPF_JEQ | BPF_K, values[i], (uint8_t)(count - i), 0);
  refuse(error);
  give(SECCOMP_RET_ALLOW);
}

/* Refuse the call with one of these bits in an argument. */
static void without(int number, unsigned index, uint32_t bits, int error) {
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
  load_argument(index);
  add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  refuse(error);
  give(SECCOMP_RET_ALLOW);
}

/* Huge pages come from a pool of the whole machine, outside the memory limit. A command that takes them all exceeds its
 * limit and leaves none to others. */
static void refuse_huge_pages(void) {
  without(SYS_mmap, 3, HUGE_PAGES_OF_MMAP, ENOMEM);
  without(SYS_memfd_create, 1, HUGE_PAGES_OF_MEMFD, EINVAL);
  without(SYS_shmget, 2, HUGE_PAGES_OF_SHMGET, ENOMEM);
}

/* Options of sockets that reach kernel code beyond ordinary sockets.
 * Programs run on received data. One sandbox could use up the machine's memory for translated programs, and filters such
 * as this one would then be refused to other sandboxes. Encapsulation in UDP (IPsec, L2TP) and protocols above TCP (TLS,
 * IPsec) replace the code behind a socket: faults have been found in both. */
static void refuse_socket_options(void) {
  static const struct {
    uint32_t level, option;
  } refused[] = {
      {SOL_SOCKET, SO_ATTACH_FILTER},         {SOL_SOCKET, SO_ATTACH_BPF}, {SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF},
      {SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF}, {IPPROTO_UDP, UDP_ENCAP},    {IPPROTO_TCP, TCP_ULP},
  };
  const uint8_t count = sizeof refused / sizeof *refused;
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 4 * count + 2);
  for (uint8_t i = 0; i < count; i++) {
    load_argument(1);
    add(BPF_JMP | BPF_JEQ | BPF_K, refused[i].level, 0, 2);
    load_argument(2);
    add(BPF_JMP | BPF_JEQ | BPF_K, refused[i].option, (uint8_t)(4 * (count - 1 - i) + 1), 0);
  }
  give(SECCOMP_RET_ALLOW);
  refuse(ENOPROTOOPT);
}

/* Other transport protocols are kernel modules, loaded for any process that requests one: ways into the kernel like the
 * families below, but behind the families that every program needs. */
static void only_common_transports(void) {
  static const uint32_t protocols[] = {IPPROTO_IP, IPPROTO_ICMP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMPV6};
  const uint8_t count = sizeof protocols / sizeof *protocols;
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, count + 9);
  load_argument(0);
  add(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, count + 5);
  load_argument(1);
  add(BPF_ALU | BPF_AND | BPF_K, TYPE_OF_SOCKET, 0, 0);
  add(BPF_JMP | BPF_JGT | BPF_K, SOCK_RAW, count + 1, 0);
  load_argument(2);
  for (uint8_t i = 0; i < count; i++) add(BPF_JMP | BPF_JEQ | BPF_K, protocols[i], (uint8_t)(count - i), 0);
  refuse(EPROTONOSUPPORT);
  load(offsetof(struct seccomp_data, nr));
}

static void build(bool strict) {
  static const uint32_t personalities[] = {0, NO_RANDOM_ADDRESSES, ASK_PERSONALITY};
  static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6};
  /* Another architecture has other numbers, which the table does not cover. */
  load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
  give(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  deny(&(struct rule){TRIAL, TRIAL_ERROR}, 1);
  /* Includes the numbers of x32, which start far above. */
  add(BPF_JMP | BPF_JGT | BPF_K, NR_LAST, 0, 1);
  refuse(ENOSYS);
  deny(always, sizeof always / sizeof *always);
  if (strict) deny(when_strict, sizeof when_strict / sizeof *when_strict);
  for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
    if (strict || access(lasting[i].list, F_OK) < 0) deny(&lasting[i].rule, 1);
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  load_argument(0);
  add(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
  refuse(EPERM);
  give(SECCOMP_RET_ALLOW);
  only(SYS_personality, personalities, 3, EPERM);
  refuse_huge_pages();
  refuse_socket_options();
  only_common_transports();
  if (!strict) {
    /* Programs list interfaces and addresses by this protocol; the other ones concern the kernel itself. */
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5);
    load_argument(0);
    add(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3);
    load_argument(2);
    add(BPF_JMP | BPF_JEQ | BPF_K, ROUTES, 0, 1);
    give(SECCOMP_RET_ALLOW);
    load(offsetof(struct seccomp_data, nr));
  }
  /* The other families are ways into the kernel (AF_ALG, AF_PACKET), to the machine (AF_VSOCK) or to old drivers. */
  only(SYS_socket, families, 3, EAFNOSUPPORT);
  only(SYS_socketpair, families, 1, EAFNOSUPPORT);
  give(SECCOMP_RET_ALLOW);
}

int filter_apply(void) {
  if (in_force == FILTER_NONE) return 0;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){size, program}, 0, 0);
}

/* Returns whether the filter works in a child process. */
static bool works(void) {
  int status = -1;
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    bool on = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_apply() == 0;
    _exit(on && syscall(TRIAL) < 0 && errno == TRIAL_ERROR ? 0 : 1);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status == 0;
}

bool filter_open(const char *level) {
  bool strict = strcmp(level, "strict") == 0;
  if (!strict && strcmp(level, "default") != 0) return false;
#ifdef GRADEBOX_WITHOUT_SYSCALL_FILTER
  (void)build, (void)works;
#else
  build(strict);
  in_force = strict ? FILTER_STRICT : FILTER_DEFAULT;
  if (!works()) in_force = FILTER_NONE;
#endif
  return true;
}

enum filter filter_in_force(void) { return in_force; }
