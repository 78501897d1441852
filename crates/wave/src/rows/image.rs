//! MIMG: loads, stores and samples of images that have one level.
//!
//! Texels outside of an image load as zero and are not stored.

use super::{
    Row, SINCE_GFX10, Shape as RowShape,
    components::Components,
    lanes::{self, GROUP},
    space::{self, Access, unsupported},
    texel, vector_macros,
};
use crate::{
    engine::Env,
    memory::Fault,
    micro_op::{Handler, MicroOp},
    shell::{self, Body},
    state::Wave,
};
use descriptor::{Image, Shape};
use sampler::{Neighbours, Sampler};

mod descriptor;
mod sampler;

/// Bits of `MicroOp::extra` of image rows. The low four are the data mask.
pub(crate) mod field {
    /// Coordinates are in texels.
    pub const UNNORMALIZED: u32 = 1 << 4;
    /// Data are packed halves.
    pub const D16: u32 = 1 << 5;
    /// Addresses are packed halves.
    pub const A16: u32 = 1 << 6;
    /// gfx9: the image may be an array.
    pub const ARRAY: u32 = 1 << 7;
    /// gfx10: the instruction's dimensions, three bits from here.
    pub const DIMENSIONS: u32 = 8;
}

/// Address registers at most: the first in `src[0]`, the others a byte each in `constant`.
pub(crate) const MOST_ADDRESSES: usize = 13;

/// What stands in front of and behind an instruction's coordinates, in a row's attribute.
mod attribute {
    /// A level of detail behind the coordinates.
    pub const LEVEL: u16 = 1;
    /// Derivatives in front of them: two per axis.
    pub const DERIVATIVES: u16 = 2;
}

/// An instruction's operands, resolved.
struct Operands {
    image: Image,
    /// Shape as the instruction sees it, which says how many coordinates it has.
    shape: Shape,
    /// Address words in front of the coordinates.
    skipped: usize,
    /// A level of detail follows the coordinates.
    level: bool,
    data: Components,
    mask: u32,
}

impl Operands {
    fn of(wave: &Wave, op: &MicroOp) -> Result<Operands, &'static str> {
        let first = op.src[1].index as usize;
        let since_gfx10 = op.modifiers & SINCE_GFX10 != 0;
        let image = Image::of(std::array::from_fn(|i| wave.sgpr(first + i)), since_gfx10)?;
        if image.mipmapped {
            return Err("mipmaps");
        }
        let shape = if since_gfx10 {
            match op.extra >> field::DIMENSIONS & 7 {
                0 => Shape::D1,
                1 => Shape::D2,
                2 => Shape::D3,
                4 => Shape::D1Array,
                5 => Shape::D2Array,
                3 => return Err("cube maps"),
                _ => return Err("images with several samples"),
            }
        } else {
            match (image.shape, op.extra & field::ARRAY != 0) {
                (Shape::D1Array, false) => Shape::D1,
                (Shape::D2Array, false) => Shape::D2,
                (shape, _) => shape,
            }
        };
        let derivatives = op.attribute & attribute::DERIVATIVES != 0;
        if derivatives && op.extra & field::A16 != 0 {
            return Err("derivatives in halves");
        }
        let level = op.attribute & attribute::LEVEL != 0;
        let skipped = if derivatives { 2 * shape.axes() } else { 0 };
        let words = skipped + shape.coordinates() + usize::from(level);
        let words = if op.extra & field::A16 != 0 {
            words.div_ceil(2)
        } else {
            words
        };
        if (0..words).any(|index| address_row(op, index) >= wave.vector_rows()) {
            return Err("an image address in registers that the kernel does not have");
        }
        Ok(Operands {
            image,
            shape,
            skipped,
            level,
            data: Components {
                row: op.dst as usize,
                packed: op.extra & field::D16 != 0,
                high: false,
            },
            mask: op.extra & 15,
        })
    }

    /// Coordinate `index` of a group's lanes: integers, or singles if `float`.
    #[inline(always)]
    fn coordinate(
        &self,
        wave: &Wave,
        op: &MicroOp,
        group: usize,
        index: usize,
        float: bool,
    ) -> [u32; GROUP] {
        let index = self.skipped + index;
        let words = |index| *lanes::words(wave, address_row(op, index), group);
        if op.extra & field::A16 == 0 {
            return words(index);
        }
        words(index / 2).map(|word| {
            let half = (word >> (16 * (index % 2))) as u16;
            if float {
                numerics::convert::f32_from_f16_exact(half)
            } else {
                u32::from(half)
            }
        })
    }

    /// Integer coordinates of a group's lanes, and the lanes that name a texel.
    #[inline(always)]
    fn texels(&self, wave: &Wave, op: &MicroOp, group: usize) -> ([[u32; GROUP]; 3], u16) {
        let read = |index| self.coordinate(wave, op, group, index, false);
        let axes = self.shape.axes();
        let mut at = [[0; GROUP]; 3];
        for (axis, at) in at.iter_mut().enumerate().take(axes) {
            *at = read(axis);
        }
        if self.shape.is_array() {
            at[2] = read(axes);
        }
        let mut inside = self.image.inside(&at);
        if self.level {
            let levels = read(self.shape.coordinates());
            inside &= vector_macros::pack(levels.map(|level| level == 0));
        }
        (at, inside)
    }
}

