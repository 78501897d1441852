//! One directive of C's `printf` with its value, by the C library itself.
//!
//! Text that device code prints must equal the text of the same call in host code, to the last digit and to the decimal point of the
//! program's locale.

use std::ffi::{CString, c_char, c_int, c_longlong};

/// The argument of a directive.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// For `d` and `i`, sign-extended; for `u`, `o`, `x` and `X`, zero-extended; for `c` and `p`.
    Integer(u64),
    /// For `e`, `f`, `g`, `a` and their capitals.
    Float(f64),
    /// For `s`, up to its first zero.
    Text(&'a [u8]),
}

/// Digits of the largest width or precision that is taken: device code must not make the program fill its memory.
const MOST_DIGITS: usize = 4;

/// The text that C prints for `directive`, from its `%` to its conversion, without length modifiers and with numbers for `*`. Returns
/// `None` if it is no directive, if its width or precision has more than four digits, or if the value is of another kind.
pub fn printed(directive: &str, value: Value) -> Option<Vec<u8>> {
    let (before, conversion) = split(directive)?;
    match (conversion, value) {
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', Value::Integer(word)) => {
            let format = CString::new(format!("{before}ll{conversion}")).ok()?;
            // SAFETY: the format has one directive, which takes a `long long` and nothing else: `split` has seen that there is no `*`.
            collect(|to, size| unsafe {
                libc::snprintf(to, size, format.as_ptr(), word as c_longlong)
            })
        }
        ('c', Value::Integer(word)) => {
            let format = CString::new(directive).ok()?;
            // SAFETY: the format has one directive, which takes an `int` and nothing else: `split` has seen that there is no `*`.
            collect(|to, size| unsafe {
                libc::snprintf(to, size, format.as_ptr(), word as u8 as c_int)
            })
        }
        ('p', Value::Integer(word)) => {
            let format = CString::new(directive).ok()?;
            // SAFETY: the format has one directive, which takes a pointer and nothing else. The pointer is printed and not followed.
            collect(|to, size| unsafe {
                libc::snprintf(to, size, format.as_ptr(), word as *const c_char)
            })
        }
        ('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A', Value::Float(number)) => {
            let format = CString::new(directive).ok()?;
            // SAFETY: the format has one directive, which takes a `double` and nothing else.
            collect(|to, size| unsafe { libc::snprintf(to, size, format.as_ptr(), number) })
        }
        ('s', Value::Text(text)) => {
            let format = CString::new(directive).ok()?;
            let text = CString::new(text.split(|byte| *byte == 0).next()?).ok()?;
            // SAFETY: the format has one directive, which takes a text. It ends with a zero and lives until `collect` returns.
            collect(|to, size| unsafe { libc::snprintf(to, size, format.as_ptr(), text.as_ptr()) })
        }
        _ => None,
    }
}

/// A directive's flags, width and precision behind its `%`, and its conversion.
fn split(directive: &str) -> Option<(&str, char)> {
    let inner = directive.strip_prefix('%')?;
    let conversion = inner.chars().next_back()?;
    let before = &directive[..directive.len() - conversion.len_utf8()];
    let sizes = before[1..].trim_start_matches(['-', '+', ' ', '#', '0']);
    let (width, precision) = sizes.split_once('.').unwrap_or((sizes, ""));
    let is_number = |text: &str| {
        text.len() <= MOST_DIGITS && text.bytes().all(|letter| letter.is_ascii_digit())
    };
    (is_number(width) && is_number(precision)).then_some((before, conversion))
}

/// Bytes of a text whose length `print` says, also if it had too little room.
fn collect(print: impl Fn(*mut c_char, usize) -> c_int) -> Option<Vec<u8>> {
    let mut text = vec![0u8; 64];
    loop {
        let length = usize::try_from(print(text.as_mut_ptr().cast(), text.len())).ok()?;
        if length < text.len() {
            text.truncate(length);
            return Some(text);
        }
        text.resize(length + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(directive: &str, value: Value) -> Option<String> {
        printed(directive, value).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// The cases are those of C17, 7.21.6.1, in the C locale, in which Rust's programs begin.
    #[test]
    fn directives_are_those_of_c() {
        use Value::{Float, Integer, Text};
        for (directive, value, expected) in [
            ("%d", Integer(-5i64 as u64), "-5"),
            ("%+.3d", Integer(7), "+007"),
            ("%u", Integer(u64::MAX), "18446744073709551615"),
            ("%#o", Integer(8), "010"),
            ("%-6X|", Integer(0xab), ""),
            ("%c", Integer(65), "A"),
            ("%p", Integer(0x1000), "0x1000"),
            ("%g", Float(0.0), "0"),
            ("%g", Float(100.0), "100"),
            ("%g", Float(1e6), "1e+06"),
            ("%g", Float(0.1), "0.1"),
            ("%#g", Float(1.0), "1.00000"),
            ("%e", Float(0.0), "0.000000e+00"),
            ("%.20f", Float(0.5), "0.50000000000000000000"),
            ("%.0f", Float(2.5), "2"),
            ("%f", Float(f64::NEG_INFINITY), "-inf"),
            ("%a", Float(1.0), "0x1p+0"),
            ("%.2s", Text(b"abc"), "ab"),
            ("%5s", Text(b"a\0b"), "    a"),
        ] {
            let expected = (!expected.is_empty()).then(|| expected.to_owned());
            assert_eq!(text(directive, value), expected, "{directive}");
        }
        let long = text("%100d", Integer(1)).unwrap();
        assert_eq!((long.len(), long.trim_start()), (100, "1"));
    }

    #[test]
    fn only_what_c_could_print_is_taken() {
        for directive in ["", "%", "d", "%n", "%*d", "%lld", "%99999d", "%.-1d", "%dd"] {
            assert_eq!(text(directive, Value::Integer(1)), None, "{directive}");
        }
        assert_eq!(text("%s", Value::Integer(1)), None);
        assert_eq!(text("%d", Value::Float(1.0)), None);
    }
}
