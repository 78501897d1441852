// Functions whose argument has no result: ./outside launches one kernel for each, and all leave NaN.
#include <cmath>
#include <cstdio>
#include <hip/hip_runtime.h>

// x is -2 and y infinity, from memory.
#define ONE(name, type, expression)                               \
  extern "C" __global__ void name(const float *in, double *out) { \
    type x = in[0], y = in[1];                                    \
    (void)y;                                                      \
    *out = expression;                                            \
  }
#define BOTH(name)                  \
  ONE(name##_float, float, name(x)) \
  ONE(name##_double, double, name(x))
#define OF_ONE(each) each(sqrt) each(log) each(log2) each(log10) each(asin) each(acos) each(log1p) each(acosh) each(atanh)

OF_ONE(BOTH)
ONE(pow_float, float, powf(x, 0.5f))
ONE(pow_double, double, pow(x, 0.5))
ONE(fmod_float, float, fmodf(x, 0.0f))
ONE(fmod_double, double, fmod(x, 0.0))
ONE(sin_float, float, sinf(y))
ONE(sin_double, double, sin(y))
ONE(cos_float, float, cosf(y))
ONE(cos_double, double, cos(y))

int main() {
  const float host[2] = {-2.0f, INFINITY};
  float *in;
  double *out;
  (void)hipMalloc(&in, sizeof host);
  (void)hipMalloc(&out, 8);
  (void)hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice);
#define LAUNCH(name)                                            \
  {                                                             \
    double got = 0;                                             \
    name<<<1, 1>>>(in, out);                                    \
    (void)hipMemcpy(&got, out, 8, hipMemcpyDeviceToHost);       \
    std::printf("%s %f\n", #name, std::isnan(got) ? NAN : got); \
  }
#define LAUNCH_BOTH(name) LAUNCH(name##_float) LAUNCH(name##_double)
  OF_ONE(LAUNCH_BOTH)
  LAUNCH_BOTH(pow)
  LAUNCH_BOTH(fmod)
  LAUNCH_BOTH(sin)
  LAUNCH_BOTH(cos)
}
