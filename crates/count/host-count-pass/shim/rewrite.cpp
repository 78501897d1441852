// The stand-alone rewriter: bitcode in, counting bitcode out. Only reached from a process that links LLVM.

#include "count.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {
namespace {

struct Collector final : DiagnosticHandler {
  explicit Collector(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    if (!text.empty())
      stream << "\n";
    info.print(printer);
    return true;
  }
  std::string &text;
};

constexpr char HowToMake[] = "; make bitcode with `clang-22 -O2 -Xclang -disable-llvm-passes -emit-llvm -c`";

// Why a file cannot be text, or nothing. The parser would quote its first line.
std::string notText(StringRef content) {
  if (content.empty())
    return "the file is empty";
  StringRef begin = content.take_front(4096);
  if (all_of(begin, [](char letter) { return isPrint(letter) || isSpace(letter) || (letter & 0x80); }))
    return {};
  StringRef kind = content.starts_with("\x7f"
                                       "ELF")
                       ? "an object or program (ELF)"
                   : content.starts_with("!<arch>\n") ? "an archive"
                                                      : "something else";
  return ("neither bitcode nor textual IR of LLVM 22, but " + kind + HowToMake).str();
}

std::string rewrite(StringRef input, StringRef output, StringRef options) {
  std::string problems;
  LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Collector>(problems));
  auto buffer = MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer)
    return (input + ": " + buffer.getError().message()).str();
  bool binary = isBitcode(reinterpret_cast<const unsigned char *>((*buffer)->getBufferStart()),
                          reinterpret_cast<const unsigned char *>((*buffer)->getBufferEnd()));
  // Bitcode says who made it; LLVM reads older versions than its own and may misread newer ones.
  if (binary) {
    auto producer = getBitcodeProducerString((*buffer)->getMemBufferRef());
    if (!producer)
      return (input + ": damaged bitcode: " + toString(producer.takeError())).str();
    StringRef version(*producer);
    if (!version.consume_front("LLVM22"))
      return (input + ": made by `" + *producer + "`, but counts are defined for LLVM 22 bitcode only; make it with clang-22 or rustc 1.95")
          .str();
  } else if (std::string problem = notText((*buffer)->getBuffer()); !problem.empty()) {
    return (input + ": " + problem).str();
  }
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIR((*buffer)->getMemBufferRef(), diagnostic, context);
  if (!module && binary)
    return (input + ": damaged bitcode: " + diagnostic.getMessage()).str();
  if (!module)
    return (input + ":" + Twine(diagnostic.getLineNo()) + ":" + Twine(diagnostic.getColumnNo() + 1) +
            ": not textual IR of LLVM 22: " + diagnostic.getMessage() + HowToMake)
        .str();

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (!countModule(*module, modules, options))
    return (input + ": " + (problems.empty() ? "the module could not be counted" : problems)).str();
  modules.invalidate(*module, PreservedAnalyses::none());
  Session *session = lc_open(options.data(), options.size(), appendText, &problems);
  if (!session)
    return problems;
  Settings settings;
  lc_settings(session, &settings);
  lc_close(session);
  if (settings.replaceLate && settings.placement == Placement::Tree)
    moveAdditions(*module, modules, Stage::Early);
  lowerAdditions(*module, nullptr, settings.budget);
  std::string broken;
  raw_string_ostream stream(broken);
  if (verifyModule(*module, &stream))
    return (input + ": the rewritten module is not valid, which is an error in luthier: " + broken).str();

  auto aside = sys::fs::TempFile::create(output + ".%%%%%%.part");
  if (!aside)
    return (output + ": " + toString(aside.takeError())).str();
  std::error_code error;
  {
    raw_fd_ostream out(aside->FD, false);
    WriteBitcodeToFile(*module, out);
    out.flush();
    error = out.error();
    out.clear_error();
  }
  if (error) {
    consumeError(aside->discard());
    return (output + ": " + error.message()).str();
  }
  if (Error kept = aside->keep(output))
    return (output + ": " + toString(std::move(kept))).str();
  return {};
}

} // namespace
} // namespace luthier

extern "C" bool luthier_rewrite(const char *input, size_t inputLength, const char *output, size_t outputLength, const char *options,
                                size_t optionsLength, TextSink error, void *sink) {
  std::string problem = luthier::rewrite({input, inputLength}, {output, outputLength}, {options, optionsLength});
  if (problem.empty())
    return true;
  error(sink, problem.data(), problem.size());
  return false;
}
