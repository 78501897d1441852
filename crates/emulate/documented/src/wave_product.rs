//! Matrix products for WMMA and SWMMAC cases: small integers, for which every model of the sums agrees, laid out as AMD's matrix
//! instruction calculator prints (a file of `numerics`' tests has all of it). The case's own text says which instruction it is
//! and with which modifiers.

use crate::{
    case::Location,
    registers::{POISON, Registers},
};

const LAYOUTS: &str = include_str!("../../numerics/tests/data/wmma-layouts.txt");

/// First registers of A, B, the compression index, and C and D.
const A: usize = 0;
const B: usize = 16;
const INDEX: usize = 40;
const D: usize = 48;

/// Register, bit and group of sixteen lanes.
type Spot = [usize; 3];

/// The elements that a sparse row of A may store of four neighbours.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The product that one instruction computes.
pub struct WaveProduct {
    /// A, B and D, and K if A is sparse.
    layout: [Vec<Spot>; 4],
    /// A and B lie in every group.
    repeated: bool,
    groups: usize,
    inputs: [String; 2],
    output: String,
    depth: usize,
    neg_lo: [bool; 3],
    neg_hi: [bool; 3],
    /// C and D are the high halves.
    high: bool,
    index_key: usize,
    clamp: bool,
    constant_c: Option<i64>,
}

fn flags(text: &str, name: &str) -> [bool; 3] {
    let start = format!("{name}:[");
    let list = text.split_once(&start).map_or("0,0,0", |(_, list)| list);
    let mut flags = list.split([',', ']']).map(|flag| flag == "1");
    std::array::from_fn(|_| flags.next().unwrap_or(false))
}

impl WaveProduct {
    /// The product of the instruction in `text`.
    pub fn parse(text: &str, target: &str, wave_size: u32) -> Result<WaveProduct, String> {
        let name = text.split_whitespace().next().unwrap_or_default();
        let rdna3 = target.starts_with("gfx11");
        let architecture = if rdna3 { "rdna3" } else { "rdna4" };
        let matrix = |matrix: &str| -> Vec<Spot> {
            let head = format!("{architecture} {name} {wave_size} {matrix} = ");
            let line = LAYOUTS.lines().find_map(|line| line.strip_prefix(&head));
            let spot = |spot: &str| -> Spot {
                let mut numbers = spot.split('.').map(|number| number.parse().unwrap_or(0));
                std::array::from_fn(|_| numbers.next().unwrap_or(0))
            };
            line.map_or(Vec::new(), |line| line.split(' ').map(spot).collect())
        };
        let layout = ["A", "B", "D", "K"].map(matrix);
        if layout[1].is_empty() {
            return Err(format!("no layout of {name} on {architecture}"));
        }
        // v_wmma_OUTPUT_SHAPE_INPUT[_INPUT OF B]
        let words: Vec<&str> = name.split('_').collect();
        let a = words[4].to_owned();
        let b = words.get(5).map_or(a.clone(), |word| word.to_string());
        let after = |key: &str| {
            let rest = text.split_once(key)?.1;
            rest.split([' ', '\n']).next()?.parse().ok()
        };
        let last = text.split(',').nth(3).unwrap_or_default().trim();
        let constant = last.split([' ', '\n']).next().unwrap_or_default();
        Ok(WaveProduct {
            depth: layout[1].len(),
            repeated: rdna3,
            groups: wave_size as usize / 16,
            inputs: [a, b],
            output: words[2].to_owned(),
            neg_lo: flags(text, "neg_lo"),
            neg_hi: flags(text, "neg_hi"),
            high: flags(text, "op_sel")[2],
            index_key: after("index_key:").unwrap_or(0),
            clamp: text.contains("clamp"),
            constant_c: constant.parse::<f64>().ok().map(|value| value as i64),
            layout,
        })
    }

    fn is_sparse(&self) -> bool {
        !self.layout[3].is_empty()
    }

    fn bits(kind: &str) -> usize {
        match kind {
            "f32" | "i32" => 32,
            "f16" | "bf16" => 16,
            "fp8" | "bf8" | "iu8" => 8,
            _ => 4,
        }
    }

