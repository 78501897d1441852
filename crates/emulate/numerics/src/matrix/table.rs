//! Every dense MFMA instruction of gfx908, gfx90a, gfx942 and gfx950 but those with scales; and the sparse ones.

use super::Shape;

/// Number formats of the inputs; they decide which `accumulate_*` function applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    F32,
    /// Singles cut to ten fraction bits (gfx942).
    Xf32,
    F16,
    /// bfloat16 with two `k` per step: the instructions without `_1k` of gfx908 and gfx90a.
    Bf16Pairs,
    /// bfloat16 as the `_1k` instructions and gfx942 take it.
    Bf16,
    I8,
    F64,
    /// Eight-bit floats of A and B; `true` is `bf8`.
    Fp8 {
        a_is_bf8: bool,
        b_is_bf8: bool,
    },
}

impl Kind {
    /// Bits of one value of A or B.
    #[inline]
    pub const fn input_bits(self) -> u32 {
        match self {
            Kind::F32 | Kind::Xf32 => 32,
            Kind::F16 | Kind::Bf16 | Kind::Bf16Pairs => 16,
            Kind::I8 | Kind::Fp8 { .. } => 8,
            Kind::F64 => 64,
        }
    }

    /// Bits of one value of C or D.
    #[inline]
    pub const fn output_bits(self) -> u32 {
        match self {
            Kind::F64 => 64,
            _ => 32,
        }
    }
}

/// One instruction. gfx942 renamed most; both names are given where both exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Mnemonic on gfx908 and gfx90a, empty if it only exists later.
    pub name: &'static str,
    /// Mnemonic on gfx942 and gfx950, empty if it was dropped.
    pub name_gfx942: &'static str,
    pub shape: Shape,
    pub kind: Kind,
}

impl Instruction {
    /// The row of a mnemonic, with or without the suffix `_e64`.
    pub fn find(mnemonic: &str) -> Option<&'static Instruction> {
        let mnemonic = mnemonic.strip_suffix("_e64").unwrap_or(mnemonic);
        let named = |row: &&Instruction| row.name == mnemonic || row.name_gfx942 == mnemonic;
        INSTRUCTIONS
            .iter()
            .find(|row| !mnemonic.is_empty() && named(row))
    }
}

const fn row(
    name: &'static str,
    name_gfx942: &'static str,
    [m, n, k, blocks]: [u32; 4],
    kind: Kind,
) -> Instruction {
    let rows_per_lane = if matches!(kind, Kind::F64) { 1 } else { 4 };
    Instruction {
        name,
        name_gfx942,
        shape: Shape {
            m,
            n,
            k,
            blocks,
            rows_per_lane,
        },
        kind,
    }
}

const fn fp8(
    name_gfx942: &'static str,
    size: [u32; 4],
    a_is_bf8: bool,
    b_is_bf8: bool,
) -> Instruction {
    row("", name_gfx942, size, Kind::Fp8 { a_is_bf8, b_is_bf8 })
}

