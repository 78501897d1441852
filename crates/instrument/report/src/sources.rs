//! Texts of source files, as far as they lie where the debug information says.

use crate::model::Code;
use std::{collections::BTreeMap, fs, path::Path};

/// Files beyond these are named without their text.
const FILES: usize = 400;
/// Bytes of a file that is not taken for a source.
const LARGEST: u64 = 4 << 20;

/// Texts by name, of the files that the code names, those with most instructions first.
pub(crate) fn collect<'c>(
    codes: impl Iterator<Item = &'c Code>,
    beside: Option<&Path>,
) -> BTreeMap<String, String> {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for code in codes {
        for place in &code.place {
            for frame in &code.places[*place as usize] {
                *named.entry(&frame.file).or_default() += 1;
            }
        }
    }
    let mut named: Vec<_> = named.into_iter().collect();
    named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let readable = named.into_iter().filter_map(|(name, _)| {
        // The directory of a name without one is unknown, unless the user says it.
        let path = match Path::new(name) {
            path if path.is_absolute() => path.to_owned(),
            path => beside?.join(path),
        };
        let file = path.metadata().ok()?;
        let text = fs::read(&path)
            .ok()
            .filter(|_| file.is_file() && file.len() <= LARGEST)?;
        Some((name.to_owned(), String::from_utf8(text).ok()?))
    });
    readable.take(FILES).collect()
}
