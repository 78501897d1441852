// rocrtst asks hwloc for devices in the way of version 1, by a flag; version 2 has a filter for them.
#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020000
#ifndef HWLOC_TOPOLOGY_FLAG_WHOLE_SYSTEM
#define HWLOC_TOPOLOGY_FLAG_WHOLE_SYSTEM HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED
#endif
#define HWLOC_TOPOLOGY_FLAG_IO_DEVICES 0UL
#define hwloc_topology_load(topology) \
  (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL), (hwloc_topology_load)(topology))
#endif
