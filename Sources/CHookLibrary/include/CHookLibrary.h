#ifndef PATCHBAY_HOOK_LIBRARY_H
#define PATCHBAY_HOOK_LIBRARY_H

// Nothing to call: what this target is for is said to the linker, and only of the dynamic library that it is part of.

#endif
