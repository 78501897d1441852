//! The kernels, and their launches, that are instrumented.

use regex::Regex;

/// Kernels of the runtime itself: its copies and fills. They run uninstrumented unless a pattern asks for them.
const RUNTIME_KERNELS: &str = "__amd_rocclr_";

/// A setting that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}={value}: {reason}")]
pub struct BadSetting {
    /// The variable, or the option if the command line was read.
    pub name: &'static str,
    pub value: String,
    pub reason: String,
}

/// All conditions must hold; what is not given always holds.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    kernel: Option<Regex>,
    /// The conditions on launches, as options of the command line.
    given: Vec<String>,
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

/// Reads one setting into a selection, or says what was expected.
type Read = fn(&mut Selection, &str) -> Result<(), String>;

/// One setting of [`Selection`].
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The option of `luthier run`.
    pub option: &'static str,
    /// The variable that the program's process reads.
    pub variable: &'static str,
    /// The forms, for a user who wrote another one.
    pub forms: &'static str,
    read: Read,
}

/// All settings: command line and engine read them with the same code.
pub const SETTINGS: [Setting; 4] = [
    Setting {
        option: "--kernel",
        variable: "LUTHIER_KERNEL",
        forms: "a regular expression, searched in the mangled and in the demangled name",
        read: |selection, value| {
            let pattern = Regex::new(value).map_err(|error| {
                // (The lines above the last one draw the place.)
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            })?;
            selection.kernel = Some(pattern);
            Ok(())
        },
    },
    Setting {
        option: "--launch",
        variable: "LUTHIER_LAUNCH",
        forms: "launches of each kernel, counted from 0: N, N.., N..M (without M), N..=M or N-M, several with commas between them",
        read: |selection, value| {
            let ranges = value.split(',').map(range);
            selection.launches = ranges.collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    Setting {
        option: "--every",
        variable: "LUTHIER_EVERY",
        forms: "a number from 1: the first launch of each kernel and then every Nth",
        read: |selection, value| {
            let every = value.trim().parse().ok().filter(|&every: &u64| every > 0);
            selection.every = Some(every.ok_or("it is no number from 1")?);
            Ok(())
        },
    },
    Setting {
        option: "--grid",
        variable: "LUTHIER_GRID",
        forms: "work-items: X, X,Y or X,Y,Z (also XxYxZ; * fits all), >=N or <=N for all dimensions together",
        read: |selection, value| {
            selection.grid = Some(Grid::parse(value)?);
            Ok(())
        },
    },
];

impl Setting {
    fn apply(
        &self,
        name: &'static str,
        selection: &mut Selection,
        value: &str,
    ) -> Result<(), BadSetting> {
        (self.read)(selection, value).map_err(|reason| BadSetting {
            name,
            value: value.to_owned(),
            reason: format!("{reason}; expected {}", self.forms),
        })?;
        if self.option != "--kernel" {
            selection.given.push(format!("{} {value}", self.option));
        }
        Ok(())
    }
}

impl Selection {
    /// Reads the variables of [`SETTINGS`] through `variable`; those that are empty say nothing.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Selection, BadSetting> {
        let mut selection = Selection::default();
        for setting in &SETTINGS {
            if let Some(value) = variable(setting.variable).filter(|value| !value.is_empty()) {
                setting.apply(setting.variable, &mut selection, &value)?;
            }
        }
        Ok(selection)
    }

    /// Reads options of a command line, by the names in [`SETTINGS`]. An empty value is an error here.
    pub fn of_options<'a, 'b>(
        options: impl IntoIterator<Item = (&'a str, &'b str)>,
    ) -> Result<Selection, BadSetting> {
        let mut selection = Selection::default();
        for (option, value) in options {
            let setting = SETTINGS.iter().find(|setting| setting.option == option);
            let unknown = || BadSetting {
                name: "option",
                value: option.to_owned(),
                reason: "it selects nothing".to_owned(),
            };
            let setting = setting.ok_or_else(unknown)?;
            setting.apply(setting.option, &mut selection, value)?;
        }
        Ok(selection)
    }

    /// The expression for kernels' names, if there is one.
    pub(crate) fn pattern(&self) -> Option<&str> {
        self.kernel.as_ref().map(Regex::as_str)
    }

    /// The conditions on launches, such as `--launch 1`.
    pub(crate) fn launch_conditions(&self) -> &[String] {
        &self.given
    }

    /// Returns `true` if any launch of this kernel may be chosen. `name` is mangled, `pretty` is not.
    pub fn kernel(&self, name: &str, pretty: &str) -> bool {
        match &self.kernel {
            Some(pattern) => pattern.is_match(name) || pattern.is_match(pretty),
            None => !name.starts_with(RUNTIME_KERNELS),
        }
    }

    /// Returns `true` if a launch of a chosen kernel is chosen. `ordinal` counts the kernel's launches from 0.
    pub fn launch(&self, ordinal: u64, grid: [u32; 3]) -> bool {
        let listed = self.launches.is_empty()
            || self
                .launches
                .iter()
                .any(|(first, last)| (first..=last).contains(&&ordinal));
        listed
            && self.every.is_none_or(|every| ordinal.is_multiple_of(every))
            && self
                .grid
                .as_ref()
                .is_none_or(|condition| condition.holds(grid))
    }
}

/// One part of a list of launches, as first and last.
fn range(text: &str) -> Result<(u64, u64), String> {
    let text = text.trim();
    let number = |part: &str, open: u64| match part.trim() {
        "" => Ok(open),
        digits => digits
            .parse::<u64>()
            .map_err(|_| format!("{digits} is no launch number")),
    };
    // The longer separator first, because it begins with the shorter one.
    let inclusive = text.split_once("..=").or_else(|| text.split_once('-'));
    let (first, last) = match (inclusive, text.split_once("..")) {
        _ if text.is_empty() => return Err("a launch number is missing".to_owned()),
        (Some((_, "")), _) if text.ends_with('=') => {
            return Err(format!("{text} has no end"));
        }
        (Some((first, last)), _) => (number(first, 0)?, number(last, u64::MAX)?),
        (None, Some((first, ""))) => (number(first, 0)?, u64::MAX),
        (None, Some((first, end))) => {
            let end = number(end, u64::MAX)?;
            let last = end.checked_sub(1);
            (number(first, 0)?, last.ok_or(format!("{text} is empty"))?)
        }
        (None, None) => (number(text, 0)?, number(text, 0)?),
    };
    match first <= last {
        true => Ok((first, last)),
        false => Err(format!("{text} is empty")),
    }
}

impl Grid {
    fn parse(text: &str) -> Result<Grid, String> {
        let text = text.trim();
        let number = |digits: &str| {
            let digits = digits.trim();
            digits
                .parse()
                .map_err(|_| format!("{digits:?} is no number"))
        };
        if let Some(least) = text.strip_prefix(">=") {
            return number(least).map(Grid::AtLeast);
        }
        if let Some(most) = text.strip_prefix("<=") {
            return number(most).map(Grid::AtMost);
        }
        // Dimensions left out are 1, as in a launch.
        let mut sizes = [Some(1); 3];
        for (dimension, part) in text.split(['x', ',']).enumerate() {
            let size = sizes.get_mut(dimension);
            *size.ok_or("a grid has three dimensions at most")? = match part.trim() {
                "*" => None,
                "0" => return Err("no launch has a size of 0".to_owned()),
                digits => Some(
                    digits
                        .parse()
                        .map_err(|_| format!("{digits:?} is no size"))?,
                ),
            };
        }
        Ok(Grid::Exactly(sizes))
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

    fn with(settings: &[(&str, &str)]) -> Selection {
        Selection::of_options(settings.iter().copied()).unwrap()
    }

    #[test]
    fn names_match_mangled_and_demangled() {
        let selection = with(&[("--kernel", r"^scale\(|Pf$")]);
        assert!(selection.kernel("_Z5scalePd", "scale(double*)"));
        assert!(selection.kernel("_Z3addPf", "add(float*)"));
        assert!(!selection.kernel("_Z3addPd", "add(double*)"));
    }

    #[test]
    fn the_runtimes_own_kernels_must_be_asked_for() {
        let copy = "__amd_rocclr_copyBuffer";
        assert!(!Selection::default().kernel(copy, copy));
        assert!(Selection::default().kernel("add", "add"));
        assert!(with(&[("--kernel", "copy")]).kernel(copy, copy));
    }

    #[test]
    fn launches_are_counted_from_zero() {
        let chosen = |settings: &[(&str, &str)]| -> Vec<u64> {
            let selection = with(settings);
            (0..8).filter(|&n| selection.launch(n, [1; 3])).collect()
        };
        for (text, launches) in [
            ("0", &[0][..]),
            ("3", &[3]),
            ("1..2", &[1]),
            ("3..5", &[3, 4]),
            ("1..=2", &[1, 2]),
            ("2..", &[2, 3, 4, 5, 6, 7]),
            ("..2", &[0, 1]),
            ("..=2", &[0, 1, 2]),
            ("1-2", &[1, 2]),
            ("6-", &[6, 7]),
            ("0, 2..4 ,6..=7", &[0, 2, 3, 6, 7]),
        ] {
            assert_eq!(chosen(&[("--launch", text)]), launches, "{text}");
        }
        assert_eq!(chosen(&[("--every", "5")]), [0, 5]);
        assert_eq!(chosen(&[("--launch", "2..7"), ("--every", "3")]), [3, 6]);
    }

    #[test]
    fn grids_by_shape_and_by_size() {
        let holds = |text, grid| with(&[("--grid", text)]).launch(1, grid);
        for text in ["256", "256,1", "256,1,1", "256x1x1", "256,*,*", " 256 x 1 "] {
            assert!(holds(text, [256, 1, 1]), "{text}");
            assert!(!holds(text, [257, 1, 1]), "{text}");
        }
        assert!(holds("1024x*", [1024, 7, 1]) && !holds("1024,*", [1024, 7, 2]));
        assert!(holds(">=4096", [64, 64, 1]) && !holds("<=4095", [64, 64, 1]));
        assert!(holds(">=1", [u32::MAX; 3]));
    }

    #[test]
    fn nonsense_is_an_error_that_names_the_forms() {
        for (option, value) in [
            ("--kernel", "("),
            ("--launch", "9..5"),
            ("--launch", "5..5"),
            ("--launch", "..0"),
            ("--launch", "1..="),
            ("--launch", ""),
            ("--launch", "1,,2"),
            ("--launch", "-x"),
            ("--launch", "1...3"),
            ("--every", "0"),
            ("--grid", "1x1x1x1"),
            ("--grid", "big"),
            ("--grid", ""),
            ("--grid", "64x0"),
        ] {
            let error = Selection::of_options([(option, value)]).unwrap_err();
            let (error, start) = (error.to_string(), format!("{option}={value}: "));
            assert!(
                error.starts_with(&start) && error.contains("expected "),
                "{error}"
            );
        }
        let read = |name: &str| (name == "LUTHIER_LAUNCH").then(|| "x".to_owned());
        let error = Selection::read(read).unwrap_err().to_string();
        assert!(error.starts_with("LUTHIER_LAUNCH=x: "), "{error}");
    }
}
