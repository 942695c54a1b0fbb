#ifndef LAUNCH_MEMORY_H
#define LAUNCH_MEMORY_H

/// The allocator maps pieces of 256 KiB and more each for itself; they go back to the system as they are freed.
void launch_map_large_pieces(void);

/// The allocator gives what lies free back to the system.
void launch_give_back_memory(void);

#endif
