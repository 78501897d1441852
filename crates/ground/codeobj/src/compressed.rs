//! Compressed offload bundles (`CCOB`), versions 1 to 3, with zlib or zstd inside.

use crate::bytes::{slice, u16_at, u32_at, u64_at};
use crate::{Error, Result};
use md5::{Digest, Md5};
use std::io::{Read, Write};

/// The first bytes of a compressed bundle.
pub const MAGIC: &[u8; 4] = b"CCOB";
/// Bytes that are unpacked at a time.
const CHUNK: usize = 1 << 18;
/// Largest size we agree to unpack to.
pub const MAX_UNPACKED: u64 = 4 << 30;

/// How the contents are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// zlib's format.
    Zlib,
    /// Zstandard's format.
    Zstd,
}

/// Layout of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderVersion {
    /// Does not say how long the compressed bytes are.
    V1,
    /// 32-bit sizes.
    V2,
    /// 64-bit sizes.
    V3,
}

/// The header of a compressed bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The layout of the header.
    pub version: HeaderVersion,
    /// How what is behind the header is compressed.
    pub method: Method,
    /// Header and compressed bytes together, where the header says.
    pub total_size: Option<u64>,
    /// Bytes of the bundle when it is unpacked.
    pub unpacked_size: u64,
    /// First eight bytes of the MD5 of the unpacked bytes.
    pub hash: u64,
    /// Bytes before the compressed ones.
    pub header_size: u64,
}

impl Header {
    /// Reads the header at the start of `data`.
    pub fn parse(data: &[u8]) -> Result<Header> {
        let what = "compressed bundle header";
        let damaged = |offset, reason| Error::Malformed {
            what,
            offset,
            reason,
        };
        if !data.starts_with(MAGIC) {
            return Err(damaged(0, "its magic number is missing"));
        }
        let method = match u16_at(data, 6, what)? {
            0 => Method::Zlib,
            1 => Method::Zstd,
            _ => {
                return Err(damaged(
                    6,
                    "its compression method is unknown (known: 0 zlib, 1 zstd)",
                ));
            }
        };
        match u16_at(data, 4, what)? {
            1 => Ok(Header {
                version: HeaderVersion::V1,
                method,
                total_size: None,
                unpacked_size: u64::from(u32_at(data, 8, what)?),
                hash: u64_at(data, 12, what)?,
                header_size: 20,
            }),
            2 => Ok(Header {
                version: HeaderVersion::V2,
                method,
                total_size: Some(u64::from(u32_at(data, 8, what)?)),
                unpacked_size: u64::from(u32_at(data, 12, what)?),
                hash: u64_at(data, 16, what)?,
                header_size: 24,
            }),
            3 => Ok(Header {
                version: HeaderVersion::V3,
                method,
                total_size: Some(u64_at(data, 8, what)?),
                unpacked_size: u64_at(data, 16, what)?,
                hash: u64_at(data, 24, what)?,
                header_size: 32,
            }),
            _ => Err(damaged(4, "its version is unknown (known: 1 to 3)")),
        }
    }
}

/// Unpacks the bundle at the start of `data`; also returns how many bytes of `data` it took.
pub fn unpack(data: &[u8]) -> Result<(Vec<u8>, u64)> {
    let header = Header::parse(data)?;
    let bad = |reason: String| Error::BadCompression {
        offset: header.header_size,
        reason,
    };
    if header.unpacked_size > MAX_UNPACKED {
        return Err(bad(format!(
            "it claims to hold {} bytes; the limit is {MAX_UNPACKED}",
            header.unpacked_size
        )));
    }
    let available = data.len() as u64;
    let end = header.total_size.unwrap_or(available);
    let length = end
        .checked_sub(header.header_size)
        .ok_or_else(|| bad("it is shorter than its header".to_owned()))?;
    let packed = slice(data, header.header_size, length, "compressed bundle")?;

    let mut rest = packed;
    // The limit lets one byte too many through, so that a wrong size shows.
    let limit = header.unpacked_size + 1;
    let unpacked = match header.method {
        Method::Zlib => read_up_to(flate2::bufread::ZlibDecoder::new(&mut rest), limit),
        Method::Zstd => zstd::stream::read::Decoder::with_buffer(&mut rest)
            .and_then(|decoder| read_up_to(decoder.single_frame(), limit)),
    };
    let unpacked = unpacked.map_err(|error| bad(error.to_string()))?;
    if unpacked.len() as u64 != header.unpacked_size {
        let reason = format!(
            "it does not unpack to the {} bytes its header promises",
            header.unpacked_size
        );
        return Err(bad(reason));
    }
    if hash(&unpacked) != header.hash {
        return Err(bad(
            "its contents do not match the hash in its header".to_owned()
        ));
    }
    let consumed = header
        .total_size
        .unwrap_or(header.header_size + (packed.len() - rest.len()) as u64);
    Ok((unpacked, consumed))
}

/// Reads `limit` bytes at most. `read_to_end` would clear all free room of its vector before every read, of which decoders fill 128 KiB.
/// A bundle of a gigabyte takes hours.
pub(crate) fn read_up_to(reader: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut reader = reader.take(limit);
    let (mut all, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(all),
            count => all.extend_from_slice(&chunk[..count]),
        }
    }
}

