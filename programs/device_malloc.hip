// malloc, free, new and delete on the device.
// varies: waves wait for each other
#include "check.h"

struct Node {
    int value;
    Node *next;
};

__global__ void lists(int *out) {
    Node *head = nullptr;
    for (int i = 0; i <= int(threadIdx.x % 8); i++) {
        Node *node = static_cast<Node *>(malloc(sizeof(Node)));
        if (!node) {
            out[threadIdx.x] = -1;
            return;
        }
        node->value = i * int(threadIdx.x);
        node->next = head;
        head = node;
    }
    int sum = 0;
    while (head) {
        sum += head->value;
        Node *next = head->next;
        free(head);
        head = next;
    }
    out[threadIdx.x] = sum;
}

__device__ int *kept[64];
__global__ void keep() {
    int *p = new int[16];
    for (int i = 0; i < 16; i++)
        p[i] = int(threadIdx.x) * 100 + i;
    kept[threadIdx.x] = p;
}
__global__ void take(int *out) {
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += kept[threadIdx.x][i];
    delete[] kept[threadIdx.x];
    out[threadIdx.x] = sum;
}

int main() {
    Array<int> out(64);
    lists<<<1, 64>>>(out);
    FINISH();
    auto got = out.get();
    for (int t = 0; t < 64; t++) {
        int n = t % 8;
        EXPECT(got[t] == t * n * (n + 1) / 2, "list of %d: %d", t, got[t]);
    }
    keep<<<1, 64>>>();
    FINISH();
    take<<<1, 64>>>(out);
    FINISH();
    got = out.get();
    for (int t = 0; t < 64; t++)
        EXPECT(got[t] == 1600 * t + 120, "kept by %d: %d", t, got[t]);
    return verdict();
}
