//! The arguments of test programs that have no harness of Rust's, as far as they mean the same there.

/// Programs that were asked for by name, and options.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Empty: all programs.
    pub names: Vec<String>,
    /// Programs whose names contain one of these do not run.
    skipped: Vec<String>,
    /// Arguments that begin with a minus.
    pub options: Vec<String>,
}

impl Arguments {
    /// Reads the arguments of this process.
    pub fn own() -> Arguments {
        Arguments::parse(std::env::args().skip(1))
    }

    fn parse(mut words: impl Iterator<Item = String>) -> Arguments {
        let mut parsed = Arguments::default();
        while let Some(word) = words.next() {
            match word.strip_prefix("--skip") {
                Some("") => parsed.skipped.extend(words.next()),
                Some(rest) if rest.starts_with('=') => parsed.skipped.push(rest[1..].to_owned()),
                _ if word.starts_with('-') => parsed.options.push(word),
                _ => parsed.names.push(word),
            }
        }
        parsed
    }

    /// Returns `true` if the option was given.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|given| given == option)
    }

    /// Returns `true` if only tests with `#[ignore]` are wanted: no program is one.
    pub fn want_none(&self) -> bool {
        self.has("--ignored")
    }

    /// Returns `true` if the program of this name is to run.
    pub fn choose(&self, name: &str) -> bool {
        let is_named = self.names.is_empty() || self.names.iter().any(|wanted| wanted == name);
        is_named && !self.skipped.iter().any(|skipped| name.contains(skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Arguments {
        Arguments::parse(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn values_of_skip_are_no_names() {
        let none = parsed(&["--ignored", "--skip", "real::"]);
        assert!(none.want_none() && none.names.is_empty() && none.choose("lanes"));
        let some = parsed(&["lds", "--skip=lan", "--all", "lanes"]);
        assert!(some.has("--all") && !some.want_none());
        assert_eq!(some.names, ["lds", "lanes"]);
        assert_eq!(
            ["lds", "lanes", "dpp"].map(|name| some.choose(name)),
            [true, false, false]
        );
    }
}
