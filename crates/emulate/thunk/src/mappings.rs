//! The mappings of this process, as the system lists them.

use std::{fs, ops::Range};

use gpu::memory::Mapping;

/// All mappings by address.
pub fn all() -> Result<Vec<(Range<u64>, Mapping)>, String> {
    let text = fs::read_to_string("/proc/self/maps")
        .map_err(|error| format!("/proc/self/maps: {error}"))?;
    Ok(text.lines().filter_map(parse).collect())
}

/// The one that has `address`.
pub fn at(address: u64) -> Option<Mapping> {
    let mut all = all().ok()?.into_iter();
    all.find_map(|(range, mapping)| range.contains(&address).then_some(mapping))
}

/// Returns `true` if something is mapped at all of these addresses, whatever rights it has.
pub fn covers(start: u64, size: u64) -> bool {
    // SAFETY: asks the system to write modified pages of files back some time, which it does anyway; all that is looked at is whether
    // it finds the pages.
    unsafe { libc::msync(start as *mut libc::c_void, size as usize, libc::MS_ASYNC) == 0 }
}

/// `start-end rights offset device inode name`.
fn parse(line: &str) -> Option<(Range<u64>, Mapping)> {
    let mut words = line.splitn(6, ' ');
    let (addresses, rights) = (words.next()?, words.next()?);
    let (start, end) = addresses.split_once('-')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    let mapping = Mapping {
        readable: rights.starts_with('r'),
        writable: rights[1..].starts_with('w'),
        name: words.nth(3).unwrap_or_default().trim().to_owned(),
    };
    Some((number(start)?..number(end)?, mapping))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_rights_and_names() {
        let line =
            "7ffc8d0f2000-7ffc8d113000 rw-p 00000000 00:00 0                          [stack]";
        let (range, mapping) = parse(line).unwrap();
        assert_eq!(range, 0x7ffc_8d0f_2000..0x7ffc_8d11_3000);
        assert!(mapping.readable && mapping.writable);
        assert_eq!(mapping.name, "[stack]");
        let line = "7f12a0000000-7f12a0021000 ---p 00000000 00:00 0 ";
        let (_, mapping) = parse(line).unwrap();
        assert!(!mapping.readable && !mapping.writable && mapping.name.is_empty());
        let line = "560000-561000 r--p 00001000 fe:01 1234 /a folder/b c";
        assert_eq!(parse(line).unwrap().1.name, "/a folder/b c");
        assert_eq!(parse("nothing"), None);
    }

    #[test]
    fn memory_of_this_program_is_found() {
        let word = Box::new(1_u32);
        let found = at(&raw const *word as u64).unwrap();
        assert!(found.readable && found.writable);
        let code = at(at as *const () as u64).unwrap();
        assert!(code.readable && !code.writable && code.name.starts_with('/'));
        assert_eq!(at(8), None);
        let page = (at as *const () as u64) & !4095;
        assert!(covers(page, 4096) && !covers(0, 4096));
    }
}