    /// The value of `kind`; floats hold it exactly.
    fn encode(kind: &str, value: i64) -> u32 {
        let float = |mantissa: u32, bias: i32, bits: u32| {
            if value == 0 {
                return 0;
            }
            let size = value.unsigned_abs() as u32;
            let exponent = size.ilog2();
            let fraction = (size << mantissa >> exponent) & ((1 << mantissa) - 1);
            let exact = (1 << mantissa | fraction) << exponent == size << mantissa;
            assert!(exact, "{value} is not exact in {kind}");
            u32::from(value < 0) << (bits - 1)
                | ((exponent as i32 + bias) as u32) << mantissa
                | fraction
        };
        match kind {
            "f32" => float(23, 127, 32),
            "f16" => float(10, 15, 16),
            "bf16" => float(7, 127, 16),
            "fp8" => float(3, 7, 8),
            "bf8" => float(2, 15, 8),
            "iu8" => value as u32 & 0xff,
            "iu4" => value as u32 & 0xf,
            _ => value as u32,
        }
    }

    /// bfloat16 has eight bits for sums, so its products are small.
    fn small(&self) -> bool {
        self.output == "bf16"
    }

    /// Element of A as it is encoded.
    fn a(&self, row: usize, k: usize) -> i64 {
        if self.small() {
            ((5 * row + 3 * k) % 5) as i64 - 2
        } else {
            ((5 * row + 3 * k) % 13) as i64 - 6
        }
    }

    fn b(&self, column: usize, k: usize) -> i64 {
        if self.small() {
            ((7 * column + 2 * k) % 3) as i64 - 1
        } else {
            ((7 * column + 2 * k) % 11) as i64 - 5
        }
    }

    fn c(&self, row: usize, column: usize) -> i64 {
        let near = ((row + 3 * column) % 9) as i64 - 4;
        match (self.constant_c, self.clamp) {
            (Some(value), _) => value,
            // So that sums leave the range on both sides.
            (None, true) if column.is_multiple_of(2) => i64::from(i32::MAX) - 20,
            (None, true) => i64::from(i32::MIN) + 20,
            (None, false) => near,
        }
    }

    /// The value that the instruction sees for `value`, element `k` of `side`.
    fn seen(&self, side: usize, k: usize, value: i64) -> i64 {
        match self.inputs[side].as_str() {
            kind @ ("iu8" | "iu4") if !self.neg_lo[side] => {
                i64::from(WaveProduct::encode(kind, value))
            }
            "iu8" | "iu4" | "fp8" | "bf8" => value,
            _ => {
                let negated = if k.is_multiple_of(2) {
                    self.neg_lo
                } else {
                    self.neg_hi
                };
                if negated[side] { -value } else { value }
            }
        }
    }

    fn pair(row: usize, quad: usize) -> [usize; 2] {
        PAIRS[(row + quad) % 6]
    }

    /// Puts a value of some bits into a lane of A, B or the index.
    fn put_input(&self, all: &mut Registers, first: usize, spot: Spot, value: (usize, u32, usize)) {
        let group = spot[2];
        let groups = match self.repeated {
            true => 0..self.groups,
            false => group..group + 1,
        };
        WaveProduct::put(all, first, spot, groups, value);
    }

    fn put(
        all: &mut Registers,
        first: usize,
        [register, bit, _]: Spot,
        groups: std::ops::Range<usize>,
        (lane, bits, width): (usize, u32, usize),
    ) {
        for group in groups {
            let lane = 16 * group + lane;
            let mask = (u32::MAX >> (32 - width)) << bit;
            let old = all.vgpr(first + register, lane);
            all.set_vgpr(first + register, lane, old & !mask | bits << bit);
        }
    }

