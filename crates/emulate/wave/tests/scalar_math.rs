//! EXEC masks, MODE and calls. Scalar arithmetic is in `exec/scalar_*.s`.

use crate::harness;

use crate::harness::Machine;

#[test]
fn exec_masks_and_mode() {
    let mut machine = Machine::new(
        "gfx90a",
        "s_mov_b64 s[4:5], 0xff\ns_and_saveexec_b64 s[0:1], s[4:5]\nv_mov_b32_e32 v0, 1\ns_mov_b64 exec, s[0:1]",
    );
    machine.exec(0xf0f0).run();
    assert_eq!((machine.wave.sgpr(0), machine.wave.sgpr(1)), (0xf0f0, 0));
    assert!(machine.wave.scc());
    assert_eq!(
        (machine.wave.vgpr(0, 4), machine.wave.vgpr(0, 12)),
        (1, harness::POISON)
    );
    let rows = [
        ("s_or_saveexec_b64", 0xf0ffu64),
        ("s_xor_saveexec_b64", 0xf00f),
        ("s_andn2_saveexec_b64", 0x000f),
        ("s_orn2_saveexec_b64", !0xf0f0 | 0xff),
        ("s_nand_saveexec_b64", !0xf0),
        ("s_nor_saveexec_b64", !0xf0ff),
        ("s_xnor_saveexec_b64", !0xf00f),
        ("s_andn1_saveexec_b64", 0xf000),
        ("s_orn1_saveexec_b64", !0xff | 0xf0f0),
    ];
    for (mnemonic, expected) in rows {
        let mut machine = Machine::new(
            "gfx90a",
            &format!("s_mov_b64 s[4:5], 0xff\n{mnemonic} s[0:1], s[4:5]"),
        );
        machine.exec(0xf0f0).run();
        assert_eq!(
            (machine.wave.exec(), machine.wave.sgpr(0)),
            (expected_exec(mnemonic, expected), 0xf0f0),
            "{mnemonic}"
        );
    }
    let mut machine = Machine::new("gfx1030", "s_movk_i32 s4, 0xff\ns_andn1_wrexec_b32 s0, s4");
    machine.exec(0xf0f0).run();
    assert_eq!(
        (machine.wave.exec(), machine.wave.sgpr(0)),
        (0xf000, 0xf000)
    );
    let mut machine = Machine::new(
        "gfx90a",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 6\ns_getreg_b32 s0, hwreg(HW_REG_MODE, 1, 3)\ns_getreg_b32 s1, hwreg(HW_REG_MODE)",
    );
    machine.run();
    assert_eq!((machine.wave.sgpr(0), machine.wave.sgpr(1)), (3, 0x3f6));
}

/// S op EXEC for S = 0xff, EXEC = 0xf0f0.
fn expected_exec(mnemonic: &str, fallback: u64) -> u64 {
    let (s, exec) = (0xffu64, 0xf0f0u64);
    match mnemonic {
        "s_andn2_saveexec_b64" => s & !exec,
        "s_orn2_saveexec_b64" => s | !exec,
        "s_andn1_saveexec_b64" => !s & exec,
        "s_orn1_saveexec_b64" => !s | exec,
        "s_nand_saveexec_b64" => !(s & exec),
        "s_nor_saveexec_b64" => !(s | exec),
        "s_xnor_saveexec_b64" => !(s ^ exec),
        _ => fallback,
    }
}

#[test]
fn calls_and_program_counter() {
    let text = "s_getpc_b64 s[10:11]
        s_add_u32 s10, s10, 16
        s_addc_u32 s11, s11, 0
        s_swappc_b64 s[12:13], s[10:11]
        s_branch done
        s_movk_i32 s0, 7
        s_setpc_b64 s[12:13]
        done:";
    // getpc gives the address of s_add_u32; three instructions and the branch lie between it and the callee.
    let mut machine = Machine::new("gfx90a", text);
    machine.run();
    assert_eq!(machine.wave.sgpr(0), 7);
}
