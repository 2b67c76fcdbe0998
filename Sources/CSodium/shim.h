#ifndef WATCHPROTO_CSODIUM_SHIM_H
#define WATCHPROTO_CSODIUM_SHIM_H

#include <sodium.h>

#endif
