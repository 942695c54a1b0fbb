#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1

#if !__has_include(<curses.h>)
#error "The ncurses header is missing. Install it with: apt-get install libncurses-dev"
#else
#include <curses.h>

#include "CNcurses.h"
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* From term.h, which cannot be included: it defines `buttons`, `columns`, `lines` and more as macros. */
extern int setupterm(const char *type, int descriptor, int *error);

static SCREEN *screen;
static FILE *output_file;
static FILE *input_file;
static int output_descriptor = -1;
static cchar_t *row_buffer;
static int row_capacity;

static bool is_utf8(void) {
  const char *codeset = nl_langinfo(CODESET);
  return codeset != NULL && (strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "utf8") == 0);
}

bool patchbay_locale_rescue(void) {
  if (setlocale(LC_ALL, "") != NULL && is_utf8()) return true;
  return setlocale(LC_ALL, "C.UTF-8") != NULL && is_utf8();
}

static const char *capability(const char *name) {
  const char *text = tigetstr(name);
  return text == (const char *)-1 ? NULL : text;
}

int patchbay_terminal_check(const char *type, int output) {
  int error = 0;
  if (setupterm(type, output, &error) != OK) return PATCHBAY_TERMINAL_UNKNOWN;
  return capability("cup") == NULL ? PATCHBAY_TERMINAL_DUMB : PATCHBAY_TERMINAL_OK;
}

static void forget(void) {
  patchbay_guard_output(-1);
  if (output_file != NULL) fclose(output_file);
  if (input_file != NULL) fclose(input_file);
  output_file = input_file = NULL;
  screen = NULL;
}

int patchbay_terminal_open(const char *type, int output, int input) {
  if (screen != NULL) return PATCHBAY_TERMINAL_FAILED;
  patchbay_guard_save(output);
  /* Copies, so that closing these files leaves the program's descriptors open; child programs inherit none. */
  int out = fcntl(output, F_DUPFD_CLOEXEC, 3);
  int in = fcntl(input, F_DUPFD_CLOEXEC, 3);
  output_file = out < 0 ? NULL : fdopen(out, "w");
  input_file = in < 0 ? NULL : fdopen(in, "r");
  if (output_file == NULL || input_file == NULL) {
    forget();
    return PATCHBAY_TERMINAL_FAILED;
  }
  screen = newterm(type, output_file, input_file);
  if (screen == NULL) {
    forget();
    return PATCHBAY_TERMINAL_FAILED;
  }
  output_descriptor = output;
  patchbay_guard_output(out);
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  /* Input is read elsewhere: a key that waits there must not cut an update short. */
  typeahead(-1);
  idlok(stdscr, TRUE);
  curs_set(0);
  if (has_colors()) {
    start_color();
    use_default_colors();
  }
  const char *names[] = {"sgr0", "rmacs", "rmkx", "rmcup", "cnorm"};
  const char *strings[5];
  for (int i = 0; i < 5; i++) strings[i] = capability(names[i]);
  patchbay_guard_arm(strings, 5);
  wrefresh(stdscr);
  return PATCHBAY_TERMINAL_OK;
}

void patchbay_terminal_close(void) {
  if (screen == NULL) return;
  curs_set(1);
  endwin();
  patchbay_guard_disarm();
  delscreen(screen);
  forget();
  output_descriptor = -1;
}

void patchbay_terminal_leave(void) {
  if (screen == NULL) return;
  curs_set(1);
  def_prog_mode();
  endwin();
  patchbay_guard_pause(true);
}

void patchbay_terminal_enter(void) {
  if (screen == NULL) return;
  patchbay_guard_pause(false);
  reset_prog_mode();
  clearok(curscr, TRUE);
  wrefresh(stdscr);
  curs_set(0);
}

int patchbay_terminal_colors(void) { return screen != NULL && has_colors() ? COLORS : 0; }

int patchbay_terminal_pairs(void) { return screen != NULL && has_colors() ? COLOR_PAIRS : 0; }

bool patchbay_terminal_is_direct(void) {
  return tigetflag("RGB") == 1 || tigetnum("RGB") > 0 || capability("RGB") != NULL;
}

bool patchbay_terminal_inserts_corner(void) {
  return tigetflag("am") == 1 && (capability("rmam") == NULL || capability("smam") == NULL);
}

bool patchbay_terminal_pair(int pair, int foreground, int background) {
  return init_extended_pair(pair, foreground, background) == OK;
}

static attr_t attributes_of(uint32_t bits) {
  attr_t attributes = A_NORMAL;
  if (bits & PATCHBAY_BOLD) attributes |= A_BOLD;
  if (bits & PATCHBAY_DIM) attributes |= A_DIM;
  if (bits & PATCHBAY_ITALIC) attributes |= A_ITALIC;
  if (bits & PATCHBAY_UNDERLINE) attributes |= A_UNDERLINE;
  if (bits & PATCHBAY_REVERSE) attributes |= A_REVERSE;
  return attributes;
}

void patchbay_terminal_put(int row, int column, const patchbay_cell *cells, int count) {
  if (screen == NULL || count <= 0) return;
  if (count > row_capacity) {
    cchar_t *grown = realloc(row_buffer, (size_t)count * sizeof *grown);
    if (grown == NULL) return;
    row_buffer = grown;
    row_capacity = count;
  }
  for (int i = 0; i < count; i++) {
    wchar_t text[6] = {0};
    for (int j = 0; j < 5; j++) text[j] = (wchar_t)cells[i].scalars[j];
    int pair = cells[i].pair;
    if (setcchar(&row_buffer[i], text, attributes_of(cells[i].attributes), 0, &pair) != OK) {
      setcchar(&row_buffer[i], L"?", A_NORMAL, 0, &pair);
    }
  }
  mvwadd_wchnstr(stdscr, row, column, row_buffer, count);
}

void patchbay_terminal_update(int cursor_row, int cursor_column) {
  if (screen == NULL) return;
  patchbay_guard_thread();
  if (cursor_row >= 0) wmove(stdscr, cursor_row, cursor_column);
  leaveok(stdscr, cursor_row < 0);
  wnoutrefresh(stdscr);
  doupdate();
  curs_set(cursor_row >= 0 ? 1 : 0);
  fflush(output_file);
}

void patchbay_terminal_redraw(void) {
  if (screen != NULL) clearok(curscr, TRUE);
}

void patchbay_terminal_resize(int rows, int columns) {
  if (screen == NULL) return;
  resizeterm(rows, columns);
  werase(stdscr);
  clearok(curscr, TRUE);
}

bool patchbay_terminal_size(int descriptor, int *rows, int *columns) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return false;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return true;
}

void patchbay_terminal_scrolls(bool on) {
  if (screen != NULL) idlok(stdscr, on);
}

void patchbay_terminal_write(const char *bytes, long count) {
  if (screen == NULL) return;
  fflush(output_file);
  patchbay_write_all(output_descriptor, bytes, count);
}

bool patchbay_has_job_control(void) { return getpgrp() != getsid(0); }

void patchbay_stop_self(void) {
  /* The whole job stops, as where the terminal says so: scripts and pipes in our group too, or the shell does not come back.
     We are told apart, for we hear of it and would stop once more. */
  struct sigaction ignoring = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGTSTP, &ignoring, &before);
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &before, NULL);
  /* Not kill(getpid(), …): in a threaded process that may return before the process has stopped. */
  raise(SIGSTOP);
}

#endif
