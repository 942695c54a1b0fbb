#ifdef __linux__
#define _GNU_SOURCE
#include "CAttach.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif
#ifdef __x86_64__
#define VECTORS NT_X86_XSTATE
#define SHADOW_STACK 0x204  // NT_X86_SHSTK: only where it is in use
#else
#define VECTORS NT_PRFPREG
#define SHADOW_STACK 0x410  // NT_ARM_GCS: what is enabled comes first
#endif
#ifndef PTRACE_GETSIGMASK
#define PTRACE_GETSIGMASK 0x420a
#define PTRACE_SETSIGMASK 0x420b
#endif

static int64_t now_in_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int attach_seize(pid_t thread) { return ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0 ? 0 : errno; }

int attach_interrupt(pid_t thread) { return ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 ? 0 : errno; }

/// 1: it stands as was asked for (PTRACE_EVENT_STOP; also the group's stop by SIGSTOP, in which it may be read and changed,
/// too). 0: not yet. A signal that came first is handed on.
static int stands(pid_t thread, int options, int *error) {
  int status = 0;
  pid_t found = waitpid(thread, &status, __WALL | options);
  if (found == 0 || (found < 0 && errno == EINTR)) return 0;
  if (found < 0) {
    *error = errno == ECHILD ? ESRCH : errno;
  } else if (WIFEXITED(status) || WIFSIGNALED(status)) {
    *error = ESRCH;
  } else if (status >> 16 == PTRACE_EVENT_STOP) {
    return 1;
  } else if (WIFSTOPPED(status) && ptrace(PTRACE_CONT, thread, NULL, (void *)(intptr_t)WSTOPSIG(status)) != 0) {
    *error = errno;
  }
  return 0;
}

/// What attach_await says when nobody has told it. The system tells one waiter of a stop: where the program is a child of ours
/// that may be whoever else in this process waits for its end.
static int stands_untold(pid_t thread) {
  siginfo_t info;
  return ptrace(PTRACE_GETSIGINFO, thread, NULL, &info) == 0 && info.si_code >> 8 == PTRACE_EVENT_STOP ? 0 : ETIMEDOUT;
}

static void wake(int number) { (void)number; }

/// Interrupts what the calling thread waits in after so many microseconds, and then every 200: one may come just before it
/// begins to wait.
static int begin_waking(int microseconds, timer_t *timer) {
  // Of no meaning to anybody else: the ones before it are the C library's and those that programs take first.
  const int number = SIGRTMIN + 5;
  struct sigaction action = {.sa_handler = wake};
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  if (sigaction(number, &action, NULL) != 0 || pthread_sigmask(SIG_UNBLOCK, &signals, NULL) != 0) return 0;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
  event._sigev_un._tid = attach_own_thread();
  if (timer_create(CLOCK_MONOTONIC, &event, timer) != 0) return 0;
  struct itimerspec times = {.it_interval = {0, 200 * 1000},
                             .it_value = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000}};
  if (timer_settime(*timer, 0, &times, NULL) == 0) return 1;
  timer_delete(*timer);
  return 0;
}

// It is waited for in the system, not looked for every 100 µs: where both processors are busy a thread that naps gets none
// again for a tick (4 ms), one that is woken by whoever comes to stand gets that one's (measured with two busy loops).
int attach_await(pid_t thread, int microseconds) {
  int error = 0;
  if (stands(thread, WNOHANG, &error)) return 0;
  if (error) return error;
  if (microseconds <= 0) return stands_untold(thread);
  int64_t deadline = now_in_microseconds() + microseconds;
  timer_t timer;
  int wakes = begin_waking(microseconds, &timer);
  int found = 0;
  while (!found && !error && now_in_microseconds() < deadline) {
    found = stands(thread, wakes ? 0 : WNOHANG, &error);
    if (!found && !wakes) attach_pause(100);
  }
  if (wakes) timer_delete(timer);
  return found ? 0 : error ? error : stands_untold(thread);
}

