#ifndef CLAUNCH_H
#define CLAUNCH_H

#include "launch_crash.h"
#include "launch_error.h"
#include "launch_find.h"
#include "launch_inherited.h"
#include "launch_keeper.h"
#include "launch_memory.h"
#include "launch_relay.h"
#include "launch_spawn.h"
#include "pty_shim.h"

#endif
