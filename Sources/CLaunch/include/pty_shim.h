#ifndef PATCHBAY_PTY_SHIM_H
#define PATCHBAY_PTY_SHIM_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>

/* Swift's Glibc module lacks these calls, so that they are wrapped here. Each returns 0 (or a descriptor), or -errno. */

/* Opens a pseudo terminal of the given size; its master is close-on-exec. `name` receives the slave's path. */
int patchbay_pty_open(char *name, size_t capacity, uint16_t columns, uint16_t rows);

/* Sets the size; the kernel sends SIGWINCH to the foreground group of the terminal. */
int patchbay_pty_resize(int descriptor, uint16_t columns, uint16_t rows);

int patchbay_pty_size(int descriptor, uint16_t *columns, uint16_t *rows);

/* POSIX_SPAWN_SETSID: the child leads a session of its own. */
short patchbay_spawn_new_session(void);

/* The child starts in this folder. */
int patchbay_spawn_add_folder(posix_spawn_file_actions_t *actions, const char *path);

/* The columns that glibc gives a code point in UTF-8, whatever the program's locale: 0, 1, 2, or -1 for unknown ones. */
int patchbay_scalar_width(uint32_t scalar);

#endif
