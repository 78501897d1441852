//! Code objects: everything that can be read, and a round trip through the editor.
#![no_main]

use codeobj::edit::{Access, ElfEditor, NewSymbol};
use codeobj::resources::{WorkgroupSizes, resources};
use codeobj::{CodeObject, SourceLines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(object) = CodeObject::parse(data) else { return };
    for kernel in object.kernels().unwrap_or_default() {
        let _ = object.kernel_code(&kernel);
        let _ = kernel.descriptor.initial_sgprs();
        let _ = resources(&kernel.descriptor, 0, WorkgroupSizes::default());
    }
    let _ = object.dynamic_relocations();
    let _ = object.metadata();
    for symbol in object.all_symbols() {
        let _ = object.symbol_bytes(symbol);
    }
    if let Ok(Some(lines)) = SourceLines::read(&object) {
        for function in object.functions() {
            let _ = lines.frames(function.value);
        }
    }
    let Ok(editor) = ElfEditor::new(data) else { return };
    assert_eq!(editor.clone().finish().expect("nothing was changed"), data);
    let mut editor = editor;
    let added = editor.append_section(".text.new", Access::Execute, 256, vec![0; 64]).is_ok()
        && editor.add_symbol(&NewSymbol::undefined("added")).is_ok();
    if added && let Ok(out) = editor.finish() {
        let _ = CodeObject::parse(&out);
    }
});
