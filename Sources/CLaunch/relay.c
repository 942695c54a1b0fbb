#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_relay.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int relayed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP};
enum { count = sizeof relayed / sizeof *relayed };

static struct sigaction before[count];
static int installed[count];
/// 0 before there is one, -1 after its end.
static atomic_int command;
static atomic_int pending[count];
static atomic_flag on = ATOMIC_FLAG_INIT;

// The command stops, then we do; who makes us go on makes it go on.
static void stop(int is_meant_for_command) {
  pid_t process = is_meant_for_command ? atomic_load(&command) : 0;
  if (process > 0) kill(process, SIGTSTP);
  // Without job control nobody would have us go on; the command does as the system has it do there.
  if (getpgrp() == getsid(0)) return;
  raise(SIGSTOP);
  if (process > 0) kill(process, SIGCONT);
}

// What came before there was a command.
static void pass_on_pending(void) {
  pid_t process = atomic_load(&command);
  if (process <= 0) return;
  for (int i = 0; i < count; i++) {
    if (!atomic_exchange(&pending[i], 0)) continue;
    if (relayed[i] == SIGTSTP) {
      stop(1);
    } else {
      kill(process, relayed[i]);
    }
  }
}

static void relay(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  // Positive codes are the kernel's: the terminal, which has told the whole group.
  int is_meant_for_command = !info || info->si_code <= 0;
  pid_t process = atomic_load(&command);
  if (is_meant_for_command && process == 0) {
    for (int i = 0; i < count; i++)
      if (relayed[i] == number) atomic_store(&pending[i], 1);
    // It may have come between the two.
    pass_on_pending();
  } else if (number == SIGTSTP) {
    stop(is_meant_for_command);
  } else if (is_meant_for_command && process > 0) {
    kill(process, number);
  }
  errno = saved;
}

int launch_relay_begin(void) {
  if (atomic_flag_test_and_set(&on)) return EBUSY;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = relay;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < count; i++) {
    installed[i] = sigaction(relayed[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN;
    if (installed[i]) sigaction(relayed[i], &action, NULL);
  }
  return 0;
}

void launch_relay_to(pid_t process) {
  atomic_store(&command, process);
  pass_on_pending();
}

void launch_relay_forget(pid_t process) {
  int expected = process;
  atomic_compare_exchange_strong(&command, &expected, -1);
}

void launch_relay_end(void) {
  atomic_store(&command, 0);
  for (int i = 0; i < count; i++)
    if (installed[i]) sigaction(relayed[i], &before[i], NULL);
  memset(installed, 0, sizeof installed);
  atomic_flag_clear(&on);
}
