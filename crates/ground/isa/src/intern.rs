//! Strings that live as long as the process.

use std::{
    collections::HashSet,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The one copy of `text`. Only mnemonics come here, so what is never freed is a few tens of kilobytes however many
/// decoders there are.
pub(crate) fn intern(text: &str) -> &'static str {
    static STRINGS: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
    let mut strings = STRINGS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = strings.get(text) {
        return known;
    }
    let leaked: &'static str = Box::leak(text.to_owned().into_boxed_str());
    strings.insert(leaked);
    leaked
}
