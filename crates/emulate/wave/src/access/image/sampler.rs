//! Sampler descriptors: coordinates to texels and weights.
//!
//! Coordinates become fixed-point numbers with eight bits behind the point, as the sampling hardware has them; these
//! bits are also the weights of linear filters. Levels of detail have the same form. The sum of weighted texels is
//! rounded once (the order in which the hardware adds is not published).

use super::super::lanes::GROUP;
use isa::fields::bits;

/// The texels that stand for those beyond the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrap {
    Repeat,
    Mirror,
    MirrorOnce,
    Edge,
    Border,
}

/// Between levels of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// The first is the only one.
    First,
    Nearest,
    Blend,
}

/// A decoded sampler descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampler {
    wrap: [Wrap; 3],
    /// Coordinates are in texels.
    pub unnormalized: bool,
    /// Coordinates are cut off, not rounded, to fixed point.
    truncate: bool,
    /// Two texels per axis, weighted.
    pub linear: bool,
    pub between: Between,
    /// Least and greatest level of detail, as fixed-point numbers.
    detail: [i64; 2],
    /// Texels beyond the edges of a cube's face are those of the next face.
    pub seamless: bool,
    /// When a comparison with a texel holds.
    compare: u32,
    /// R, G, B, A of texels beyond the edge, in units of one.
    pub border: [u32; 4],
}

/// Bits behind the point of a coordinate and of a level of detail.
pub(crate) const FRACTION: u32 = 8;

/// Texels on both sides of the coordinates of a group of lanes, along one axis.
#[derive(Clone, Copy)]
pub(crate) struct Neighbours {
    pub texels: [[u32; GROUP]; 2],
    /// Lanes whose texel is in the image. Others see the border colour.
    pub inside: [u16; 2],
    /// The weights of the second texel, in 1/256.
    pub weights: [u32; GROUP],
}

impl Neighbours {
    pub const NONE: Neighbours = Neighbours {
        texels: [[0; GROUP]; 2],
        inside: [0; 2],
        weights: [0; GROUP],
    };
}

