// Thousands of lines printed by many waves at once: none is lost, doubled or torn.
// varies: waits for the host
#include "check.h"
#include <unistd.h>

__global__ void report(int base) {
    int i = base + blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        printf("line %d of block %d\n", i, int(blockIdx.x));
    else
        printf("odd %d %s\n", i, i % 3 ? "not" : "threefold");
}

int main() {
    const int n = 2048;
    std::fflush(stdout);
    int terminal = dup(1);
    FILE *file = std::tmpfile();
    dup2(fileno(file), 1);
    for (int round = 0; round < 2; round++) {
        report<<<n / 2 / 128, 128>>>(round * n / 2);
        FINISH();
    }
    std::fflush(stdout);
    dup2(terminal, 1);
    std::rewind(file);
    std::vector<int> seen(n);
    char line[200];
    while (std::fgets(line, sizeof line, file)) {
        int i = -1, block = -1;
        char word[20] = "";
        if (std::sscanf(line, "line %d of block %d\n", &i, &block) == 2)
            EXPECT(i % 2 == 0 && block == i % (n / 2) / 128, "%s", line);
        else if (std::sscanf(line, "odd %d %19s\n", &i, word) == 2)
            EXPECT(i % 2 && !strcmp(word, i % 3 ? "not" : "threefold"), "%s", line);
        else
            EXPECT(false, "torn: %s", line);
        if (i >= 0 && i < n)
            seen[i]++;
    }
    for (int i = 0; i < n; i++)
        EXPECT(seen[i] == 1, "line %d seen %d times", i, seen[i]);
    return verdict();
}
