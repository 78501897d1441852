//! Tools from HIP source, for every target; what is bound is compared with LLVM's own encoder.

use gfx::Target;
use hook::{Arg, Binding, Bundle, Template, ToolRequest, bind, build_tool};
use isa::{Decoder, Operand};
use std::path::Path;

const HOOKS: &[(&str, &[Arg])] = &[
    ("empty", &[]),
    ("count", &[Arg::Constant(3)]),
    ("count_lanes", &[Arg::Constant(3)]),
    ("trace", &[Arg::Constant(7)]),
    ("clamp", &[Arg::VectorReference(1), Arg::Scalar]),
    ("divide", &[Arg::Vector, Arg::Vector, Arg::Vector]),
    ("where", &[Arg::Scalar]),
    ("shift_register", &[]),
];

fn bundle_for(targets: &[&str]) -> Bundle {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let request = ToolRequest {
        source: &root.join("tests/hooks/five.hip"),
        include: &root.join("../../../include"),
        hooks: &|_| {
            Ok(HOOKS
                .iter()
                .map(|(hook, arguments)| ((*hook).to_owned(), arguments.to_vec()))
                .collect())
        },
        targets,
        clang: "clang-22",
    };
    match build_tool(&request) {
        Ok(bundle) => bundle,
        Err(error) => panic!("{error}"),
    }
}

/// Groups spread over the register files without overlap.
fn spread(template: &Template, seed: u16) -> Binding {
    let mut next = std::collections::BTreeMap::new();
    let first = template.groups.iter().map(|group| {
        let base = next.entry(group.file).or_insert(seed);
        let first = base.next_multiple_of(group.alignment);
        *base = first + group.width;
        first
    });
    Binding {
        first: first.collect(),
        drop_tail: false,
    }
}

/// LLVM's encoding of every instruction of `code`; a literal under a relocation is left out, for LLVM shrinks it.
fn encoded_by_llvm(decoder: &Decoder, template: &Template, code: &[u8]) -> usize {
    let mut compared = 0;
    for inst in decoder.decode_all(code, 0) {
        let inst = inst.expect("a bound template decodes");
        let relocated = |offset: u32| (inst.pc..inst.end()).contains(&u64::from(offset));
        if template
            .relocations
            .iter()
            .any(|relocation| relocated(relocation.offset))
        {
            continue;
        }
        let expected = decoder
            .encode(&inst)
            .expect("LLVM encodes its own instructions");
        let actual = &code[inst.pc as usize..inst.end() as usize];
        assert_eq!(
            expected,
            actual,
            "{}: {}",
            template.target,
            decoder.print(&inst)
        );
        compared += 1;
    }
    compared
}

#[test]
fn all_hooks_for_all_targets_bind_as_llvm_encodes() {
    let bundle = bundle_for(&hook::TARGETS);
    let wave_sizes = |name: &&str| {
        let target = Target::find(name).expect("a known target");
        1 + usize::from(target.supports_wave32())
    };
    let variants: usize = hook::TARGETS.iter().map(wave_sizes).sum();
    assert_eq!(bundle.entries.len(), HOOKS.len() * 4 * variants);
    let mut compared = 0;
    for entry in &bundle.entries {
        let template = &entry.template;
        let target = Target::find(&template.target).expect("a known target");
        let decoder = Decoder::with_features(target, template.wave_size, "").expect("a decoder");
        let identity = bind(template, &Binding::identity(template)).expect("identity binds");
        assert_eq!(
            identity, template.code,
            "{} {}",
            entry.hook, template.target
        );
        for seed in [0, 41, 60] {
            let binding = spread(template, seed);
            let code = bind(template, &binding).expect("a legal binding");
            assert_eq!(code.len(), template.code.len());
            compared += encoded_by_llvm(&decoder, template, &code);
            check_operands(&decoder, template, &binding, &code);
        }
        let clobbers = template.clobbers;
        assert!(!entry.preserve_scc || !clobbers.contains(hook::Clobbers::SCC));
        assert!(!entry.preserve_vcc || !clobbers.contains(hook::Clobbers::VCC));
    }
    assert!(compared > 10_000, "{compared}");

    let find = |hook| {
        bundle
            .find(hook, "gfx90a", 64, false, false)
            .expect("built above")
    };
    assert!(find("empty").code.is_empty());
    let count = find("count");
    assert_eq!(count.relocations.len(), 2);
    assert!(
        count
            .relocations
            .iter()
            .all(|relocation| relocation.symbol == "total")
    );
    assert_eq!(
        count.droppable_tail, 4,
        "an atomic without result needs no wait"
    );
    let trace = find("trace");
    assert_eq!(
        trace
            .port("effective_address")
            .map(|port| port.dwords.len()),
        Some(2)
    );
    let names: Vec<&str> = bundle.globals.iter().map(|global| &*global.name).collect();
    assert_eq!(names, ["total", "lanes", "stream"]);
    assert_eq!(
        bundle.globals[1].initial.as_deref(),
        Some(&5u64.to_le_bytes()[..])
    );

    let bytes = bundle.to_bytes().expect("serialises");
    assert_eq!(
        Bundle::from_bytes(&bytes).expect("reads its own file"),
        bundle
    );
    for cut in [0, 7, 11, 12, bytes.len() / 2, bytes.len() - 1] {
        assert!(Bundle::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}

/// Every register of the bound code is the one the binding says, by the group that held it.
fn check_operands(decoder: &Decoder, template: &Template, binding: &Binding, code: &[u8]) {
    let names = |code: &[u8]| -> Vec<(isa::RegKind, u16)> {
        let insts = decoder
            .decode_all(code, 0)
            .map(|inst| inst.expect("decodes"));
        insts
            .flat_map(|inst| inst.operands.to_vec())
            .filter_map(|operand| match operand {
                Operand::Def(reg) | Operand::Use(reg) => Some((reg.kind, reg.index)),
                _ => None,
            })
            .collect()
    };
    for ((kind, old), (new_kind, new)) in names(&template.code).into_iter().zip(names(code)) {
        assert_eq!(kind, new_kind);
        let file = match kind {
            isa::RegKind::Sgpr => hook::RegisterFile::Sgpr,
            isa::RegKind::Vgpr => hook::RegisterFile::Vgpr,
            isa::RegKind::Agpr => hook::RegisterFile::Agpr,
            _ => continue,
        };
        let group = template
            .groups
            .iter()
            .position(|group| {
                group.file == file && (group.first..group.first + group.width).contains(&old)
            })
            .expect("every register is in a group");
        assert_eq!(
            new,
            binding.first[group] + old - template.groups[group].first
        );
    }
}
