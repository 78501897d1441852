//! How the runtime says where a code object came from.

use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf};

/// A code object's URI. Source: AMDGPU usage guide, "Loaded Code Object Path Uniform Resource Identifier".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri {
    pub origin: Origin,
    /// Bytes in front of the code object.
    pub offset: Option<u64>,
    /// Bytes of the code object.
    pub size: Option<u64>,
}

/// The file or memory that the offset counts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    File {
        path: PathBuf,
    },
    /// Memory of this process: the offset is the address.
    Memory,
}

impl Uri {
    /// `None` if it is neither `file://` nor `memory://`.
    pub fn parse(uri: &str) -> Option<Uri> {
        // A file's name may contain either sign.
        let (body, range) = match uri.rsplit_once(['#', '?']) {
            Some((body, range)) if range.starts_with("offset=") || range.starts_with("size=") => {
                (body, range)
            }
            _ => (uri, ""),
        };
        let field = |name: &str| {
            let mut fields = range.split('&').filter_map(|field| field.split_once('='));
            let (_, value) = fields.find(|(known, _)| *known == name)?;
            number(value)
        };
        let origin = match body.strip_prefix("file://") {
            Some(path) => Origin::File {
                path: unescape(path),
            },
            None => body.strip_prefix("memory://").map(|_| Origin::Memory)?,
        };
        Some(Uri {
            origin,
            offset: field("offset"),
            size: field("size"),
        })
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Undoes percent encoding. A sign that encodes nothing stands for itself.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.first_chunk::<2>().filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = match code {
            Some(_) => &tail[2..],
            None => tail,
        };
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first three are the examples of the usage guide.
    #[test]
    fn places_of_code_objects_are_understood() {
        let file = |path: &str, offset, size| {
            let origin = Origin::File { path: path.into() };
            Some(Uri {
                origin,
                offset,
                size,
            })
        };
        let memory = |offset, size| {
            Some(Uri {
                origin: Origin::Memory,
                offset,
                size,
            })
        };
        for (uri, expected) in [
            (
                "file:///dir1/dir2/file1",
                file("/dir1/dir2/file1", None, None),
            ),
            (
                "file:///dir3/dir4/file2#offset=0x2000&size=3000",
                file("/dir3/dir4/file2", Some(0x2000), Some(3000)),
            ),
            (
                "memory://1234#offset=0x20000&size=3000",
                memory(Some(0x20000), Some(3000)),
            ),
            ("file:///a?offset=8&size=9", file("/a", Some(8), Some(9))),
            ("file:///a%20b%25", file("/a b%", None, None)),
            ("file:///50%/%g0", file("/50%/%g0", None, None)),
            ("file:///c#1/d?#offset=4", file("/c#1/d?", Some(4), None)),
            ("file:///e#f", file("/e#f", None, None)),
            ("file:///g#offset=4k&size=2", file("/g", None, Some(2))),
            ("memory://1234", memory(None, None)),
            ("http://elsewhere", None),
            ("", None),
        ] {
            assert_eq!(Uri::parse(uri), expected, "{uri}");
        }
        // Names of files are bytes: one that is no UTF-8 does not hide where the code object begins.
        let latin = Uri::parse("file:///%e4#offset=16&size=1").expect("a file");
        assert_eq!((latin.offset, latin.size), (Some(16), Some(1)));
    }
}
