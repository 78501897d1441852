//! Where pairs of vector registers begin at even numbers, an odd number is no instruction, and never another register.

use isa::{Decoder, Operand, Reg, RegKind};

/// Fields of LDS instructions with register numbers, in the second dword: address, two values, result.
const FIELDS: [u32; 4] = [0, 8, 16, 24];

fn vectors(operands: &[Operand]) -> Vec<Reg> {
    let registers = operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) | Operand::Use(reg) => Some(*reg),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    });
    registers.filter(|reg| reg.kind == RegKind::Vgpr).collect()
}

#[test]
fn odd_pairs_of_lds_instructions_are_refused() {
    let mut pairs = 0;
    for target in gfx::TARGETS
        .iter()
        .filter(|target| target.unified_register_file)
    {
        let decoder = Decoder::new(target).expect("LLVM knows it");
        for opcode in 0..256_u32 {
            let first = 0xd800_0000 | opcode << 17;
            let decode = |second: u32| {
                let code = [first, second].map(u32::to_le_bytes).concat();
                decoder.decode(&code, 0)
            };
            // All fields first; those that the instruction does not use are none of its operands.
            let numbers = [10, 20, 30, 40];
            let all = FIELDS
                .iter()
                .zip(numbers)
                .fold(0, |word, (field, number)| word | number << field);
            let Ok(inst) = decode(all) else { continue };
            for (field, number) in FIELDS.into_iter().zip(numbers) {
                let is = |reg: &Reg| u32::from(reg.index) == number;
                let Some(named) = vectors(&inst.operands).into_iter().find(is) else {
                    continue;
                };
                if let Ok(odd) = decode(all | 1 << field) {
                    let place = format!("{}: {}", target.name, decoder.print(&odd));
                    let moved = |reg: &Reg| u32::from(reg.index) == number + 1;
                    assert!(vectors(&odd.operands).iter().any(moved), "{place}");
                }
                pairs += usize::from(named.width > 1);
            }
        }
    }
    assert!(pairs > 100, "{pairs}");
}
