// The programs of `device.cl` for one CPU thread. Prints how many seconds of processor time the one with the given name takes, the best
// of a few runs; nothing if there is none of this name.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N (16u << 20)
#define SIDE 512
#define KEYS (1u << 20)
#define WIDTH 1024
#define HEIGHT 1024
#define LIMIT 256

static float *a, *b, *c;
static uint32_t *keys, *sorted, *turns;
static volatile uint32_t sink;

static void vector_add(void) {
  for (uint32_t i = 0; i < N; i++)
    c[i] = a[i] + b[i];
}

static void sgemm(void) {
  memset(c, 0, SIDE * SIDE * sizeof *c);
  for (int row = 0; row < SIDE; row++)
    for (int k = 0; k < SIDE; k++)
      for (int column = 0; column < SIDE; column++)
        c[row * SIDE + column] += a[row * SIDE + k] * b[k * SIDE + column];
}

static void reduce(void) {
  const uint32_t *data = (const uint32_t *)a;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < N; i++)
    sum += data[i];
  sink = sum;
}

static void radix_sort(void) {
  uint32_t *from = keys, *to = sorted;
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t counts[256] = {0}, before = 0;
    for (uint32_t i = 0; i < KEYS; i++)
      counts[from[i] >> shift & 255]++;
    for (int digit = 0; digit < 256; digit++) {
      uint32_t count = counts[digit];
      counts[digit] = before;
      before += count;
    }
    for (uint32_t i = 0; i < KEYS; i++)
      to[counts[from[i] >> shift & 255]++] = from[i];
    uint32_t *other = from;
    from = to;
    to = other;
  }
}

static void mandelbrot(void) {
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
    float cx = 3.0f * (i % WIDTH) / WIDTH - 2.25f, cy = 2.5f * (i / WIDTH) / HEIGHT - 1.25f;
    float x = 0, y = 0;
    uint32_t n = 0;
    while (n < LIMIT && x * x + y * y < 4) {
      float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
      n++;
    }
    turns[i] = n;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void measure(void (*run)(void)) {
  double best = 1e9;
  for (int turn = 0; turn < 4; turn++) {
    double start = now();
    run();
    double took = now() - start;
    best = took < best ? took : best;
  }
  printf("%.9f\n", best);
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {
    {"vector add 16 M", vector_add}, {"sgemm 512", sgemm},           {"radix sort 1 M", radix_sort},
    {"reduce 16 M", reduce},         {"mandelbrot 1 M", mandelbrot},
};

int main(int argc, char **argv) {
  void (*run)(void) = NULL;
  for (unsigned i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (!strcmp(argv[1], programs[i].name))
      run = programs[i].run;
  if (!run)
    return 0;
  a = malloc(N * sizeof *a), b = malloc(N * sizeof *b), c = malloc(N * sizeof *c);
  keys = malloc(KEYS * sizeof *keys), sorted = malloc(KEYS * sizeof *sorted);
  turns = malloc(WIDTH * HEIGHT * sizeof *turns);
  for (uint32_t i = 0; i < N; i++)
    a[i] = i % 1000, b[i] = i % 7, c[i] = 0;
  for (uint32_t i = 0; i < KEYS; i++)
    keys[i] = i * 2654435761u;
  measure(run);
  return 0;
}
