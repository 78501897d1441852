// Kernels that do little else than access global memory.
typedef unsigned int uint;
typedef uint four __attribute__((ext_vector_type(4)));

// Loads and stores of a dword, far apart from lane to lane.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void scattered(global const uint *in, global uint *out, uint last) {
  uint at = (256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x()) * 2654435761u & last;
  out[at] = in[at];
}

// Loads and stores of 16 bytes.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void copy(global const four *in, global four *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[at] = in[at];
}
