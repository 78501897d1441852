//! A program into which `luthier instrument` has put tools has three things behind its last byte: names of tools, the length of the
//! names as a 32-bit number, and a mark. They cost no time at its start.

use std::{
    ffi::OsStr,
    fs::File,
    io::{Read, Seek, SeekFrom},
};

use crate::compatibility::find;

const MARK: &[u8; 16] = b"luthier built in";
/// Bytes of length and mark.
const TAIL: u64 = 4 + MARK.len() as u64;
/// Names take fewer bytes.
const LONGEST: u64 = 1 << 16;

/// The mark at the end of such a program.
pub fn mark(tools: &[&str]) -> Vec<u8> {
    let names = tools.join("\n");
    let mut mark = names.as_bytes().to_vec();
    mark.extend((names.len() as u32).to_le_bytes());
    mark.extend(MARK);
    mark
}

/// Names of the tools in a program; none if it cannot be read.
pub fn tools(program: &OsStr) -> Vec<String> {
    let names = find(program).and_then(|path| names(&mut File::open(path).ok()?));
    let names = names.unwrap_or_default();
    names.lines().map(str::to_owned).collect()
}

fn names(file: &mut (impl Read + Seek)) -> Option<String> {
    let end = file.seek(SeekFrom::End(0)).ok()?;
    file.seek(SeekFrom::Start(end.checked_sub(TAIL)?)).ok()?;
    let mut tail = [0; TAIL as usize];
    file.read_exact(&mut tail).ok()?;
    let (length, mark) = tail.split_first_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    if mark != MARK || length > LONGEST {
        return None;
    }
    let start = end.checked_sub(TAIL + length)?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut names = String::new();
    file.take(length).read_to_string(&mut names).ok()?;
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn marks_are_found_and_nothing_else_is_one() {
        let mut program = vec![7; 100];
        assert_eq!(names(&mut Cursor::new(&program)), None);
        program.extend(mark(&["bb-count", "empty"]));
        let found = names(&mut Cursor::new(&program));
        assert_eq!(found.as_deref(), Some("bb-count\nempty"));
        for cut in 1..program.len() {
            assert_eq!(names(&mut Cursor::new(&program[..cut])), None, "{cut}");
        }
        // A length that reaches beyond the file.
        let mut bad = 1000u32.to_le_bytes().to_vec();
        bad.extend(MARK);
        assert_eq!(names(&mut Cursor::new(&bad)), None);
    }
}
