#ifndef LAUNCH_SPAWN_H
#define LAUNCH_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/// What to start. All texts are borrowed for the call.
struct launch_request {
  /// The file to run; it is not looked for in PATH.
  const char *path;
  char *const *arguments;
  char *const *environment;
  /// The terminal (its slave's path) that becomes the new session's own and its standard output and error; NULL keeps
  /// the caller's session, group and standard streams.
  const char *terminal;
  /// Whether standard input is the terminal too; else it stays the caller's.
  int terminal_is_input;
};

/// What posix_spawn is given, made together and given back together. Returns an `errno`, 0 if they are there.
int launch_begin(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes);
void launch_end(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes);

/// Starts it with the signal mask, SIGPIPE and descriptors that this process was started with. A file that the kernel cannot run and that is
/// not ELF is given to /bin/sh, as execvp(3) does. Returns an `errno`, 0 if it was started.
int launch_spawn(pid_t *process, const struct launch_request *request);

/// Opens a pseudo-terminal's master, close-on-exec, of the given size. It blocks, for who holds it besides us (the keeper)
/// may not be able to wait in any other way: look with poll(2) before reading. Returns an `errno`, 0 if all is well;
/// `terminal` gets the slave's path.
int launch_open_terminal(int *master, char *terminal, size_t size, unsigned short columns, unsigned short rows);

/// Writes as much as there is room for now: the count, or -1 with `errno` (EAGAIN: there is none). One thread at a time.
ssize_t launch_write_terminal(int master, const void *bytes, size_t count);

/// Returns an `errno`; the foreground group gets SIGWINCH if the size changed.
int launch_resize_terminal(int master, unsigned short columns, unsigned short rows);

/// Waits until `process`, a child, has ended: `status` is its exit status, or 128 + N if signal N ended it, as shells
/// count. The process is left to be reaped, so that until then its id belongs to nobody else. Returns an `errno`.
int launch_wait_for_end(pid_t process, int *status);

/// Reaps a process that has ended.
void launch_reap(pid_t process);

/// Starts a program that is none of the commands which are looked at: the person's editor, a viewer, what takes a copy.
/// It has its signals as a shell would give them (those that are ignored or blocked would survive the exec), and of our
/// descriptors its three streams.
///
/// @param path is looked for in PATH where it has no slash.
/// @param streams what becomes its standard input, output and error; -1 is /dev/null.
/// @param own_group whether it has a group of its own, so that an interrupted command does not take it along.
/// @return 0, or an error number.
int launch_spawn_beside(pid_t *process, const char *path, char *const arguments[], char *const environment[],
                        const int streams[3], int own_group);

#endif
