// A kernel compiled at run time, its name looked up after lowering, launched both ways.
#include "check.h"
#include <hip/hiprtc.h>
#include <string>

static const char *source = R"(
template <typename T> __global__ void scale(T *values, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * factor + T(OFFSET);
}
__device__ int twice_of;
extern "C" __global__ void twice(int *out) { *out = twice_of * 2; }
)";

#define RTC(call)                                                          \
    do {                                                                   \
        hiprtcResult result_ = (call);                                     \
        if (result_ != HIPRTC_SUCCESS) {                                   \
            std::printf("%s: %s\n", #call, hiprtcGetErrorString(result_)); \
            return 2;                                                      \
        }                                                                  \
    } while (0)

int main() {
    hiprtcProgram program;
    RTC(hiprtcCreateProgram(&program, source, "scale.hip", 0, nullptr, nullptr));
    RTC(hiprtcAddNameExpression(program, "scale<float>"));
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    std::string architecture = std::string("--gpu-architecture=") + properties.gcnArchName;
    const char *options[] = {architecture.c_str(), "-DOFFSET=3"};
    hiprtcResult compiled = hiprtcCompileProgram(program, 2, options);
    if (compiled != HIPRTC_SUCCESS) {
        size_t size = 0;
        hiprtcGetProgramLogSize(program, &size);
        std::string log(size, 0);
        hiprtcGetProgramLog(program, log.empty() ? nullptr : &log[0]);
        std::printf("%s\n", log.c_str());
        return 2;
    }
    const char *lowered;
    RTC(hiprtcGetLoweredName(program, "scale<float>", &lowered));
    std::string name = lowered;
    size_t size;
    RTC(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    RTC(hiprtcGetCode(program, code.data()));
    RTC(hiprtcDestroyProgram(&program));

    hipModule_t module;
    hipFunction_t scale, twice;
    HIP(hipModuleLoadData(&module, code.data()));
    HIP(hipModuleGetFunction(&scale, module, name.c_str()));
    HIP(hipModuleGetFunction(&twice, module, "twice"));
    const int n = 1000;
    std::vector<float> in(n);
    for (int i = 0; i < n; i++)
        in[i] = i;
    Array<float> values(in);
    float factor = 0.5f;
    int count = n;
    float *pointer = values;
    void *arguments[] = {&pointer, &factor, &count};
    HIP(hipModuleLaunchKernel(scale, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    HIP(hipDeviceSynchronize());
    auto got = values.get();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == i * 0.5f + 3, "[%d] is %g", i, got[i]);
    hipDeviceptr_t global;
    size_t bytes;
    HIP(hipModuleGetGlobal(&global, &bytes, module, "twice_of"));
    EXPECT(bytes == 4, "%zu bytes", bytes);
    int value = 21;
    HIP(hipMemcpyHtoD(global, &value, 4));
    Array<int> out(1);
    struct {
        int *out;
    } packed{out};
    size_t packed_size = sizeof packed;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, HIP_LAUNCH_PARAM_END};
    HIP(hipModuleLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    HIP(hipDeviceSynchronize());
    EXPECT(out.get()[0] == 42, "%d", out.get()[0]);
    HIP(hipModuleUnload(module));
    return verdict();
}
