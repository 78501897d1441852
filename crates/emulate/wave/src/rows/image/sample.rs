//! Samples and gathers: texels around coordinates, weighted.
//!
//! The level of detail of derivatives is the logarithm of the longer one's length in texels; by how much the hardware's
//! differs is not published.

use crate::{
    access::{
        image::{
            cube,
            descriptor::{Level, Shape},
            gfx12,
            operands::{Executed, Instruction, Operands, fetch, lane_number, lanes_of},
            sampler::{Between, FRACTION, Neighbours, Sampler},
        },
        lanes::GROUP,
        space::{self, Access, Checked},
    },
    engine::Env,
    memory::Fault,
    micro_op::{Generation, ImageOperands, MicroOp},
    state::Wave,
};

/// Image, sampler and the coordinates that a sample starts from.
struct Sampling {
    operands: Operands,
    sampler: Sampler,
}

/// A part of a sum of texels.
struct Part {
    lane: usize,
    /// The address of the texel; `None` is the border's.
    address: Option<u64>,
    /// In units of [`Sampling::whole`].
    weight: u32,
}

impl Sampling {
    fn read(wave: &Wave, op: &MicroOp, operands: Operands) -> Result<Sampling, &'static str> {
        let first = op.src[2].index as usize;
        let mut words = std::array::from_fn(|i| wave.sgpr(first + i));
        if op.image().generation >= Generation::GFX12 {
            words = gfx12::sampler(words);
        }
        let mut sampler = Sampler::decode(words)?;
        sampler.unnormalized |= op.image().unnormalized();
        let has = |operands| op.image().has(operands);
        if operands.image.levels == 1 {
            sampler.between = Between::First;
        } else if sampler.between != Between::First && has(ImageOperands::IMPLICIT) {
            return Err("levels of detail from the coordinates of neighbouring lanes");
        }
        let format = operands.image.format;
        if has(ImageOperands::COMPARE) && (format.is_integer() || format.widths[0] != 32) {
            return Err("comparisons with texels that are not singles");
        }
        let sampling = Sampling { operands, sampler };
        if sampling.operands.shape == Shape::Cube {
            sampling.check_cube(wave, op)?;
        }
        Ok(sampling)
    }

    /// Coordinates on a face start at 1, so that their exponent is always the same. The treatment of others is not
    /// published.
    fn check_cube(&self, wave: &Wave, op: &MicroOp) -> Result<(), &'static str> {
        if op.image().has(ImageOperands::DERIVATIVES) {
            return Err("derivatives on cube maps");
        }
        if self.sampler.unnormalized {
            return Err("cube map coordinates in texels");
        }
        let size = self.operands.first.size;
        if size[0] != size[1] || !size[2].is_multiple_of(6) {
            return Err("cube maps whose faces are not six squares");
        }
        for group in 0..wave.groups {
            let active = (wave.exec() >> (GROUP * group)) as u16;
            for axis in 0..2 {
                let values = self.operands.coordinate(wave, op, group, axis, true);
                if lanes_of(active).any(|lane| !(1.0..=2.0).contains(&f32::from_bits(values[lane])))
                {
                    return Err("cube map coordinates that are not between 1 and 2");
                }
            }
        }
        Ok(())
    }

    /// The sum of the weights of a lane's texels in one level.
    fn whole(&self) -> u32 {
        match self.operands.shape {
            // A missing corner is a third of each of the others.
            Shape::Cube => 3 << (2 * FRACTION),
            shape => 1 << (FRACTION as usize * shape.axes()),
        }
    }

    /// First levels of a group's lanes and weights of the next ones.
    #[inline(always)]
    fn levels(&self, wave: &Wave, op: &MicroOp, group: usize) -> ([u32; GROUP], [u32; GROUP]) {
        let (mut firsts, mut weights) = ([0; GROUP], [0; GROUP]);
        if self.sampler.between == Between::First {
            return (firsts, weights);
        }
        let details = self.details(wave, op, group);
        for lane in 0..GROUP {
            (firsts[lane], weights[lane]) = self
                .sampler
                .levels(details[lane], self.operands.image.levels);
        }
        (firsts, weights)
    }

    /// Levels of detail that the instruction asks for.
    #[inline(never)]
    fn details(&self, wave: &Wave, op: &MicroOp, group: usize) -> [f64; GROUP] {
        let shape = self.operands.shape;
        let single = |word| f64::from(f32::from_bits(word));
        if op.image().has(ImageOperands::LEVEL) {
            let index = shape.coordinates();
            let levels = self.operands.coordinate(wave, op, group, index, true);
            return levels.map(single);
        }
        let mut details = self.derived(wave, op, group);
        if op.image().has(ImageOperands::CLAMP) {
            let index = shape.coordinates();
            let least = self.operands.coordinate(wave, op, group, index, true);
            for (detail, least) in details.iter_mut().zip(least) {
                *detail = detail.max(single(least));
            }
        }
        details
    }

    /// Levels of detail of derivatives; without them the first.
    #[inline(never)]
    fn derived(&self, wave: &Wave, op: &MicroOp, group: usize) -> [f64; GROUP] {
        let Operands { shape, first, .. } = &self.operands;
        let single = |word| f64::from(f32::from_bits(word));
        if !op.image().has(ImageOperands::DERIVATIVES) {
            return [0.0; GROUP];
        }
        let mut squares = [[0.0; GROUP]; 2];
        for (direction, squares) in squares.iter_mut().enumerate() {
            for axis in 0..shape.axes() {
                let scale = match self.sampler.unnormalized {
                    true => 1.0,
                    false => f64::from(first.size[axis]),
                };
                let slopes = self.operands.derivative(wave, op, group, direction, axis);
                for (square, slope) in squares.iter_mut().zip(slopes) {
                    *square += (single(slope) * scale).powi(2);
                }
            }
        }
        let [across, down] = squares;
        std::array::from_fn(|lane| across[lane].max(down[lane]).log2() / 2.0)
    }

    /// The up to eight texels of a level around the coordinates of `lanes`, corner by corner.
    #[inline(always)]
    fn each_neighbour(
        &self,
        wave: &Wave,
        op: &MicroOp,
        group: usize,
        lanes: u16,
        level: &Level,
        mut visit: impl FnMut(Part) -> Checked,
    ) -> Checked {
        let shape = self.operands.shape;
        let read = |index| self.operands.coordinate(wave, op, group, index, true);
        if shape == Shape::Cube {
            let at = [read(0), read(1), read(2)];
            for lane in lanes_of(lanes) {
                self.each_on_cube(at.map(|at| at[lane]), lane, level, &mut visit)?;
            }
            return Ok(());
        }
        let axes = shape.axes();
        let mut slices = [0; GROUP];
        if shape.has_slices() {
            let last = f64::from(level.size[2] - 1);
            slices = read(axes).map(|slice| {
                let slice = f64::from(f32::from_bits(slice));
                slice.round_ties_even().clamp(0.0, last) as u32
            });
        }
        let offsets = self.operands.extra(wave, op, group, ImageOperands::OFFSET);
        let mut neighbours = [Neighbours::NONE; 3];
        for (axis, neighbours) in neighbours.iter_mut().enumerate().take(axes) {
            *neighbours =
                self.sampler
                    .neighbours(axis, &read(axis), offsets.as_ref(), level.size[axis]);
        }
        let corners = if self.sampler.linear { 1 << axes } else { 1 };
        for corner in 0..corners {
            let mut at = [[0; GROUP], [0; GROUP], slices];
            let mut inside = !0;
            let mut weights = [self.whole(); GROUP];
            if self.sampler.linear {
                weights = [1; GROUP];
            }
            for (axis, neighbours) in neighbours.iter().enumerate().take(axes) {
                let second = corner >> axis & 1;
                at[axis] = neighbours.texels[second];
                inside &= neighbours.inside[second];
                if self.sampler.linear {
                    for (weight, of_second) in weights.iter_mut().zip(neighbours.weights) {
                        *weight *= part(of_second, second);
                    }
                }
            }
            for lane in lanes_of(lanes) {
                let at = at.map(|at| at[lane]);
                visit(Part {
                    lane,
                    address: (inside >> lane & 1 != 0).then(|| level.address(at)),
                    weight: weights[lane],
                })?;
            }
        }
        Ok(())
    }

    /// [`Sampling::each_neighbour`] of one lane on a cube map.
    #[inline(never)]
    fn each_on_cube(
        &self,
        at: [u32; 3],
        lane: usize,
        level: &Level,
        visit: &mut dyn FnMut(Part) -> Checked,
    ) -> Checked {
        let [x, y, slice] = at.map(f32::from_bits);
        let size = level.size[0];
        let (cubes, face) = (level.size[2] / 6, slice.round_ties_even() as u32);
        let (cube, face) = ((face >> 3).min(cubes - 1), (face & 7).min(5));
        let address =
            |[face, column, row]: [u32; 3]| Some(level.address([column, row, 6 * cube + face]));
        let positions = [x, y].map(|at| at - 1.0);
        let positions = [0, 1].map(|axis| self.sampler.position(axis, positions[axis], size));
        if !self.sampler.linear {
            let last = i64::from(size) - 1;
            let [column, row] = positions.map(|(first, _)| first.clamp(0, last) as u32);
            return visit(Part {
                lane,
                address: address([face, column, row]),
                weight: self.whole(),
            });
        }
        let mut corner_weight = 0;
        let mut texels = Vec::with_capacity(4);
        for corner in 0..4 {
            let seconds = [corner & 1, corner >> 1];
            let at: [i64; 2] = std::array::from_fn(|axis| positions[axis].0 + seconds[axis] as i64);
            let weight: u32 = (0..2)
                .map(|axis| part(positions[axis].1, seconds[axis]))
                .product();
            let outside = at.map(|at| !(0..i64::from(size)).contains(&at));
            let texel = match outside {
                [false, false] => address([face, at[0] as u32, at[1] as u32]),
                _ if !self.sampler.seamless => {
                    let texel = |axis: usize| self.sampler.texel(axis, at[axis], size);
                    texel(0)
                        .zip(texel(1))
                        .and_then(|(column, row)| address([face, column, row]))
                }
                // Three faces meet here, and there is no fourth texel: the others stand in for it, as Vulkan recommends.
                [true, true] => {
                    corner_weight = weight;
                    continue;
                }
                _ => address(cube::beyond(face, at, size)),
            };
            texels.push((texel, 3 * weight));
        }
        for (address, weight) in texels {
            visit(Part {
                lane,
                address,
                weight: weight + corner_weight,
            })?;
        }
        Ok(())
    }

    /// The texel's components, or those of the border.
    #[inline(always)]
    fn colour(
        &self,
        env: &mut Env<'_>,
        address: Option<u64>,
        lane: u32,
    ) -> Result<[u32; 4], Box<Fault>> {
        let image = &self.operands.image;
        match address {
            Some(address) => fetch(image, env, address, lane),
            None => Ok(self.sampler.border.map(|unit| unit * image.format.one())),
        }
    }

    fn level(&self, number: u32) -> Level {
        match number {
            0 => self.operands.first,
            _ => self.operands.image.level(number),
        }
    }

    /// The values with which texels are compared, if the instruction compares.
    fn references(&self, wave: &Wave, op: &MicroOp, group: usize) -> Option<[u32; GROUP]> {
        self.operands.extra(wave, op, group, ImageOperands::COMPARE)
    }

    /// The use of a texel's components; with a comparison, its result.
    #[inline(always)]
    fn judged(&self, references: Option<&[u32; GROUP]>, lane: usize, colour: [u32; 4]) -> [u32; 4] {
        let one = self.operands.image.format.one();
        references.map_or(colour, |references| {
            [self.sampler.compare(references[lane], colour[0]), 0, 0, one]
        })
    }
}

