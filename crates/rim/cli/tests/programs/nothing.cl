// The compiler leaves nothing of the first kernel: `full` begins where it would be.
kernel void nothing(void) { __builtin_unreachable(); }
kernel void full(global int *out) { *out = 1; }
