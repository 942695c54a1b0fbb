#include "CHookLibrary.h"

#ifdef __linux__
// The library gets into programs that people look at with other tools. Its debugging information would make valgrind
// 3.19 give up, since it cannot read DWARF 5, and gdb complain about each of our modules that it does not find. The
// names of functions stay.
__asm__(".pushsection .swift1_autolink_entries,\"e\",@progbits\n"
        ".asciz \"-Wl,--strip-debug\"\n"
        ".popsection\n");
#endif