/// The first or second texel's part along an axis.
#[inline(always)]
fn part(of_second: u32, second: usize) -> u32 {
    match second {
        0 => (1 << FRACTION) - of_second,
        _ => of_second,
    }
}

pub(super) struct Sample;

impl Instruction for Sample {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        let sampling = Sampling::read(wave, op, operands)?;
        let image = sampling.operands.image;
        let blends = sampling.sampler.linear || sampling.sampler.between == Between::Blend;
        if blends && image.format.is_integer() {
            return Err("linear filters of integers");
        }
        Ok(space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access| {
                let mut sums = Sums::default();
                let group = access.group;
                let (firsts, weights) = sampling.levels(wave, op, group);
                let references = sampling.references(wave, op, group);
                for number in 0..image.levels {
                    let level = sampling.level(number);
                    // Weight of this level for a lane.
                    let of_lane = |lane: usize| match number.checked_sub(firsts[lane]) {
                        Some(0) => (1 << FRACTION) - weights[lane],
                        Some(1) => weights[lane],
                        _ => 0,
                    };
                    let lanes = lanes_of(access.active).filter(|&lane| of_lane(lane) != 0);
                    let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
                    if lanes == 0 {
                        continue;
                    }
                    sampling.each_neighbour(
                        wave,
                        op,
                        group,
                        lanes,
                        &level,
                        #[inline(always)]
                        |part| {
                            if part.weight == 0 {
                                return Ok(());
                            }
                            let number = lane_number(&access, part.lane);
                            let colour = sampling.colour(env, part.address, number)?;
                            let colour = sampling.judged(references.as_ref(), part.lane, colour);
                            let weight = u64::from(part.weight) * u64::from(of_lane(part.lane));
                            sums.add(part.lane, colour, weight, blends);
                            Ok(())
                        },
                    )?;
                }
                let whole = f64::from(sampling.whole()) * f64::from(1u32 << FRACTION);
                let colours = sums.colours(whole, blends);
                let colours = colours.map(|colour| sampling.operands.select(colour));
                sampling.operands.write_masked(wave, group, &colours);
                Ok(())
            },
        ))
    }
}