/// The components that a data mask names.
#[inline(always)]
fn components_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..4).filter(move |component| mask >> component & 1 != 0)
}

/// The set bits of a mask of lanes, lowest first.
#[inline(always)]
fn lanes_of(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask.wrapping_sub(1);
            (lane < GROUP).then_some(lane)
        },
    )
}

/// Row of address register `index`.
#[inline(always)]
fn address_row(op: &MicroOp, index: usize) -> usize {
    match index.checked_sub(1) {
        None => op.src[0].index as usize,
        Some(index) => (op.constant[index / 4] >> (8 * (index % 4)) & 0xff) as usize,
    }
}

/// Components of a texel as f32 or integer bits, as the format has them.
#[inline(always)]
fn fetch(
    image: &Image,
    env: &mut Env<'_>,
    at: [u32; 3],
    lane: u32,
) -> Result<[u32; 4], Box<Fault>> {
    let bytes = image.format.bytes();
    let pointer = env
        .memory
        .pointer(image.address(at), bytes, false, lane)
        .map_err(Box::new)?;
    let mut words = [0; 4];
    // SAFETY: checked for `bytes` bytes; `words` has room for an element.
    unsafe {
        match bytes {
            4 => words[0] = pointer.cast::<u32>().read_unaligned(),
            _ => pointer.copy_to_nonoverlapping(words.as_mut_ptr().cast(), bytes as usize),
        }
    }
    Ok(image.format.load(words.map(u32::from_le)))
}

/// Number of a group's lane in the wave.
#[inline(always)]
fn lane_number(access: &Access, lane: usize) -> u32 {
    (GROUP * access.group + lane) as u32
}

/// Writes the components that the data mask asks for of `colours`, which have gone through the destination selects.
#[inline(always)]
fn write_masked(wave: &mut Wave, operands: &Operands, group: usize, colours: &[[u32; 4]; GROUP]) {
    let mut values = [[0; GROUP]; 4];
    let mut count = 0;
    for component in components_of(operands.mask) {
        values[count] = colours.map(|colour| colour[component]);
        count += 1;
    }
    let integer = operands.image.format.is_integer();
    operands.data.write(wave, group, &values[..count], integer);
}

struct Load;

impl Body for Load {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let operands = match Operands::of(wave, op) {
            Ok(operands) => operands,
            Err(what) => return unsupported(wave, what),
        };
        let image = operands.image;
        space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access| {
                let mut colours = [[0; 4]; GROUP];
                let (at, inside) = operands.texels(wave, op, access.group);
                for (lane, result) in colours.iter_mut().enumerate() {
                    let mut colour = [0; 4];
                    if access.active & inside & 1 << lane != 0 {
                        let at = at.map(|at| at[lane]);
                        colour = fetch(&image, env, at, lane_number(&access, lane))?;
                    }
                    *result = texel::select(image.selects, colour, image.format.one());
                }
                write_masked(wave, &operands, access.group, &colours);
                Ok(())
            },
        )
    }
}

struct Store;

