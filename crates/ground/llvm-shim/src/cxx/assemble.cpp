// Assembling text to an ELF relocatable object.

#include "context.h"
#include "fatal.h"
#include "mc.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

// See context.cpp. This entry point is named only here, so that libraries that only decode are linked without the
// assembler's tables.
extern "C" void LLVMInitializeAMDGPUAsmParser();

using namespace llvm;
using namespace luthier;

// Replaces LLVM's function, which would bring zstd's compressor along. The assembler is never asked for compressed
// sections: that takes an option of its own (MCTargetOptions::CompressDebugSections).
void compression::compress(Params, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &) {
  report_fatal_error("compressed sections are not supported");
}

namespace {

struct Report {
  luthier_mc_diagnostic Sink;
  void *User;
  bool Failed = false;

  void operator()(const SMDiagnostic &D) {
    uint32_t Severity = LUTHIER_MC_SEVERITY_NOTE;
    if (D.getKind() == SourceMgr::DK_Error) {
      Severity = LUTHIER_MC_SEVERITY_ERROR;
      Failed = true;
    } else if (D.getKind() == SourceMgr::DK_Warning) {
      Severity = LUTHIER_MC_SEVERITY_WARNING;
    }
    uint32_t Line = D.getLineNo() > 0 ? D.getLineNo() : 0;
    uint32_t Column = Line && D.getColumnNo() >= 0 ? D.getColumnNo() + 1 : 0;
    StringRef Message = D.getMessage();
    Sink(User, Severity, Line, Column, Message.data(), Message.size());
  }

  void fail(StringRef Message) {
    Failed = true;
    Sink(User, LUTHIER_MC_SEVERITY_ERROR, 0, 0, Message.data(), Message.size());
  }
};

void assemble(StringRef Cpu, StringRef Features, StringRef Text, SmallVectorImpl<char> &Object, Report &Diagnostics) {
  Borrowed P;
  std::string Problem = P.find(Cpu, Features);
  if (!Problem.empty())
    return Diagnostics.fail(Problem);
  static std::once_flag Once;
  std::call_once(Once, LLVMInitializeAMDGPUAsmParser);

  // `.include` and `.incbin` see an empty file system: text cannot read this machine's files.
  SourceMgr Sources(makeIntrusiveRefCnt<vfs::InMemoryFileSystem>());
  // A string or comment that the end of the text cuts off makes LLVM's parser loop for ever. These last comments
  // close either, and are nothing otherwise.
  std::string Closed = (Text + "\n;\"*/\n;\"*/\n").str();
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Closed, "assembly"), SMLoc());
  Sources.setDiagHandler([](const SMDiagnostic &D, void *Context) { (*static_cast<Report *>(Context))(D); }, &Diagnostics);

  MCContext Context(P->TheTriple, P->AsmInfo.get(), P->Registers.get(), P->Subtarget.get(), &Sources, &P->Options);
  Context.setDiagnosticHandler([&](const SMDiagnostic &D, bool, const SourceMgr &, std::vector<const MDNode *> &) { Diagnostics(D); });
  std::unique_ptr<MCObjectFileInfo> FileInfo(P->T->createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(FileInfo.get());

  raw_svector_ostream Stream(Object);
  std::unique_ptr<MCAsmBackend> Backend(P->T->createMCAsmBackend(*P->Subtarget, *P->Registers, P->Options));
  // The same as MCAsmBackend::createObjectWriter for this target; that function references the writers of all other
  // formats.
  auto Format = cast<MCELFObjectTargetWriter>(Backend->createObjectTargetWriter());
  std::unique_ptr<MCObjectWriter> Writer =
      std::make_unique<ELFObjectWriter>(std::move(Format), Stream, Backend->Endian == endianness::little);
  std::unique_ptr<MCCodeEmitter> Emitter(P->T->createMCCodeEmitter(*P->Instructions, Context));
  std::unique_ptr<MCStreamer> Streamer(
      P->T->createMCObjectStreamer(P->TheTriple, Context, std::move(Backend), std::move(Writer), std::move(Emitter), *P->Subtarget));
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(Sources, Context, *Streamer, *P->AsmInfo));
  std::unique_ptr<MCTargetAsmParser> TargetParser(P->T->createMCAsmParser(*P->Subtarget, *Parser, *P->Instructions, P->Options));
  if (!TargetParser)
    return Diagnostics.fail("this LLVM has no AMDGPU assembler");
  Parser->setTargetParser(*TargetParser);
  if ((Parser->Run(/*NoInitialTextSection=*/false) || Context.hadError()) && !Diagnostics.Failed)
    Diagnostics.fail("the text does not assemble");
}

} // namespace

int luthier_mc_assemble(const char *Cpu, size_t CpuLength, const char *Features, size_t FeaturesLength, const char *Text, size_t TextLength,
                        luthier_mc_sink ObjectSink, luthier_mc_diagnostic Diagnostic, void *User) {
  SmallVector<char, 0> Object;
  Report Diagnostics{Diagnostic, User};
  std::string Fatal = withoutAborting(
      [&] { assemble(StringRef(Cpu, CpuLength), StringRef(Features, FeaturesLength), StringRef(Text, TextLength), Object, Diagnostics); });
  if (!Fatal.empty())
    Diagnostics.fail(Fatal);
  if (Diagnostics.Failed)
    return 0;
  ObjectSink(User, Object.data(), Object.size());
  return 1;
}
