#include "count.h"
