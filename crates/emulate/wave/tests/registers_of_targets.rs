//! The table of hardware registers against LLVM's.

use gfx::Family;
use wave::inside::registers;

/// Every register that LLVM has a name for has a row, and no other; nothing is found twice.
#[test]
fn registers_are_those_of_each_target() {
    for target in gfx::TARGETS {
        let decoder = isa::Decoder::new(target).unwrap();
        for number in 0..64u16 {
            // s_getreg_b32 s0, hwreg(number)
            let opcode = match target.family {
                Family::Gfx9 => 0xb880_0000u32,
                Family::Gfx10 | Family::Gfx10_3 => 0xb900_0000,
                _ => 0xb880_0000,
            };
            let word = opcode | 31 << 11 | u32::from(number);
            let inst = decoder.decode(&word.to_le_bytes(), 0).unwrap();
            assert_eq!(inst.mnemonic(), "s_getreg_b32", "{}", target.name);
            let text = decoder.print(&inst);
            let name = text.split(['(', ')', ',']).nth(2).unwrap_or(&text);
            let rows = registers(target, number);
            let named = text.contains("HW_REG_");
            assert_eq!(
                rows.len(),
                usize::from(named),
                "{}: {text}: {rows:?}",
                target.name
            );
            if named {
                let known = text.split("HW_REG_").nth(1).unwrap().trim_end_matches(')');
                let known = known.strip_prefix("WAVE_").unwrap_or(known);
                assert_eq!(rows[0], known, "{}: {name}", target.name);
            }
        }
    }
}