impl Body for Store {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let operands = match Operands::of(wave, op) {
            Ok(operands) => operands,
            Err(what) => return unsupported(wave, what),
        };
        let image = operands.image;
        if !image.format.can_store() {
            return unsupported(wave, "stores to images of this format");
        }
        let format = image.format;
        space::each_group(
            wave,
            format.bytes(),
            true,
            #[inline(always)]
            |wave, access| {
                let (at, inside) = operands.texels(wave, op, access.group);
                for lane in lanes_of(access.active & inside) {
                    let at = at.map(|at| at[lane]);
                    let mut data = [0; 4];
                    for (index, component) in components_of(operands.mask).enumerate() {
                        let integer = format.is_integer();
                        data[component] =
                            operands.data.read(wave, access.group, index, lane, integer);
                    }
                    let words = format.store(unselect(image.selects, data));
                    let number = lane_number(&access, lane);
                    let pointer = env
                        .memory
                        .pointer(image.address(at), access.bytes, true, number)
                        .map_err(Box::new)?;
                    let words = words.map(u32::to_le);
                    // SAFETY: checked for writing `bytes` bytes, and an element has no more than `words`.
                    unsafe {
                        let words = words.as_ptr().cast::<u8>();
                        pointer.copy_from_nonoverlapping(words, access.bytes as usize);
                    }
                }
                Ok(())
            },
        )
    }
}

/// The format's components from which destination selects would make `data`.
#[inline(always)]
fn unselect(selects: u32, data: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|component| {
        (0..4)
            .find(|place| selects >> (3 * place) & 7 == 4 + component as u32)
            .map_or(0, |place| data[place as usize])
    })
}

/// Image, sampler and the coordinates that a sample starts from.
struct Sampling {
    operands: Operands,
    sampler: Sampler,
}

impl Sampling {
    fn of(wave: &Wave, op: &MicroOp) -> Result<Sampling, &'static str> {
        let operands = Operands::of(wave, op)?;
        let first = op.src[2].index as usize;
        let mut sampler = Sampler::of(std::array::from_fn(|i| wave.sgpr(first + i)))?;
        sampler.unnormalized |= op.extra & field::UNNORMALIZED != 0;
        Ok(Sampling { operands, sampler })
    }

    /// The up to eight texels around the coordinates of a group's lanes: `visit(lane, texel, weight)`, corner by corner,
    /// weights in 1/256 per axis. No texel: the border's.
    #[inline(always)]
    fn each_neighbour(
        &self,
        wave: &Wave,
        op: &MicroOp,
        access: &Access,
        mut visit: impl FnMut(usize, Option<[u32; 3]>, u32) -> Result<(), Box<Fault>>,
    ) -> Result<(), Box<Fault>> {
        let Operands { image, shape, .. } = &self.operands;
        let read = |index| {
            self.operands
                .coordinate(wave, op, access.group, index, true)
        };
        let axes = shape.axes();
        let mut slices = [0; GROUP];
        if shape.is_array() {
            let last = f64::from(image.size[2] - 1);
            slices = read(axes).map(|slice| {
                let slice = f64::from(f32::from_bits(slice));
                slice.round_ties_even().clamp(0.0, last) as u32
            });
        }
        let mut neighbours = [Neighbours::NONE; 3];
        for (axis, neighbours) in neighbours.iter_mut().enumerate().take(axes) {
            *neighbours = self.sampler.neighbours(axis, &read(axis), image.size[axis]);
        }
        let corners = if self.sampler.linear { 1 << axes } else { 1 };
        for corner in 0..corners {
            let mut at = [[0; GROUP], [0; GROUP], slices];
            let mut inside = !0;
            let mut weights = [1; GROUP];
            for (axis, neighbours) in neighbours.iter().enumerate().take(axes) {
                let second = corner >> axis & 1;
                at[axis] = neighbours.texels[second];
                inside &= neighbours.inside[second];
                if self.sampler.linear {
                    for (weight, of_second) in weights.iter_mut().zip(neighbours.weights) {
                        *weight *= if second == 0 {
                            256 - of_second
                        } else {
                            of_second
                        };
                    }
                }
            }
            for lane in lanes_of(access.active) {
                let texel = (inside >> lane & 1 != 0).then(|| at.map(|at| at[lane]));
                visit(lane, texel, weights[lane])?;
            }
        }
        Ok(())
    }

    /// The texel's components, or those of the border.
    #[inline(always)]
    fn colour(
        &self,
        env: &mut Env<'_>,
        at: Option<[u32; 3]>,
        lane: u32,
    ) -> Result<[u32; 4], Box<Fault>> {
        let image = &self.operands.image;
        match at {
            Some(at) => fetch(image, env, at, lane),
            None => Ok(self.sampler.border.map(|unit| unit * image.format.one())),
        }
    }
}

