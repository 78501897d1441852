//! The directory of a user's caches.

use std::{ffi::OsString, path::PathBuf};

/// The directory for what can be made again: `luthier` in `XDG_CACHE_HOME`, else in `.cache` of `HOME`.
///
/// `variable` looks up a variable of the environment. The XDG base directories ignore a relative path in `XDG_CACHE_HOME`, and so does this
/// function. `None` if neither variable names a directory.
pub fn user_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let named = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || variable("HOME").filter(|home| !home.is_empty());
    let caches = named.filter(|path| path.is_absolute());
    let caches = caches.or_else(|| Some(PathBuf::from(home()?).join(".cache")));
    caches.map(|caches| caches.join("luthier"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Option<String> {
        let place = user_cache(|name| {
            let known = variables.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| value.into())
        });
        place.map(|place| place.to_str().expect("ASCII").to_owned())
    }

    #[test]
    fn relative_and_empty_values_do_not_count() {
        let home = ("HOME", "/home/somebody");
        let in_home = Some("/home/somebody/.cache/luthier".to_owned());
        assert_eq!(found(&[home]), in_home);
        assert_eq!(found(&[home, ("XDG_CACHE_HOME", "")]), in_home);
        assert_eq!(found(&[home, ("XDG_CACHE_HOME", "somewhere")]), in_home);
        let named = found(&[home, ("XDG_CACHE_HOME", "/caches")]);
        assert_eq!(named.as_deref(), Some("/caches/luthier"));
        assert_eq!(found(&[("HOME", "")]), None);
        assert_eq!(found(&[]), None);
    }
}
