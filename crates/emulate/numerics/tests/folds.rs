//! Every operation LLVM can fold to a constant, against what it folds to (`data/llvm-folds.txt`).

use numerics::{Denormals, approx, convert, cube, float32, integer, trig_preop};

const KEEP: Denormals = Denormals::KEEP;

/// Folds that are not followed, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    (
        "trig 7fe0000000000000 3",
        "LLVM's table of 2/pi is shorter than the 1201 bits of the manual",
    ),
    ("sinh 8000", "the hardware's sine keeps the sign of zero"),
];

fn evaluate(operation: &str, x: &[u64]) -> u64 {
    let w = |i: usize| x[i] as u32;
    match operation {
        "trig" => trig_preop::trig_preop(x[0], w(1)),
        "perm" => integer::perm(w(0), w(1), w(2)) as u64,
        "ubfe" => integer::bfe_u32(w(0), w(1), w(2)) as u64,
        "sbfe" => integer::bfe_i32(w(0), w(1), w(2)) as u64,
        "wqm" => integer::wqm(x[0]),
        "quadmask" => integer::quadmask(x[0]),
        "bitrep" => integer::bitreplicate(w(0)),
        "cubeid" => cube::id(w(0), w(1), w(2)) as u64,
        "cubema" => cube::ma(w(0), w(1), w(2), KEEP) as u64,
        "cubesc" => cube::sc(w(0), w(1), w(2)) as u64,
        "cubetc" => cube::tc(w(0), w(1), w(2)) as u64,
        "fract" => float32::fract(w(0), KEEP) as u64,
        "fmant" => float32::frexp_mant(w(0)) as u64,
        "fexp" => float32::frexp_exp(w(0)) as u32 as u64,
        "pkrtz" => convert::pkrtz_f16_f32(w(0), w(1), KEEP) as u64,
        "rcp" => approx::rcp_f32(w(0)) as u64,
        "sin" => approx::sin_f32(w(0), false) as u64,
        "cos" => approx::cos_f32(w(0), true) as u64,
        "rcph" => approx::rcp_f16(x[0] as u16, KEEP) as u64,
        "sqrth" => approx::sqrt_f16(x[0] as u16, KEEP) as u64,
        "sinh" => approx::sin_f16(x[0] as u16, KEEP, true) as u64,
        other => panic!("no function for {other}"),
    }
}

#[test]
fn results_equal_llvm_constants() {
    let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for line in include_str!("data/llvm-folds.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (call, result) = line.split_once(" = ").unwrap();
        let mut words = call.split(' ');
        let operation = words.next().unwrap();
        let operands: Vec<u64> = words.map(hex).collect();
        let got = evaluate(operation, &operands);
        let exception = EXCEPTIONS.iter().any(|(known, _)| *known == call);
        assert!(
            !exception || got != hex(result),
            "{call} is no exception any more"
        );
        if got != hex(result) && !exception {
            wrong.push(format!("{line}, not {got:x}"));
        }
        checked += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {checked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked > 1000);
}
