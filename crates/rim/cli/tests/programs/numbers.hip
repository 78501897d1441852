// Kernels that make NaN and infinity of numbers: ./numbers NAME; NAME-ok is the twin without the bug.
#include <cstdio>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <string>
#include <vector>

__global__ void normalise(const float *in, float *out, float sum) {
  int t = threadIdx.x;
  float x = in[t] / sum;
  out[t] = x;
}

__global__ void shrink(const float *in, __half *out) {
  int t = threadIdx.x;
  out[t] = __float2half(in[t] * 2000.0f);
}

__global__ void limit(const float *in, float *out, float sum) {
  int t = threadIdx.x;
  float x = in[t] / sum;
  if (x < 3.0f)
    out[t] = 1.0f;
}

// 22 hundred millions are too large.
__global__ void whole(const float *in, int *out, float factor) {
  int t = threadIdx.x;
  out[t] = int(in[t] * factor);
}

__global__ void shrinks(const float *in, volatile float *out, float factor) {
  int t = threadIdx.x;
  float x = in[t] * factor;
  out[t + 64] = x * factor;
  out[t] = x * 1e-10f;
}

// Values that are none on the way: the library's functions give numbers for all of these.
template <typename T> __device__ T functions(T x, T y) {
  T all = sqrt(x) + exp(x) + log(x + T(1)) + pow(x, T(1.5)) + sin(x) + cos(x) + tan(x) + cbrt(x);
  all += atan2(x, y) + hypot(x, y) + fmod(x, y) + tanh(x) + erf(x) + rsqrt(y) + x / y + fmin(x, y) + asin(x / T(100));
  all += exp(-x * T(200)) + T(1) / (T(1) + exp(x)) + lgamma(y) + cosh(x) + log2(y) + ldexp(x, -3) + round(x);
  return all;
}

__global__ void library(const float *in, float *out) {
  int t = threadIdx.x;
  out[t] = functions(in[t], in[t] + 0.25f);
}

__global__ void doubles(const float *in, double *out) {
  int t = threadIdx.x;
  out[t] = functions<double>(in[t], in[t] + 0.25);
}

// The logarithm of 0 is no NaN, and its product with 0 is one.
__device__ inline float information(float p) { return __log2f(p); }

__global__ void entropy(const float *in, float *out, float least) {
  float p = in[threadIdx.x] + least;
  out[threadIdx.x] = p * information(p);
}

int main(int, char **arguments) {
  std::string name = arguments[1];
  bool ok = name.size() > 3 && name.substr(name.size() - 3) == "-ok";
  if (ok)
    name.resize(name.size() - 3);
  std::vector<float> host(64);
  for (int i = 0; i < 64; i++)
    host[i] = float(i);
  float *in, *out;
  (void)hipMalloc(&in, 4 * 64);
  (void)hipMalloc(&out, 8 * 64);
  (void)hipMemset(out, 0, 8 * 64);
  if (name == "half" && ok)
    host.assign(64, 2.0f);
  (void)hipMemcpy(in, host.data(), 4 * 64, hipMemcpyHostToDevice);
  if (name == "divided")
    normalise<<<1, 64>>>(in, out, ok ? 4.0f : 0.0f);
  if (name == "half")
    shrink<<<1, 64>>>(in, reinterpret_cast<__half *>(out));
  if (name == "compared")
    limit<<<1, 64>>>(in, out, ok ? 4.0f : 0.0f);
  if (name == "integers")
    whole<<<1, 64>>>(in, reinterpret_cast<int *>(out), ok ? 1e6f : 1e8f);
  if (name == "small")
    shrinks<<<1, 64>>>(in, out, ok ? 1e-3f : 1e-30f);
  if (name == "library")
    library<<<1, 64>>>(in, out);
  if (name == "doubles")
    doubles<<<1, 64>>>(in, reinterpret_cast<double *>(out));
  if (name == "entropy")
    entropy<<<1, 64>>>(in, out, ok ? 1.0f : 0.0f);
  std::puts(hipDeviceSynchronize() == hipSuccess ? "done" : "failed");
}
