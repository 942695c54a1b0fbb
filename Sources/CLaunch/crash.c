#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_crash.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { signals = sizeof crash_signals / sizeof *crash_signals, most_sockets = 4, most_descriptors = 1 << 16 };

static struct sigaction before[signals];
static struct sockaddr_un paths[most_sockets];
static int path_count;
static char report[4096];
static char shown_report[4096];
static int has_report;
static int last_descriptor = 1024;
static atomic_flag is_crashing = ATOMIC_FLAG_INIT;

// Connections bear the address of the socket that they were accepted on. Not closed: another thread may open something
// else under that number. What listens ends with the process; the other threads still run, and would stumble over it.
static void end_connections(void) {
  for (int file = STDERR_FILENO + 1; file < last_descriptor; file++) {
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    int listens = 0;
    socklen_t int_size = sizeof listens;
    memset(&address, 0, sizeof address);
    if (getsockname(file, (struct sockaddr *)&address, &size) != 0 || address.sun_family != AF_UNIX) continue;
    if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) == 0 && listens) continue;
    for (int i = 0; i < path_count; i++)
      if (strncmp(address.sun_path, paths[i].sun_path, sizeof address.sun_path) == 0) shutdown(file, SHUT_RDWR);
  }
}

static void put(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

static const char *name(int number) {
  switch (number) {
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  case SIGILL: return "SIGILL";
  case SIGTRAP: return "SIGTRAP";
  case SIGFPE: return "SIGFPE";
  default: return "SIGABRT";
  }
}

static void say(int number, int reports) {
  put("patchbay: crashed (");
  put(name(number));
  put("), which is a mistake in patchbay: what was held goes on without it.");
  if (reports) {
    put(" Where it happened is written to ");
    put(shown_report);
    put(".");
  }
  put("\n");
}

static int index_of(int number) {
  for (int i = 0; i < signals; i++)
    if (crash_signals[i] == number) return i;
  return 0;
}

static int is_handled(int i) {
  return (before[i].sa_flags & SA_SIGINFO) || (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN);
}

// A copy with the crashed thread alone, in a session of its own, without a terminal and without anything of ours that
// somebody waits for the end of.
static int become_report(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  pid_t copy = _Fork();
  if (copy != 0) return 0;
  setsid();
  int null = open("/dev/null", O_RDWR);
  int log = open(report, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (null < 0 || log < 0) _exit(1);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  closefrom(STDERR_FILENO + 1);
  alarm(60);
  return 1;
#else
  return 0;
#endif
}

static void crashed(int number, siginfo_t *info, void *context) {
  (void)context;
  // Another thread's crash, while this one is told: the process ends in a moment.
  if (atomic_flag_test_and_set(&is_crashing))
    for (;;) pause();
  int error = errno;
  end_connections();
  int i = index_of(number);
  int reports = has_report && is_handled(i);
  if (reports && become_report()) {
    for (int j = 0; j < signals; j++) sigaction(crash_signals[j], &before[j], NULL);
  } else {
    say(number, reports);
    for (int j = 0; j < signals; j++) signal(crash_signals[j], SIG_DFL);
  }
  // A fault comes again by itself when this returns; a signal that was sent has to be sent again.
  if (info->si_code <= 0) raise(number);
  errno = error;
}

int launch_crash_guard(char *const *sockets, int count, const char *log, const char *shown) {
  path_count = 0;
  for (int i = 0; i < count && i < most_sockets; i++) {
    if (strlen(sockets[i]) >= sizeof paths[i].sun_path) continue;
    strcpy(paths[path_count++].sun_path, sockets[i]);
  }
  has_report = log && strlen(log) < sizeof report && strlen(shown) < sizeof shown_report;
  if (has_report) {
    strcpy(report, log);
    strcpy(shown_report, shown);
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    last_descriptor = limit.rlim_cur > most_descriptors ? most_descriptors : (int)limit.rlim_cur;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < signals; i++)
    if (sigaction(crash_signals[i], &action, &before[i]) != 0) return errno;
  return 0;
}
