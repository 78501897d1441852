//! The programs: what they launch, and how their results are checked.

use std::collections::BTreeMap;

use emulate::{Argument, Counts, Device, Prepared, Shape};

use crate::{Outcome, time};

const N: u32 = 16 << 20;
const SIDE: u32 = 512;
const KEYS: u32 = 1 << 20;
/// Keys per workgroup of the radix sort.
const KEYS_PER_GROUP: u32 = 256 * 16;
const WIDTH: u32 = 1024;
const LIMIT: u32 = 256;

/// Prepares a program's buffers once and returns what runs it and checks its results.
pub type Prepare = for<'d> fn(&'d Device<'d>) -> Outcome<Run<'d>>;
pub type Run<'d> = Box<dyn FnMut(&mut Launches<'d>) -> Outcome<()> + 'd>;

/// A program, and of how many of what its time is told, if not the whole.
pub struct Program {
    pub name: &'static str,
    pub prepare: Prepare,
    pub share: Option<Share>,
}

pub struct Share {
    pub of: f64,
    pub unit: &'static str,
    /// Seconds in one of the unit.
    pub seconds: f64,
}

const fn whole(name: &'static str, prepare: Prepare) -> Program {
    Program {
        name,
        prepare,
        share: None,
    }
}

const WORK_ITEMS: u32 = 256 << 20;
const LAUNCHES: u32 = 1000;

#[rustfmt::skip]
pub const PROGRAMS: &[Program] = &[
    whole("vector add 16 M", vector_add),
    whole("sgemm 512", sgemm),
    whole("radix sort 1 M", radix_sort),
    whole("reduce 16 M", reduce),
    whole("mandelbrot 1 M", mandelbrot),
    Program { name: "64 work-items that do nothing", prepare: start, share: Some(Share { of: WORK_ITEMS as f64 / 64.0, unit: "ns", seconds: 1e-9 }) },
    Program { name: "launch of 256 work-items", prepare: launches, share: Some(Share { of: LAUNCHES as f64, unit: "us", seconds: 1e-6 }) },
];

/// The time of the kernels of one run; copies, arguments and checks by the host do not count.
pub struct Launches<'d> {
    pub device: &'d Device<'d>,
    pub time: time::Spent,
    pub wave_instructions: u64,
    /// By kernel.
    pub kernels: BTreeMap<String, time::Spent>,
    /// This runs a launch in the device's place.
    pub instead: Option<&'d Runner<'d>>,
}

pub type Runner<'d> = dyn Fn(&Prepared) -> emulate::Result<Counts> + 'd;

impl<'d> Launches<'d> {
    pub fn new(device: &'d Device<'d>) -> Launches<'d> {
        Launches {
            device,
            instead: None,
            time: time::Spent::default(),
            wave_instructions: 0,
            kernels: BTreeMap::new(),
        }
    }

    pub fn launch(&mut self, kernel: &str, shape: &Shape, arguments: &[Argument]) -> Outcome<()> {
        let spent = self.run(&self.device.prepare(kernel, shape, arguments)?)?;
        self.kernels
            .entry(kernel.to_owned())
            .or_default()
            .add(spent);
        Ok(())
    }

    fn run(&mut self, prepared: &Prepared) -> Outcome<time::Spent> {
        let (counts, spent) = time::of(|| match self.instead {
            Some(run) => run(prepared),
            None => self.device.run(prepared),
        });
        self.time.add(spent);
        self.wave_instructions += counts?.wave_instructions;
        Ok(spent)
    }
}

pub fn line(groups: u32, block: u32) -> Shape {
    Shape {
        grid: [groups, 1, 1],
        block: [block, 1, 1],
        dynamic_lds: 0,
    }
}

pub fn number(value: u32) -> Argument {
    Argument(value.to_le_bytes().to_vec())
}

pub fn bytes_of(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.flat_map(u32::to_le_bytes).collect()
}

pub fn words_at(device: &Device<'_>, address: u64, count: u32) -> Outcome<Vec<u32>> {
    let mut bytes = vec![0; 4 * count as usize];
    device.read(address, &mut bytes)?;
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

pub fn expect(right: bool, what: &str) -> Outcome<()> {
    if right {
        Ok(())
    } else {
        Err(format!("{what} is wrong").into())
    }
}

fn vector_add<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let a = device.buffer(&bytes_of((0..N).map(|i| ((i % 1000) as f32).to_bits())), 0)?;
    let b = device.buffer(&bytes_of((0..N).map(|i| ((i % 7) as f32).to_bits())), 0)?;
    let c = device.buffer(&[], 4 * u64::from(N))?;
    Ok(Box::new(move |launches| {
        let arguments = [a, b, c].map(Argument::pointer);
        let arguments = [&arguments[..], &[number(N)]].concat();
        launches.launch("vector_add", &line(N / 256, 256), &arguments)?;
        let sums = words_at(device, c + 4 * 123_456, 16)?;
        let right = (0..16).all(|i| {
            let at = 123_456 + i;
            f32::from_bits(sums[i as usize]) == (at % 1000 + at % 7) as f32
        });
        expect(right, "a sum")?;
        Ok(())
    }))
}

