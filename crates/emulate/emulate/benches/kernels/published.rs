//! The shapes whose times AMD publishes for rocjitsu, its own emulator.

use emulate::{Argument, Device, Shape};

use crate::{
    Outcome,
    programs::{Prepare, Run, bytes_of, expect, line, number, words_at},
};

/// A kernel, and what AMD says of it.
pub struct Published {
    pub name: &'static str,
    pub target: &'static str,
    pub prepare: Prepare,
    /// Seconds of a launch, with one thread of the emulator.
    pub seconds: f64,
    pub host: &'static str,
    /// In the folder emulation/rocjitsu of ROCm/rocm-systems.
    pub source: &'static str,
    /// The differences besides the machine.
    pub differences: &'static str,
}

#[rustfmt::skip]
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "253 VGPRs, 320 waves, first values only", target: "gfx942", prepare: |device| saturate(device, 0),
        seconds: 0.161_507, host: "EPYC 9554", source: "benchmarks/vgpr_saturation/README.md",
        differences: "LLVM 22 compiles our own OpenCL C here, AMD's compiler HIP there; both need 253 VGPRs and no scratch. Theirs is the time of \
                      a launch through HIP up to the end of hipDeviceSynchronize",
    },
    Published {
        name: "253 VGPRs, 320 waves, eight passes", target: "gfx942", prepare: |device| saturate(device, 8),
        seconds: 1.262_361, host: "EPYC 9554", source: "benchmarks/vgpr_saturation/README.md",
        differences: "as above",
    },
    Published {
        name: "GEMM of E4M3, 1024 cubed, tiles of 64 by 64", target: "gfx950", prepare: fp8_gemm,
        seconds: 4.2093, host: "Threadripper PRO 9995WX", source: "docs/async-thread-scaling.md",
        differences: "our own OpenCL C, which reads global memory, and not Triton's kernel, which goes through LDS; both have 256 workgroups and \
                      v_mfma_f32_16x16x128_f8f6f4",
    },
];

const WAVES: u32 = 320;
const VALUES: u32 = 252;
const SIDE: u32 = 1024;

fn saturate<'d>(device: &'d Device<'d>, passes: u32) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4 * 64 * u64::from(WAVES))?;
    let expected: Vec<u32> = (0..64 * WAVES).map(|id| saturated(id, passes)).collect();
    Ok(Box::new(move |launches| {
        let arguments = [Argument::pointer(out), number(passes)];
        launches.launch("saturate", &line(WAVES, 64), &arguments)?;
        expect(words_at(device, out, 64 * WAVES)? == expected, "a sum")
    }))
}

/// The value that work-item `id` writes.
fn saturated(id: u32, passes: u32) -> u32 {
    let first = |i: u32| id.wrapping_add(0x9e37_79b9u32.wrapping_mul(i + 1));
    let mut values: Vec<u32> = (0..VALUES).map(first).collect();
    for _ in 0..passes {
        for i in 0..values.len() {
            let mixed = values[i] ^ values[(i + 1) % values.len()];
            values[i] = mixed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
    }
    let numbered = values.iter().zip(0..);
    numbered.fold(0, |sum, (value, i)| sum ^ value.wrapping_add(i))
}

fn fp8_gemm<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    // 0, 1 and 2 as E4M3: sums stay exact.
    const CODES: [u8; 3] = [0x00, 0x38, 0x40];
    let left = |row: u32, k: u32| (row * 7 + k) % 3;
    let right = |k: u32, column: u32| (k + column * 5) % 3;
    let side = 0..SIDE * SIDE;
    let a: Vec<u8> = side
        .clone()
        .map(|at| CODES[left(at / SIDE, at % SIDE) as usize])
        .collect();
    let b: Vec<u8> = side
        .map(|at| CODES[right(at % SIDE, at / SIDE) as usize])
        .collect();
    let (a, b) = (device.buffer(&a, 0)?, device.buffer(&b, 0)?);
    let c = device.buffer(&bytes_of(0..0), 4 * u64::from(SIDE * SIDE))?;
    Ok(Box::new(move |launches| {
        let shape = Shape {
            grid: [SIDE / 64, SIDE / 64, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [a, b, c].map(Argument::pointer);
        launches.launch(
            "fp8_gemm",
            &shape,
            &[&arguments[..], &[number(SIDE)]].concat(),
        )?;
        let product = words_at(device, c, SIDE * SIDE)?;
        for at in (0..SIDE * SIDE).step_by(997) {
            let (row, column) = (at / SIDE, at % SIDE);
            let sum: u32 = (0..SIDE).map(|k| left(row, k) * right(k, column)).sum();
            expect(
                f32::from_bits(product[at as usize]) == sum as f32,
                "a product",
            )?;
        }
        Ok(())
    }))
}
