#ifndef WATCHPROTO_CARGON2_SHIM_H
#define WATCHPROTO_CARGON2_SHIM_H

#include <argon2.h>

#endif
