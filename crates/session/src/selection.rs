//! Which kernels, and which of their launches, are instrumented.

use regex::Regex;

/// Kernels of the runtime itself: its copies and fills. They run uninstrumented unless a pattern asks for them.
const RUNTIME_KERNELS: &str = "__amd_rocclr_";

/// A setting that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}={value}: {reason}; it is ignored")]
pub struct BadSetting {
    pub variable: &'static str,
    pub value: String,
    pub reason: String,
}

/// All conditions must hold; what is not given always holds.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    kernel: Option<Regex>,
    launches: Vec<(u64, u64)>,
    every: Option<u64>,
    grid: Option<Grid>,
}

/// A condition on the number of work-items.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Grid {
    /// Per dimension; `None` fits all.
    Exactly([Option<u32>; 3]),
    AtLeast(u64),
    AtMost(u64),
}

impl Selection {
    /// Reads one setting.
    ///
    /// * `LUTHIER_KERNEL`: a regular expression, searched in the mangled and in the demangled name.
    /// * `LUTHIER_LAUNCH`: launches of each kernel, counted from 1: `1,5-9,100-`.
    /// * `LUTHIER_EVERY`: the first and then every Nth launch of each kernel.
    /// * `LUTHIER_GRID`: work-items: `1024x*x1`, `>=65536` or `<=64`.
    pub fn set(&mut self, variable: &'static str, value: &str) -> Result<(), BadSetting> {
        let bad = |reason: String| BadSetting {
            variable,
            value: value.to_owned(),
            reason,
        };
        match variable {
            "LUTHIER_KERNEL" => {
                let pattern = Regex::new(value);
                self.kernel = Some(pattern.map_err(|error| bad(error.to_string()))?);
            }
            "LUTHIER_LAUNCH" => {
                let ranges: Option<Vec<_>> = value.split(',').map(range).collect();
                let usage = || bad("expected launch numbers from 1 like 1,5-9,100-".into());
                self.launches = ranges.ok_or_else(usage)?;
            }
            "LUTHIER_EVERY" => {
                let every = value.trim().parse().ok().filter(|&every: &u64| every > 0);
                let usage = || bad("expected a number from 1".into());
                self.every = Some(every.ok_or_else(usage)?);
            }
            "LUTHIER_GRID" => {
                let usage = || bad("expected a grid like 1024x*x1, >=65536 or <=64".into());
                self.grid = Some(Grid::parse(value).ok_or_else(usage)?);
            }
            _ => return Err(bad("not a selection".into())),
        }
        Ok(())
    }

    /// Variables that [`Selection::set`] knows.
    pub const VARIABLES: [&'static str; 4] = [
        "LUTHIER_KERNEL",
        "LUTHIER_LAUNCH",
        "LUTHIER_EVERY",
        "LUTHIER_GRID",
    ];

    /// Whether any launch of this kernel may be chosen. `name` is mangled, `pretty` is not.
    pub fn kernel(&self, name: &str, pretty: &str) -> bool {
        match &self.kernel {
            Some(pattern) => pattern.is_match(name) || pattern.is_match(pretty),
            None => !name.starts_with(RUNTIME_KERNELS),
        }
    }

    /// Whether a launch of a chosen kernel is chosen. `ordinal` counts the kernel's launches from 1.
    pub fn launch(&self, ordinal: u64, grid: [u32; 3]) -> bool {
        let listed = self.launches.is_empty()
            || self
                .launches
                .iter()
                .any(|(first, last)| (first..=last).contains(&&ordinal));
        listed
            && self.every.is_none_or(|every| (ordinal - 1) % every == 0)
            && self
                .grid
                .as_ref()
                .is_none_or(|condition| condition.holds(grid))
    }
}

/// `5`, `5-9` or `5-`.
fn range(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let (first, last) = match text.split_once('-') {
        None => (text.parse().ok()?, text.parse().ok()?),
        Some((first, "")) => (first.parse().ok()?, u64::MAX),
        Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
    };
    (first >= 1 && first <= last).then_some((first, last))
}

