/* What the parts of the program count like. Parts that disagree are refused when they are loaded, as linkers refuse objects. */

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CONTRACTS = 16 };

static const char *contracts[MOST_CONTRACTS];
static int contract_count;

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Contracts read `key=value`. Two different values of one key disagree, except that there may be several compilers (`compiler=clang 22.1.8`), of one
   version each, and code without checks beside such with checks of one kind. */
static bool disagree(const char *one, const char *other) {
  size_t key = strcspn(one, "=");
  if (strncmp(one, other, key + 1) != 0)
    return false;
  if (begins(one, "compiler=")) {
    size_t family = strcspn(one, " ");
    return family == strcspn(other, " ") && strncmp(one, other, family) == 0;
  }
  if (begins(one, "checks="))
    return luthier_has_checks(one) && luthier_has_checks(other);
  return true;
}

bool luthier_has_checks(const char *contract) { return begins(contract, "checks=budget"); }

const char *luthier_contract(int index) { return index < contract_count ? contracts[index] : NULL; }

const char *luthier_add_contract(const char *contract) {
  for (int index = 0; index < contract_count; ++index) {
    if (strcmp(contracts[index], contract) == 0)
      return NULL;
    if (disagree(contracts[index], contract))
      return contracts[index];
  }
  if (contract_count == MOST_CONTRACTS)
    luthier_stop("too many contracts in one program");
  char *copy = strdup(contract); /* the part may be unloaded */
  if (!copy)
    luthier_stop("no memory for a contract");
  contracts[contract_count++] = copy;
  return NULL;
}
