//! Response files (`@FILE`), in which build systems give arguments that are too many for a command line.
//!
//! Arguments in a response file mean the same as on the command line. They are read as clang reads them, and clang gets those that are not
//! Luthier's.

use crate::error::{Error, at};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use tempfile::NamedTempFile;

/// Response files may name others, up to so deep; clang refuses circles.
const DEEPEST: usize = 16;

/// The arguments, with response files replaced by their contents. An `@NAME` that names no file stays, and clang reports it.
pub fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    deeper(arguments, DEEPEST)
}

fn deeper(arguments: &[OsString], depth: usize) -> Vec<OsString> {
    let mut result = Vec::new();
    for word in arguments {
        let name = word.as_bytes().strip_prefix(b"@");
        let text = name.and_then(|name| std::fs::read(OsStr::from_bytes(name)).ok());
        match text {
            Some(text) if depth > 0 => result.extend(deeper(&words(&text), depth - 1)),
            _ => result.push(word.clone()),
        }
    }
    result
}

/// Words as clang splits them: `\` keeps the next character, also inside of either kind of quotes.
fn words(text: &[u8]) -> Vec<OsString> {
    let (mut result, mut word, mut quote) = (Vec::new(), Vec::new(), None);
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.push(bytes.next().unwrap_or(byte)),
            (_, Some(open)) if byte == open => quote = None,
            (b'"' | b'\'', None) => quote = Some(byte),
            (b' ' | b'\t' | b'\r' | b'\n', None) => result.push(std::mem::take(&mut word)),
            _ => word.push(byte),
        }
    }
    result.push(word);
    let words = result.into_iter().filter(|word| !word.is_empty());
    words.map(OsString::from_vec).collect()
}

/// A response file with these arguments; it is gone when the result is.
pub fn written(arguments: &[OsString]) -> Result<NamedTempFile, Error> {
    let place = std::env::temp_dir();
    let mut file = tempfile::Builder::new()
        .prefix("luthier-count-")
        .tempfile()
        .map_err(at(&place))?;
    let mut text = Vec::new();
    for word in arguments {
        for byte in word.as_bytes() {
            if byte.is_ascii_whitespace() || b"\\\"'".contains(byte) {
                text.push(b'\\');
            }
            text.push(*byte);
        }
        text.push(b'\n');
    }
    file.write_all(&text).map_err(at(file.path()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_clang_s() {
        #[rustfmt::skip]
        let rows: [(&str, &[&str]); 6] = [
            ("-O2 a.c\n-o  a\t",        &["-O2", "a.c", "-o", "a"]),
            ("'a b.c' \"c d.c\"",       &["a b.c", "c d.c"]),
            ("a\\ b.c -DX=\\\"y\\\"",   &["a b.c", "-DX=\"y\""]),
            ("\"a\\\"b\" 'c\\'d'",      &["a\"b", "c'd"]),
            ("# no comment",            &["#", "no", "comment"]),
            ("",                        &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let arguments: Vec<OsString> = ["a b", "\"c\"", "d'e\\", "ü", "@none", "tab\there"]
            .map(OsString::from)
            .into();
        let file = written(&arguments).unwrap();
        let mut name = OsString::from("@");
        name.push(file.path());
        assert_eq!(
            expanded(&["x".into(), name]),
            [&["x".into()], &arguments[..]].concat()
        );
    }

    #[test]
    fn circles_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("circle");
        let name = format!("@{}", path.display());
        std::fs::write(&path, format!("-c {name}")).unwrap();
        assert_eq!(expanded(&[name.into()]).len(), DEEPEST + 1);
    }
}
