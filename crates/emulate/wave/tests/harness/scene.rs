//! Images that tests lay out themselves, in memory and in descriptors.

use super::{Machine, POISON};

/// Destination selects R, G, B, A.
pub const IDENTITY: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;

/// Types of image descriptors, with gfx10's names of the same dimensions.
pub const D1: (u32, &str) = (8, "1D");
pub const D2: (u32, &str) = (9, "2D");
pub const D3: (u32, &str) = (10, "3D");
pub const D2_ARRAY: (u32, &str) = (13, "2D_ARRAY");
pub const CUBE: (u32, &str) = (11, "CUBE");

/// An element's format: gfx9's pair and gfx10's number.
pub type Format = (u32, u32, u32);
pub const R32_UINT: Format = (4, 4, 20);
pub const RG32_UINT: Format = (11, 4, 62);
pub const R32_FLOAT: Format = (4, 7, 22);
pub const RG16_SINT: Format = (5, 5, 28);
pub const RGBA8_UNORM: Format = (10, 0, 56);
pub const RGBA8_UINT: Format = (10, 4, 60);
pub const RGBA8_SRGB: Format = (10, 9, 130);

/// Texels in a row of memory.
pub const PITCH: usize = 64;

/// A row of four-byte texels, aligned as images are.
#[derive(Clone, Copy)]
#[repr(align(256))]
pub struct Texels(pub [u32; PITCH]);

