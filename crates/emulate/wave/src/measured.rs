//! Approximate functions as a GPU computes them: for every part of their inputs how far results are from the correctly rounded ones.
//!
//! Inputs in the order of their bit patterns fall into equal parts, and one of each was measured. Every input of a part gets the
//! distance of the measured one. The first input of a part, whose bits end in zeros, gets none if the part has more inputs, because
//! round numbers often have exact results. Functions of 16 bits are known for each input. Zeros, infinities and NaNs stay, too.

use std::hash::{Hash, Hasher};

use crate::rows::measured::FUNCTIONS;

/// In the first line of a file, before the target.
const MARK: &str = "luthier-numerics 1 ";

/// The measurements of a target; valid as long as the process.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// By position in [`FUNCTIONS`].
    functions: &'static [Vec<i8>],
}

impl Measured {
    /// A file for `target`: of each function its name and the distances in the order of its inputs.
    pub fn write(target: &str, functions: &[(String, Vec<i8>)]) -> Vec<u8> {
        let mut file = format!("{MARK}{target}\n").into_bytes();
        for (name, distances) in functions {
            file.extend(format!("{name} {}\n", distances.len()).into_bytes());
            file.extend(distances.iter().map(|distance| distance.cast_unsigned()));
        }
        file
    }

    /// Reads such a file: the target, and its measurements. They stay in memory.
    pub fn read(file: &[u8]) -> Result<(String, Measured), String> {
        let (first, mut rest) = line(file).ok_or("it has no first line")?;
        let target = first
            .strip_prefix(MARK)
            .ok_or("it is no file of numerics that this build reads")?
            .to_owned();
        let mut functions = vec![Vec::new(); FUNCTIONS.len()];
        while let Some((head, behind)) = line(rest) {
            let fault = || format!("it has {head:?} where a function begins");
            let (name, count) = head.split_once(' ').ok_or_else(fault)?;
            let count: usize = count.parse().map_err(|_| fault())?;
            let bytes = behind.get(..count).ok_or("it ends too early")?;
            // Others are of later builds.
            if let Some(number) = FUNCTIONS.iter().position(|known| *known == name) {
                functions[number] = bytes.iter().map(|byte| byte.cast_signed()).collect();
            }
            rest = &behind[count..];
        }
        match rest.is_empty() {
            true => Ok((
                target,
                Measured {
                    functions: functions.leak(),
                },
            )),
            false => Err("it ends with something that is no function".to_owned()),
        }
    }

    /// The names of functions that may be measured.
    pub fn functions() -> &'static [&'static str] {
        FUNCTIONS
    }

    /// The distances of a function, by position; empty if it was not measured.
    pub(crate) fn distances(self, function: usize) -> &'static [i8] {
        &self.functions[function]
    }
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().take(256).position(|&byte| byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    Some((line, &bytes[end + 1..]))
}

/// Two are the same if they are one.
impl PartialEq for Measured {
    fn eq(&self, other: &Measured) -> bool {
        std::ptr::eq(self.functions, other.functions)
    }
}

impl Eq for Measured {}

impl Hash for Measured {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.functions, state);
    }
}

/// The part of `count` equal parts of all patterns of so many bits that has `input`, and whether `input` is the first
/// of several in it.
pub(crate) fn part(input: u64, bits: u32, count: usize) -> (usize, bool) {
    let size = match bits {
        64 => u64::MAX / count as u64,
        bits => (1_u64 << bits) / count as u64,
    };
    let size = size.max(1);
    let number = (input / size).min(count as u64 - 1);
    let is_first = size > 1 && input == number * size;
    (number as usize, is_first)
}
