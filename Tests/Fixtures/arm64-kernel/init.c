// The first program of a machine that has no other: it does to children of its own on arm64 what `patchbay attach` does to a
// program, with our own ptrace calls (`attach_trace.c`) and our own code (`attach_code.c`), and looks whether the kernel does what
// `Interruption` and `AttachPlan` think. `run` beside it starts such a machine.
#define _GNU_SOURCE
#include "CAttach.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { X8 = 8, X19 = 19, X30 = 30, SP = 31, PC = 32, REGISTERS = 34, VECTORS = 528, FRAME = 1136 };
enum { NUMBER = 0, FIRST = 1, STACK = 7, PLACE = 8, WORDS = 9 };  // of attach_system_call
enum { CODE = 0x500000000, BLOCK_BYTES = 0x20000 };

static int failures;

static void check(int holds, const char *what, const char *of) {
  if (holds) return;
  failures++;
  printf("FAILED: %s: %s\n", of, what);
}

static void pause_for(int milliseconds) {
  struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&span, NULL);
}

static int has_stopped(pid_t child) { return attach_interrupt(child) == 0 && attach_await(child, 1000000) == 0; }

static void read_registers(pid_t child, uint64_t registers[REGISTERS]) {
  size_t size = REGISTERS * 8;
  check(attach_registers(child, registers, &size) == 0 && size == REGISTERS * 8, "34 registers", "ptrace");
}

static void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, NULL, __WALL);
}

// MARK: How a thread stands

enum ends { AGAIN, ENDED, OTHERWISE };  // on its call; behind it with EINTR; on it, and then as restart_syscall

static const struct waiting {
  const char *name;
  uint64_t number;
  enum ends ends;
} waits[] = {{"epoll_wait", 22, ENDED}, {"epoll_wait with a limit", 22, ENDED}, {"recv with a limit", 207, ENDED},
             {"ppoll", 73, AGAIN},      {"select", 72, AGAIN},                  {"read", 63, AGAIN},
             {"pause", 73, AGAIN},      {"sigsuspend", 133, AGAIN},             {"futex", 98, AGAIN},
             {"sleep until", 115, AGAIN}, {"futex with a limit", 98, OTHERWISE}, {"sleep", 115, OTHERWISE}};

static void wait_in(int index) {
  int pipes[2], sockets[2], word = 0;
  char byte;
  if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) _exit(1);
  struct timeval limit = {100, 0};
  struct timespec span = {100, 0}, moment;
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  clock_gettime(CLOCK_MONOTONIC, &moment);
  moment.tv_sec += 100;
  int loop = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {0}};
  epoll_ctl(loop, EPOLL_CTL_ADD, pipes[0], &event);
  sigset_t none;
  sigemptyset(&none);
  for (;;) switch (index) {
      case 0: epoll_wait(loop, &event, 1, -1); break;
      case 1: epoll_wait(loop, &event, 1, 60000); break;
      case 2: recv(sockets[0], &byte, 1, 0); break;
      case 3: ppoll(NULL, 0, &span, NULL); break;
      case 4: select(0, NULL, NULL, NULL, &limit); break;
      case 5: if (read(pipes[0], &byte, 1) < 0) break; break;
      case 6: pause(); break;
      case 7: sigsuspend(&none); break;
      case 8: syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, -1); break;
      case 9: clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL); break;
      case 10: syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &moment, NULL, -1); break;
      default: nanosleep(&span, NULL);
    }
}

static void look(int index) {
  const struct waiting *waiting = &waits[index];
  pid_t child = fork();
  if (child == 0) wait_in(index);
  pause_for(50);
  uint64_t call[WORDS], registers[REGISTERS];
  check(attach_system_call(child, child, call) && call[NUMBER] == waiting->number, "what /proc says", waiting->name);
  check(attach_seize(child) == 0 && has_stopped(child), "stands", waiting->name);
  read_registers(child, registers);
  check(registers[SP] == call[STACK] && registers[X8] == call[NUMBER], "stack and number", waiting->name);
  check(memcmp(registers + 1, call + FIRST + 1, 5 * 8) == 0, "arguments but the first", waiting->name);
  if (waiting->ends == ENDED)
    check(registers[PC] == call[PLACE] && registers[0] == (uint64_t)-EINTR, "behind its call", waiting->name);
  else
    check(registers[PC] == call[PLACE] - 4 && registers[0] == call[FIRST], "on its call", waiting->name);
  int number = 0;
  struct iovec room = {&number, sizeof number};
  check(ptrace(PTRACE_GETREGSET, child, NT_ARM_SYSTEM_CALL, &room) == 0 && number == -1, "forgotten", waiting->name);
  check(!attach_has_shadow_stack(child), "no shadow stack", waiting->name);
  attach_continue(child);
  pause_for(50);
  uint64_t next = waiting->ends == OTHERWISE ? SYS_restart_syscall : waiting->number;
  check(attach_system_call(child, child, call) && call[NUMBER] == next, "how it waits on", waiting->name);
  end(child);
}

