#ifndef WATCHPROTO_CZDICT_SHIM_H
#define WATCHPROTO_CZDICT_SHIM_H

#include <zdict.h>

#endif
