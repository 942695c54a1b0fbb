#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_keeper.h"
#include "launch_spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// A shell, for it is small and there; a copy of this process would hold all our memory.
// `cat` fails when nobody has the terminal open. A command that has closed its own ends may open it again while it runs,
// and is hung up if it is gone by then. A zombie has no `exe`. Where there is no `cat`, the shell reads by itself.
static const char script[] = "read x <&3; exec 3<&-\n"
                             "while :; do\n"
                             "  cat; while read -r x; do :; done\n"
                             "  kill -0 \"$1\" || exit 0\n"
                             "  test -e /proc/self/exe && ! test -e /proc/\"$1\"/exe && exit 0\n"
                             "  sleep 1\n"
                             "done";

// Each line says whether the screen is ours, as it is to begin with; the end of them that we are gone. Settings that are not
// ours any more are the shell's, which was quicker.
static const char screen_script[] = "on=1\n"
                                    "while read -r x <&3; do on=$x; done\n"
                                    "test \"$on\" = 1 || exit 0\n"
                                    "printf %s \"$1\"\n"
                                    "test \"$(stty -g)\" = \"$2\" && stty \"$3\"";

enum { leash_in_keeper = 3 };

// `output` is where it writes; negative is nowhere.
static int spawn_keeper(pid_t *keeper, int input, int output, int leash, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int code = launch_begin(&actions, &attributes);
  if (code) return code;
  short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef __APPLE__
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!code) code = posix_spawn_file_actions_adddup2(&actions, leash, leash_in_keeper);
  if (!code && output >= 0) code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (!code && output < 0) code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!code) code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
  if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, leash_in_keeper + 1);
#endif
#endif
  if (!code) code = posix_spawnattr_setflags(&attributes, flags);
  if (!code) code = posix_spawnattr_setsigmask(&attributes, &none);
  if (!code) code = posix_spawnattr_setsigdefault(&attributes, &all);
  char *environment[] = {"PATH=/usr/bin:/bin", NULL};
  if (!code) code = posix_spawn(keeper, "/bin/sh", &actions, &attributes, arguments, environment);
  launch_end(&actions, &attributes);
  return code;
}

int launch_keeper_start(pid_t *keeper, int *leash, int master, pid_t command) {
  int ends[2];
  char number[16];
#ifdef __APPLE__
  if (pipe(ends) != 0) return errno;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
#else
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
#endif
  snprintf(number, sizeof number, "%d", (int)command);
  char *arguments[] = {"sh", "-c", (char *)script, "patchbay-keeper", number, NULL};
  int code = spawn_keeper(keeper, master, -1, ends[0], arguments);
  close(ends[0]);
  if (code)
    close(ends[1]);
  else
    *leash = ends[1];
  return code;
}

int launch_screen_leash(int ends[2]) {
#ifdef __APPLE__
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
  for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
#endif
  return 0;
}

int launch_screen_keeper_start(pid_t *keeper, int leash, int terminal, const char *undo, const char *ours,
                               const char *found) {
  char *arguments[] = {"sh",         "-c",          (char *)screen_script, "patchbay-screen-keeper",
                       (char *)undo, (char *)ours, (char *)found,         NULL};
  return spawn_keeper(keeper, terminal, terminal, leash, arguments);
}

void launch_keeper_end(pid_t keeper, int leash) {
  // By its session: it may have a `cat` below it. Killed before the leash is let go of, so that it reads nothing.
  if (kill(-keeper, SIGKILL) != 0) kill(keeper, SIGKILL);
  close(leash);
  while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR) continue;
}
