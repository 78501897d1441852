//! Cached variants of one code object are loaded together.

use std::sync::{Arc, atomic::Ordering};

use crate::common::{Changed, config, launch, object, start, variant};
use codeobj::{
    CodeObject, edit,
    elf::{Binding, Symbol, SymbolKind},
};
use session::{Instrumenter, Request, Variant};

/// Words of code that differ between kernels, and the end of the program.
fn code(kernel: &str) -> Vec<u8> {
    const S_NOP: u32 = 0xbf80_0000;
    const S_ENDPGM: u32 = 0xbf81_0000;
    let words = [S_NOP | kernel.len() as u32, S_ENDPGM];
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn other(kernel: &str) -> &'static str {
    if kernel == "tile" { "scale" } else { "tile" }
}

/// A kernel whose new code is all of its object, as a rewriter makes it.
fn rewritten(request: &Request<'_>, variant: Variant) -> Result<Variant, session::Refusal> {
    let original = CodeObject::parse(request.object).unwrap();
    let metadata = original.metadata().unwrap().unwrap();
    let metadata = metadata.of_kernel(request.kernel);
    let text = code(request.kernel);
    let created = edit::create(&edit::NewObject {
        flags: original.elf().flags,
        abi_version: original.elf().abi_version,
        kernel: request.kernel,
        text: &text,
        entry: 0,
        size: text.len() as u64,
        descriptor: original.kernel(request.kernel).unwrap().descriptor,
        metadata: &metadata,
        relocations: &[],
        lines: &[],
        // A copy of a kernel that it calls, and a function of its own.
        functions: &[
            (request.kernel, 0, 8),
            (other(request.kernel), 4, 4),
            ("helper", 4, 4),
        ],
    });
    Ok(Variant {
        object: created.bytes,
        ..variant
    })
}

fn tool() -> Arc<dyn Instrumenter> {
    Arc::new(Changed(rewritten))
}

#[test]
fn one_load_brings_all_cached_kernels_of_an_object() {
    let bytes = object(&[]);
    let folder = tempfile::tempdir().unwrap();
    let cache = [("LUTHIER_CACHE", folder.path().to_str().unwrap())];
    let (session, device) = start(&bytes, config(&cache), tool());
    for kernel in ["scale", "tile"] {
        assert!(variant(session.dispatch(&launch(&bytes, kernel))).is_some());
    }
    // New ones are loaded when they are made.
    assert_eq!(device.memory.lock().unwrap().loaded.len(), 2);

    let (session, device) = start(&bytes, config(&cache), tool());
    let tile = variant(session.dispatch(&launch(&bytes, "tile"))).unwrap();
    let seen: Vec<_> = session.summary().kernels;
    assert_eq!(
        seen.len(),
        1,
        "the other one has not been launched: {seen:?}"
    );
    let scale = variant(session.dispatch(&launch(&bytes, "scale"))).unwrap();
    assert_eq!(tile >> 32, scale >> 32, "one executable");
    assert_ne!(tile, scale);
    let summary = session.summary();
    assert_eq!((summary.kernels.len(), summary.variants_loaded), (2, 2));
    {
        let memory = device.memory.lock().unwrap();
        let [(packed, symbols)] = &memory.loaded.values().collect::<Vec<_>>()[..] else {
            panic!("{} objects", memory.loaded.len());
        };
        assert_eq!(*symbols, "tile.kd scale.kd");
        let packed = CodeObject::parse(packed).unwrap();
        let original = CodeObject::parse(&bytes).unwrap();
        assert_eq!(packed.target(), original.target());
        let described = packed.metadata().unwrap().unwrap().kernels();
        assert_eq!(described.len(), 2);
        for name in ["scale", "tile"] {
            let kernel = packed.kernel(name).unwrap();
            let text = packed
                .elf()
                .bytes_at(kernel.entry, kernel.code_size)
                .unwrap();
            assert_eq!(text, code(name), "{name}");
            let before = original.kernel(name).unwrap().descriptor;
            let size = before.group_segment_size();
            assert_eq!(kernel.descriptor.group_segment_size(), size, "{name}");
            let helpers = packed.symbols().iter().filter(|one| one.name == "helper");
            let here = helpers.filter(|one| (one.value, one.size) == (kernel.entry + 4, 4));
            assert_eq!(here.count(), 1, "{name}");
        }
        let local = |symbol: &&Symbol| {
            symbol.kind == SymbolKind::Function && symbol.binding == Binding::Local
        };
        assert_eq!(packed.symbols().iter().filter(local).count(), 2);
        // Readers skip the local symbols by the number of the first other one.
        let table = packed.elf().section(".symtab").unwrap();
        let first = packed
            .symbols()
            .iter()
            .position(|one| one.binding == Binding::Global);
        assert_eq!(Some(table.info as usize), first);
    }
    // They also go together, once.
    session.unloaded(1);
    let memory = device.memory.lock().unwrap();
    assert_eq!(memory.unloaded, [tile >> 32]);
    assert_eq!(session.summary().variants_unloaded, 2);
}

/// Objects that cannot be packed are loaded one by one. Here they are copies of the whole object, which have two kernels of each name.
#[test]
fn objects_that_do_not_pack_are_loaded_one_by_one() {
    let bytes = object(&[]);
    let folder = tempfile::tempdir().unwrap();
    let cache = [("LUTHIER_CACHE", folder.path().to_str().unwrap())];
    for objects in [2, 2] {
        let (session, device) = start(&bytes, config(&cache), Arc::new(session::Identity));
        for kernel in ["scale", "tile"] {
            assert!(variant(session.dispatch(&launch(&bytes, kernel))).is_some());
        }
        assert_eq!(device.memory.lock().unwrap().loaded.len(), objects);
    }
}

/// Kernels that were to be loaded with one whose loading panics are not waited for.
#[test]
fn a_panic_leaves_no_kernel_unfinished() {
    let bytes = object(&[]);
    let folder = tempfile::tempdir().unwrap();
    let cache = [("LUTHIER_CACHE", folder.path().to_str().unwrap())];
    let (session, _) = start(&bytes, config(&cache), tool());
    for kernel in ["scale", "tile"] {
        assert!(variant(session.dispatch(&launch(&bytes, kernel))).is_some());
    }

    let (session, device) = start(&bytes, config(&cache), tool());
    device.breaks.store(true, Ordering::Relaxed);
    for (kernel, reason) in [
        ("tile", "breaks on purpose"),
        ("scale", "loaded with others"),
    ] {
        assert!(variant(session.dispatch(&launch(&bytes, kernel))).is_none());
        let seen = session.summary().kernels;
        let line = seen.iter().find(|line| line.name == kernel).unwrap();
        let status = format!("{:?}", line.status);
        assert!(
            status.starts_with("Refused") && status.contains(reason),
            "{status}"
        );
    }
}
