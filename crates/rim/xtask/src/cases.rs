//! `cargo xtask cases`: writes files of `wave/tests/exec` whose values follow from a few operands by rules that the host knows, too.
//!
//! The masks of comparisons are what the host's own comparisons say of the operands.

use std::{cmp::Ordering, fmt::Write, fs, path::Path};

use anyhow::{Context, Result};

/// A file, and the function that makes its text.
struct Written {
    file: &'static str,
    text: fn() -> String,
}

const FILES: &[Written] = &[Written {
    file: "crates/emulate/wave/tests/exec/compare_gfx12.s",
    text: comparisons_of_gfx12,
}];

/// Writes all files; or, with `check`, says which of them differ.
pub fn run(root: &Path, check: bool) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for Written { file, text } in FILES {
        let (path, text) = (root.join(file), text());
        if check {
            if fs::read_to_string(&path).context(*file)? != text {
                stale.push(format!("{file} differs from `cargo xtask cases`"));
            }
        } else {
            fs::write(&path, text).context(*file)?;
        }
    }
    Ok(stale)
}

/// Pairs of floats that every width has.
const FLOATS: [[f64; 16]; 2] = {
    const NAN: f64 = f64::NAN;
    const INFINITY: f64 = f64::INFINITY;
    [
        [
            1.0, 2.0, 1.5, -0.0, NAN, 1.0, NAN, -INFINITY, INFINITY, -2.0, 3.0, 0.0, 1.0, -1.0,
            65504.0, -INFINITY,
        ],
        [
            2.0, 1.0, 1.5, 0.0, 1.0, NAN, NAN, -1.0, INFINITY, 3.0, -2.0, 0.0, 1.0, -2.0, INFINITY,
            INFINITY,
        ],
    ]
};

/// Pairs of integers, signed or by their bits unsigned.
const INTEGERS: [[i64; 16]; 2] = [
    [
        0, 1, 2, -1, 1, -1, -2, 0x7f, -0x80, 5, -7, 0, -1, 100, 99, 3,
    ],
    [
        0, 2, 1, 1, -1, -2, -1, -0x80, 0x7f, 5, -7, -1, 0, 99, 100, 3,
    ],
];

/// A condition: its name, and whether it holds for an order, which two numbers have and a NaN has with none.
type Condition = (&'static str, fn(Option<Ordering>) -> bool);

const OF_FLOATS: [Condition; 14] = [
    ("lt", |order| order == Some(Ordering::Less)),
    ("eq", |order| order == Some(Ordering::Equal)),
    ("le", |order| order.is_some_and(Ordering::is_le)),
    ("gt", |order| order == Some(Ordering::Greater)),
    ("lg", |order| order.is_some_and(Ordering::is_ne)),
    ("ge", |order| order.is_some_and(Ordering::is_ge)),
    ("o", |order| order.is_some()),
    ("u", |order| order.is_none()),
    ("nge", |order| !order.is_some_and(Ordering::is_ge)),
    ("nlg", |order| !order.is_some_and(Ordering::is_ne)),
    ("ngt", |order| order != Some(Ordering::Greater)),
    ("nle", |order| !order.is_some_and(Ordering::is_le)),
    ("neq", |order| order != Some(Ordering::Equal)),
    ("nlt", |order| order != Some(Ordering::Less)),
];

const OF_INTEGERS: [Condition; 6] = [
    ("lt", |order| order == Some(Ordering::Less)),
    ("eq", |order| order == Some(Ordering::Equal)),
    ("le", |order| order.is_some_and(Ordering::is_le)),
    ("gt", |order| order == Some(Ordering::Greater)),
    ("ne", |order| order.is_some_and(Ordering::is_ne)),
    ("ge", |order| order.is_some_and(Ordering::is_ge)),
];

fn comparisons_of_gfx12() -> String {
    let mut text = String::from(
        "; Comparisons on gfx12, which has none that are always true or false; results go to VCC.\n\
         ;! by spec, pseudocode of the RDNA 4 manual, VOPC; masks worked out by a script from the operands' values\n\n",
    );
    let mut is_first = true;
    for wave_size in [32, 64] {
        writeln!(text, ";! target gfx1200/{wave_size} gfx1201/{wave_size}")
            .expect("a string takes all");
        let mut given = |text: &mut String, bits: u32, values: [[u64; 16]; 2]| {
            if !std::mem::take(&mut is_first) {
                text.push_str(";! given\n");
            }
            for (register, values) in [4, 8].into_iter().zip(values) {
                let list: Vec<String> = values.iter().map(|value| format!("{value:#x}")).collect();
                let (place, kind) = match bits {
                    64 => (format!("v[{register}:{}]", register + 1), "u64"),
                    _ => (format!("v{register}"), "u32"),
                };
                let list = list.join(", ");
                writeln!(text, ";! given in {place} = {kind}[{list}]").expect("a string takes all");
            }
        };
        let case = |text: &mut String, name: String, bits: u32, holds: [bool; 16]| {
            let lanes = (0..wave_size).fold(0, |mask, lane: u32| {
                mask | u64::from(holds[lane as usize % 16]) << lane
            });
            let vcc = if wave_size == 32 { "vcc_lo" } else { "vcc" };
            let sources = match bits {
                64 => "v[4:5], v[8:9]",
                _ => "v4, v8",
            };
            writeln!(
                text,
                "v_cmp_{name} {vcc}, {sources}  ;= vcc = u64[{lanes:#x}]"
            )
            .expect("a string takes all");
        };
        let [a, b] = FLOATS;
        for bits in [16, 32, 64] {
            given(
                &mut text,
                bits,
                FLOATS.map(|all| all.map(|x| float(x, bits))),
            );
            for (condition, holds) in OF_FLOATS {
                let of = |lane: usize| holds(a[lane].partial_cmp(&b[lane]));
                let holds = std::array::from_fn(of);
                case(&mut text, format!("{condition}_f{bits}"), bits, holds);
            }
        }
        let [a, b] = INTEGERS;
        for bits in [16, 32, 64] {
            let cut = |x: i64| x as u64 & (!0 >> (64 - bits));
            given(&mut text, bits, INTEGERS.map(|all| all.map(cut)));
            for (condition, holds) in OF_INTEGERS {
                let holds = std::array::from_fn(|lane| holds(Some(a[lane].cmp(&b[lane]))));
                case(&mut text, format!("{condition}_i{bits}"), bits, holds);
            }
            for (condition, holds) in OF_INTEGERS {
                let of = |lane: usize| holds(Some(cut(a[lane]).cmp(&cut(b[lane]))));
                let holds = std::array::from_fn(of);
                case(&mut text, format!("{condition}_u{bits}"), bits, holds);
            }
        }
    }
    text
}

/// The bits of `value`, which a float of `bits` bits has exactly.
fn float(value: f64, bits: u32) -> u64 {
    match bits {
        64 => value.to_bits(),
        32 => (value as f32).to_bits().into(),
        _ => half(value as f32).into(),
    }
}

/// The bits of a half that is zero, normal, infinite or a NaN.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let size = match bits & 0x7fff_ffff {
        0 => 0,
        size if size >= 0x7f80_0000 => 0x7c00 | (size >> 13 & 0x3ff) as u16,
        size => ((size >> 13) - ((127 - 15) << 10)) as u16,
    };
    sign | size
}

#[cfg(test)]
mod tests {
    #[test]
    fn files_are_fresh() {
        assert_eq!(
            super::run(&crate::root(), true).expect("the files exist"),
            [""; 0]
        );
    }
}
