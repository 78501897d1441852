//! Measured results of approximate functions, for the emulated device to return.

use std::io::{Read, Write};

use base64::{Engine, engine::general_purpose::STANDARD};
use emulate::Measured;
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};

use crate::{Error, Report, Result};

/// The largest number of inputs of a function. It bounds the memory that a file from another user makes this program allocate.
const MOST: u64 = 1 << 28;

/// A distance that fits, or none.
pub fn small(distance: Option<i64>) -> i8 {
    distance
        .and_then(|distance| i8::try_from(distance).ok())
        .unwrap_or(0)
}

pub fn encode(distances: &[i8]) -> String {
    let bytes: Vec<u8> = distances
        .iter()
        .map(|distance| distance.cast_unsigned())
        .collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Into memory.
    let written = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    STANDARD.encode(written.unwrap_or_default())
}

fn decode(text: &str) -> Result<Vec<i8>> {
    let fault = |why: String| Error::Distances(why);
    let packed = STANDARD
        .decode(text)
        .map_err(|error| fault(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = ZlibDecoder::new(&packed[..])
        .take(MOST)
        .read_to_end(&mut bytes);
    read.map_err(|error| fault(error.to_string()))?;
    Ok(bytes.into_iter().map(u8::cast_signed).collect())
}

impl Report {
    /// A file that has emulated devices of this target give what was measured, and how many functions are in it.
    pub fn numerics(&self) -> Result<(Vec<u8>, usize)> {
        let mut functions = Vec::new();
        for found in &self.approximations {
            let known = Measured::functions().contains(&found.mnemonic.as_str());
            if let Some(text) = found.distances.as_ref().filter(|_| known) {
                functions.push((found.mnemonic.clone(), decode(text)?));
            }
        }
        let count = functions.len();
        Ok((Measured::write(&self.device.target, &functions), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_come_through() {
        let distances: Vec<i8> = (0..100_000).map(|index| (index % 5) as i8 - 2).collect();
        assert_eq!(decode(&encode(&distances)).unwrap(), distances);
        assert!(decode("no base64").is_err() && decode("AAAA").is_err());
        assert_eq!([small(Some(-3)), small(Some(300)), small(None)], [-3, 0, 0]);
    }
}