/// Sources: AMD's instruction set manuals for MI100, MI200 and MI300; checked against AMD's matrix calculator.
#[rustfmt::skip]
pub static INSTRUCTIONS: &[Instruction] = &[
    //  gfx908, gfx90a                 gfx942                          m   n   k  blocks
    row("v_mfma_f32_32x32x1f32",       "v_mfma_f32_32x32x1_2b_f32",   [32, 32,  1,  2], Kind::F32),
    row("v_mfma_f32_16x16x1f32",       "v_mfma_f32_16x16x1_4b_f32",   [16, 16,  1,  4], Kind::F32),
    row("v_mfma_f32_4x4x1f32",         "v_mfma_f32_4x4x1_16b_f32",    [ 4,  4,  1, 16], Kind::F32),
    row("v_mfma_f32_32x32x2f32",       "v_mfma_f32_32x32x2_f32",      [32, 32,  2,  1], Kind::F32),
    row("v_mfma_f32_16x16x4f32",       "v_mfma_f32_16x16x4_f32",      [16, 16,  4,  1], Kind::F32),
    row("v_mfma_f32_32x32x4f16",       "v_mfma_f32_32x32x4_2b_f16",   [32, 32,  4,  2], Kind::F16),
    row("v_mfma_f32_16x16x4f16",       "v_mfma_f32_16x16x4_4b_f16",   [16, 16,  4,  4], Kind::F16),
    row("v_mfma_f32_4x4x4f16",         "v_mfma_f32_4x4x4_16b_f16",    [ 4,  4,  4, 16], Kind::F16),
    row("v_mfma_f32_32x32x8f16",       "v_mfma_f32_32x32x8_f16",      [32, 32,  8,  1], Kind::F16),
    row("v_mfma_f32_16x16x16f16",      "v_mfma_f32_16x16x16_f16",     [16, 16, 16,  1], Kind::F16),
    row("v_mfma_i32_32x32x4i8",        "v_mfma_i32_32x32x4_2b_i8",    [32, 32,  4,  2], Kind::I8),
    row("v_mfma_i32_16x16x4i8",        "v_mfma_i32_16x16x4_4b_i8",    [16, 16,  4,  4], Kind::I8),
    row("v_mfma_i32_4x4x4i8",          "v_mfma_i32_4x4x4_16b_i8",     [ 4,  4,  4, 16], Kind::I8),
    row("v_mfma_i32_32x32x8i8",        "",                            [32, 32,  8,  1], Kind::I8),
    row("v_mfma_i32_16x16x16i8",       "",                            [16, 16, 16,  1], Kind::I8),
    row("",                            "v_mfma_i32_32x32x16_i8",      [32, 32, 16,  1], Kind::I8),
    row("",                            "v_mfma_i32_16x16x32_i8",      [16, 16, 32,  1], Kind::I8),
    row("v_mfma_f32_32x32x2bf16",      "",                            [32, 32,  2,  2], Kind::Bf16Pairs),
    row("v_mfma_f32_16x16x2bf16",      "",                            [16, 16,  2,  4], Kind::Bf16Pairs),
    row("v_mfma_f32_4x4x2bf16",        "",                            [ 4,  4,  2, 16], Kind::Bf16Pairs),
    row("v_mfma_f32_32x32x4bf16",      "",                            [32, 32,  4,  1], Kind::Bf16Pairs),
    row("v_mfma_f32_16x16x8bf16",      "",                            [16, 16,  8,  1], Kind::Bf16Pairs),
    row("v_mfma_f32_32x32x4bf16_1k",   "v_mfma_f32_32x32x4_2b_bf16",  [32, 32,  4,  2], Kind::Bf16),
    row("v_mfma_f32_16x16x4bf16_1k",   "v_mfma_f32_16x16x4_4b_bf16",  [16, 16,  4,  4], Kind::Bf16),
    row("v_mfma_f32_4x4x4bf16_1k",     "v_mfma_f32_4x4x4_16b_bf16",   [ 4,  4,  4, 16], Kind::Bf16),
    row("v_mfma_f32_32x32x8bf16_1k",   "v_mfma_f32_32x32x8_bf16",     [32, 32,  8,  1], Kind::Bf16),
    row("v_mfma_f32_16x16x16bf16_1k",  "v_mfma_f32_16x16x16_bf16",    [16, 16, 16,  1], Kind::Bf16),
    row("v_mfma_f64_16x16x4f64",       "v_mfma_f64_16x16x4_f64",      [16, 16,  4,  1], Kind::F64),
    row("v_mfma_f64_4x4x4f64",         "v_mfma_f64_4x4x4_4b_f64",     [ 4,  4,  4,  4], Kind::F64),
    row("",                            "v_mfma_f32_16x16x8_xf32",     [16, 16,  8,  1], Kind::Xf32),
    row("",                            "v_mfma_f32_32x32x4_xf32",     [32, 32,  4,  1], Kind::Xf32),
    row("",                            "v_mfma_f32_16x16x32_f16",     [16, 16, 32,  1], Kind::F16),
    row("",                            "v_mfma_f32_32x32x16_f16",     [32, 32, 16,  1], Kind::F16),
    row("",                            "v_mfma_f32_16x16x32_bf16",    [16, 16, 32,  1], Kind::Bf16),
    row("",                            "v_mfma_f32_32x32x16_bf16",    [32, 32, 16,  1], Kind::Bf16),
    row("",                            "v_mfma_i32_16x16x64_i8",      [16, 16, 64,  1], Kind::I8),
    row("",                            "v_mfma_i32_32x32x32_i8",      [32, 32, 32,  1], Kind::I8),
    fp8("v_mfma_f32_16x16x32_bf8_bf8", [16, 16, 32, 1], true,  true),
    fp8("v_mfma_f32_16x16x32_bf8_fp8", [16, 16, 32, 1], true,  false),
    fp8("v_mfma_f32_16x16x32_fp8_bf8", [16, 16, 32, 1], false, true),
    fp8("v_mfma_f32_16x16x32_fp8_fp8", [16, 16, 32, 1], false, false),
    fp8("v_mfma_f32_32x32x16_bf8_bf8", [32, 32, 16, 1], true,  true),
    fp8("v_mfma_f32_32x32x16_bf8_fp8", [32, 32, 16, 1], true,  false),
    fp8("v_mfma_f32_32x32x16_fp8_bf8", [32, 32, 16, 1], false, true),
    fp8("v_mfma_f32_32x32x16_fp8_fp8", [32, 32, 16, 1], false, false),
];

