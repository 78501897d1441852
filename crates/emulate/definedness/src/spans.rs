//! The bytes that the lanes of an instruction access together, found without a look at each lane's place.

use wave::Wave;

use crate::{
    access::{Access, Space, pair},
    lanes::{Row, each},
};

/// From the first byte of the lowest lane to behind the last byte of the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u64,
    pub end: u64,
    pub in_lds: bool,
    /// There is no byte in it that no lane accesses.
    pub is_whole: bool,
}

/// Words of the lanes that are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    low: u32,
    high: u32,
    /// All are equal, or each is a step behind that of the lane before.
    is_whole: bool,
}

/// One lane is on at least.
fn bounds(row: &Row, exec: u64, step: u32) -> Bounds {
    let first = exec.trailing_zeros() as usize;
    let on = &row[first..row.len() - exec.leading_zeros() as usize];
    if on.len() != exec.count_ones() as usize {
        let (low, high) = each(exec).fold((u32::MAX, 0), |(low, high), lane| {
            (low.min(row[lane]), high.max(row[lane]))
        });
        let is_whole = low == high;
        return Bounds {
            low,
            high,
            is_whole,
        };
    }
    let (start, mut next, mut differs) = (on[0], on[0], 0);
    for word in on {
        differs |= word ^ next;
        next = next.wrapping_add(step);
    }
    let last = u64::from(start) + u64::from(step) * (on.len() as u64 - 1);
    if let (0, Ok(high)) = (differs, u32::try_from(last)) {
        return Bounds {
            low: start,
            high,
            is_whole: true,
        };
    }
    let low = on.iter().fold(u32::MAX, |low, word| low.min(*word));
    let high = on.iter().fold(0, |high, word| high.max(*word));
    Bounds {
        low,
        high,
        is_whole: low == high,
    }
}

impl Access {
    /// `None` if lanes may lie in different memories, or far apart. One lane is on at least.
    pub fn span(&self, wave: &Wave, exec: u64, which: usize) -> Option<Span> {
        match self.space {
            Space::Lds { row, offsets } => {
                let found = bounds(wave.vgpr_row(row), exec, self.bytes);
                let offset = offsets[which];
                let high = found.high.checked_add(offset)?;
                Some(self.around(found, (found.low + offset).into(), high.into(), true))
            }
            Space::Address {
                row,
                base,
                offset,
                flat,
            } => {
                let found = bounds(wave.vgpr_row(row), exec, self.bytes);
                let base = match base {
                    Some(base) => pair(wave, base),
                    None => {
                        let tops = bounds(wave.vgpr_row(row + 1), exec, 0);
                        if tops.low != tops.high {
                            return None;
                        }
                        u64::from(tops.low) << 32
                    }
                };
                let [low, high] =
                    [found.low, found.high].map(|word| base.wrapping_add(word.into()));
                let mut in_lds = false;
                if flat {
                    let aperture = low & !0xffff_ffff;
                    in_lds = aperture == wave.shared_aperture && aperture != 0;
                    if aperture != high & !0xffff_ffff
                        || aperture == wave.private_aperture && aperture != 0
                    {
                        return None;
                    }
                }
                let [low, high] = [low, high].map(|at| at.wrapping_add(offset as u64));
                Some(match in_lds {
                    true => self.around(found, (low as u32).into(), (high as u32).into(), true),
                    false => {
                        let [low, high] = [low, high].map(wave::host_address);
                        self.around(found, low, high, false)
                    }
                })
            }
            _ => None,
        }
        .filter(|span| span.start < span.end)
    }

    fn around(&self, found: Bounds, start: u64, last: u64, in_lds: bool) -> Span {
        Span {
            start,
            end: last.saturating_add(self.bytes.into()),
            in_lds,
            is_whole: found.is_whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;

    /// The bytes of all lanes, one by one.
    fn slow(row: &Row, exec: u64, step: u32) -> (u32, u32, bool) {
        let mut bytes: Vec<u64> = each(exec)
            .flat_map(|lane| (0..step).map(move |byte| u64::from(row[lane]) + u64::from(byte)))
            .collect();
        bytes.sort_unstable();
        bytes.dedup();
        let on = || each(exec).map(|lane| row[lane]);
        let (low, high) = (on().min().unwrap(), on().max().unwrap());
        let all = u64::from(high) + u64::from(step) - u64::from(low);
        (low, high, bytes.len() as u64 == all)
    }

    #[test]
    fn bounds_are_those_of_all_lanes_and_whole_spans_have_no_holes() {
        let rows: [fn(u32) -> u32; 6] = [
            |lane| 100 + 4 * lane,
            |lane| 1000 - 4 * lane,
            |_| 77,
            |lane| (u32::MAX - 40).wrapping_add(4 * lane),
            |lane| 4 * lane + if lane > 31 { 4 } else { 0 },
            |lane| lane.wrapping_mul(2_654_435_761),
        ];
        let masks = [
            !0,
            0xffff_ffff,
            1,
            1 << 63,
            0xff0,
            0x5555,
            0xffff_0000_0000_0000,
        ];
        let mut whole = 0;
        for make in rows {
            let row: Row = std::array::from_fn(|lane| make(lane as u32));
            for exec in masks {
                let found = bounds(&row, exec, 4);
                let (low, high, is_whole) = slow(&row, exec, 4);
                assert_eq!((found.low, found.high), (low, high), "{exec:#x} {row:?}");
                assert!(is_whole || !found.is_whole, "{exec:#x} {row:?}");
                whole += usize::from(found.is_whole);
            }
        }
        assert!(whole > LANES / 4, "{whole}");
    }
}
