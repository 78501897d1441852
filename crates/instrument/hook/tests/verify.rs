//! Machine code that must not become a template, planted one defect at a time; and code that may.

use gfx::Target;
use hook::{Clobbers, Declared, DeclaredPort, RegisterFile, Template, VerifyError};
use isa::{Assembler, Decoder};

fn derive(target: &str, text: &str, declared: &Declared) -> Result<Template, VerifyError> {
    let target = Target::find(target).expect("a known target");
    let code = Assembler::new(target)
        .expect("an assembler")
        .assemble(text)
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    hook::derive(&Decoder::new(target).expect("a decoder"), &code, declared)
}

fn input(name: &str, file: RegisterFile, first: u16, dwords: u16) -> DeclaredPort {
    DeclaredPort {
        name: name.to_owned(),
        file,
        first,
        dwords,
        read: true,
        written: false,
    }
}

#[test]
fn forbidden_instructions_are_named() {
    for (text, word) in [
        ("s_endpgm", "ends the program"),
        ("s_getpc_b64 s[0:1]", "program counter"),
        ("s_setpc_b64 s[0:1]", "jumps"),
        ("s_swappc_b64 s[0:1], s[2:3]", "calls"),
        (
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 3",
            "hardware register",
        ),
        ("s_mov_b32 s0, ttmp4", "trap temporary"),
        ("s_mov_b32 s0, flat_scratch_lo", "FLAT_SCRATCH"),
        ("s_barrier", "other waves"),
        ("s_trap 2", "traps"),
        ("s_sendmsg sendmsg(MSG_INTERRUPT)", "message"),
        ("scratch_load_dword v0, v1, off", "scratch"),
        ("s_set_gpr_idx_on s0, gpr_idx(SRC0)", "indexed"),
        ("v_nop\n s_branch 5", "branches out"),
        (
            "s_mov_b32 s0, 0x12345678\n s_cbranch_scc0 65534",
            "branches out",
        ),
    ] {
        let error = derive("gfx900", text, &Declared::default()).expect_err(text);
        assert!(
            matches!(error, VerifyError::Forbidden { .. }),
            "{text}: {error}"
        );
        assert!(error.to_string().contains(word), "{text}: {error}");
    }
}

#[test]
fn exec_must_come_back_and_never_grow() {
    let good = [
        "s_and_saveexec_b64 s[0:1], vcc\n v_mov_b32 v0, 1\n s_or_b64 exec, exec, s[0:1]",
        "s_mov_b64 s[4:5], exec\n v_cmpx_eq_u32 exec, 0, v0\n v_mov_b32 v0, 1\n s_mov_b64 exec, s[4:5]",
        // Both sides of a branch.
        "v_cmp_eq_u32 vcc, 0, v0\n s_and_saveexec_b64 s[0:1], vcc\n s_xor_b64 s[0:1], exec, s[0:1]\n v_mov_b32 v1, 1\n \
         s_or_saveexec_b64 s[0:1], s[0:1]\n s_xor_b64 exec, exec, s[0:1]\n v_mov_b32 v1, 2\n s_or_b64 exec, exec, s[0:1]",
        // A loop over ever fewer lanes.
        "s_mov_b64 s[0:1], exec\nhead:\n v_cmp_gt_u32 vcc, 9, v0\n s_and_b64 exec, exec, vcc\n v_add_u32 v0, 1, v0\n \
         s_cbranch_execnz head\n s_mov_b64 exec, s[0:1]",
    ];
    for text in good {
        let template = derive(
            "gfx90a",
            &text.replace("exec, 0, v0", "vcc, 0, v0"),
            &Declared::default(),
        );
        assert!(template.is_ok(), "{text}: {:?}", template.err());
    }
    let lost = "s_and_saveexec_b64 s[0:1], vcc\n v_mov_b32 v0, 1";
    assert_eq!(
        derive("gfx90a", lost, &Declared::default()),
        Err(VerifyError::ExecChanged)
    );
    for widened in [
        "s_mov_b64 s[0:1], exec\n s_mov_b64 exec, -1\n v_mov_b32 v0, 1\n s_mov_b64 exec, s[0:1]",
        "s_or_saveexec_b64 s[0:1], -1\n v_mov_b32 v0, 1\n s_mov_b64 exec, s[0:1]",
        "s_and_saveexec_b64 s[0:1], vcc\n s_mov_b32 s1, 0\n s_or_b64 exec, exec, s[0:1]",
        "s_not_b64 exec, exec\n s_not_b64 exec, exec",
        "s_and_saveexec_b64 s[0:1], vcc\n s_or_b64 exec, exec, s[2:3]",
    ] {
        let error = derive("gfx90a", widened, &Declared::default()).expect_err(widened);
        assert!(
            matches!(error, VerifyError::ExecWidened { .. }),
            "{widened}: {error}"
        );
    }
}