/// One sparse instruction: of every four `k` of A two are held, and an index of two bits says for each which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse {
    pub name: &'static str,
    /// With the `k` of B; A has half as many.
    pub shape: Shape,
    pub kind: Kind,
}

impl Sparse {
    /// Values of A that each lane holds.
    #[inline]
    pub const fn a_per_lane(&self) -> u32 {
        self.shape.inputs_per_lane() / 2
    }

    /// Bit of the index register where a lane's indices begin. A register may hold several sets, among which ABID chooses
    /// unless CBSZ is set.
    #[inline]
    pub const fn index_start(&self, cbsz: u32, abid: u32) -> u32 {
        let bits = 2 * self.a_per_lane();
        if cbsz != 0 {
            0
        } else {
            abid % (32 / bits) * bits
        }
    }

    /// The position among the lane's values of B that is multiplied with its value `position` of A, given the lane's indices.
    #[inline]
    pub const fn partner(&self, position: u32, indices: u32) -> u32 {
        position / 2 * 4 + (indices >> (2 * position) & 3)
    }
}

const fn sparse(name: &'static str, [m, n, k]: [u32; 3], kind: Kind) -> Sparse {
    Sparse {
        name,
        shape: Shape {
            m,
            n,
            k,
            blocks: 1,
            rows_per_lane: 4,
        },
        kind,
    }
}

const fn sparse8(name: &'static str, size: [u32; 3], a_is_bf8: bool, b_is_bf8: bool) -> Sparse {
    sparse(name, size, Kind::Fp8 { a_is_bf8, b_is_bf8 })
}

/// Sources: AMD's instruction set manuals for MI300 and MI350; checked against AMD's matrix calculator.
#[rustfmt::skip]
pub static SPARSE: &[Sparse] = &[
    sparse("v_smfmac_f32_16x16x32_f16",       [16, 16,  32], Kind::F16),
    sparse("v_smfmac_f32_32x32x16_f16",       [32, 32,  16], Kind::F16),
    sparse("v_smfmac_f32_16x16x32_bf16",      [16, 16,  32], Kind::Bf16),
    sparse("v_smfmac_f32_32x32x16_bf16",      [32, 32,  16], Kind::Bf16),
    sparse("v_smfmac_i32_16x16x64_i8",        [16, 16,  64], Kind::I8),
    sparse("v_smfmac_i32_32x32x32_i8",        [32, 32,  32], Kind::I8),
    sparse8("v_smfmac_f32_16x16x64_bf8_bf8",  [16, 16,  64], true,  true),
    sparse8("v_smfmac_f32_16x16x64_bf8_fp8",  [16, 16,  64], true,  false),
    sparse8("v_smfmac_f32_16x16x64_fp8_bf8",  [16, 16,  64], false, true),
    sparse8("v_smfmac_f32_16x16x64_fp8_fp8",  [16, 16,  64], false, false),
    sparse8("v_smfmac_f32_32x32x32_bf8_bf8",  [32, 32,  32], true,  true),
    sparse8("v_smfmac_f32_32x32x32_bf8_fp8",  [32, 32,  32], true,  false),
    sparse8("v_smfmac_f32_32x32x32_fp8_bf8",  [32, 32,  32], false, true),
    sparse8("v_smfmac_f32_32x32x32_fp8_fp8",  [32, 32,  32], false, false),
    // gfx950.
    sparse("v_smfmac_f32_16x16x64_f16",       [16, 16,  64], Kind::F16),
    sparse("v_smfmac_f32_32x32x32_f16",       [32, 32,  32], Kind::F16),
    sparse("v_smfmac_f32_16x16x64_bf16",      [16, 16,  64], Kind::Bf16),
    sparse("v_smfmac_f32_32x32x32_bf16",      [32, 32,  32], Kind::Bf16),
    sparse("v_smfmac_i32_16x16x128_i8",       [16, 16, 128], Kind::I8),
    sparse("v_smfmac_i32_32x32x64_i8",        [32, 32,  64], Kind::I8),
    sparse8("v_smfmac_f32_16x16x128_bf8_bf8", [16, 16, 128], true,  true),
    sparse8("v_smfmac_f32_16x16x128_bf8_fp8", [16, 16, 128], true,  false),
    sparse8("v_smfmac_f32_16x16x128_fp8_bf8", [16, 16, 128], false, true),
    sparse8("v_smfmac_f32_16x16x128_fp8_fp8", [16, 16, 128], false, false),
    sparse8("v_smfmac_f32_32x32x64_bf8_bf8",  [32, 32,  64], true,  true),
    sparse8("v_smfmac_f32_32x32x64_bf8_fp8",  [32, 32,  64], true,  false),
    sparse8("v_smfmac_f32_32x32x64_fp8_bf8",  [32, 32,  64], false, true),
    sparse8("v_smfmac_f32_32x32x64_fp8_fp8",  [32, 32,  64], false, false),
];