// MARK: The whole way

static struct shared {
  volatile int loops, wrong, interrupted, handled, loaded;
  uint64_t system_call, signal_return;
} *shared;

static void *open_library(const char *path, int flags) { return flags == 0x1102 ? (void *)path : NULL; }
static void *entered(void *block) {
  (void)block;
  shared->loaded++;
  return NULL;
}
static void *find(void *library, const char *name) {
  (void)library, (void)name;
  return (void *)entered;
}
static const char *reason(void) { return "none"; }
static void handle(int number) {
  (void)number;
  shared->handled++;
}

static uint64_t place_of(uint64_t from, uint64_t size, const uint32_t *code, size_t count) {
  for (uint64_t at = from; at + count * 4 <= from + size; at += 4)
    if (memcmp((void *)at, code, count * 4) == 0) return at;
  return 0;
}

static const char *const loops[] = {"epoll_wait", "ppoll", "read", "sigsuspend"};

/// Waits for ever, and looks each time whether all is as it was.
static void loop_in(int kind, int event) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  static const uint32_t call[] = {0xd4000001}, returning[] = {0xd2801168, 0xd4000001};
  shared->system_call = place_of((uint64_t)syscall, 64, call, 1);
  shared->signal_return = place_of(getauxval(AT_SYSINFO_EHDR), 4096, returning, 2);
  int epoll = epoll_create1(0);
  struct epoll_event wanted = {EPOLLIN, {0}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  register double first __asm__("d8") = 1.5, last __asm__("d15") = 8.5;
  for (;;) {
    __asm__ volatile("" : "+w"(first), "+w"(last));
    errno = 77;
    uint64_t value = 0;
    struct pollfd polled = {event, POLLIN, 0};
    struct timespec span = {30, 0};
    ssize_t result = kind == 0   ? epoll_wait(epoll, &wanted, 1, -1)
                     : kind == 1 ? ppoll(&polled, 1, &span, NULL)
                     : kind == 2 ? read(event, &value, 8)
                                 : sigsuspend(&mask);
    int error = errno;
    __asm__ volatile("" : "+w"(first), "+w"(last));
    if (error != (result < 0 ? EINTR : 77) || first != 1.5 || last != 8.5) shared->wrong++;
    if (result < 0) shared->interrupted++;
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    if (memcmp(&now, &mask, 8) != 0) shared->wrong++;
    if (kind < 2 && result > 0 && read(event, &value, 8) != 8) shared->wrong++;
    shared->loops++;
  }
}

static void put(char *bytes, size_t offset, uint64_t word) { memcpy(bytes + offset, &word, 8); }

/// As `ArmSignalFrame` makes it.
static void make_frame(char *bytes, const uint64_t *registers, uint64_t mask, const char *vectors) {
  put(bytes, 152, 0x7fff);
  put(bytes, 168, mask);
  memcpy(bytes + 312, registers, REGISTERS * 8);
  put(bytes, 592, 0x46508001 | (uint64_t)VECTORS << 32);
  memcpy(bytes + 600, vectors + 512, 8);
  memcpy(bytes + 608, vectors, 512);
}

enum ending { PUT_BACK, LEFT_IN_CHAIN, LEFT_IN_CODE, SIGNALLED };
static const char *const endings[] = {"put back", "left in the chain", "left in the code", "signalled meanwhile"};

static void send_off(pid_t child, const uint64_t *thread, uint64_t place, uint64_t stack, uint64_t block) {
  uint64_t registers[REGISTERS];
  memcpy(registers, thread, sizeof registers);
  registers[PC] = place;
  registers[SP] = stack;
  if (block) registers[X19] = block;
  check(attach_set_registers(child, registers, sizeof registers) == 0 && attach_continue(child) == 0, "sent", "ptrace");
}

static void load(pid_t child, uint64_t block, uint64_t home) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", child);
  int memory = open(path, O_RDWR);
  size_t size;
  const void *code = attach_code(&size);
  check(pwrite(memory, code, size, CODE) == (ssize_t)size, "code is written", "/proc");
  close(memory);
  uint64_t head[] = {(uint64_t)pthread_create, (uint64_t)open_library, (uint64_t)find, (uint64_t)__errno_location,
                     CODE + attach_code_own(), home, 0, 0, block + 1024, block + 1024, (uint64_t)reason, 0,
                     (uint64_t)pthread_self, (uint64_t)pthread_detach};
  attach_write(child, block, head, sizeof head);
  attach_write(child, block + 1024, "lib", 4);
}

