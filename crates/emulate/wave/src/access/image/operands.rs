//! Operands that all image instructions have: the descriptor, and coordinates and data in registers.

use super::{
    super::{
        components::Components,
        lanes::{self, GROUP},
        space::{Access, unsupported},
        texel,
    },
    descriptor::{Image, Level, Shape},
    gfx12,
};
use crate::{
    engine::Env,
    memory::Fault,
    micro_op::{Generation, ImageOperands, MicroOp},
    shell::Body,
    state::Wave,
};

/// The outcome of an instruction: how the engine goes on, or which part of the instruction it does not execute.
pub(crate) type Executed = Result<u32, &'static str>;

/// An image instruction whose operands are resolved.
pub(crate) trait Instruction {
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed;
}

/// The body of an instruction.
pub(crate) struct Resolved<I>(std::marker::PhantomData<I>);

impl<I: Instruction> Body for Resolved<I> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let executed =
            Operands::read(wave, op).and_then(|operands| I::execute(wave, op, env, operands));
        executed.unwrap_or_else(|what| unsupported(wave, what))
    }
}

/// An instruction's operands, resolved.
pub(crate) struct Operands {
    pub image: Image,
    /// Level 0, which is the only one of most images.
    pub first: Level,
    /// Shape as the instruction sees it, which says how many coordinates it has.
    pub shape: Shape,
    /// Address words in front of the coordinates.
    skipped: usize,
    /// A level of detail follows the coordinates, as a whole number.
    level: bool,
    pub data: Components,
    pub mask: u32,
}

impl Operands {
    fn read(wave: &Wave, op: &MicroOp) -> Result<Operands, &'static str> {
        let first = op.src[1].index as usize;
        let since_gfx10 = op.image().generation >= Generation::GFX10;
        let since_gfx11 = op.image().generation >= Generation::GFX11;
        let mut words = std::array::from_fn(|i| wave.sgpr(first + i));
        if op.image().generation >= Generation::GFX12 {
            words = gfx12::image(words)?;
        }
        let image = Image::decode(words, since_gfx10, since_gfx11)?;
        let shape = if since_gfx10 {
            shape_of_dimensions(op.image().dimensions())?
        } else {
            match (image.shape, op.image().array()) {
                (Shape::D1Array, false) => Shape::D1,
                (Shape::D2Array, false) => Shape::D2,
                (shape, _) => shape,
            }
        };
        let has = |operands| op.image().has(operands);
        if has(ImageOperands::QUERY) {
            return Operands::resolve(wave, op, image, shape, 0, 1);
        }
        if shape == Shape::Cube && image.shape != Shape::Cube {
            return Err("cube map instructions on other images");
        }
        // Up to gfx9 these halves go with those of coordinates.
        if has(ImageOperands::DERIVATIVES) && op.image().a16() && !since_gfx10 {
            return Err("derivatives in halves");
        }
        if has(ImageOperands::OFFSET) && shape == Shape::Cube {
            return Err("offsets on cube maps");
        }
        let derivatives = match has(ImageOperands::DERIVATIVES) {
            false => 0,
            true if has(ImageOperands::HALF_DERIVATIVES) => 2 * shape.axes().div_ceil(2),
            true => 2 * shape.axes(),
        };
        let skipped = op.image().operands().extras() + derivatives;
        let last = has(ImageOperands::LEVEL) || has(ImageOperands::CLAMP);
        let words = shape.coordinates() + usize::from(last);
        Operands::resolve(wave, op, image, shape, skipped, words)
    }

    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        image: Image,
        shape: Shape,
        skipped: usize,
        words: usize,
    ) -> Result<Operands, &'static str> {
        let words = skipped
            + match op.image().a16() {
                true => words.div_ceil(2),
                false => words,
            };
        if (0..words).any(|index| address_row(op, index) >= wave.vector_rows()) {
            return Err("an image address in registers that the kernel does not have");
        }
        Ok(Operands {
            image,
            first: image.level(0),
            shape,
            skipped,
            level: op.image().has(ImageOperands::LEVEL),
            data: Components {
                row: op.dst as usize,
                packed: op.image().d16(),
                high: false,
            },
            mask: op.image().mask(),
        })
    }

    /// Address word `index` of a group's lanes, from the first.
    #[inline(always)]
    pub fn word(&self, wave: &Wave, op: &MicroOp, group: usize, index: usize) -> [u32; GROUP] {
        *lanes::words(wave, address_row(op, index), group)
    }

    /// The word of `kind`, one of those in front: offset, bias and comparison follow each other.
    #[inline(always)]
    pub fn extra(
        &self,
        wave: &Wave,
        op: &MicroOp,
        group: usize,
        kind: ImageOperands,
    ) -> Option<[u32; GROUP]> {
        let order = [
            ImageOperands::OFFSET,
            ImageOperands::BIAS,
            ImageOperands::COMPARE,
        ];
        let before = order.into_iter().take_while(|other| *other != kind);
        let index = before.filter(|other| op.image().has(*other)).count();
        let here = op.image().has(kind);
        here.then(|| self.word(wave, op, group, index))
    }

    /// The derivative of a coordinate along an axis, as singles: across the screen, or down.
    #[inline(always)]
    pub fn derivative(
        &self,
        wave: &Wave,
        op: &MicroOp,
        group: usize,
        direction: usize,
        axis: usize,
    ) -> [u32; GROUP] {
        let first = op.image().operands().extras();
        let axes = self.shape.axes();
        if op.image().has(ImageOperands::HALF_DERIVATIVES) {
            let index = first + direction * axes.div_ceil(2) + axis / 2;
            let words = self.word(wave, op, group, index);
            return words.map(|word| single_of_half(word, axis % 2));
        }
        self.word(wave, op, group, first + direction * axes + axis)
    }

    /// Coordinate `index` of a group's lanes; the level of detail is behind the last.
    #[inline(always)]
    pub fn coordinate(
        &self,
        wave: &Wave,
        op: &MicroOp,
        group: usize,
        index: usize,
        float: bool,
    ) -> [u32; GROUP] {
        if !op.image().a16() {
            return self.word(wave, op, group, self.skipped + index);
        }
        let words = self.word(wave, op, group, self.skipped + index / 2);
        words.map(|word| match float {
            true => single_of_half(word, index % 2),
            false => word >> (16 * (index % 2)) & 0xffff,
        })
    }

    /// Addresses of the texels that integer coordinates name, and the lanes that name one.
    #[inline(always)]
    pub fn texels(&self, wave: &Wave, op: &MicroOp, group: usize) -> ([u64; GROUP], u16) {
        let read = |index| self.coordinate(wave, op, group, index, false);
        let axes = self.shape.axes();
        let mut at = [[0; GROUP]; 3];
        for (axis, at) in at.iter_mut().enumerate().take(axes) {
            *at = read(axis);
        }
        if self.shape.has_slices() {
            at[2] = read(axes);
        }
        let levels = if self.level {
            read(self.shape.coordinates())
        } else {
            [0; GROUP]
        };
        let (mut addresses, mut inside) = ([0; GROUP], 0);
        for lane in 0..GROUP {
            let at = at.map(|at| at[lane]);
            let level = match levels[lane] {
                0 => self.first,
                number if number < self.image.levels => self.image.level(number),
                _ => continue,
            };
            addresses[lane] = level.address(at);
            inside |= u16::from(level.holds(at)) << lane;
        }
        (addresses, inside)
    }

    /// Writes the components that the data mask asks for of `colours`, which have gone through the destination selects.
    #[inline(always)]
    pub fn write_masked(&self, wave: &mut Wave, group: usize, colours: &[[u32; 4]; GROUP]) {
        let mut values = [[0; GROUP]; 4];
        let mut count = 0;
        for component in components_of(self.mask) {
            values[count] = colours.map(|colour| colour[component]);
            count += 1;
        }
        let integer = self.image.format.is_integer();
        self.data.write(wave, group, &values[..count], integer);
    }

    /// A colour as destination selects make it of the format's components.
    #[inline(always)]
    pub fn select(&self, colour: [u32; 4]) -> [u32; 4] {
        texel::select(self.image.selects, colour, self.image.format.one())
    }
}

