//! Wave matrix multiply-add (WMMA of RDNA 3 and 4, SWMMAC of RDNA 4): where each matrix element lives.
//!
//! All matrices of D have 16 rows and 16 columns. Sixteen neighbouring lanes of one register hold the same `k` of sixteen rows of A, or the
//! same `k` of sixteen columns of B, or one row of C and D. A [`Spot`] therefore names a register, a bit and such a group of lanes. RDNA 3
//! requires A and B repeated in every group; this module reads the first copy.
//!
//! The sources of this table are AMD's matrix instruction calculator (its output is what the tests compare with) and the
//! RDNA 4 manual. How the hardware rounds inside a sum is not published: sums are chains of fused multiply-adds in order of `k`.

/// The layout of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// gfx11: A and B repeated in every group of sixteen lanes, rows of D dealt round to the groups.
    Rdna3,
    /// gfx12.
    Rdna4,
}

/// Number format of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    F16,
    Bf16,
    /// Bytes, signed or not as NEG says.
    Iu8,
    /// Four-bit integers, signed or not as NEG says.
    Iu4,
    /// Eight-bit floats (OCP); `true` is `bf8`.
    Fp8 {
        a_is_bf8: bool,
        b_is_bf8: bool,
    },
}

impl Input {
    /// Bits of one value of A or B.
    pub const fn bits(self) -> u32 {
        match self {
            Input::F16 | Input::Bf16 => 16,
            Input::Iu8 | Input::Fp8 { .. } => 8,
            Input::Iu4 => 4,
        }
    }
}

/// Number format of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    F32,
    F16,
    Bf16,
    I32,
}

impl Output {
    /// Bits of one value of C or D.
    pub const fn bits(self) -> u32 {
        match self {
            Output::F32 | Output::I32 => 32,
            Output::F16 | Output::Bf16 => 16,
        }
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub name: &'static str,
    /// Columns of A and rows of B. For a sparse A, two of each four are stored.
    pub k: u32,
    pub input: Input,
    pub output: Output,
    /// SWMMAC: half of A is stored, and a further register says which.
    pub sparse: bool,
}

const fn dense(name: &'static str, k: u32, input: Input, output: Output) -> Instruction {
    Instruction {
        name,
        k,
        input,
        output,
        sparse: false,
    }
}

const fn sparse(name: &'static str, k: u32, input: Input, output: Output) -> Instruction {
    Instruction {
        name,
        k,
        input,
        output,
        sparse: true,
    }
}

const fn fp8(a_is_bf8: bool, b_is_bf8: bool) -> Input {
    Input::Fp8 { a_is_bf8, b_is_bf8 }
}

/// Every instruction; RDNA 3 has the first six.
#[rustfmt::skip]
pub const INSTRUCTIONS: &[Instruction] = &[
    dense ("v_wmma_f32_16x16x16_f16",       16, Input::F16,         Output::F32),
    dense ("v_wmma_f32_16x16x16_bf16",      16, Input::Bf16,        Output::F32),
    dense ("v_wmma_f16_16x16x16_f16",       16, Input::F16,         Output::F16),
    dense ("v_wmma_bf16_16x16x16_bf16",     16, Input::Bf16,        Output::Bf16),
    dense ("v_wmma_i32_16x16x16_iu8",       16, Input::Iu8,         Output::I32),
    dense ("v_wmma_i32_16x16x16_iu4",       16, Input::Iu4,         Output::I32),
    dense ("v_wmma_i32_16x16x32_iu4",       32, Input::Iu4,         Output::I32),
    dense ("v_wmma_f32_16x16x16_fp8_fp8",   16, fp8(false, false),  Output::F32),
    dense ("v_wmma_f32_16x16x16_fp8_bf8",   16, fp8(false, true),   Output::F32),
    dense ("v_wmma_f32_16x16x16_bf8_fp8",   16, fp8(true, false),   Output::F32),
    dense ("v_wmma_f32_16x16x16_bf8_bf8",   16, fp8(true, true),    Output::F32),
    sparse("v_swmmac_f32_16x16x32_f16",     32, Input::F16,         Output::F32),
    sparse("v_swmmac_f32_16x16x32_bf16",    32, Input::Bf16,        Output::F32),
    sparse("v_swmmac_f16_16x16x32_f16",     32, Input::F16,         Output::F16),
    sparse("v_swmmac_bf16_16x16x32_bf16",   32, Input::Bf16,        Output::Bf16),
    sparse("v_swmmac_i32_16x16x32_iu8",     32, Input::Iu8,         Output::I32),
    sparse("v_swmmac_i32_16x16x32_iu4",     32, Input::Iu4,         Output::I32),
    sparse("v_swmmac_i32_16x16x64_iu4",     64, Input::Iu4,         Output::I32),
    sparse("v_swmmac_f32_16x16x32_fp8_fp8", 32, fp8(false, false),  Output::F32),
    sparse("v_swmmac_f32_16x16x32_fp8_bf8", 32, fp8(false, true),   Output::F32),
    sparse("v_swmmac_f32_16x16x32_bf8_fp8", 32, fp8(true, false),   Output::F32),
    sparse("v_swmmac_f32_16x16x32_bf8_bf8", 32, fp8(true, true),    Output::F32),
];

/// The place of sixteen values: in lanes `16 * group` and up of a register, from a bit on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    pub register: u8,
    pub bit: u8,
    pub group: u8,
}

