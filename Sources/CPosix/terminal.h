/* The size of a terminal, whose ioctl is variadic. */
#ifndef WATCHPROTO_TERMINAL_H
#define WATCHPROTO_TERMINAL_H

#include <sys/ioctl.h>

/* Columns and rows of the terminal that is open as `descriptor`; -1 with errno where it is none. */
static inline int watchproto_terminal_size(int descriptor, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

#endif