/// A half of a word, as a single.
#[inline(always)]
fn single_of_half(word: u32, place: usize) -> u32 {
    numerics::convert::f32_from_f16_exact((word >> (16 * place)) as u16)
}

/// By the dimensions that gfx10's instructions name.
fn shape_of_dimensions(dimensions: u32) -> Result<Shape, &'static str> {
    match dimensions {
        0 => Ok(Shape::D1),
        1 => Ok(Shape::D2),
        2 => Ok(Shape::D3),
        3 => Ok(Shape::Cube),
        4 => Ok(Shape::D1Array),
        5 => Ok(Shape::D2Array),
        _ => Err("images with several samples"),
    }
}

/// The components that a data mask names.
#[inline(always)]
pub(crate) fn components_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..4).filter(move |component| mask >> component & 1 != 0)
}

/// The set bits of a mask of lanes, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u16) -> impl Iterator<Item = usize> {
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
    match index {
        0 => op.src[0].index as usize,
        _ => op.image().address(index),
    }
}

/// Number of a group's lane in the wave.
#[inline(always)]
pub(crate) fn lane_number(access: &Access, lane: usize) -> u32 {
    (GROUP * access.group + lane) as u32
}

/// Components of the texel at `address` as f32 or integer bits, as the format has them.
#[inline(always)]
pub(crate) fn fetch(
    image: &Image,
    env: &mut Env<'_>,
    address: u64,
    lane: u32,
) -> Result<[u32; 4], Box<Fault>> {
    let bytes = image.format.bytes();
    let pointer = env
        .memory
        .pointer(address, bytes, false, lane)
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