void attach_pause(int microseconds) {
  struct timespec pause = {0, (long)microseconds * 1000};
  nanosleep(&pause, NULL);
}

pid_t attach_own_thread(void) { return (pid_t)syscall(SYS_gettid); }

int attach_is_thread(pid_t thread) { return syscall(SYS_tgkill, getpid(), thread, 0) == 0; }

/// sched_setattr(2), which this C library has no function for.
struct scheduling {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

void attach_hurry(int hurries) {
  struct sched_param parameter = {.sched_priority = hurries ? 1 : 0};
  if (sched_setscheduler(0, hurries ? SCHED_RR : SCHED_OTHER, &parameter) == 0 && hurries) return;
  // Since Linux 6.12 whoever asks for shorter slices than others goes before them when it is woken. 1 ms: long enough for all
  // that is done while a program stands; with 0.1 and 0.3 another was given the processor in the midst of it more often.
  struct scheduling slices = {.size = sizeof slices,
                              .policy = SCHED_OTHER,
                              .nice = getpriority(PRIO_PROCESS, 0),
                              .runtime = hurries ? 1000 * 1000 : 0};
  syscall(SYS_sched_setattr, 0, &slices, 0);
}

int attach_pass_signals(pid_t thread) {
  int error = 0;
  // It was asked to stand before and did not in time.
  if (stands(thread, WNOHANG, &error) && ptrace(PTRACE_CONT, thread, NULL, NULL) != 0) error = errno;
  return error;
}

pid_t attach_start_child(void) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0) return child;
  // SIGKILL: a child blocks what the thread blocks that forked it, and Dispatch's threads block nearly all.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(0);
  for (;;) pause();
}

int attach_is_allowed(void) {
  pid_t child = attach_start_child();
  if (child < 0) return errno;
  int result = attach_seize(child);
  kill(child, SIGKILL);
  int status;
  while (waitpid(child, &status, __WALL) < 0 && errno == EINTR) continue;
  return result;
}

int attach_system_call(pid_t process, pid_t thread, uint64_t words[9]) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)process, (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // `NUMBER 0xARGUMENT… 0xSTACK 0xPLACE`, or `running`, or `-1 0xSTACK 0xPLACE`.
  char *rest = text;
  for (int i = 0; i < 9; i++) {
    char *end;
    words[i] = strtoull(rest, &end, 0);
    if (end == rest || *rest == '-') return 0;
    rest = end + (*end == ' ');
  }
  return 1;
}

int attach_is_mapped(pid_t process, uint64_t start, uint64_t end) {
  char path[32], wanted[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  size_t length = (size_t)snprintf(wanted, sizeof wanted, "%llx-%llx r-x", (unsigned long long)start, (unsigned long long)end);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  int found = 0;
  while (!found && fgets(line, sizeof line, maps)) found = strncmp(line, wanted, length) == 0;
  fclose(maps);
  return found;
}

int attach_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int attach_continue(pid_t thread) { return ptrace(PTRACE_CONT, thread, NULL, NULL) == 0 ? 0 : errno; }
int attach_detach(pid_t thread) {
  // One that ran may stand by now because a signal has come, of which nobody has heard: it goes with it.
  int status = 0, signal = 0;
  if (waitpid(thread, &status, __WALL | WNOHANG) == thread && WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_STOP)
    signal = WSTOPSIG(status);
  return ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)signal) == 0 ? 0 : errno;
}

static int get(pid_t thread, int set, void *bytes, size_t *size) {
  struct iovec room = {bytes, *size};
  if (ptrace(PTRACE_GETREGSET, thread, (void *)(intptr_t)set, &room) != 0) return errno;
  *size = room.iov_len;
  return 0;
}

