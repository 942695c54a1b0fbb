#ifndef PATCHBAY_CNCURSES_H
#define PATCHBAY_CNCURSES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * ncurses behind a dozen functions. curses.h stays in the .c: its macros, stdscr and variadics cannot be imported,
 * and its names are too short to leak. Everything here belongs to the main thread, unless it says otherwise.
 */

enum {
  PATCHBAY_TERMINAL_OK = 0,
  /* There is no entry for the type in the terminfo database. */
  PATCHBAY_TERMINAL_UNKNOWN = 1,
  /* The terminal cannot move its cursor. */
  PATCHBAY_TERMINAL_DUMB = 2,
  /* ncurses refused for another reason. */
  PATCHBAY_TERMINAL_FAILED = 3,
};

enum {
  PATCHBAY_BOLD = 1,
  PATCHBAY_DIM = 2,
  PATCHBAY_ITALIC = 4,
  PATCHBAY_UNDERLINE = 8,
  PATCHBAY_REVERSE = 16,
};

/* A cell: its scalar and up to four combining marks, zeros after the last. The second half of a wide one is left out. */
typedef struct {
  uint32_t scalars[5];
  int32_t pair;
  uint32_t attributes;
} patchbay_cell;

/* Makes the locale's encoding UTF-8; without that wide cells come out blank. Returns whether it is now. */
bool patchbay_locale_rescue(void);

/* Whether the terminal type (NULL for TERM) is known and can do what a screen needs: one of the constants above. */
int patchbay_terminal_check(const char *type, int output);

/* Saves the terminal's settings and opens it: alternate screen, raw, no echo. One of the constants above. */
int patchbay_terminal_open(const char *type, int output, int input);

/* Puts the terminal back and forgets it. Does nothing if it is not open. */
void patchbay_terminal_close(void);

/* Leaves the screen to another program, and takes it again. */
void patchbay_terminal_leave(void);
void patchbay_terminal_enter(void);

int patchbay_terminal_colors(void);
int patchbay_terminal_pairs(void);
/* Whether the type says that its colours are 24 bit (the RGB capability of the -direct entries). */
bool patchbay_terminal_is_direct(void);

/*
 * Whether ncurses fills the bottom right corner by inserting (the terminal wraps by itself and has no switch for that:
 * tmux, screen, rxvt). It then destroys a wide character that stands just before the corner.
 */
bool patchbay_terminal_inserts_corner(void);

/* Defines a pair of colours; -1 is the terminal's own. */
bool patchbay_terminal_pair(int pair, int foreground, int background);

/* Puts cells of one row into ncurses' own copy of the screen. */
void patchbay_terminal_put(int row, int column, const patchbay_cell *cells, int count);

/* Sends what changed, with the cursor at this place, or hidden if the row is negative. */
void patchbay_terminal_update(int cursor_row, int cursor_column);

/* Everything is to be sent again with the next update. */
void patchbay_terminal_redraw(void);

/* Tells ncurses the size. */
void patchbay_terminal_resize(int rows, int columns);

/* The size that the kernel knows; false if it knows none. */
bool patchbay_terminal_size(int descriptor, int *rows, int *columns);

/* Whether lines that move may be scrolled by the terminal instead of being drawn again. */
void patchbay_terminal_scrolls(bool on);

/* Writes to the terminal beside ncurses, after what it has sent. */
void patchbay_terminal_write(const char *bytes, long count);

/*
 * What to send when the terminal is put back in a crash or at exit, before the type's own strings: modes that were
 * turned on with patchbay_terminal_write. At most 255 bytes.
 */
void patchbay_terminal_set_undo(const char *bytes);

/*
 * What puts the terminal back from outside: the bytes to send, the settings as they are now, and those that were found,
 * as `stty -g` prints them. Each array has `size` bytes. False if that is not known. The terminal is open.
 */
bool patchbay_terminal_undo(char *bytes, char *ours, char *found, long size);

/*
 * A socket that gets a line, `1` or `0`, whenever the terminal needs putting back from now on or does not any more; now
 * the state that it is in. Negative is none.
 */
void patchbay_terminal_set_leash(int descriptor);

/*
 * From now on a crash (SEGV BUS ILL TRAP FPE ABRT) and exit() put the terminal back first; then whatever was to
 * happen happens. Safe on any thread by itself: async-signal-safe calls only.
 */
void patchbay_terminal_guard(void);

/*
 * Whether there is a shell to come back to: those with job control give each job a group of its own. Without one, as
 * under `xterm -e`, a stopped program stays stopped.
 */
bool patchbay_has_job_control(void);

/*
 * Standard error would be lost in the alternate screen: sends it to this descriptor until the terminal is closed or put
 * back. Returns 0 or an errno.
 */
int patchbay_terminal_redirect_errors(int descriptor);

/* A descriptor from which the numbers of noted signals can be read, a byte each, in the order in which they came; -1 where
 * there is none left. The same each time. */
int patchbay_signal_pipe(void);

/* A signal handler that writes the number there, and does nothing else. */
void patchbay_note_signal(int number);

/* Stops this process as ctrl-z does and returns when it goes on. */
void patchbay_stop_self(void);

#endif