fn sgemm<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let element = |i: u32, period: u32| ((i % period) as f32).to_bits();
    let a = device.buffer(&bytes_of((0..SIDE * SIDE).map(|i| element(i, 5))), 0)?;
    let b = device.buffer(&bytes_of((0..SIDE * SIDE).map(|i| element(i, 3))), 0)?;
    let c = device.buffer(&[], 4 * u64::from(SIDE * SIDE))?;
    let (row, column) = (301, 77);
    let expected: u32 = (0..SIDE)
        .map(|k| (row * SIDE + k) % 5 * ((k * SIDE + column) % 3))
        .sum();
    Ok(Box::new(move |launches| {
        let shape = Shape {
            grid: [SIDE / 64, SIDE / 64, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [a, b, c].map(Argument::pointer);
        let arguments = [&arguments[..], &[number(SIDE)]].concat();
        launches.launch("sgemm", &shape, &arguments)?;
        let product = words_at(device, c + 4 * u64::from(row * SIDE + column), 1)?[0];
        expect(f32::from_bits(product) == expected as f32, "a product")?;
        Ok(())
    }))
}

fn radix_sort<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let unsorted = bytes_of((0..KEYS).map(|i| i.wrapping_mul(2_654_435_761)));
    let keys = device.buffer(&unsorted, 0)?;
    let other = device.buffer(&[], 4 * u64::from(KEYS))?;
    let groups = KEYS / KEYS_PER_GROUP;
    let counts = device.buffer(&[], 4 * 16 * u64::from(groups))?;
    Ok(Box::new(move |launches| {
        device.write(keys, &unsorted)?;
        let (mut from, mut to) = (keys, other);
        for shift in (0..32).step_by(4) {
            let pointer = Argument::pointer;
            let (shape, shift) = (line(groups, 256), number(shift));
            let kernels = [
                (
                    "radix_count",
                    shape,
                    vec![
                        pointer(from),
                        pointer(counts),
                        shift.clone(),
                        number(groups),
                    ],
                ),
                (
                    "radix_scan",
                    line(1, 256),
                    vec![pointer(counts), number(16 * groups)],
                ),
                (
                    "radix_scatter",
                    shape,
                    vec![
                        pointer(from),
                        pointer(to),
                        pointer(counts),
                        shift,
                        number(groups),
                    ],
                ),
            ];
            for (kernel, shape, arguments) in kernels {
                launches.launch(kernel, &shape, &arguments)?;
            }
            std::mem::swap(&mut from, &mut to);
        }
        let sorted = words_at(device, from, KEYS)?;
        expect(sorted.is_sorted(), "the order")
    }))
}

fn reduce<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    const GROUPS: u32 = 1024;
    let data = device.buffer(&bytes_of((0..N).map(|i| i % 1000)), 0)?;
    let sums = device.buffer(&[], 4 * u64::from(GROUPS))?;
    let expected: u32 = (0..N).fold(0, |sum, i| sum.wrapping_add(i % 1000));
    Ok(Box::new(move |launches| {
        let arguments = [
            Argument::pointer(data),
            Argument::pointer(sums),
            number(N),
            number(GROUPS),
        ];
        launches.launch("reduce", &line(GROUPS, 256), &arguments)?;
        let total = words_at(device, sums, GROUPS)?
            .into_iter()
            .fold(0, u32::wrapping_add);
        expect(total == expected, "the sum")?;
        Ok(())
    }))
}

fn mandelbrot<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let turns = device.buffer(&[], 4 * u64::from(WIDTH * WIDTH))?;
    Ok(Box::new(move |launches| {
        let arguments = [
            Argument::pointer(turns),
            number(WIDTH),
            number(WIDTH),
            number(LIMIT),
        ];
        let shape = line(WIDTH * WIDTH / 256, 256);
        launches.launch("mandelbrot", &shape, &arguments)?;
        // The middle of the main body never leaves.
        let inside = words_at(device, turns + 4 * u64::from(WIDTH / 2 * WIDTH + 700), 1)?[0];
        expect(inside == LIMIT, "a point")?;
        Ok(())
    }))
}

fn start<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4)?;
    Ok(Box::new(move |launches| {
        let shape = line(WORK_ITEMS / 256, 256);
        launches.launch("nothing", &shape, &[Argument::pointer(out)])?;
        Ok(())
    }))
}

/// A workgroup does next to nothing, so that this is what a launch costs by itself.
fn launches<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4)?;
    let prepared = device.prepare("nothing", &line(1, 256), &[Argument::pointer(out)])?;
    Ok(Box::new(move |launches| {
        (0..LAUNCHES).try_for_each(|_| launches.run(&prepared).map(drop))
    }))
}