/// Weighted colours of a group's lanes, and the last one of each.
#[derive(Default)]
struct Sums {
    sums: [[f64; 4]; GROUP],
    last: [[u32; 4]; GROUP],
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, lane: usize, colour: [u32; 4], weight: u64, blends: bool) {
        self.last[lane] = colour;
        if blends {
            for (sum, component) in self.sums[lane].iter_mut().zip(colour) {
                *sum += f64::from(f32::from_bits(component)) * weight as f64;
            }
        }
    }

    #[inline(always)]
    fn colours(self, whole: f64, blends: bool) -> [[u32; 4]; GROUP] {
        if !blends {
            return self.last;
        }
        self.sums
            .map(|sums| sums.map(|sum| ((sum / whole) as f32).to_bits()))
    }
}

/// One component of the four texels that a linear filter would weigh.
pub(super) struct Gather;

/// The corner of the square (x first) of each result: lower left, lower right, upper right, upper left.
const GATHERED: [usize; 4] = [2, 3, 1, 0];

impl Instruction for Gather {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        let mut sampling = Sampling::read(wave, op, operands)?;
        if !matches!(sampling.operands.shape, Shape::D2 | Shape::D2Array) {
            return Err("gathering from images that are not flat");
        }
        let blends = sampling.sampler.between == Between::Blend;
        if blends && op.image().has(ImageOperands::LEVEL) {
            return Err("gathering between levels");
        }
        sampling.sampler.linear = true;
        sampling.operands.mask = 15;
        let component = op.image().mask().trailing_zeros() as usize & 3;
        let image = sampling.operands.image;
        Ok(space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access: Access| {
                let group = access.group;
                let mut corners = [[0; 4]; GROUP];
                let mut visited = [0; GROUP];
                let (numbers, _) = sampling.levels(wave, op, group);
                let references = sampling.references(wave, op, group);
                for number in 0..image.levels {
                    let lanes = lanes_of(access.active).filter(|&lane| numbers[lane] == number);
                    let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
                    if lanes == 0 {
                        continue;
                    }
                    let level = sampling.level(number);
                    sampling.each_neighbour(
                        wave,
                        op,
                        group,
                        lanes,
                        &level,
                        #[inline(always)]
                        |Part { lane, address, .. }| {
                            let colour =
                                sampling.colour(env, address, lane_number(&access, lane))?;
                            let colour = sampling.judged(references.as_ref(), lane, colour);
                            corners[lane][visited[lane]] =
                                sampling.operands.select(colour)[component];
                            visited[lane] += 1;
                            Ok(())
                        },
                    )?;
                }
                let colours = corners.map(|corners| GATHERED.map(|corner| corners[corner]));
                sampling.operands.write_masked(wave, group, &colours);
                Ok(())
            },
        ))
    }
}
