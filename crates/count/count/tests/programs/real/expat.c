#include "text.h"
#include <expat.h>
static unsigned elements, letters, depth, deepest;
static void XMLCALL start(void *data, const XML_Char *name, const XML_Char **attributes) {
  (void)data;
  elements += (unsigned)strlen(name);
  for (; *attributes; attributes++)
    letters = letters * 31 + (unsigned)strlen(*attributes);
  if (++depth > deepest)
    deepest = depth;
}
static void XMLCALL end(void *data, const XML_Char *name) { (void)data, (void)name, depth--; }
static void XMLCALL text(void *data, const XML_Char *at, int length) {
  (void)data;
  for (int i = 0; i < length; i++)
    letters = letters * 31 + (unsigned char)at[i];
}
int main(int argc, char **argv) {
  size_t rounds = size_from(argc, argv, 400);
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetHashSalt(parser, 42);
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, text);
  const char *head = "<?xml version=\"1.0\"?><!DOCTYPE all [<!ENTITY wave \"sixty-four lanes\">]><all>\n";
  int status = XML_Parse(parser, head, (int)strlen(head), 0);
  unsigned state = 7;
  for (size_t i = 0; i < rounds; i++) {
    char line[400];
    unsigned n = next_random(&state) % 1000;
    int length = snprintf(
        line, sizeof line,
        "<kernel id=\"k%u\" waves='%u'><!-- %zu --><name>f%u &wave; &amp; &#x%x;</name><![CDATA[a<b]]><x:y xmlns:x='u%u'/></kernel>\n", n,
        n % 17, i, n * 3, 0x40 + n % 50, n % 5);
    status &= XML_Parse(parser, line, length, 0);
  }
  status &= XML_Parse(parser, "</all>", 6, 1);
  printf("%d %u %u %u\n", status, elements, letters, deepest);
}
