//! Names of bugs that stay the same from run to run.

/// FNV-1a of some texts, as 16 hexadecimal digits. Texts that are split differently give different digits.
pub fn of(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = OFFSET;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    for part in parts {
        part.bytes().for_each(&mut add);
        add(0);
    }
    format!("{hash:016x}")
}

/// A function's name without what compilers change from build to build: the hash at the end of a Rust name, and the
/// suffixes of clones.
pub fn stable(name: &str) -> &str {
    let name = match name.rsplit_once("::h") {
        Some((front, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            front
        }
        _ => name,
    };
    match name.find(".llvm.") {
        Some(at) => &name[..at],
        None => name,
    }
}

/// A host function's name without its place in the file, which is another one whenever the program is compiled.
pub fn without_place(function: &str) -> &str {
    let name = function.rsplit_once(" (");
    name.map_or(function, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_definition() {
        // FNV-1a's offset and the published value for "a", each followed by the byte 0.
        assert_eq!(of(&[]), "cbf29ce484222325");
        let expected = 0xaf63_dc4c_8601_ec8cu64.wrapping_mul(0x0100_0000_01b3);
        assert_eq!(of(&["a"]), format!("{expected:016x}"));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }

    #[test]
    fn hashes_of_builds_do_not_count() {
        assert_eq!(stable("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(stable("a::b::hello"), "a::b::hello");
        assert_eq!(stable("f.llvm.123"), "f");
    }
}
