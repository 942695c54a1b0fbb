#define _GNU_SOURCE

#include "guard.h"
#include "CNcurses.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { CRASH_SIGNALS = sizeof crash_signals / sizeof crash_signals[0] };
/* Others that end a process, and that nobody sends for a purpose. */
static const int deadly_signals[] = {
    SIGALRM, SIGVTALRM, SIGXCPU, SIGXFSZ, SIGSYS, SIGIO,
#ifdef __linux__
    SIGPWR, SIGSTKFLT,
#endif
};

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int descriptor = -1;
static atomic_int ncurses_output = -1;
static bool has_settings;
static struct termios settings;
static char undo[256];
static char strings[512];
static size_t strings_length;
static int errors = -1;
static struct sigaction previous[CRASH_SIGNALS];
static bool is_guarding;
/* Whether the terminal needs putting back; taken by whoever does it first. */
static atomic_bool is_armed;
/* Where a keeper listens that puts the terminal back when we are killed. */
static atomic_int leash = -1;

void patchbay_write_all(int to, const char *bytes, long count) {
  while (count > 0) {
    ssize_t written = write(to, bytes, (size_t)count);
    if (written > 0) {
      bytes += written;
      count -= written;
    } else if (written < 0 && errno == EAGAIN) {
      struct pollfd poller = {.fd = to, .events = POLLOUT};
      if (poll(&poller, 1, 1000) <= 0) return;
    } else if (written < 0 && errno == EINTR) {
      continue;
    } else {
      return;
    }
  }
}

/* Async-signal-safe. */
static void tell_keeper(bool is_ours) {
  int to = atomic_load(&leash);
  if (to >= 0) send(to, is_ours ? "1\n" : "0\n", 2, MSG_NOSIGNAL);
}

void patchbay_terminal_set_leash(int to) {
  atomic_store(&leash, to);
  tell_keeper(atomic_load(&is_armed));
}

/* As `stty -g` prints them. */
static bool print_settings(const struct termios *from, char *text, size_t size) {
  size_t length = 0;
  unsigned long flags[] = {from->c_iflag, from->c_oflag, from->c_cflag, from->c_lflag};
  for (size_t i = 0; i < 4 + NCCS; i++) {
    unsigned long value = i < 4 ? flags[i] : from->c_cc[i - 4];
    int count = snprintf(text + length, size - length, i == 0 ? "%lx" : ":%lx", value);
    if (count < 0 || length + (size_t)count >= size) return false;
    length += (size_t)count;
  }
  return true;
}

bool patchbay_terminal_undo(char *bytes, char *ours, char *found, long size) {
  struct termios now;
  size_t undo_length = strlen(undo);
  if (!has_settings || tcgetattr(descriptor, &now) != 0 || undo_length + strings_length >= (size_t)size) return false;
  memcpy(bytes, undo, undo_length);
  memcpy(bytes + undo_length, strings, strings_length);
  bytes[undo_length + strings_length] = 0;
  return print_settings(&now, ours, (size_t)size) && print_settings(&settings, found, (size_t)size);
}

void patchbay_guard_save(int terminal) {
  descriptor = terminal;
  has_settings = tcgetattr(terminal, &settings) == 0;
}

void patchbay_guard_output(int copy) { atomic_store(&ncurses_output, copy); }

/* Async-signal-safe. */
static void silence_ncurses(void) {
  int output = atomic_exchange(&ncurses_output, -1);
  int null = output < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, output);
}

/* Copies a terminfo string without its padding, `$<…>`. */
static void append(const char *text) {
  while (text != NULL && *text != 0 && strings_length < sizeof strings) {
    if (text[0] == '$' && text[1] == '<' && strchr(text, '>') != NULL) {
      text = strchr(text, '>') + 1;
      continue;
    }
    strings[strings_length++] = *text++;
  }
}

void patchbay_guard_arm(const char *const *texts, int count) {
  strings_length = 0;
  for (int i = 0; i < count; i++) append(texts[i]);
  atomic_store(&is_armed, true);
  tell_keeper(true);
}

int patchbay_terminal_redirect_errors(int to) {
  if (errors < 0) errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  return errors < 0 || dup2(to, STDERR_FILENO) < 0 ? errno : 0;
}

/* Async-signal-safe; the copy stays open, for a close would be one call more that can go wrong. */
static void restore_errors(void) {
  if (errors >= 0) dup2(errors, STDERR_FILENO);
}

void patchbay_guard_disarm(void) {
  atomic_store(&is_armed, false);
  restore_errors();
  if (has_settings) tcsetattr(descriptor, TCSADRAIN, &settings);
  tell_keeper(false);
}

void patchbay_guard_pause(bool paused) {
  atomic_store(&is_armed, !paused);
  tell_keeper(!paused);
}

void patchbay_terminal_set_undo(const char *bytes) {
  strncpy(undo, bytes, sizeof undo - 1);
}

static void put_back(void) {
  if (!atomic_exchange(&is_armed, false)) return;
  silence_ncurses();
  restore_errors();
  /* A process in the background would be stopped for touching the terminal. */
  signal(SIGTTOU, SIG_IGN);
  patchbay_write_all(descriptor, undo, (long)strlen(undo));
  patchbay_write_all(descriptor, strings, (long)strings_length);
  if (has_settings) tcsetattr(descriptor, TCSANOW, &settings);
  tell_keeper(false);
}

static void crashed(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  put_back();
  for (int i = 0; i < CRASH_SIGNALS; i++) {
    if (crash_signals[i] == number) sigaction(number, &previous[i], NULL);
  }
  /* A fault comes again by itself when this returns; a signal that was sent has to be sent again. */
  if (info->si_code <= 0) raise(number);
  errno = error;
}

static void killed(int number) {
  put_back();
  signal(number, SIG_DFL);
  raise(number);
}

/*
 * A handler for an overflown stack needs another one. Threads share ours, which would matter only if two overflowed at
 * the same time; a thread that has been given one keeps it.
 */
void patchbay_guard_thread(void) {
  static char space[64 * 1024];
  static _Thread_local bool is_done;
  if (is_done) return;
  is_done = true;
  stack_t current;
  if (sigaltstack(NULL, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
  stack_t ours = {.ss_sp = space, .ss_size = sizeof space};
  sigaltstack(&ours, NULL);
}

void patchbay_terminal_guard(void) {
  if (is_guarding) return;
  is_guarding = true;
  patchbay_guard_thread();
  atexit(put_back);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < CRASH_SIGNALS; i++) sigaction(crash_signals[i], &action, &previous[i]);
  for (size_t i = 0; i < sizeof deadly_signals / sizeof deadly_signals[0]; i++) {
    struct sigaction found;
    if (sigaction(deadly_signals[i], NULL, &found) == 0 && found.sa_handler == SIG_DFL) signal(deadly_signals[i], killed);
  }
}
