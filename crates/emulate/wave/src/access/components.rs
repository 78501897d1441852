//! An element's components in registers: a dword each, or packed halves (d16).

use super::lanes::{self, GROUP};
use crate::state::Wave;

/// How components lie in the registers from `row` on.
#[derive(Clone, Copy)]
pub(crate) struct Components {
    pub row: usize,
    /// Two halves in a register.
    pub packed: bool,
    /// The lone component is the high half.
    pub high: bool,
}

impl Components {
    /// Writes the active lanes. `integer`: halves are the low bits, not rounded singles.
    pub fn write(self, wave: &mut Wave, group: usize, values: &[[u32; GROUP]], integer: bool) {
        if !self.packed {
            for (component, &values) in values.iter().enumerate() {
                lanes::write_active(wave, self.row + component, group, values);
            }
            return;
        }
        let half = |value: u32| {
            if integer {
                value & 0xffff
            } else {
                u32::from(numerics::convert::f16_from_f32_nearest(value))
            }
        };
        for (register, pair) in values.chunks(2).enumerate() {
            let old = *lanes::words(wave, self.row + register, group);
            let packed = std::array::from_fn(|i| {
                let first = half(pair[0][i]);
                match pair.get(1) {
                    Some(second) => first | half(second[i]) << 16,
                    None if self.high => old[i] & 0xffff | first << 16,
                    None => old[i] & 0xffff_0000 | first,
                }
            });
            lanes::write_active(wave, self.row + register, group, packed);
        }
    }

    /// Component `index` of a lane as f32 or (sign-extended) integer bits.
    pub fn read(self, wave: &Wave, group: usize, index: usize, lane: usize, integer: bool) -> u32 {
        if !self.packed {
            return lanes::words(wave, self.row + index, group)[lane];
        }
        let word = lanes::words(wave, self.row + index / 2, group)[lane];
        let high = !index.is_multiple_of(2) || self.high;
        let half = (word >> if high { 16 } else { 0 }) as u16;
        if integer {
            half as i16 as u32
        } else {
            numerics::convert::f32_from_f16_exact(half)
        }
    }
}
