//! The protocol of a process that runs kernels: requests in, one answer each out.
//!
//! All numbers are little-endian, texts and bytes have their length in 8 bytes before them.

use std::io::{self, Read, Write};

/// The device, without anything about the machine it is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// As the runtime spells it: `amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`.
    pub isa: String,
    pub product: String,
    pub compute_units: u32,
    pub runtime: String,
}

/// One run of a kernel of the object loaded last; its arguments are the addresses of the input and of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    pub kernel: String,
    pub groups: u32,
    /// Work-items per workgroup.
    pub block: u32,
    /// Bytes of LDS per workgroup.
    pub lds: u32,
    /// Bytes of scratch per work-item.
    pub scratch: u32,
    pub input: Vec<u8>,
    /// Bytes, zero at first.
    pub output: u64,
    /// After so many seconds the kernel counts as endless.
    pub seconds: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    About,
    /// A code object, in place of the one before.
    Load(Vec<u8>),
    Run(Launch),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    About(About),
    Loaded,
    Output(Vec<u8>),
    /// The error, in words.
    Failed(String),
}

/// First byte of an answer, so that something else on the stream is noticed.
const MARK: u8 = 0xa5;
/// No field is longer: what a stream that lost its way would have us allocate.
const MOST: u64 = 1 << 32;

impl Request {
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Request::About => to.write_all(&[0])?,
            Request::Load(bytes) => {
                to.write_all(&[1])?;
                put(to, bytes)?;
            }
            Request::Run(launch) => {
                to.write_all(&[2])?;
                put(to, launch.kernel.as_bytes())?;
                for number in [launch.groups, launch.block, launch.lds, launch.scratch] {
                    to.write_all(&number.to_le_bytes())?;
                }
                put(to, &launch.input)?;
                to.write_all(&launch.output.to_le_bytes())?;
                to.write_all(&launch.seconds.to_le_bytes())?;
            }
        }
        to.flush()
    }

    /// `None` at the end of the stream.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Request>> {
        let mut kind = [0];
        if from.read(&mut kind)? == 0 {
            return Ok(None);
        }
        Ok(Some(match kind[0] {
            0 => Request::About,
            1 => Request::Load(take(from)?),
            2 => Request::Run(Launch {
                kernel: text(from)?,
                groups: u32::from_le_bytes(array(from)?),
                block: u32::from_le_bytes(array(from)?),
                lds: u32::from_le_bytes(array(from)?),
                scratch: u32::from_le_bytes(array(from)?),
                input: take(from)?,
                output: u64::from_le_bytes(array(from)?),
                seconds: u64::from_le_bytes(array(from)?),
            }),
            _ => return Err(lost()),
        }))
    }
}

impl Answer {
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Answer::About(about) => {
                to.write_all(&[MARK, 0])?;
                for text in [&about.isa, &about.product, &about.runtime] {
                    put(to, text.as_bytes())?;
                }
                to.write_all(&about.compute_units.to_le_bytes())?;
            }
            Answer::Loaded => to.write_all(&[MARK, 1])?,
            Answer::Output(bytes) => {
                to.write_all(&[MARK, 2])?;
                put(to, bytes)?;
            }
            Answer::Failed(text) => {
                to.write_all(&[MARK, 3])?;
                put(to, text.as_bytes())?;
            }
        }
        to.flush()
    }

    pub fn read(from: &mut impl Read) -> io::Result<Answer> {
        let [MARK, kind] = array(from)? else {
            return Err(lost());
        };
        Ok(match kind {
            0 => {
                let [isa, product, runtime] = [text(from)?, text(from)?, text(from)?];
                Answer::About(About {
                    isa,
                    product,
                    runtime,
                    compute_units: u32::from_le_bytes(array(from)?),
                })
            }
            1 => Answer::Loaded,
            2 => Answer::Output(take(from)?),
            3 => Answer::Failed(text(from)?),
            _ => return Err(lost()),
        })
    }
}

fn lost() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the stream holds something that is no message",
    )
}

fn put(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

fn array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn take(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let size = u64::from_le_bytes(array(from)?);
    if size > MOST {
        return Err(lost());
    }
    let mut bytes = vec![0; size as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(from: &mut impl Read) -> io::Result<String> {
    String::from_utf8(take(from)?).map_err(|_| lost())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_through() {
        let launch = Launch {
            kernel: "k".to_owned(),
            groups: 3,
            block: 64,
            lds: 16,
            scratch: 64,
            input: vec![1, 2, 3],
            output: 9,
            seconds: 5,
        };
        for request in [
            Request::About,
            Request::Load(vec![7; 300]),
            Request::Run(launch),
        ] {
            let mut bytes = Vec::new();
            request.write(&mut bytes).unwrap();
            let mut rest = &bytes[..];
            assert_eq!(Request::read(&mut rest).unwrap(), Some(request));
            assert_eq!(Request::read(&mut rest).unwrap(), None);
        }
        let about = About {
            isa: "gfx90a".to_owned(),
            product: "A".to_owned(),
            compute_units: 104,
            runtime: "HSA 1.1".to_owned(),
        };
        for answer in [
            Answer::About(about),
            Answer::Loaded,
            Answer::Output(vec![4; 5]),
            Answer::Failed("why".to_owned()),
        ] {
            let mut bytes = Vec::new();
            answer.write(&mut bytes).unwrap();
            assert_eq!(Answer::read(&mut &bytes[..]).unwrap(), answer);
        }
    }

    #[test]
    fn a_stream_that_says_something_else_is_an_error() {
        assert!(Answer::read(&mut &b"HIP error"[..]).is_err());
        assert!(Request::read(&mut &[9][..]).is_err());
        // A length that cannot be meant.
        assert!(Answer::read(&mut &[MARK, 2, 255, 255, 255, 255, 255, 255, 255, 255][..]).is_err());
    }
}
