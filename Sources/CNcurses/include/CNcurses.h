int CNcurses_placeholder(void);
