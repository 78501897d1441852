//! Messages that hooks print: pieces, put together and formatted as by C's `printf`.

use crate::Stream;
use printf::{Value, printed};
use std::{collections::HashMap, io::Write};

/// The ring that `luthier_device.h` sends pieces through.
pub(crate) const RING: &str = "__luthier_printf";

/// Bytes of `luthier::said`, and where its parts lie.
const PIECE: usize = 72;
const KIND: usize = 8;
const COUNT: usize = 12;
const WORDS: usize = 16;
/// `luthier::said_words` and `luthier::said_end`.
const IS_WORDS: u32 = 1;
const IS_LAST: u32 = 1 << 31;
/// More of a text comes.
const GOES_ON: u32 = 1 << 31;
/// In a message's number.
const TO_STDERR: u64 = 1 << 63;
/// Messages of which pieces are missing may be as many; records that found no room are lost.
const MOST_OPEN: usize = 1 << 16;

/// The stream of pieces, as a description would have it.
pub(crate) fn stream() -> Stream {
    let mut fields = vec![
        "message:u64".to_owned(),
        "kind:u32".to_owned(),
        "count:u32".to_owned(),
    ];
    fields.extend((0..7).map(|word| format!("word{word}:u64")));
    Stream::new(RING, fields, String::new(), 1 << 14)
}

/// An argument of `printf`, the format first.
#[derive(Clone, Debug, PartialEq)]
enum PrintfArgument {
    Word(u64),
    Text(Vec<u8>),
}

#[derive(Debug, Default)]
struct Message {
    said: Vec<PrintfArgument>,
    /// The last text is not whole yet.
    goes_on: bool,
}

/// Messages that are not whole, by ring and number.
#[derive(Debug, Default)]
pub(crate) struct PartialMessages {
    open: HashMap<(String, u64), Message>,
}

impl PartialMessages {
    /// Prints what is whole now.
    pub fn take(&mut self, ring: &str, pieces: &[u8]) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        for piece in pieces.chunks_exact(PIECE) {
            if let Some((number, text)) = self.piece(ring, piece) {
                match number & TO_STDERR {
                    0 => out.extend(text),
                    _ => err.extend(text),
                }
            }
        }
        // If no program reads the output, that is no reason to stop.
        if !out.is_empty() {
            let _ = std::io::stdout().write_all(&out);
            let _ = std::io::stdout().flush();
        }
        if !err.is_empty() {
            let _ = std::io::stderr().write_all(&err);
        }
    }

    fn piece(&mut self, ring: &str, piece: &[u8]) -> Option<(u64, Vec<u8>)> {
        let word = |at: usize| u64::from_le_bytes(piece[at..at + 8].try_into().unwrap_or_default());
        let half = |at: usize| u32::from_le_bytes(piece[at..at + 4].try_into().unwrap_or_default());
        let (number, kind, count) = (word(0), half(KIND), half(COUNT));
        if self.open.len() > MOST_OPEN {
            self.open.clear();
        }
        let message = self.open.entry((ring.to_owned(), number)).or_default();
        if kind & !IS_LAST == IS_WORDS {
            let words = (0..(count as usize).min(7))
                .map(|index| PrintfArgument::Word(word(WORDS + index * 8)));
            message.said.extend(words);
        } else {
            let bytes = &piece[WORDS..][..((count & !GOES_ON) as usize).min(PIECE - WORDS)];
            match message.said.last_mut() {
                Some(PrintfArgument::Text(text)) if message.goes_on => text.extend(bytes),
                _ => message.said.push(PrintfArgument::Text(bytes.to_vec())),
            }
            message.goes_on = count & GOES_ON != 0;
        }
        if kind & IS_LAST == 0 {
            return None;
        }
        let whole = self.open.remove(&(ring.to_owned(), number))?;
        Some((number, formatted(&whole.said)))
    }
}

/// The text that C prints. Directives without an argument of their kind stay as they are.
fn formatted(said: &[PrintfArgument]) -> Vec<u8> {
    let mut arguments = said.iter();
    let Some(PrintfArgument::Text(format)) = arguments.next() else {
        return Vec::new();
    };
    let is_end =
        |byte: &u8| byte.is_ascii_alphabetic() && !b"hljztL".contains(byte) || *byte == b'%';
    let (mut text, mut rest) = (Vec::new(), &**format);
    while let Some(start) = rest.iter().position(|byte| *byte == b'%') {
        text.extend(&rest[..start]);
        rest = &rest[start..];
        let Some(end) = rest[1..].iter().position(is_end) else {
            break;
        };
        let (directive, behind) = rest.split_at(end + 2);
        rest = behind;
        match directive {
            b"%%" => text.push(b'%'),
            _ => match std::str::from_utf8(directive)
                .ok()
                .and_then(|directive| one(directive, &mut arguments))
            {
                Some(printed) => text.extend(printed),
                None => text.extend(directive),
            },
        }
    }
    text.extend(rest);
    text
}

