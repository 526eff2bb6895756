// SPDX-License-Identifier: GPL-2.0-or-later
#include "stand_in.h"
STAND_IN("gdrdrv");