/// Packs a bundle, by default as LLVM 22 does: zstd, level 3.
pub fn pack(bundle: &[u8], version: HeaderVersion, method: Method) -> Result<Vec<u8>> {
    let packed = match method {
        Method::Zlib => {
            let mut packed = Vec::new();
            let mut encoder =
                flate2::bufread::ZlibEncoder::new(bundle, flate2::Compression::default());
            encoder.read_to_end(&mut packed).map_err(failed)?;
            packed
        }
        Method::Zstd => zstd::bulk::compress(bundle, LEVEL).map_err(failed)?,
    };
    with_header(packed, bundle.len() as u64, hash(bundle), version, method)
}

/// Fills a buffer with what lies at an offset.
pub type Reading<'r, E> = dyn FnMut(u64, &mut [u8]) -> std::result::Result<(), E> + 'r;

/// Packs a bundle of `length` bytes that lies somewhere else: `read` fills a buffer with what lies at an offset.
pub fn pack_from<E: From<Error>>(
    length: u64,
    read: &mut Reading<'_, E>,
    version: HeaderVersion,
    method: Method,
) -> std::result::Result<Vec<u8>, E> {
    let mut hash = Md5::new();
    let mut chunk = vec![0; 1 << 20];
    let mut each = |write: &mut dyn Write| -> std::result::Result<(), E> {
        let mut done = 0;
        while done < length {
            let size = (length - done).min(chunk.len() as u64);
            let bytes = &mut chunk[..size as usize];
            read(done, bytes)?;
            hash.update(&*bytes);
            write.write_all(bytes).map_err(failed)?;
            done += size;
        }
        Ok(())
    };
    let packed = match method {
        Method::Zlib => {
            let level = flate2::Compression::default();
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            each(&mut encoder)?;
            encoder.finish().map_err(failed)?
        }
        Method::Zstd => {
            let mut encoder =
                zstd::stream::write::Encoder::new(Vec::new(), LEVEL).map_err(failed)?;
            // The size stands in the frame, as it does when all is packed at once.
            encoder.set_pledged_src_size(Some(length)).map_err(failed)?;
            each(&mut encoder)?;
            encoder.finish().map_err(failed)?
        }
    };
    let hash = first_eight(hash.finalize().into());
    Ok(with_header(packed, length, hash, version, method)?)
}

/// The compression level of zstd.
const LEVEL: i32 = 3;

fn failed(error: std::io::Error) -> Error {
    Error::BadCompression {
        offset: 0,
        reason: error.to_string(),
    }
}

fn with_header(
    packed: Vec<u8>,
    unpacked_size: u64,
    hash: u64,
    version: HeaderVersion,
    method: Method,
) -> Result<Vec<u8>> {
    let header_size = match version {
        HeaderVersion::V1 => 20,
        HeaderVersion::V2 => 24,
        HeaderVersion::V3 => 32,
    };
    let total = header_size + packed.len() as u64;
    let small = |number: u64| {
        u32::try_from(number).map_err(|_| Error::BadCompression {
            offset: 0,
            reason: "a version 1 or 2 header cannot hold sizes above 4 GiB".to_owned(),
        })
    };
    let mut out = Vec::from(&MAGIC[..]);
    let method = if method == Method::Zlib { 0u16 } else { 1 };
    match version {
        HeaderVersion::V1 => {
            out.extend(1u16.to_le_bytes());
            out.extend(method.to_le_bytes());
            out.extend(small(unpacked_size)?.to_le_bytes());
        }
        HeaderVersion::V2 => {
            out.extend(2u16.to_le_bytes());
            out.extend(method.to_le_bytes());
            out.extend(small(total)?.to_le_bytes());
            out.extend(small(unpacked_size)?.to_le_bytes());
        }
        HeaderVersion::V3 => {
            out.extend(3u16.to_le_bytes());
            out.extend(method.to_le_bytes());
            out.extend(total.to_le_bytes());
            out.extend(unpacked_size.to_le_bytes());
        }
    }
    out.extend(hash.to_le_bytes());
    out.extend(packed);
    Ok(out)
}

fn hash(bytes: &[u8]) -> u64 {
    first_eight(Md5::digest(bytes).into())
}

fn first_eight(digest: [u8; 16]) -> u64 {
    u64::from_le_bytes(digest[..8].try_into().expect("MD5 has 16 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decoder that gives a few bytes at a time and remembers the largest room it was given.
    struct Decoder {
        left: usize,
        room: usize,
    }

    impl Read for &mut Decoder {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            self.room = self.room.max(to.len());
            let count = to.len().min(self.left).min(1 << 10);
            to[..count].fill(7);
            self.left -= count;
            Ok(count)
        }
    }

    #[test]
    fn decoders_get_little_room_however_much_they_have() {
        let mut decoder = Decoder {
            left: 64 << 20,
            room: 0,
        };
        let all = read_up_to(&mut decoder, 65 << 20).unwrap();
        assert_eq!(
            (all.len(), all.iter().all(|&byte| byte == 7)),
            (64 << 20, true)
        );
        assert!(decoder.room <= CHUNK, "room for {} bytes", decoder.room);
        decoder.left = 5000;
        assert_eq!(read_up_to(&mut decoder, 4000).unwrap().len(), 4000);
    }
}
