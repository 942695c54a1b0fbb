#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_inherited.h"
#include "launch_spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

int launch_begin(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
  int code = posix_spawn_file_actions_init(actions);
  if (code) return code;
  code = posix_spawnattr_init(attributes);
  if (code) posix_spawn_file_actions_destroy(actions);
  return code;
}

void launch_end(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
  posix_spawnattr_destroy(attributes);
  posix_spawn_file_actions_destroy(actions);
}

static int is_elf(const char *path) {
  char magic[4];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, magic, sizeof magic);
  close(file);
  return count == (ssize_t)sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

static int spawn_in_shell(pid_t *process, const struct launch_request *request,
                          const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes) {
  size_t count = 0;
  while (request->arguments[count]) count++;
  char **arguments = calloc(count + 3, sizeof *arguments);
  if (!arguments) return ENOMEM;
  arguments[0] = (char *)"/bin/sh";
  arguments[1] = (char *)request->path;
  for (size_t i = 1; i < count; i++) arguments[i + 1] = request->arguments[i];
  int code = posix_spawn(process, "/bin/sh", actions, attributes, arguments, request->environment);
  free(arguments);
  return code;
}

int launch_spawn(pid_t *process, const struct launch_request *request) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t mask, defaults;
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  int code = launch_begin(&actions, &attributes);
  if (code) return code;
  launch_keep_own_descriptors();
  launch_inherited_mask(&mask);
  sigemptyset(&defaults);
  if (!launch_inherited_ignores(SIGPIPE)) sigaddset(&defaults, SIGPIPE);
  if (request->terminal) {
    // The first terminal that a session's leader opens becomes the session's.
    int first = request->terminal_is_input ? STDIN_FILENO : STDOUT_FILENO;
    flags |= POSIX_SPAWN_SETSID;
    code = posix_spawn_file_actions_addopen(&actions, first, request->terminal, O_RDWR, 0);
    if (!code && first != STDOUT_FILENO) code = posix_spawn_file_actions_adddup2(&actions, first, STDOUT_FILENO);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, first, STDERR_FILENO);
    // What the console itself ignores is none of the command's business in a session of its own.
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    sigaddset(&defaults, SIGHUP);
    sigaddset(&defaults, SIGTSTP);
    sigaddset(&defaults, SIGTTIN);
    sigaddset(&defaults, SIGTTOU);
  }
  if (!code) code = posix_spawnattr_setflags(&attributes, flags);
  if (!code) code = posix_spawnattr_setsigmask(&attributes, &mask);
  if (!code) code = posix_spawnattr_setsigdefault(&attributes, &defaults);
  if (!code)
    code = posix_spawn(process, request->path, &actions, &attributes, request->arguments, request->environment);
  if (code == ENOEXEC && !is_elf(request->path)) code = spawn_in_shell(process, request, &actions, &attributes);
  launch_end(&actions, &attributes);
  return code;
}

int launch_spawn_beside(pid_t *process, const char *path, char *const arguments[], char *const environment[],
                        const int streams[3], int own_group) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (own_group) flags |= POSIX_SPAWN_SETPGROUP;
  int code = launch_begin(&actions, &attributes);
  if (code) return code;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && !code; stream++) {
    if (streams[stream] >= 0)
      code = posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
    else
      code = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream ? O_WRONLY : O_RDONLY, 0);
  }
  if (!code) code = launch_give_standard_streams_only(&actions, &flags);
  if (!code) code = posix_spawnattr_setflags(&attributes, flags);
  if (!code) code = posix_spawnattr_setsigmask(&attributes, &none);
  if (!code) code = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!code) code = posix_spawnp(process, path, &actions, &attributes, arguments, environment);
  launch_end(&actions, &attributes);
  return code;
}

int launch_open_terminal(int *master, char *terminal, size_t size, unsigned short columns, unsigned short rows) {
  int file = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return errno;
  int code = 0;
  if (grantpt(file) != 0 || unlockpt(file) != 0) code = errno;
#ifdef __APPLE__
  if (!code && (!ptsname(file) || strlcpy(terminal, ptsname(file), size) >= size)) code = errno ? errno : ERANGE;
#else
  if (!code) code = ptsname_r(file, terminal, size);
#endif
  if (!code) code = launch_resize_terminal(file, columns, rows);
  if (code) {
    close(file);
    return code;
  }
  *master = file;
  return 0;
}

ssize_t launch_write_terminal(int master, const void *bytes, size_t count) {
  if (fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK) != 0) return -1;
  ssize_t written = write(master, bytes, count);
  int code = errno;
  fcntl(master, F_SETFL, O_RDWR);
  errno = code;
  return written;
}

int launch_resize_terminal(int master, unsigned short columns, unsigned short rows) {
  struct winsize window = {.ws_col = columns, .ws_row = rows};
  return ioctl(master, TIOCSWINSZ, &window) == 0 ? 0 : errno;
}

int launch_wait_for_end(pid_t process, int *status) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return errno;
  *status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return 0;
}

void launch_reap(pid_t process) {
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}
