// Kernels that load their arguments, from the first byte on, and store once.
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void put(global int *out, int value) { out[LANE] = value; }

// Behind the branches of a loop there may be instructions that nothing reaches.
kernel void turn(global uint *turns, uint limit, float cx, float cy) {
  float x = LANE, y = 0;
  uint n = 0;
  while (n < limit && x * x + y * y < 4) {
    float next = __builtin_fmaf(x, x, __builtin_fmaf(-y, y, cx));
    y = __builtin_fmaf(2 * x, y, cy);
    x = next;
    n++;
  }
  turns[LANE] = n;
}
