#ifndef PATCHBAY_PRELOAD_SWIFT_ABI_H
#define PATCHBAY_PRELOAD_SWIFT_ABI_H

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))

#endif