const fn spot(register: u32, bit: u32, group: u32) -> Spot {
    Spot {
        register: register as u8,
        bit: bit as u8,
        group: group as u8,
    }
}

impl Instruction {
    /// The row of a mnemonic.
    pub fn find(mnemonic: &str) -> Option<&'static Instruction> {
        INSTRUCTIONS.iter().find(|row| row.name == mnemonic)
    }

    /// `k` of B, and of A where it is not sparse.
    pub const fn input(&self, generation: Generation, wave64: bool, k: u32) -> Spot {
        let bits = self.input.bits();
        let bit = bits * (k % (32 / bits));
        if matches!(generation, Generation::Rdna3) {
            return spot(bits * k / 32, bit, 0);
        }
        let (register, group) = match (self.sparse, bits, self.k, wave64) {
            (false, 16, _, false) => (2 * (k / 8) + k / 2 % 2, k / 4 % 2),
            (false, 16, _, true) => (k / 2 % 2, 2 * (k / 8) + k / 4 % 2),
            (false, 8, _, false) => (k / 4 % 2, k / 8),
            (false, 8, _, true) => (0, 2 * (k / 4 % 2) + k / 8),
            (false, _, 16, _) => (0, k / 8),
            (true, 16, _, false) => (4 * (k / 16) + k / 2 % 4, k / 8 % 2),
            (true, 16, _, true) => (k / 2 % 4, k / 8),
            (true, 8, _, false) => (k / 4 % 4, k / 16),
            (true, 8, _, true) => (k / 4 % 2, 2 * (k / 8 % 2) + k / 16),
            (_, _, 32, false) => (k / 8 % 2, k / 16),
            (_, _, 32, true) => (0, 2 * (k / 8 % 2) + k / 16),
            (_, _, _, false) => (k / 8 % 4, k / 32),
            (_, _, _, true) => (k / 8 % 2, 2 * (k / 16 % 2) + k / 32),
        };
        spot(register, bit, group)
    }

    /// The first (`second`: the other) stored value of A among `k` 4 * `quad` and the three that follow.
    pub const fn packed(&self, wave64: bool, quad: u32, second: bool) -> Spot {
        let bits = self.input.bits();
        let (register, pair, group) = match (bits, self.k, wave64) {
            (16, _, false) => (2 * (quad / 4) + quad % 2, 0, quad / 2 % 2),
            (16, _, true) => (quad % 2, 0, quad / 2),
            (8, _, false) => (quad / 2 % 2, quad % 2, quad / 4),
            (8, _, true) => (0, quad % 2, 2 * (quad / 2 % 2) + quad / 4),
            (_, 32, _) => (0, quad % 4, quad / 4),
            (_, _, false) => (quad / 4 % 2, quad % 4, quad / 8),
            (_, _, true) => (0, quad % 4, 2 * (quad / 4 % 2) + quad / 8),
        };
        spot(register, bits * (2 * pair + second as u32), group)
    }

    /// Four bits that say which of `k` 4 * `quad` and the three that follow are stored: two for each, the first one below.
    /// OP_SEL moves this up by multiples of [`Instruction::index_bits`].
    pub const fn index(&self, wave64: bool, quad: u32) -> Spot {
        let group = self.packed(wave64, quad, false).group as u32;
        let place = match (self.input.bits(), self.k, wave64) {
            (16, _, false) => 2 * (quad / 4) + quad % 2,
            (16, _, true) | (8, _, true) => quad % 2,
            (_, 64, false) => quad % 8,
            _ => quad % 4,
        };
        spot(0, 4 * place, group)
    }

    /// Bits of the index register that one lane uses.
    pub const fn index_bits(&self, wave64: bool) -> u32 {
        match (self.input.bits(), self.k, wave64) {
            (8 | 16, _, true) => 8,
            (_, 64, false) => 32,
            _ => 16,
        }
    }

    /// A row of C and D.
    pub const fn output(&self, generation: Generation, wave64: bool, row: u32) -> Spot {
        let halves = self.output.bits() == 16;
        match (generation, wave64) {
            // One value a register; OP_SEL says in which half.
            (Generation::Rdna3, false) => spot(row / 2, 0, row % 2),
            (Generation::Rdna3, true) => spot(row / 4, 0, row % 4),
            (Generation::Rdna4, false) if halves => spot(row / 2 % 4, 16 * (row % 2), row / 8),
            (Generation::Rdna4, false) => spot(row % 8, 0, row / 8),
            (Generation::Rdna4, true) if halves => {
                spot(row / 2 % 2, 16 * (row % 2), 2 * (row / 4 % 2) + row / 8)
            }
            (Generation::Rdna4, true) => spot(row % 4, 0, 2 * (row / 4 % 2) + row / 8),
        }
    }

    /// Registers of A, of B, and of C and D.
    pub fn words(&self, generation: Generation, wave64: bool) -> [u16; 3] {
        let most = |spots: &mut dyn Iterator<Item = Spot>| {
            spots
                .map(|spot| u16::from(spot.register) + 1)
                .max()
                .unwrap_or(0)
        };
        let b = most(&mut (0..self.k).map(|k| self.input(generation, wave64, k)));
        let a = match self.sparse {
            true => most(&mut (0..self.k / 4).map(|quad| self.packed(wave64, quad, true))),
            false => b,
        };
        let d = most(&mut (0..16).map(|row| self.output(generation, wave64, row)));
        [a, b, d]
    }
}
