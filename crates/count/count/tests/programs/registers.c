// A check declares that it changes no register. This handler of the limit changes all of them, and sums must stay
// right.
#include <luthier/count.h>
#include <stdio.h>
#include <string.h>

static unsigned long asked;
static uint64_t more(const struct luthier_count_stop *stop, void *context) {
  asked++;
#ifdef __x86_64__
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm1\n movaps %%xmm0, %%xmm2\n movaps %%xmm0, %%xmm3\n"
                   "movaps %%xmm0, %%xmm4\n movaps %%xmm0, %%xmm5\n movaps %%xmm0, %%xmm6\n movaps %%xmm0, %%xmm7\n"
                   "movaps %%xmm0, %%xmm8\n movaps %%xmm0, %%xmm9\n movaps %%xmm0, %%xmm10\n movaps %%xmm0, %%xmm11\n"
                   "movaps %%xmm0, %%xmm12\n movaps %%xmm0, %%xmm13\n movaps %%xmm0, %%xmm14\n movaps %%xmm0, %%xmm15\n"
                   "movq $-1, %%rax\n movq %%rax, %%rcx\n movq %%rax, %%rdx\n movq %%rax, %%rsi\n movq %%rax, %%rdi\n"
                   "movq %%rax, %%r8\n movq %%rax, %%r9\n movq %%rax, %%r10\n movq %%rax, %%r11\n" ::
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
                         "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
  return *(const uint64_t *)context;
}

// Six integers and eight doubles in registers at the check of the entry, and an array below the stack pointer of the leaf.
static double __attribute__((noinline)) deep(long a, long b, long c, long d, long e, long f, double s, double t, double u, double v,
                                             double w, double x, double y, double z) {
  if (f == 0)
    return s + 2 * t + 3 * u + 4 * v + 5 * w + 6 * x + 7 * y + 8 * z + a + 2 * b + 3 * c + 4 * d + 5 * e;
  return deep(b, c, d, e, a + f, f - 1, t, u, v, w, x, y, z, s + 0.5) + deep(a, b, c, d, e, f / 3, s, t, u, v, w, x, y, z);
}

static unsigned __attribute__((noinline)) leaf(const unsigned char *text, unsigned n, long double scale) {
  unsigned char seen[96];
  for (unsigned i = 0; i < 96; i++)
    seen[i] = (unsigned char)(i * 7);
  unsigned x = 1, y = 2, z = 3, w = 4;
  for (unsigned i = 0; i < n; i++) {
    x = x * 3 + seen[text[i] % 96];
    y ^= x >> (i & 7);
    if (y & 1)
      z += w;
    else
      w += z ^ i;
    seen[y % 96] ^= (unsigned char)w;
    scale = scale * 0.75L + z % 5;
  }
  return x + y + z + w + (unsigned)scale;
}

int main(void) {
  unsigned char text[400];
  for (unsigned i = 0; i < sizeof text; i++)
    text[i] = (unsigned char)(i * i);
  for (uint64_t grant = 1; grant < 200; grant += 37) {
    struct luthier_count_action ask;
    memset(&ask, 0, sizeof ask);
    ask.struct_size = sizeof ask;
    ask.kind = LUTHIER_COUNT_CALLBACK;
    ask.callback = more;
    ask.context = &grant;
    luthier_count_push_budget(grant, &ask);
    double sum = deep(1, 2, 3, 4, 5, 9, 1, 2, 3, 4, 5, 6, 7, 8);
    unsigned words = leaf(text, sizeof text, 1.5L);
    luthier_count_pop_budget();
    printf("%.17g %u\n", sum, words);
  }
  fprintf(stderr, "asked %lu times\n", asked);
}
