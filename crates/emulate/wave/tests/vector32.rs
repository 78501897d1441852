//! Comparisons and carries as lane masks: values by hand from the manuals' pseudocode. Arithmetic is in `exec`.

use crate::harness::cases::*;

#[rustfmt::skip]
#[test]
fn carry_of_a_wide_product() {
    assert_eq!(mask(("gfx90a", 64), "v_mad_u64_u32 v[0:1], s[8:9], v4, v8, v[12:13]", 8, &[&[0xffff_ffff, 1], &[0xffff_ffff, 1], &[!0, 1]]), 0x5555_5555_5555_5555);
}

#[rustfmt::skip]
#[test]
fn conditions() {
    // Lanes: less, equal, greater, unordered or (for integers) less again.
    let relation = |suffix: &str, name: &str, cases: [[u64; 2]; 4]| {
        let sources: [Vec<u64>; 2] = [0, 1].map(|index| cases.iter().map(|case| case[index]).collect());
        let wide = suffix.ends_with("64");
        let registers = if wide { "v[4:5], v[8:9]" } else { "v4, v8" };
        let nine = mask(("gfx90a", 64), &format!("v_cmp_{name}_{suffix} s[8:9], {registers}"), 8, &[&sources[0], &sources[1]]);
        let ten = mask(("gfx1030", 32), &format!("v_cmp_{name}_{suffix} s8, {registers}"), 8, &[&sources[0], &sources[1]]);
        assert_eq!(nine as u32 as u64, ten, "{name} {suffix}");
        assert_eq!(nine >> 32, ten, "{name} {suffix}");
        nine & 15
    };
    let floats: [(&str, u64); 16] = [("f", 0), ("lt", 1), ("eq", 2), ("le", 3), ("gt", 4), ("lg", 5), ("ge", 6), ("o", 7), ("u", 8), ("nge", 9), ("nlg", 10), ("ngt", 11), ("nle", 12), ("neq", 13), ("nlt", 14), ("tru", 15)];
    for (name, expected) in floats {
        assert_eq!(relation("f32", name, [[f(-1.0), f(1.0)], [0, f(-0.0)], [f(1.0), f(-1.0)], [0x7fc0_0000, 0]]), expected, "{name}");
        assert_eq!(relation("f64", name, [[d(-1.0), d(1.0)], [0, d(-0.0)], [d(1.0), d(-1.0)], [0x7ff8_0000_0000_0000, 0]]), expected, "{name}");
        assert_eq!(relation("f16", name, [[0xbc00, 0x3c00], [0, 0x8000], [0x3c00, 0xbc00], [0x7e00, 0]]), expected, "{name}");
    }
    let integers: [(&str, u64); 8] = [("f", 0), ("lt", 1), ("eq", 2), ("le", 3), ("gt", 4), ("ne", 5), ("ge", 6), ("t", 7)];
    for (name, expected) in integers {
        // Signed less is unsigned greater here; the fourth lane repeats the first.
        let signed = expected | (expected & 1) << 3;
        let swapped = (expected & 1) << 2 | expected & 2 | expected >> 2 & 1;
        let unsigned = swapped | (swapped & 1) << 3;
        for (suffix, minus) in [("16", 0xffff), ("32", 0xffff_ffff), ("64", !0u64)] {
            if suffix == "16" && matches!(name, "f" | "t") {
                continue;
            }
            let cases = [[minus, 1], [5, 5], [1, minus], [minus, 1]];
            assert_eq!(relation(&format!("i{suffix}"), name, cases), signed, "{name} i{suffix}");
            assert_eq!(relation(&format!("u{suffix}"), name, cases), unsigned, "{name} u{suffix}");
        }
    }
    // Class bits: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
    let values = [0x7f80_0001u64, 0x7fc0_0000, 0xff80_0000, 0xbf80_0000, 0x8000_0001, 0x8000_0000, 0, 1, 0x3f80_0000, 0x7f80_0000];
    for (bit, &value) in values.iter().enumerate() {
        let hit = mask(("gfx90a", 64), "v_cmp_class_f32 s[8:9], v4, v8", 8, &[&[value], &[1 << bit, !(1 << bit)]]);
        assert_eq!(hit, 0x5555_5555_5555_5555, "class {bit}");
    }
}
