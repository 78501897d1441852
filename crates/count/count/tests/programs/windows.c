// The same work on every system: no `long`, and no printf, which is inline code of mingw-w64's headers and counts there.
#include <stdint.h>
#include <stdio.h>
struct node {
  struct node *left, *right;
  int key;
};
static struct node nodes[300];
static int used;
static struct node *insert(struct node *at, int key) {
  if (!at) {
    at = &nodes[used++];
    at->key = key;
  } else if (key < at->key) {
    at->left = insert(at->left, key);
  } else {
    at->right = insert(at->right, key);
  }
  return at;
}
static uint64_t sum(const struct node *at, int depth) {
  return at ? (uint64_t)at->key * (unsigned)depth + sum(at->left, depth + 1) + sum(at->right, depth + 1) : 0;
}
int main(void) {
  struct node *root = 0;
  uint32_t x = 7;
  double mean = 0;
  for (int i = 0; i < 300; i++) {
    x = x * 1664525u + 1013904223u;
    root = insert(root, (int)(x >> 20));
    mean += (double)(x >> 20) / 300;
  }
  uint32_t result = (uint32_t)sum(root, 1) + (uint32_t)mean;
  char text[11];
  for (int i = 0; i < 10; i++, result /= 10)
    text[9 - i] = (char)('0' + result % 10);
  text[10] = 0;
  puts(text);
  return 0;
}