static int put(pid_t thread, int set, const void *bytes, size_t size) {
  struct iovec whole = {(void *)bytes, size};
  return ptrace(PTRACE_SETREGSET, thread, (void *)(intptr_t)set, &whole) == 0 ? 0 : errno;
}

int attach_registers(pid_t thread, void *bytes, size_t *size) { return get(thread, NT_PRSTATUS, bytes, size); }
int attach_set_registers(pid_t thread, const void *bytes, size_t size) { return put(thread, NT_PRSTATUS, bytes, size); }
int attach_vectors(pid_t thread, void *bytes, size_t *size) { return get(thread, VECTORS, bytes, size); }
int attach_set_vectors(pid_t thread, const void *bytes, size_t size) { return put(thread, VECTORS, bytes, size); }

int attach_has_shadow_stack(pid_t thread) {
  uint64_t words[4] = {0};
  size_t size = sizeof words;
  return get(thread, SHADOW_STACK, words, &size) == 0 && words[0] != 0;
}

int attach_signal_mask(pid_t thread, uint64_t *mask) {
  return ptrace(PTRACE_GETSIGMASK, thread, (void *)sizeof *mask, mask) == 0 ? 0 : errno;
}
int attach_set_signal_mask(pid_t thread, uint64_t mask) {
  return ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof mask, &mask) == 0 ? 0 : errno;
}

ssize_t attach_read(pid_t process, uint64_t address, void *bytes, size_t count) {
  struct iovec ours = {bytes, count}, theirs = {(void *)(uintptr_t)address, count};
  return process_vm_readv(process, &ours, 1, &theirs, 1, 0);
}

size_t attach_read_pieces(pid_t process, const uint64_t *addresses, size_t count, size_t piece, void *bytes) {
  // The kernel takes 1,024 pieces a call and ends at the first that is not mapped, which is left out then.
  enum { limit = 1024 };
  struct iovec ours[limit], theirs[limit];
  memset(bytes, 0, count * piece);
  size_t done = 0, read = 0;
  while (done < count) {
    size_t now = count - done < limit ? count - done : limit;
    for (size_t i = 0; i < now; i++) {
      ours[i] = (struct iovec){(char *)bytes + (done + i) * piece, piece};
      theirs[i] = (struct iovec){(void *)(uintptr_t)addresses[done + i], piece};
    }
    ssize_t got = process_vm_readv(process, ours, now, theirs, now, 0);
    size_t whole = got > 0 ? (size_t)got / piece : 0;
    read += whole;
    done += whole;
    if (whole == now) continue;
    memset((char *)bytes + done * piece, 0, piece);
    done++;
  }
  return read;
}

ssize_t attach_write(pid_t process, uint64_t address, const void *bytes, size_t count) {
  struct iovec ours = {(void *)bytes, count}, theirs = {(void *)(uintptr_t)address, count};
  return process_vm_writev(process, &ours, 1, &theirs, 1, 0);
}

size_t attach_find_words(const void *bytes, size_t count, size_t stride, const uint64_t *wanted, size_t wanted_count,
                         uint64_t *places, size_t room) {
  size_t found = 0;
  // Nearly all words are told by these: a heap is full of pointers that lie between those of two libraries.
  uint64_t low = UINT64_MAX, high = 0, kinds = 0;
  for (size_t i = 0; i < wanted_count; i++) {
    if (wanted[i] < low) low = wanted[i];
    if (wanted[i] > high) high = wanted[i];
    kinds |= 1ull << (wanted[i] >> 3 & 63);
  }
  for (size_t at = 0; at + sizeof(uint64_t) <= count && found < room; at += stride) {
    uint64_t word;
    memcpy(&word, (const char *)bytes + at, sizeof word);
    if (word < low || word > high || !(kinds >> (word >> 3 & 63) & 1)) continue;
    for (size_t i = 0; i < wanted_count; i++)
      if (word == wanted[i]) {
        places[found++] = at;
        break;
      }
  }
  return found;
}
#endif