impl Grid {
    fn parse(text: &str) -> Option<Grid> {
        let text = text.trim();
        if let Some(least) = text.strip_prefix(">=") {
            return least.trim().parse().ok().map(Grid::AtLeast);
        }
        if let Some(most) = text.strip_prefix("<=") {
            return most.trim().parse().ok().map(Grid::AtMost);
        }
        // Dimensions left out are 1, as in a launch.
        let mut sizes = [Some(1); 3];
        for (dimension, part) in text.split('x').enumerate() {
            *sizes.get_mut(dimension)? = match part.trim() {
                "*" => None,
                number => Some(number.parse().ok()?),
            };
        }
        Some(Grid::Exactly(sizes))
    }

    fn holds(&self, grid: [u32; 3]) -> bool {
        let total = grid
            .iter()
            .fold(1u64, |total, &size| total.saturating_mul(size.into()));
        match self {
            Grid::Exactly(sizes) => sizes
                .iter()
                .zip(grid)
                .all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == size)),
            Grid::AtLeast(least) => total >= *least,
            Grid::AtMost(most) => total <= *most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variable: &'static str, value: &str) -> Selection {
        let mut selection = Selection::default();
        selection.set(variable, value).unwrap();
        selection
    }

    #[test]
    fn names_match_mangled_and_demangled() {
        let selection = with("LUTHIER_KERNEL", r"^scale\(|Pf$");
        assert!(selection.kernel("_Z5scalePd", "scale(double*)"));
        assert!(selection.kernel("_Z3addPf", "add(float*)"));
        assert!(!selection.kernel("_Z3addPd", "add(double*)"));
    }

    #[test]
    fn the_runtimes_own_kernels_must_be_asked_for() {
        let copy = "__amd_rocclr_copyBuffer";
        assert!(!Selection::default().kernel(copy, copy));
        assert!(Selection::default().kernel("add", "add"));
        assert!(with("LUTHIER_KERNEL", "copy").kernel(copy, copy));
    }

    #[test]
    fn launches_are_counted_from_one() {
        let chosen = |selection: &Selection| -> Vec<u64> {
            (1..=12).filter(|&n| selection.launch(n, [1; 3])).collect()
        };
        assert_eq!(
            chosen(&with("LUTHIER_LAUNCH", "1,4-6,11-")),
            [1, 4, 5, 6, 11, 12]
        );
        assert_eq!(chosen(&with("LUTHIER_EVERY", "5")), [1, 6, 11]);
        let mut both = with("LUTHIER_LAUNCH", "2-7");
        both.set("LUTHIER_EVERY", "3").unwrap();
        assert_eq!(chosen(&both), [4, 7]);
    }

    #[test]
    fn grids_by_shape_and_by_size() {
        let shape = with("LUTHIER_GRID", "1024x*");
        assert!(shape.launch(1, [1024, 7, 1]) && !shape.launch(1, [1024, 7, 2]));
        assert!(with("LUTHIER_GRID", ">=4096").launch(1, [64, 64, 1]));
        assert!(!with("LUTHIER_GRID", "<=4095").launch(1, [64, 64, 1]));
        assert!(with("LUTHIER_GRID", ">=1").launch(1, [u32::MAX; 3]));
    }

    #[test]
    fn nonsense_is_named_and_changes_nothing() {
        let mut selection = Selection::default();
        for (variable, value) in [
            ("LUTHIER_KERNEL", "("),
            ("LUTHIER_LAUNCH", "0"),
            ("LUTHIER_LAUNCH", "9-5"),
            ("LUTHIER_LAUNCH", ""),
            ("LUTHIER_EVERY", "0"),
            ("LUTHIER_GRID", "1x1x1x1"),
            ("LUTHIER_GRID", "big"),
        ] {
            let error = selection.set(variable, value).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{variable}={value}: ")),
                "{error}"
            );
        }
        assert!(selection.kernel("k", "k") && selection.launch(3, [5, 1, 1]));
    }
}