/// An image and instructions on it for one target.
pub struct Scene {
    pub kind: (u32, &'static str),
    pub format: Format,
    pub size: [u32; 3],
    pub selects: u32,
    /// Words 0 and 2 of the sampler descriptor.
    pub sampler: [u32; 2],
    pub rows: Vec<Texels>,
}

impl Scene {
    /// Texel x of row y of slice z is `texel(x, y + height * z)`.
    pub fn new(
        kind: (u32, &'static str),
        format: Format,
        size: [u32; 3],
        texel: impl Fn(usize, usize) -> u32,
    ) -> Scene {
        let width = size[0] as usize;
        let row = |y| {
            Texels(std::array::from_fn(|x| {
                if x < width { texel(x, y) } else { POISON }
            }))
        };
        Scene {
            kind,
            format,
            size,
            selects: IDENTITY,
            sampler: [0; 2],
            rows: (0..(size[1] * size[2]) as usize).map(row).collect(),
        }
    }

    /// `text` as the target's assembler wants it.
    fn text_for(&self, target: &str, text: &str) -> String {
        let gfx9 = target.starts_with("gfx9");
        let array = self.kind == D2_ARRAY || self.kind == CUBE;
        let (dimensions, mark) = if gfx9 {
            (String::new(), if array { "da" } else { "" })
        } else {
            (format!("dim:SQ_RSRC_IMG_{}", self.kind.1), "")
        };
        let text = text.replace("DIM", &dimensions).replace("DA", mark);
        let gfx12 = target.starts_with("gfx12");
        if gfx12 { for_gfx12(&text) } else { text }
    }

    /// The same, if the target has such instructions.
    pub fn machine_if_known(&mut self, target: &str, text: &str) -> Option<Machine> {
        let known = self.text_for(target, text);
        let wave_size = if target.starts_with("gfx9") { 64 } else { 32 };
        let row = gfx::Target::find(target).expect("a target");
        documented::assemble(row, wave_size, &known).ok()?;
        Some(self.machine(target, text))
    }

    /// Runs `text` with the image in s[8:15] and the sampler in s[16:19]. DIM stands for gfx10's dimensions, and DA for gfx9's
    /// mark of arrays.
    pub fn machine(&mut self, target: &str, text: &str) -> Machine {
        let text = self.text_for(target, text);
        let (gfx9, gfx12) = (target.starts_with("gfx9"), target.starts_with("gfx12"));
        let mut m = Machine::new(target, &text);
        let base = m.map(&mut self.rows);
        let [width, height, depth] = self.size.map(|size| size - 1);
        let pitch = PITCH as u32 - 1;
        let high = (base >> 40) as u32;
        let w3 = self.selects | self.kind.0 << 28;
        let (data, number, unified) = self.format;
        let [w1, w2, w4] = if gfx9 {
            let w1 = high | data << 20 | number << 26;
            [w1, width | height << 14, depth | pitch << 13]
        } else {
            let unified = if target.starts_with("gfx11") {
                format_of_gfx11(unified)
            } else {
                unified
            };
            let w1 = high | unified << 20 | (width & 3) << 30;
            let flat = self.kind == D1 || self.kind == D2;
            let w4 = if flat { pitch } else { depth };
            [w1, width >> 2 | height << 14 | 1 << 31, w4]
        };
        let [w1, w2] = if gfx12 {
            let w1 = high | format_of_gfx11(unified) << 17 | (width & 3) << 30;
            [w1, width >> 2 | height << 14]
        } else {
            [w1, w2]
        };
        for (index, word) in [(base >> 8) as u32, w1, w2, w3, w4, 0, 0, 0]
            .into_iter()
            .enumerate()
        {
            m.sgpr(8 + index, word);
        }
        let most_detail = if gfx12 { 0x1fff << 13 } else { 0xfff << 12 };
        m.sgpr(16, self.sampler[0]).sgpr(17, most_detail);
        m.sgpr(18, self.sampler[1]).sgpr(19, 0);
        m
    }
}

/// The number of an image format on gfx11 and gfx12, from gfx10's: both lists are in AMD's register headers.
fn format_of_gfx11(number: u32) -> u32 {
    const FIRST: [(u32, u32); 10] = [
        (136, 71),
        (133, 68),
        (128, 64),
        (75, 61),
        (72, 58),
        (65, 51),
        (62, 48),
        (56, 42),
        (50, 36),
        (1, 1),
    ];
    let (since, first) = FIRST
        .into_iter()
        .find(|(since, _)| number >= *since)
        .expect("a format");
    assert!(since > 1 || number < 30, "format {number} is none of gfx11");
    number - since + first
}

/// Instructions as gfx12 wants them: address registers one by one, and no `unorm` or `glc`.
fn for_gfx12(text: &str) -> String {
    let line = |line: &str| -> String {
        let mut operands = line.splitn(3, ", ");
        let (Some(data), Some(address), Some(rest)) =
            (operands.next(), operands.next(), operands.next())
        else {
            return line.to_owned();
        };
        let range = address
            .strip_prefix("v[")
            .and_then(|range| range.strip_suffix(']'))
            .and_then(|range| range.split_once(':'));
        let address = match range {
            Some((first, last)) => {
                let number = |text: &str| text.parse::<usize>().expect("a register");
                let (first, last) = (number(first), number(last));
                let sample = data.contains("image_sample") || data.contains("image_gather");
                // VSAMPLE has room for four entries, the fourth of which may be a range.
                let alone = if sample && last - first >= 4 {
                    first..=first + 2
                } else {
                    first..=last
                };
                let mut all: Vec<String> = alone
                    .clone()
                    .map(|register| format!("v{register}"))
                    .collect();
                if *alone.end() < last {
                    all.push(format!("v[{}:{last}]", alone.end() + 1));
                }
                format!("[{}]", all.join(", "))
            }
            None => address.to_owned(),
        };
        let mut rest = rest.replace(" glc", " th:TH_ATOMIC_RETURN");
        if !data.contains("image_sample") && !data.contains("image_gather") {
            rest = rest.replace(" unorm", "");
        }
        format!("{data}, {address}, {rest}")
    };
    let lines: Vec<String> = text
        .lines()
        .map(|text| {
            if text.trim_start().starts_with("image_") {
                line(text)
            } else {
                text.to_owned()
            }
        })
        .collect();
    lines.join("\n")
}

/// Filters of word 2 of a sampler descriptor.
pub const LINEAR: u32 = 1 << 20 | 1 << 22;
/// Coordinates in texels, word 0.
pub const UNNORMALIZED: u32 = 1 << 15;

/// One addressing mode on all axes, word 0.
pub fn clamp(mode: u32) -> u32 {
    mode | mode << 3 | mode << 6
}

pub const REPEAT: u32 = 0;
pub const MIRROR: u32 = 1;
pub const EDGE: u32 = 2;
pub const BORDER: u32 = 6;

pub fn f(value: f32) -> u32 {
    value.to_bits()
}
