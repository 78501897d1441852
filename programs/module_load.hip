// A code object compiled by hipcc, loaded from a file and from memory, launched with hipModuleLaunchKernel.
#include "check.h"
#include <string>
#include <unistd.h>

static const char *source = R"(
#include <hip/hip_runtime.h>
__device__ int bias = 100;
extern "C" __global__ void combine(const int *a, const int *b, int *out, int n, short factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i] * factor + bias;
}
extern "C" __global__ void dynamic_lds(int *out) {
    extern __shared__ int cells[];
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
)";

int main() {
    char folder[] = "/tmp/module-load-XXXXXX";
    if (!mkdtemp(folder))
        return 2;
    std::string base = folder, hip = base + "/kernels.hip", object = base + "/kernels.hsaco";
    FILE *file = fopen(hip.c_str(), "w");
    fputs(source, file);
    fclose(file);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    std::string target = properties.gcnArchName;
    std::string command = "hipcc --genco -O2 --offload-arch=" + target.substr(0, target.find(':')) + " " + hip + " -o " + object;
    if (system(command.c_str()) != 0)
        return 2;

    std::vector<char> bytes;
    file = fopen(object.c_str(), "rb");
    for (int c; (c = fgetc(file)) != EOF;)
        bytes.push_back(char(c));
    fclose(file);
    for (int way = 0; way < 2; way++) {
        hipModule_t module;
        if (way == 0)
            HIP(hipModuleLoad(&module, object.c_str()));
        else
            HIP(hipModuleLoadData(&module, bytes.data()));
        hipFunction_t combine, dynamic_lds;
        HIP(hipModuleGetFunction(&combine, module, "combine"));
        HIP(hipModuleGetFunction(&dynamic_lds, module, "dynamic_lds"));
        EXPECT(hipModuleGetFunction(&combine, module, "absent") != hipSuccess, "a kernel named absent");
        HIP(hipModuleGetFunction(&combine, module, "combine"));
        const int n = 500;
        std::vector<int> numbers(n);
        for (int i = 0; i < n; i++)
            numbers[i] = i;
        Array<int> a(numbers), b(numbers), out(n);
        struct {
            int *a, *b, *out;
            int n;
            short factor;
        } packed{a, b, out, n, -3};
        size_t size = sizeof packed;
        void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
        HIP(hipModuleLaunchKernel(combine, 5, 1, 1, 100, 1, 1, 0, nullptr, nullptr, extra));
        HIP(hipDeviceSynchronize());
        auto got = out.get();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == 100 - 2 * i, "way %d: [%d] is %d", way, i, got[i]);
        int *pointer = out;
        void *arguments[] = {&pointer};
        HIP(hipModuleLaunchKernel(dynamic_lds, 1, 1, 1, 200, 1, 1, 800, nullptr, arguments, nullptr));
        HIP(hipDeviceSynchronize());
        got = out.get();
        for (int i = 0; i < 200; i++)
            EXPECT(got[i] == 199 - i, "LDS, way %d: [%d] is %d", way, i, got[i]);
        HIP(hipModuleUnload(module));
    }
    unlink(hip.c_str());
    unlink(object.c_str());
    rmdir(folder);
    return verdict();
}
