//! Bodies that have ways of their own for a scalar source: the manual's meaning, computed by the host lane by lane, with all
//! lanes on and with some off.

use crate::harness::Machine;

const MASKS: [u64; 3] = [!0, 0x5555_5555_5555_5555, 0xffff_0000_0180_7ffe];

fn word(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b9) ^ 0x1234_5678
}

/// Byte of `v_perm_b32` that `selector` picks. Source: MI200 ISA manual, V_PERM_B32.
fn permuted(a: u32, b: u32, selector: u8) -> u8 {
    let bytes = (u64::from(a) << 32 | u64::from(b)).to_le_bytes();
    match selector {
        0..=7 => bytes[usize::from(selector)],
        8..=11 => {
            let of = bytes[2 * usize::from(selector - 8) + 1];
            if of >> 7 != 0 { 0xff } else { 0 }
        }
        12 => 0,
        _ => 0xff,
    }
}

#[test]
fn byte_permutation() {
    let selectors = [
        0x0706_0504,
        0x0302_0100,
        0x0c04_0c00,
        0x0501_0602,
        0x0b0a_0908,
        0x0dff_0c80,
        0x0c0c_0c0c,
        0x0700_030c,
    ];
    for selector in selectors {
        for mask in MASKS {
            // The result may lie over a source.
            let text =
                "v_mov_b32_e32 v2, v8\nv_perm_b32 v0, v4, v8, s20\nv_perm_b32 v2, v4, v2, s20";
            let mut m = Machine::new("gfx90a", text);
            m.sgpr(20, selector);
            m.vgpr(4, word).vgpr(8, |lane| word(lane + 100));
            m.exec(mask).run();
            let expected = |lane| {
                let byte = |byte: u8| permuted(word(lane), word(lane + 100), byte);
                u32::from_le_bytes(selector.to_le_bytes().map(byte))
            };
            m.check(0, expected);
            m.check(2, expected);
        }
    }
}

#[test]
fn shift_of_pairs() {
    for bits in 0..70u32 {
        for mask in MASKS {
            let text = "v_mov_b32_e32 v12, v8\nv_mov_b32_e32 v13, v9
                v_lshlrev_b64 v[0:1], s20, v[8:9]
                v_lshlrev_b64 v[13:14], s20, v[12:13]";
            let mut m = Machine::new("gfx906", text);
            m.sgpr(20, bits);
            m.vgpr(8, word).vgpr(9, |lane| word(lane + 100));
            m.exec(mask).run();
            let shifted =
                |lane| (u64::from(word(lane)) | u64::from(word(lane + 100)) << 32) << (bits & 63);
            m.check(0, |lane| shifted(lane) as u32);
            m.check(1, |lane| (shifted(lane) >> 32) as u32);
            // Operands may overlap.
            m.check(13, |lane| shifted(lane) as u32);
            m.check(14, |lane| (shifted(lane) >> 32) as u32);
        }
    }
}

/// Every combination of op_sel, op_sel_hi, neg_lo and neg_hi of one source that is a pair of singles, in registers of either
/// kind.
#[test]
fn words_of_pairs() {
    let number = |index: usize| 1.0 + index as f32;
    for bits in 0..16u32 {
        let bit = |index: u32| bits >> index & 1;
        let modifiers = format!(
            "op_sel:[{},0] op_sel_hi:[{},1] neg_lo:[{},0] neg_hi:[{},0]",
            bit(0),
            bit(1),
            bit(2),
            bit(3)
        );
        for (source, scalar) in [("v[4:5]", false), ("s[20:21]", true)] {
            for mask in MASKS {
                let text = format!("v_pk_mul_f32 v[0:1], {source}, v[8:9] {modifiers}");
                let mut m = Machine::new("gfx90a", &text);
                m.sgpr(20, number(300).to_bits())
                    .sgpr(21, number(400).to_bits());
                m.vgpr(4, |lane| number(lane).to_bits());
                m.vgpr(5, |lane| number(lane + 100).to_bits());
                m.vgpr(8, |lane| number(2 * lane).to_bits());
                m.vgpr(9, |lane| number(3 * lane).to_bits());
                m.exec(mask).run();
                let picked = |lane, second: u32| match (scalar, second) {
                    (true, 0) => number(300),
                    (true, _) => number(400),
                    (false, 0) => number(lane),
                    (false, _) => number(lane + 100),
                };
                let sign = |negated: u32| if negated != 0 { -1.0 } else { 1.0 };
                m.check(0, |lane| {
                    (sign(bit(2)) * picked(lane, bit(0)) * number(2 * lane)).to_bits()
                });
                m.check(1, |lane| {
                    (sign(bit(3)) * picked(lane, bit(1)) * number(3 * lane)).to_bits()
                });
            }
        }
    }
}