impl Sampler {
    /// The error says what about the descriptor is not executed.
    pub fn decode(words: [u32; 4]) -> Result<Sampler, &'static str> {
        let [w0, w1, w2, w3] = words;
        let wrap = |mode| match mode {
            0 => Ok(Wrap::Repeat),
            1 => Ok(Wrap::Mirror),
            2 => Ok(Wrap::Edge),
            3 => Ok(Wrap::MirrorOnce),
            6 => Ok(Wrap::Border),
            _ => Err("samplers that clamp halfway to the border"),
        };
        let (magnifying, minifying) = (bits(w2, 21, 20), bits(w2, 23, 22));
        if magnifying != minifying {
            return Err("samplers with different filters for large and small");
        }
        if magnifying > 1 {
            return Err("anisotropic samplers");
        }
        if bits(w0, 30, 29) != 0 {
            return Err("samplers that take the least or greatest texel");
        }
        if bits(w2, 19, 0) != 0 {
            return Err("samplers that add to the level of detail");
        }
        let between = match bits(w2, 27, 26) {
            0 => Between::First,
            1 if bits(w2, 28, 28) != 0 => return Err("samplers that clamp levels before rounding"),
            1 => Between::Nearest,
            2 => Between::Blend,
            _ => return Err("a reserved filter between levels"),
        };
        Ok(Sampler {
            wrap: [
                wrap(bits(w0, 2, 0))?,
                wrap(bits(w0, 5, 3))?,
                wrap(bits(w0, 8, 6))?,
            ],
            unnormalized: bits(w0, 15, 15) != 0,
            truncate: bits(w0, 27, 27) != 0,
            linear: magnifying == 1,
            between,
            detail: [bits(w1, 11, 0), bits(w1, 23, 12)].map(i64::from),
            seamless: bits(w0, 28, 28) == 0,
            compare: bits(w0, 14, 12),
            border: match bits(w3, 31, 30) {
                0 => [0, 0, 0, 0],
                1 => [0, 0, 0, 1],
                2 => [1, 1, 1, 1],
                _ => return Err("border colours from a table"),
            },
        })
    }

    /// One where `reference` compares with a texel as the sampler says, else zero.
    #[inline(always)]
    pub fn compare(&self, reference: u32, texel: u32) -> u32 {
        let [reference, texel] = [reference, texel].map(f32::from_bits);
        let holds = match self.compare {
            0 => false,
            1 => reference < texel,
            2 => reference == texel,
            3 => reference <= texel,
            4 => reference > texel,
            5 => reference != texel,
            6 => reference >= texel,
            _ => true,
        };
        f32::from(u8::from(holds)).to_bits()
    }

    /// Texels at `coordinates`, which are singles, along `axis` of `size` texels, and `offsets` texels on.
    #[inline(always)]
    pub fn neighbours(
        &self,
        axis: usize,
        coordinates: &[u32; GROUP],
        offsets: Option<&[u32; GROUP]>,
        size: u32,
    ) -> Neighbours {
        let mut found = Neighbours::NONE;
        for (lane, &coordinate) in coordinates.iter().enumerate() {
            let (first, weight) = self.position(axis, f32::from_bits(coordinate), size);
            found.weights[lane] = weight;
            for second in 0..=usize::from(self.linear) {
                // Six bits of a byte for each axis, with a sign.
                let on =
                    offsets.map_or(0, |offsets| (offsets[lane] << (26 - 8 * axis)) as i32 >> 26);
                let at = first + second as i64 + i64::from(on);
                if let Some(texel) = self.texel(axis, at, size) {
                    found.texels[second][lane] = texel;
                    found.inside[second] |= 1 << lane;
                }
            }
        }
        found
    }

    /// The first texel at a coordinate, before addressing modes, and the weight of the second.
    #[inline(always)]
    pub fn position(&self, axis: usize, coordinate: f32, size: u32) -> (i64, u32) {
        let shift = if self.linear { 1 << (FRACTION - 1) } else { 0 };
        let fixed = self.fixed(axis, coordinate, size) - shift;
        (fixed >> FRACTION, (fixed & ((1 << FRACTION) - 1)) as u32)
    }

    /// The place of a level of detail among `levels`: the first level and the weight of the next.
    #[inline(always)]
    pub fn levels(&self, detail: f64, levels: u32) -> (u32, u32) {
        let [least, greatest] = self.detail;
        let fixed = (detail * f64::from(1u32 << FRACTION)).round_ties_even() as i64;
        let last = i64::from(levels - 1) << FRACTION;
        let fixed = fixed.min(greatest).max(least).clamp(0, last) as u32;
        match self.between {
            Between::First => (0, 0),
            Between::Nearest => ((fixed + (1 << (FRACTION - 1))) >> FRACTION, 0),
            Between::Blend => (fixed >> FRACTION, fixed & ((1 << FRACTION) - 1)),
        }
    }

    /// The coordinate in texels, as a fixed-point number.
    #[inline(always)]
    fn fixed(&self, axis: usize, coordinate: f32, size: u32) -> i64 {
        let coordinate = f64::from(coordinate);
        let size = f64::from(size);
        let texels = match (self.unnormalized, self.wrap[axis]) {
            (true, _) => coordinate,
            // Before the multiplication: far from zero nothing would be left of the fraction.
            (false, Wrap::Repeat) => (coordinate - coordinate.floor()) * size,
            (false, Wrap::Mirror) => (coordinate - 2.0 * (coordinate / 2.0).floor()) * size,
            (false, _) => coordinate * size,
        };
        let fixed = texels * f64::from(1u32 << FRACTION);
        // Not a number becomes 0; what is far outside stays outside.
        let limit = (1i64 << 40) as f64;
        let fixed = if self.truncate {
            fixed.floor()
        } else {
            fixed.round_ties_even()
        };
        fixed.clamp(-limit, limit) as i64
    }

    /// The texel that `at` stands for.
    #[inline(always)]
    pub fn texel(&self, axis: usize, at: i64, size: u32) -> Option<u32> {
        let size = i64::from(size);
        let mirrored = |at: i64| if at < 0 { -1 - at } else { at };
        let index = match self.wrap[axis] {
            // CUDA and HIP: coordinates in texels do not repeat.
            Wrap::Repeat | Wrap::Mirror if self.unnormalized => at.clamp(0, size - 1),
            Wrap::Repeat => at.rem_euclid(size),
            Wrap::Mirror => {
                let at = at.rem_euclid(2 * size);
                at.min(2 * size - 1 - at)
            }
            Wrap::MirrorOnce => mirrored(at).min(size - 1),
            Wrap::Edge => at.clamp(0, size - 1),
            Wrap::Border if (0..size).contains(&at) => at,
            Wrap::Border => return None,
        };
        Some(index as u32)
    }
}
