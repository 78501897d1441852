//! The names section: chunks of function names, each with the sizes of its plain and its compressed form.
//!
//! A chunk is `uleb128 plain size, uleb128 compressed size (0 = not compressed), bytes`; names within are separated
//! by byte 1; zero bytes between chunks are padding.

use std::{collections::HashMap, io::Read};

use md5::{Digest, Md5};

use crate::Error;

/// A chunk larger than this when unpacked is taken for corruption rather than unpacked.
const CHUNK_LIMIT: u64 = 1 << 30;

/// The reference by which records name a function: low 64 bits of the MD5 of its name.
pub fn name_ref(name: &[u8]) -> u64 {
    let digest = Md5::digest(name);
    let mut low = [0; 8];
    low.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(low)
}

/// Unpacks a names section into the names in order.
pub fn decode(section: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut names = Vec::new();
    let mut at = 0;
    while at < section.len() {
        if section[at] == 0 {
            at += 1;
            continue;
        }
        let start = at;
        let plain = uleb(section, &mut at)?;
        let packed = uleb(section, &mut at)?;
        let bad = |reason| Error::BadNames {
            offset: start,
            reason,
        };
        let stored = if packed == 0 { plain } else { packed };
        let end = usize::try_from(stored)
            .ok()
            .and_then(|stored| at.checked_add(stored));
        let chunk = end
            .and_then(|end| section.get(at..end))
            .ok_or(bad("chunk ends outside of the section"))?;
        at += chunk.len();
        let unpacked = if packed == 0 {
            chunk.to_vec()
        } else {
            inflate(chunk, plain).map_err(bad)?
        };
        names.extend(unpacked.split(|&byte| byte == 1).map(<[u8]>::to_vec));
    }
    Ok(names)
}

/// Names by the reference that records use.
pub fn index(section: &[u8]) -> Result<HashMap<u64, String>, Error> {
    let names = decode(section)?;
    Ok(names
        .iter()
        .map(|name| (name_ref(name), String::from_utf8_lossy(name).into_owned()))
        .collect())
}

/// Packs names into one plain chunk.
pub fn encode<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let joined = names.into_iter().collect::<Vec<_>>().join(&1u8);
    if joined.is_empty() {
        return Vec::new();
    }
    let mut section = Vec::with_capacity(joined.len() + 6);
    let mut size = joined.len();
    loop {
        let byte = (size & 0x7f) as u8;
        size >>= 7;
        section.push(if size == 0 { byte } else { byte | 0x80 });
        if size == 0 {
            break;
        }
    }
    section.push(0);
    section.extend_from_slice(&joined);
    section
}

fn inflate(chunk: &[u8], plain: u64) -> Result<Vec<u8>, &'static str> {
    if plain > CHUNK_LIMIT {
        return Err("unpacked size is implausible");
    }
    let mut unpacked = Vec::new();
    let mut stream = flate2::read::ZlibDecoder::new(chunk).take(plain + 1);
    stream
        .read_to_end(&mut unpacked)
        .map_err(|_| "compressed chunk is corrupt")?;
    if unpacked.len() as u64 != plain {
        return Err("chunk does not unpack to the size it claims");
    }
    Ok(unpacked)
}

fn uleb(section: &[u8], at: &mut usize) -> Result<u64, Error> {
    let start = *at;
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let byte = *section.get(*at).ok_or(Error::BadNames {
            offset: start,
            reason: "size is cut off",
        })?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Error::BadNames {
        offset: start,
        reason: "size is too long",
    })
}