    pub fn set_inputs(&self, all: &mut Registers) {
        let [a, b, _, index] = &self.layout;
        let width = [0, 1].map(|side| WaveProduct::bits(&self.inputs[side]));
        for row in 0..16 {
            if self.is_sparse() {
                for quad in 0..self.depth / 4 {
                    let pair = WaveProduct::pair(row, quad);
                    for (place, k) in pair.iter().map(|k| 4 * quad + k).enumerate() {
                        let value = WaveProduct::encode(&self.inputs[0], self.a(row, k));
                        let [register, bit, group] = a[4 * quad];
                        let spot = [register, bit + place * width[0], group];
                        self.put_input(all, A, spot, (row, value, width[0]));
                    }
                    let used: usize = index.iter().map(|spot| spot[1] + 4).max().unwrap_or(0);
                    let [register, bit, group] = index[4 * quad];
                    let spot = [
                        register,
                        bit + self.index_key * used.next_power_of_two(),
                        group,
                    ];
                    let pair = (pair[0] | pair[1] << 2) as u32;
                    self.put_input(all, INDEX, spot, (row, pair, 4));
                }
            } else {
                for k in 0..self.depth {
                    let value = WaveProduct::encode(&self.inputs[0], self.a(row, k));
                    self.put_input(all, A, a[k], (row, value, width[0]));
                }
            }
        }
        for column in 0..16 {
            for k in 0..self.depth {
                let value = WaveProduct::encode(&self.inputs[1], self.b(column, k));
                self.put_input(all, B, b[k], (column, value, width[1]));
            }
        }
        if self.constant_c.is_none() {
            self.put_all(all, |row, column| self.c(row, column));
        }
    }

    /// Writes C, or what D should be.
    fn put_all(&self, all: &mut Registers, value: impl Fn(usize, usize) -> i64) {
        for (row, &[register, bit, group]) in self.layout[2].iter().enumerate() {
            let spot = [register, bit + if self.high { 16 } else { 0 }, group];
            for column in 0..16 {
                let bits = WaveProduct::encode(&self.output, value(row, column));
                let width = WaveProduct::bits(&self.output);
                WaveProduct::put(all, D, spot, group..group + 1, (column, bits, width));
            }
        }
    }

    /// The value that D should have in element `row`, `column`.
    fn expected(&self, row: usize, column: usize) -> i64 {
        // NEG and NEG_HI go by the half of a register, which a stored value of a sparse row has of its own.
        let term = |place: usize, k: usize| {
            self.seen(0, place, self.a(row, k)) * self.seen(1, k, self.b(column, k))
        };
        let c = self.c(row, column);
        let c = match self.output.as_str() {
            "i32" => c,
            _ => {
                let c = if self.neg_hi[2] { c.abs() } else { c };
                if self.neg_lo[2] { -c } else { c }
            }
        };
        let sum: i64 = if self.is_sparse() {
            let quad = |quad| {
                let [first, second] = WaveProduct::pair(row, quad);
                term(0, 4 * quad + first) + term(1, 4 * quad + second)
            };
            (0..self.depth / 4).map(quad).sum()
        } else {
            (0..self.depth).map(|k| term(k, k)).sum()
        };
        let sum = sum + c;
        if self.clamp {
            sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
        } else {
            sum
        }
    }

    /// Registers of D.
    pub fn result(&self) -> Location {
        let last = self.layout[2].iter().map(|spot| spot[0]).max().unwrap_or(0);
        Location::Vector(D, last + 1)
    }

    /// Differences between D and what it should be; everything that is not D must be as before.
    pub fn check(&self, all: &Registers) -> Vec<String> {
        let mut complaints = Vec::new();
        for (row, &[register, bit, group]) in self.layout[2].iter().enumerate() {
            let shift = bit + if self.high { 16 } else { 0 };
            let width = WaveProduct::bits(&self.output);
            for column in 0..16 {
                let word = all.vgpr(D + register, 16 * group + column);
                let found = word >> shift & (u32::MAX >> (32 - width));
                let expected = WaveProduct::encode(&self.output, self.expected(row, column));
                if found != expected {
                    complaints.push(format!(
                        "D[{row}][{column}] is {found:#x}, not {expected:#x}"
                    ));
                }
                // One half a register.
                let other = if shift == 0 { 16 } else { 0 };
                if self.repeated
                    && width == 16
                    && word >> other & 0xffff != POISON >> other & 0xffff
                {
                    complaints.push(format!("the other half of D[{row}][{column}] changed"));
                }
            }
        }
        complaints.truncate(3);
        complaints
    }
}
