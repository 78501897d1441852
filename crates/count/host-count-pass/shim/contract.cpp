// The parts of an object besides code: its contract, and the functions that it does not count.

#include "count.h"

#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace luthier {
namespace {

// Section names have their own shape in each object format.
const char *sectionName(const Triple &triple, bool exemptions) {
  if (triple.isOSBinFormatMachO())
    return exemptions ? "__DATA,__luthier_ex" : "__DATA,__luthier_ct";
  return exemptions ? "luthier_exempt" : "luthier_contract";
}

Function *registration(Module &module, const std::string &symbol, GlobalVariable *text, GlobalValue::LinkageTypes linkage) {
  LLVMContext &context = module.getContext();
  Type *nothing = Type::getVoidTy(context);
  FunctionCallee callee =
      module.getOrInsertFunction(RegisterContractName, FunctionType::get(nothing, {PointerType::getUnqual(context)}, false));
  Function *constructor = Function::Create(FunctionType::get(nothing, false), linkage, symbol + "_register", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", constructor));
  builder.CreateCall(callee, {text});
  builder.CreateRetVoid();
  return constructor;
}

// ELF: one symbol, strong, in a group named after the contract. Equal contracts fold into one, different ones collide in the linker,
// which names the symbol and both objects. COFF: one symbol whose copies must be equal; link.exe and lld refuse others, GNU ld warns.
// Mach-O has neither. A constructor tells the runtime everywhere, which refuses a mixture when the program starts.
void emitContract(Module &module, const std::string &symbol, const std::string &contract) {
  Triple triple(module.getTargetTriple());
  Constant *text = ConstantDataArray::getString(module.getContext(), contract, true);
  bool grouped = triple.isOSBinFormatELF();
  auto *variable =
      new GlobalVariable(module, text->getType(), true,
                         triple.isOSBinFormatMachO() ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage, text, symbol);
  variable->setSection(sectionName(triple, false));
  if (!grouped) {
    if (triple.isOSBinFormatCOFF()) {
      Comdat *own = module.getOrInsertComdat(symbol);
      own->setSelectionKind(Comdat::ExactMatch);
      variable->setComdat(own);
    } else {
      appendToUsed(module, {variable});
    }
    // The constructor has a copy of its own: GNU ld keeps one object's variable for all.
    auto *copy = new GlobalVariable(module, text->getType(), true, GlobalValue::PrivateLinkage, text, symbol + "_text");
    appendToGlobalCtors(module, registration(module, symbol, copy, GlobalValue::InternalLinkage), 0);
    return;
  }
  Comdat *group = module.getOrInsertComdat("luthier.count." + contract);
  variable->setVisibility(GlobalValue::HiddenVisibility);
  variable->setComdat(group);
  Function *constructor = registration(module, symbol, variable, GlobalValue::LinkOnceODRLinkage);
  constructor->setVisibility(GlobalValue::HiddenVisibility);
  constructor->setComdat(group);
  appendToGlobalCtors(module, constructor, 0, constructor);
}

// "Debian clang version 22.1.8 (1~deb12u1)" -> "clang 22.1.8"; "rustc version 1.95.0 (...)" -> "rustc 1.95.0".
std::string compilerOf(const Module &module, std::string &family) {
  family = "compiler";
  const NamedMDNode *idents = module.getNamedMetadata("llvm.ident");
  if (!idents || idents->getNumOperands() == 0)
    return "unknown";
  auto *text = dyn_cast<MDString>(idents->getOperand(0)->getOperand(0));
  if (!text)
    return "unknown";
  auto [before, after] = text->getString().split(" version ");
  family = before.rsplit(' ').second.empty() ? before.str() : before.rsplit(' ').second.str();
  for (char &letter : family)
    if (!isAlnum(letter))
      letter = '_';
  return family + " " + after.split(' ').first.str();
}

} // namespace

bool isOfClang(const Module &module) {
  const NamedMDNode *idents = module.getNamedMetadata("llvm.ident");
  return idents && idents->getNumOperands() != 0 && all_of(idents->operands(), [](const MDNode *ident) {
           auto *text = dyn_cast<MDString>(ident->getOperand(0));
           return text && text->getString().contains("clang version");
         });
}

void emitExemptions(Module &module, const DescribedModule &described) {
  std::string text;
  for (auto &[function, reason] : described.exempt)
    text += function + "\t" + reason + "\n";
  if (text.empty())
    return;
  Constant *value = ConstantDataArray::getString(module.getContext(), text, true);
  auto *variable = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, "__luthier_count_exempt");
  variable->setSection(sectionName(Triple(module.getTargetTriple()), true));
  appendToUsed(module, {variable});
}

void emitContracts(Module &module, StringRef contract, const Settings &settings) {
  emitContract(module, ContractSymbol, contract.str());
  std::string family, compiler = compilerOf(module, family);
  emitContract(module, "__luthier_count_one_" + family + "_version_per_program", "compiler=" + compiler);
  // A fact about this object, not about the program: the name differs, so the two do not collide.
  if (settings.budget)
    emitContract(module, "__luthier_count_checks_budget", "checks=" + std::string(ChecksKind));
  else
    emitContract(module, "__luthier_count_checks_none", "checks=none");
}

} // namespace luthier
