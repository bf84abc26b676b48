/* Keeps the memory and the descriptors of a grader from other processes of its user: what it starts, and what that
 * leaves behind.
 *
 * The kernel lets a process trace another one of its user, read and write its memory, and open its descriptors, unless
 * that is not dumpable. Only a program itself can give this up, by prctl, and every exec takes it back. So the
 * supervisor makes it: it traces the command until its first system call, has prctl called in its place, lets the call
 * be made after all, and lets go. A program that only starts another one in its own place, such as a shell with a line of
 * one command, is followed to that one.
 *
 * Where tracing is refused, the command runs without. gVisor has its own rules for the memory of others.
 */
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor.h"

#define ANY_CALL (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define FOLLOWED_MAX 8

static struct {
  pid_t pid; /* 0: none is traced */
  enum { STARTING, STARTED, CALLING } state;
  int followed;
  struct user_regs_struct before; /* as its own call left them */
} shield;

void shield_ask(void) {
#ifndef GRADEBOX_WITHOUT_GRADER_SHIELDED
  if (!facts_own_kernel()) ptrace(PTRACE_TRACEME, 0, NULL, NULL);
#endif
}

void shield_begin(pid_t pid) {
  shield.pid = pid;
  shield.state = STARTING;
  shield.followed = 0;
}

void shield_end(void) { shield.pid = 0; }

static int registers(int request, struct user_regs_struct *values) {
  struct iovec all = {values, sizeof *values};
  return ptrace(request, shield.pid, (void *)NT_PRSTATUS, &all) < 0 ? -1 : 0;
}

/* Change the call that the process is about to make. */
static int call_prctl(void) {
  struct user_regs_struct now = shield.before;
#if defined __x86_64__
  now.orig_rax = SYS_prctl;
  now.rdi = PR_SET_DUMPABLE;
  now.rsi = now.rdx = now.r10 = now.r8 = 0;
#elif defined __aarch64__
  int number = SYS_prctl;
  struct iovec only = {&number, sizeof number};
  if (ptrace(PTRACE_SETREGSET, shield.pid, (void *)NT_ARM_SYSTEM_CALL, &only) < 0) return -1;
  now.regs[0] = PR_SET_DUMPABLE;
  now.regs[1] = now.regs[2] = now.regs[3] = now.regs[4] = 0;
#endif
  return registers(PTRACE_SETREGSET, &now);
}

/* Let it make its own call again, as if nothing had happened. */
static int call_again(void) {
#if defined __x86_64__
  shield.before.rax = shield.before.orig_rax;
  shield.before.orig_rax = (unsigned long)-1;
  shield.before.rip -= 2;
#elif defined __aarch64__
  shield.before.pc -= 4;
#endif
  return registers(PTRACE_SETREGSET, &shield.before);
}

/* Whether the program may start another one in its own place. */
static bool leads_on(void) {
  static const char *const names[] = {"sh\n", "dash\n", "bash\n", "ash\n", "env\n", "nice\n", "uv\n", "npx\n", "tsx\n"};
  char path[32], name[32] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", (int)shield.pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  if (!fgets(name, sizeof name, file)) *name = 0;
  fclose(file);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void let_go(int number) {
  ptrace(PTRACE_DETACH, shield.pid, NULL, (void *)(intptr_t)number);
  shield.pid = 0;
}

static void go_on(int how, int number) {
  if (ptrace(how, shield.pid, NULL, (void *)(intptr_t)number) < 0) let_go(number);
}

bool shield_stopped(const struct reaped *stopped) {
  if (!shield.pid || stopped->pid != shield.pid) return false;
  int number = WSTOPSIG(stopped->status);
  if (shield.state == STARTING && number == SIGTRAP) { /* after exec */
    ptrace(PTRACE_SETOPTIONS, shield.pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
    shield.followed++;
    shield.state = STARTED;
    go_on(PTRACE_SYSCALL, 0);
  } else if (shield.state == STARTED && number == ANY_CALL) {
    shield.state = CALLING;
    if (registers(PTRACE_GETREGSET, &shield.before) < 0 || call_prctl() < 0)
      let_go(0);
    else
      go_on(PTRACE_SYSCALL, 0);
  } else if (shield.state == CALLING && number == ANY_CALL) {
    shield.state = STARTING;
    if (call_again() < 0 || shield.followed == FOLLOWED_MAX || !leads_on())
      let_go(0);
    else
      go_on(PTRACE_CONT, 0);
  } else {
    go_on(shield.state == STARTING ? PTRACE_CONT : PTRACE_SYSCALL, number == ANY_CALL ? 0 : number);
  }
  return true;
}
