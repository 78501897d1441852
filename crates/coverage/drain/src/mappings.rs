//! The file that a part of memory is of, as the kernel's list of mappings tells it.

use std::fmt::Write as _;

/// The place of `size` bytes at an address, in the form in which runtimes name it: `file:///path#offset=4096&size=8192`. None for memory of no
/// file.
pub fn uri(mappings: &[u8], address: u64, size: u64) -> Option<String> {
    let mut lines = mappings.split(|byte| *byte == b'\n');
    let (start, offset, path) = lines.find_map(|line| {
        let (start, end, offset, path) = mapping(line)?;
        (start..end)
            .contains(&address)
            .then_some((start, offset, path))
    })?;
    let at = offset.checked_add(address - start)?;
    let mut uri = "file://".to_owned();
    for byte in path {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) => {
                uri.push(char::from(*byte))
            }
            byte => write!(uri, "%{byte:02X}").ok()?,
        }
    }
    write!(uri, "#offset={at}&size={size}").ok()?;
    Some(uri)
}

/// Start, end, offset in the file, and path; none for a line of something else than a file.
fn mapping(line: &[u8]) -> Option<(u64, u64, u64, &[u8])> {
    let path = line.iter().position(|byte| *byte == b'/')?;
    let (fields, path) = line.split_at(path);
    let mut fields = std::str::from_utf8(fields).ok()?.split_ascii_whitespace();
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = fields.next()?.split_once('-')?;
    Some((number(start)?, number(end)?, number(fields.nth(1)?)?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_files_has_a_place_in_them() {
        let mappings = b"7f00-7f80 r--p 00000000 08:01 17      [vdso]\n\
            10000-12000 r--p 00000000 08:01 42                 /a path/app\n\
            12000-15000 r-xp 00003000 08:01 42                 /a path/app\n\
            15000-16000 rw-p 00000000 00:00 0 \n";
        let at = |address| uri(mappings, address, 7);
        let place = |offset: u64| Some(format!("file:///a%20path/app#offset={offset}&size=7"));
        assert_eq!((at(0x10000), at(0x11fff)), (place(0), place(0x1fff)));
        assert_eq!((at(0x12004), at(0x14fff)), (place(0x3004), place(0x5fff)));
        assert_eq!((at(0x7f00), at(0x15000), at(0xffff)), (None, None, None));
    }
}