static void borrow(int kind, enum ending ending) {
  char name[64];
  snprintf(name, sizeof name, "%s, %s", loops[kind], endings[ending]);
  memset(shared, 0, sizeof *shared);
  int event = eventfd(0, 0);
  pid_t child = fork();
  if (child == 0) loop_in(kind, event);
  pause_for(100);
  uint64_t call[WORDS], now[WORDS], thread[REGISTERS], resumed[REGISTERS], registers[REGISTERS], mask = 0;
  char vectors[VECTORS];
  size_t size = VECTORS;
  check(attach_system_call(child, child, call) && attach_seize(child) == 0 && has_stopped(child), "stands", name);
  read_registers(child, thread);
  check(attach_vectors(child, vectors, &size) == 0 && size == VECTORS, "vectors", name);
  attach_signal_mask(child, &mask);
  memcpy(resumed, thread, sizeof resumed);
  resumed[0] = call[FIRST];
  resumed[PC] = call[PLACE] - 4;

  uint64_t page = (uint64_t)getpagesize(), block = CODE + page;
  uint64_t tail = (thread[SP] - 128 - 16 - 64) & ~63ul, chain = (tail - 4 * FRAME) & ~63ul, home = chain + 3 * FRAME;
  size_t count = tail + 16 - chain;
  char *stack = calloc(1, count), *before = malloc(count);
  uint64_t calls[3][7] = {{222, CODE, page, 5, 0x100022, -1ul, 0}, {222, block, BLOCK_BYTES, 3, 0x100022, -1ul, 0}, {73, 0, 0, tail}};
  for (int i = 0; i < 3; i++) {
    memcpy(registers, thread, sizeof registers);
    memcpy(registers, calls[i] + 1, 6 * 8);
    registers[X8] = calls[i][0];
    registers[X30] = shared->signal_return;
    registers[PC] = shared->system_call;
    registers[SP] = chain + (uint64_t)(i + 1) * FRAME;
    make_frame(stack + i * FRAME, registers, -1ul, vectors);
  }
  make_frame(stack + 3 * FRAME, resumed, mask, vectors);
  put(stack, tail - chain + 8, 500000000);
  attach_read(child, chain, before, count);
  attach_write(child, chain, stack, count);
  send_off(child, thread, shared->signal_return, chain, 0);
  int is_waiting = 0;
  for (int i = 0; i < 5000 && !is_waiting; i++, usleep(100)) {
    attach_pass_signals(child);
    is_waiting = attach_system_call(child, child, now) && now[NUMBER] == 73 && now[FIRST + 2] == tail;
  }
  check(is_waiting && has_stopped(child), "comes to its first wait", name);
  if (ending != LEFT_IN_CHAIN) {
    read_registers(child, registers);
    check(registers[PC] == shared->system_call && registers[SP] == home, "stands in it", name);
    check(attach_is_mapped(child, CODE, CODE + page), "has mapped", name);
    load(child, block, home);
    send_off(child, thread, CODE, (block + BLOCK_BYTES - 64) & ~15ul, block);
    uint32_t made = 0, result = 1;
    for (int i = 0; i < 5000 && !made; i++, usleep(100)) attach_read(child, block + 112, &made, 4);
    attach_read(child, block + 48, &result, 4);
    check(made == 1 && result == 0, "has made a thread", name);
    if (ending == SIGNALLED) kill(child, SIGUSR1);
    check(has_stopped(child), "stands in the code", name);
  }
  if (ending == PUT_BACK || ending == SIGNALLED) {
    read_registers(child, registers);
    check(registers[PC] >= CODE && registers[PC] < CODE + page, "is in the code", name);
    if (ending == SIGNALLED && kind != 2) {
      resumed[0] = (uint64_t)-EINTR;
      resumed[PC] = call[PLACE];
    }
    attach_set_signal_mask(child, mask);
    attach_set_vectors(child, vectors, VECTORS);
    attach_set_registers(child, resumed, sizeof resumed);
    attach_write(child, chain, before, count);
  }
  attach_detach(child);
  // Longer than it waits for us.
  pause_for(ending == PUT_BACK || ending == SIGNALLED ? 100 : 900);
  int expected = ending == SIGNALLED && kind != 2;
  check(shared->loops == expected && shared->interrupted == expected, "waits as before, or has been told", name);
  check(shared->handled == (ending == SIGNALLED), "its handler has run", name);
  uint64_t one = 1;
  if (kind == 3) kill(child, SIGUSR1);
  else if (write(event, &one, 8) != 8) failures++;
  pause_for(100);
  check(shared->loops == expected + 1, "goes on with what comes", name);
  check(shared->wrong == 0, "errno, mask and vectors are its own", name);
  check(shared->loaded == (ending != LEFT_IN_CHAIN), "the library's function has run", name);
  end(child);
  close(event);
  free(stack);
  free(before);
}

int main(void) {
  mkdir("/proc", 0755);
  if (mount("proc", "/proc", "proc", 0, NULL)) failures++;
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) look((int)i);
  for (int ending = PUT_BACK; ending <= SIGNALLED; ending++)
    for (int kind = 0; kind < 4; kind++) borrow(kind, (enum ending)ending);
  printf("arm64-kernel: pages of %d KB, %d failed\n", getpagesize() / 1024, failures);
  fflush(stdout);
  reboot(RB_POWER_OFF);
}
