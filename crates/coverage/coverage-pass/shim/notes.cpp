// For each function a table of what its lanes have gathered, and a note that tells the drain what counters are in terms of it.
//
// Words of 32 bits, aligned to 8 bytes (`crates/coverage/drain/src/sums.rs` reads them): version, size of the note in
// bytes; address of the table less that of the note (64 bits); columns of the table, counters, sums, bits; for each
// counter its address less that of the note (64 bits), and a factor for "every lane", each bit and each sum. The table
// has words of 64 bits. Its first rows are the sums. Then each eight bits have a row for each combination.

#include "pass.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace luthier {

GlobalVariable *describe(Function &function, unsigned sums, unsigned bits, const Parts &parts) {
  Module &module = *function.getParent();
  Type *word = Type::getInt32Ty(module.getContext());
  Type *wide = Type::getInt64Ty(module.getContext());
  uint64_t rows = sums;
  for (unsigned first = 0; first < std::max(bits, 1u); first += BitsOfGroup)
    rows += uint64_t(1) << std::min(bits - first, BitsOfGroup);
  constexpr unsigned GlobalMemory = 1;
  auto *type = ArrayType::get(wide, rows * Columns);
  auto *table = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, Constant::getNullValue(type),
                                   "__luthier_counts_" + function.getName(), nullptr, GlobalValue::NotThreadLocal, GlobalMemory);
  table->setAlignment(Align(Columns * 8));

  unsigned factors = 1 + bits + sums;
  unsigned entry = 2 + factors + factors % 2;
  auto number = [&](uint64_t value) { return ConstantInt::get(word, value); };
  SmallVector<Type *> types{word, word, wide, word, word, word, word};
  for (size_t at = 0; at < parts.size(); ++at) {
    types.push_back(wide);
    types.append(entry - 2, word);
  }
  auto *layout = StructType::get(module.getContext(), types, /*isPacked=*/true);
  auto *note = new GlobalVariable(module, layout, true, GlobalValue::InternalLinkage, nullptr, "__luthier_note_" + function.getName(),
                                  nullptr, GlobalValue::NotThreadLocal, GlobalMemory);
  auto distance = [&](Constant *of) {
    return ConstantExpr::getSub(ConstantExpr::getPtrToInt(of, wide), ConstantExpr::getPtrToInt(note, wide));
  };
  SmallVector<Constant *> values{
      number(1), number(32 + parts.size() * entry * 4), distance(table), number(Columns), number(parts.size()), number(sums), number(bits)};
  for (auto &[counter, terms] : parts) {
    SmallVector<uint64_t> of(entry - 2, 0);
    for (auto [column, weight] : terms)
      of[column] += weight;
    values.push_back(distance(counter));
    for (uint64_t factor : of)
      values.push_back(number(factor));
  }
  note->setInitializer(ConstantStruct::get(layout, values));
  note->setSection("luthier_prf_notes");
  note->setAlignment(Align(8));
  appendToUsed(module, {note});
  return table;
}

} // namespace luthier