#[test]
fn inputs_stay_intact_and_do_not_share_tuples() {
    let declared = Declared {
        ports: vec![input("address", RegisterFile::Vgpr, 0, 2)],
        ..Declared::default()
    };
    let read = "global_store_dword v[0:1], v4, off";
    let template = derive("gfx90a", read, &declared).expect("reads only");
    assert!(
        template
            .groups
            .iter()
            .any(|group| group.preserved && group.width == 2)
    );

    let error = derive("gfx90a", "v_mov_b32 v1, 0", &declared).expect_err("writes v1");
    assert!(error.to_string().contains("address"), "{error}");
    let mixed = "global_store_dwordx4 v[6:7], v[0:3], off";
    let error = derive("gfx90a", mixed, &declared).expect_err("v[0:3] mixes");
    assert!(matches!(error, VerifyError::MixedGroup { .. }), "{error}");
}

#[test]
fn scc_and_vcc_survive_or_are_declared() {
    let keeping = Declared {
        preserve_scc: true,
        preserve_vcc: true,
        ..Declared::default()
    };
    let kept = "s_cselect_b32 s0, 1, 0\n s_mov_b64 s[2:3], vcc\n s_add_u32 s4, s4, 1\n v_cmp_eq_u32 vcc, 0, v0\n \
                s_mov_b64 vcc, s[2:3]\n s_cmp_lg_u32 s0, 0";
    let template = derive("gfx90a", kept, &keeping).expect("restores both");
    assert_eq!(template.clobbers, Clobbers::empty());
    for broken in [
        "s_add_u32 s4, s4, 1",
        // Saved too late.
        "s_add_u32 s4, s4, 1\n s_cselect_b32 s0, 1, 0\n s_cmp_lg_u32 s0, 0",
        // Saved, overwritten, restored.
        "s_cselect_b32 s0, 1, 0\n s_add_u32 s0, s4, 1\n s_cmp_lg_u32 s0, 0",
        // Restored inverted.
        "s_cselect_b32 s0, 1, 0\n s_add_u32 s4, s4, 1\n s_cmp_eq_u32 s0, 0",
        // Restored on one path only.
        "s_cselect_b32 s0, 1, 0\n s_add_u32 s4, s4, 1\n s_cbranch_execz end\n s_cmp_lg_u32 s0, 0\nend:\n s_nop 0",
    ] {
        let error = derive("gfx90a", broken, &keeping);
        assert_eq!(
            error,
            Err(VerifyError::NotPreserved { what: "SCC" }),
            "{broken}"
        );
    }
    let changed = "v_cmp_eq_u32 vcc, 0, v0";
    assert_eq!(
        derive("gfx90a", changed, &keeping),
        Err(VerifyError::NotPreserved { what: "VCC" })
    );
    let template = derive("gfx90a", changed, &Declared::default()).expect("declared");
    assert_eq!(template.clobbers, Clobbers::VCC);
}

#[test]
fn waits_are_dropped_behind_writes_only() {
    for (text, bytes) in [
        ("global_store_dword v[0:1], v2, off\n s_waitcnt vmcnt(0)", 4),
        ("global_load_dword v3, v[0:1], off\n s_waitcnt vmcnt(0)", 0),
        (
            "global_load_dword v3, v[0:1], off\n s_waitcnt vmcnt(0)\n v_mov_b32 v4, v3\n s_waitcnt vmcnt(0)",
            4,
        ),
        (
            "s_cbranch_execz end\n global_store_dword v[0:1], v2, off\n s_waitcnt vmcnt(0)\nend:",
            0,
        ),
        ("s_load_dword s0, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)", 0),
    ] {
        let template = derive("gfx90a", text, &Declared::default()).expect(text);
        assert_eq!(template.droppable_tail, bytes, "{text}");
    }
}