struct Sample;

impl Body for Sample {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let sampling = match Sampling::of(wave, op) {
            Ok(sampling) => sampling,
            Err(what) => return unsupported(wave, what),
        };
        let image = sampling.operands.image;
        let linear = sampling.sampler.linear;
        if linear && image.format.is_integer() {
            return unsupported(wave, "linear filters of integers");
        }
        let whole = f64::from(256u32.pow(sampling.operands.shape.axes() as u32));
        space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access| {
                let mut sums = [[0.0f64; 4]; GROUP];
                let mut colours = [[0; 4]; GROUP];
                sampling.each_neighbour(
                    wave,
                    op,
                    &access,
                    #[inline(always)]
                    |lane, at, weight| {
                        if weight == 0 {
                            return Ok(());
                        }
                        colours[lane] = sampling.colour(env, at, lane_number(&access, lane))?;
                        if linear {
                            for (sum, component) in sums[lane].iter_mut().zip(colours[lane]) {
                                *sum += f64::from(f32::from_bits(component)) * f64::from(weight);
                            }
                        }
                        Ok(())
                    },
                )?;
                for (colour, sum) in colours.iter_mut().zip(sums) {
                    if linear {
                        *colour = sum.map(|sum| ((sum / whole) as f32).to_bits());
                    }
                    *colour = texel::select(image.selects, *colour, image.format.one());
                }
                write_masked(wave, &sampling.operands, access.group, &colours);
                Ok(())
            },
        )
    }
}

/// One component of the four texels that a linear filter would weigh.
struct Gather;

/// Which corner of the square (x first) each result is: lower left, lower right, upper right, upper left.
const GATHERED: [usize; 4] = [2, 3, 1, 0];

impl Body for Gather {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let sampling = match Sampling::of(wave, op) {
            Ok(mut sampling) => {
                sampling.sampler.linear = true;
                sampling
            }
            Err(what) => return unsupported(wave, what),
        };
        if sampling.operands.shape.axes() != 2 {
            return unsupported(wave, "gathering from images that are not flat");
        }
        let image = sampling.operands.image;
        let component = op.extra.trailing_zeros() as usize & 3;
        space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access| {
                let mut corners = [[0; 4]; GROUP];
                let mut visited = [0; GROUP];
                sampling.each_neighbour(
                    wave,
                    op,
                    &access,
                    #[inline(always)]
                    |lane, at, _| {
                        let colour = sampling.colour(env, at, lane_number(&access, lane))?;
                        let selected = texel::select(image.selects, colour, image.format.one());
                        corners[lane][visited[lane]] = selected[component];
                        visited[lane] += 1;
                        Ok(())
                    },
                )?;
                let colours = corners.map(|corners| GATHERED.map(|corner| corners[corner]));
                let all = Operands {
                    mask: 15,
                    ..sampling.operands
                };
                write_masked(wave, &all, access.group, &colours);
                Ok(())
            },
        )
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic: &'static str, attribute: u16, width: u8, handler: fn() -> Handler| {
        rows.push(Row { mnemonic, shape: RowShape::Image, handler, width, attribute, changes_exec: false });
    };
    use attribute::{DERIVATIVES, LEVEL};
    push("image_load",       0,           0, shell::handler::<Load>);
    push("image_load_mip",   LEVEL,       0, shell::handler::<Load>);
    push("image_store",      0,           0, shell::handler::<Store>);
    push("image_store_mip",  LEVEL,       0, shell::handler::<Store>);
    push("image_sample",     0,           0, shell::handler::<Sample>);
    push("image_sample_lz",  0,           0, shell::handler::<Sample>);
    push("image_sample_l",   LEVEL,       0, shell::handler::<Sample>);
    push("image_sample_d",   DERIVATIVES, 0, shell::handler::<Sample>);
    push("image_gather4",    0,           4, shell::handler::<Gather>);
    push("image_gather4_lz", 0,           4, shell::handler::<Gather>);
}
