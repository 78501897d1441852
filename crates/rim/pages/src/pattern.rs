//! The output of a command on a page, with gaps.

/// Returns `true` if `printed` is what `expected` says: `[..]` stands for any characters of a line, a line `...` for any lines. Spaces at
/// the ends of lines do not count.
pub fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<_> = expected.trim_end().lines().map(str::trim_end).collect();
    let printed: Vec<_> = printed.trim_end().lines().map(str::trim_end).collect();
    lines(&expected, &printed)
}

fn lines(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| lines(rest, &printed[skipped..])),
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| characters(first, line) && lines(rest, others)),
    }
}

fn characters(expected: &str, printed: &str) -> bool {
    let Some((before, rest)) = expected.split_once("[..]") else {
        return expected == printed;
    };
    printed.strip_prefix(before).is_some_and(|printed| {
        (0..=printed.len())
            .filter(|&skipped| printed.is_char_boundary(skipped))
            .any(|skipped| characters(rest, &printed[skipped..]))
    })
}

#[test]
fn gaps_match_anything_and_the_rest_itself() {
    assert!(matches("a\n...\nd", "a\nb\nc\nd\n"));
    assert!(matches("a [..] c[..]", "a b c"));
    assert!(!matches("a [..] d", "a b c"));
    assert!(!matches("a\n...\nd", "a\nb\nc\n"));
    assert!(!matches("a", "a\nb"));
}
