kernel void grows(global int *out, global const int *in) {
  int item = __builtin_amdgcn_workitem_id_x();
  int more = in[item] + 1;
  out[2 * item] = item;
  out[2 * item + 1] =
#ifdef FAULTS
      *(global const int *)16 +
#endif
#ifdef ENDLESS
      ({
        while (more)
          __asm__ volatile("" : "+v"(more));
        0;
      }) +
#endif
      (more > in[item]);
}