/// One directive, with the arguments that it asks for.
fn one<'a>(
    directive: &str,
    arguments: &mut impl Iterator<Item = &'a PrintfArgument>,
) -> Option<Vec<u8>> {
    let conversion = directive.chars().last()?;
    // Without length modifiers, and with numbers for widths and precisions that are arguments.
    let mut plain = String::new();
    let (mut long, mut bytes) = (false, 4);
    for letter in directive.chars() {
        match letter {
            '*' => match arguments.next()? {
                // A precision below zero is none.
                PrintfArgument::Word(number) if plain.ends_with('.') && (*number as i32) < 0 => {
                    plain.pop();
                }
                PrintfArgument::Word(number) => plain.push_str(&(*number as i32).to_string()),
                PrintfArgument::Text(_) => return None,
            },
            'h' => bytes /= 2,
            'l' | 'j' | 'z' | 't' | 'L' => long = true,
            letter => plain.push(letter),
        }
    }
    let shift = match (long, bytes) {
        (true, _) => 0,
        (false, bytes) => 64 - 8 * i32::max(bytes, 1),
    };
    let value = match (conversion, arguments.next()?) {
        ('s', PrintfArgument::Text(text)) => Value::Text(text),
        ('s', PrintfArgument::Word(0)) => Value::Text(b"(null)"),
        (_, PrintfArgument::Text(_)) => return None,
        ('d' | 'i', PrintfArgument::Word(word)) => {
            Value::Integer((((*word << shift) as i64) >> shift) as u64)
        }
        ('u' | 'o' | 'x' | 'X', PrintfArgument::Word(word)) => {
            Value::Integer((*word << shift) >> shift)
        }
        ('c' | 'p', PrintfArgument::Word(word)) => Value::Integer(*word),
        (_, PrintfArgument::Word(word)) => Value::Float(f64::from_bits(*word)),
    };
    printed(&plain, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are those of C (C17, 7.21.6.1).
    #[test]
    fn directives_are_those_of_c() {
        let text = |text: &str| PrintfArgument::Text(text.as_bytes().to_vec());
        let word = PrintfArgument::Word;
        for (said, expected) in [
            (vec![text("plain 100%%\n")], "plain 100%\n"),
            (
                vec![text("%d %u"), word(u64::MAX), word(0xffff_fff0)],
                "-1 4294967280",
            ),
            (
                vec![text("%ld|%lu"), word(u64::MAX), word(u64::MAX)],
                "-1|18446744073709551615",
            ),
            (
                vec![text("[%5d] [%-5d] [%05d]"), word(7), word(7), word(7)],
                "[    7] [7    ] [00007]",
            ),
            (
                vec![text("%x %X %#x"), word(255), word(255), word(255)],
                "ff FF 0xff",
            ),
            (vec![text("%s-%c"), text("a"), word(98)], "a-b"),
            (
                vec![
                    text("%.2f %e"),
                    word(1.5f64.to_bits()),
                    word(1500f64.to_bits()),
                ],
                "1.50 1.500000e+03",
            ),
            (
                vec![text("%g|%g|%.3d"), word(0), word(100f64.to_bits()), word(7)],
                "0|100|007",
            ),
            (vec![text("%*d"), word(4), word(3)], "   3"),
            (
                vec![text("%.*f"), word(u64::MAX), word(1.5f64.to_bits())],
                "1.500000",
            ),
            (vec![text("%s"), word(0)], "(null)"),
            (vec![text("%s 100%"), word(9)], "%s 100%"),
            (vec![text("%hhd"), word(0xff)], "-1"),
            (vec![text("%p"), word(0x1000)], "0x1000"),
            (vec![text("%d")], "%d"),
        ] {
            let formatted = String::from_utf8(formatted(&said)).unwrap();
            assert_eq!(formatted, expected);
        }
    }

    #[test]
    fn texts_come_in_pieces() {
        let piece = |kind: u32, count: u32, bytes: &[u8]| {
            let mut piece = 5u64.to_le_bytes().to_vec();
            piece.extend(kind.to_le_bytes());
            piece.extend(count.to_le_bytes());
            piece.extend(bytes);
            piece.resize(PIECE, 0);
            piece
        };
        let mut printed = PartialMessages::default();
        assert_eq!(printed.piece("r", &piece(2, 3 | GOES_ON, b"a%d")), None);
        assert_eq!(printed.piece("r", &piece(2, 2, b"\n.")), None);
        let last = piece(IS_WORDS | IS_LAST, 1, &7u64.to_le_bytes());
        assert_eq!(printed.piece("r", &last), Some((5, b"a7\n.".to_vec())));
    }
}
