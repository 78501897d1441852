// Kernels that do little else than access global memory.
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
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

// Sums of bytes, as of images with one channel.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void bytes(global const uchar *in, global uchar *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[at] = in[at] + out[at];
}

// Bytes and those beside them, as in filters of images.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void filter(global const uchar *in, global uchar *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[at + 1] = (in[at] + 2 * in[at + 1] + in[at + 2]) / 4;
}

// Sums of elements of two bytes.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void halves(global const ushort *in, global ushort *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[at] = in[at] + out[at];
}

// Every other dword.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void pairs(global const uint *in, global uint *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[2 * at] = in[2 * at];
}

// The first and the last dword of three.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void triples(global const uint *in, global uint *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  out[3 * at] = in[3 * at] + in[3 * at + 2];
}

// Bytes of images with three channels.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void colours(global const uchar *in, global uchar *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  uchar red = in[3 * at], green = in[3 * at + 1], blue = in[3 * at + 2];
  out[3 * at] = blue;
  out[3 * at + 1] = green;
  out[3 * at + 2] = red;
}

// Words of its own that each lane loads with the bits of a flag.
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void looks(global const uint *in, global volatile uint *out) {
  uint at = 256 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
  for (uint round = 0; round < 8; round++)
    out[at] += round;
}
