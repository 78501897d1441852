// Graphs: captured from a stream and built by hand, launched again and again.
#include "check.h"

__global__ void axpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

int main() {
    const int n = 3000;
    std::vector<float> ones(n, 1), result(n);
    Array<float> x(ones), y(n);
    y.zero();
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    hipGraph_t graph;
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    axpy<<<(n + 127) / 128, 128, 0, stream>>>(2, x, y, n);
    axpy<<<(n + 127) / 128, 128, 0, stream>>>(3, x, y, n);
    HIP(hipMemcpyAsync(result.data(), y, n * 4, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    HIP(hipGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 3, "%zu nodes", nodes);
    hipGraphExec_t exec;
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int launch = 1; launch <= 4; launch++) {
        HIP(hipGraphLaunch(exec, stream));
        HIP(hipStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            EXPECT(result[i] == 5 * launch, "captured, launch %d: [%d] is %g", launch, i, result[i]);
    }
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));

    // memset, then two kernels side by side on halves, then one over all.
    HIP(hipGraphCreate(&graph, 0));
    hipGraphNode_t clear, left, right, all;
    hipMemsetParams fill{};
    fill.dst = y.data;
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    HIP(hipGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    float two = 2, ten = 10;
    int half = n / 2;
    float *x0 = x, *y0 = y, *y1 = y0 + half;
    int count = n;
    auto kernel = [&](hipGraphNode_t *node, std::vector<hipGraphNode_t> after, void **arguments, int size) {
        hipKernelNodeParams parameters{};
        parameters.func = reinterpret_cast<void *>(axpy);
        parameters.gridDim = dim3((size + 255) / 256);
        parameters.blockDim = dim3(256);
        parameters.kernelParams = arguments;
        HIP(hipGraphAddKernelNode(node, graph, after.data(), after.size(), &parameters));
    };
    void *left_arguments[] = {&two, &x0, &y0, &half};
    void *right_arguments[] = {&ten, &x0, &y1, &half};
    void *all_arguments[] = {&ten, &x0, &y0, &count};
    kernel(&left, {clear}, left_arguments, half);
    kernel(&right, {clear}, right_arguments, half);
    kernel(&all, {left, right}, all_arguments, n);
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int launch = 0; launch < 3; launch++) {
        HIP(hipGraphLaunch(exec, stream));
        HIP(hipStreamSynchronize(stream));
        auto got = y.get();
        for (int i = 0; i < n; i++)
            EXPECT(got[i] == (i < half ? 12 : 20), "built, launch %d: [%d] is %g", launch, i, got[i]);
    }
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
    return verdict();
}
