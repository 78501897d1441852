// flags: -fopenmp
// devices: gfx900
// also: gfx90a gfx942 gfx1030 gfx1100
// tools: instr-count,opcode-histogram; GCC's runtime library has 3,500 blocks, which all tools together take minutes for
// OpenMP offload by GCC: an interpreter whose instructions are labels as values, in memory and in a table of distances, and calls of
// functions through pointers. Every jump goes to an address from memory.
#include <stdio.h>

enum { ADD, MUL, CALL, LOOP, END };
enum { ITEMS = 192, STEPS = 48, ROUNDS = 5 };

#pragma omp declare target
typedef unsigned (*step)(unsigned);
static unsigned __attribute__((noinline)) turn(unsigned x) { return x << 5 | x >> 27; }
static unsigned __attribute__((noinline)) mix(unsigned x) { return x * 2654435761u ^ x >> 13; }
step steps[2] = {turn, mix};

static unsigned interpret(const unsigned char *code, unsigned x) {
    static const void *const labels[] = {&&add, &&mul, &&call, &&loop, &&end};
    int at = 0, round = 0;
    goto *labels[code[0]];
add:
    x += at;
    goto *labels[code[++at]];
mul:
    x = x * 3 + 1;
    goto *labels[code[++at]];
call:
    x = steps[x & 1](x);
    goto *labels[code[++at]];
loop:
    if (++round < ROUNDS)
        at = -1;
    goto *labels[code[++at]];
end:
    return x;
}

static unsigned distances(const unsigned char *code, unsigned x) {
    static const int labels[] = {&&add - &&add, &&mul - &&add, &&call - &&add, &&loop - &&add, &&end - &&add};
    int at = 0, round = 0;
    goto *(&&add + labels[code[0]]);
add:
    x += at;
    goto *(&&add + labels[code[++at]]);
mul:
    x = x * 3 + 1;
    goto *(&&add + labels[code[++at]]);
call:
    x = steps[x & 1](x);
    goto *(&&add + labels[code[++at]]);
loop:
    if (++round < ROUNDS)
        at = -1;
    goto *(&&add + labels[code[++at]]);
end:
    return x;
}
#pragma omp end declare target

/* The same without labels. */
static unsigned expected(const unsigned char *code, unsigned x) {
    for (int at = 0, round = 0; code[at] != END; at++)
        switch (code[at]) {
        case ADD: x += at; break;
        case MUL: x = x * 3 + 1; break;
        case CALL: x = x & 1 ? mix(x) : turn(x); break;
        case LOOP:
            if (++round < ROUNDS)
                at = -1;
            break;
        }
    return x;
}

int main(void) {
    unsigned char code[STEPS];
    for (int i = 0; i < STEPS; i++)
        code[i] = i * 7 % 11 % 3;
    code[STEPS - 2] = LOOP;
    code[STEPS - 1] = END;
    unsigned first[ITEMS], second[ITEMS];
#pragma omp target teams distribute parallel for map(to : code) map(from : first, second)
    for (int i = 0; i < ITEMS; i++) {
        first[i] = interpret(code, i);
        second[i] = distances(code, i * 3);
    }
    int wrong = 0;
    for (int i = 0; i < ITEMS; i++)
        wrong += (first[i] != expected(code, i)) + (second[i] != expected(code, i * 3));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
