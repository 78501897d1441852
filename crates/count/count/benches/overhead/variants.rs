//! The ways a program is compiled, each a column of the table.

use std::path::{Path, PathBuf};

/// How a variant is compiled.
pub enum Way {
    Plain(&'static [&'static str]),
    Counted(&'static [&'static str]),
    /// Run with a budget for all threads and children, too large to be used up.
    Limited(&'static [&'static str]),
}

impl Way {
    /// The environment of a run.
    pub fn environment(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Way::Limited(_) => &[
                ("LUTHIER_COUNT_BUDGET", "1000000000000000000"),
                ("LUTHIER_COUNT_OUTPUT", "-"),
            ],
            _ => &[],
        }
    }
}

/// Returns `true` if a variant was asked for; what others are compared with always is.
pub fn chosen(index: usize, only: Option<&str>) -> bool {
    index == 0
        || only.is_none_or(|only| only.split('|').any(|part| VARIANTS[index].0.contains(part)))
}

/// The variant before this one that is compiled the same way, and only run in another environment.
pub fn twin(index: usize, only: Option<&str>) -> Option<usize> {
    let Way::Limited(flags) = VARIANTS[index].1 else {
        return None;
    };
    let is_twin = |other: &usize| matches!(VARIANTS[*other].1, Way::Counted(same) if same == flags);
    (0..index).find(|other| chosen(*other, only) && is_twin(other))
}

/// Name, way, and the target of the project for the geometric mean of time.
pub type Variant = (&'static str, Way, Option<f64>);

/// The first is what others are compared with.
#[rustfmt::skip]
pub const VARIANTS: &[Variant] = &[
    ("clang-22 -O2",                 Way::Plain(&[]),                                              None),
    ("article's scheme",             Way::Counted(&["--placement", "article"]),                    None),
    ("ours, source instructions",    Way::Counted(&[]),                                            Some(1.05)),
    ("ours, optimised instructions", Way::Counted(&["--point", "last"]),                           Some(1.02)),
    ("ours, optimised, budget",      Way::Counted(&["--point", "last", "--budget"]),               Some(1.05)),
    ("ours, optimised, budget of a run", Way::Limited(&["--point", "last", "--budget"]),           Some(1.08)),
    ("ours, optimised, function",    Way::Counted(&["--point", "last", "--per", "function"]),      Some(1.08)),
    ("ours, source, budget",         Way::Counted(&["--budget"]),                                  None),
    ("-fprofile-instr-generate",     Way::Plain(&["-fprofile-instr-generate"]),                    None),
    ("-fprofile-arcs",               Way::Plain(&["-fprofile-arcs"]),                              None),
    ("inline-8bit-counters",         Way::Plain(&["-fsanitize-coverage=inline-8bit-counters"]),    None),
    // The least that an exact count needs: plain optimised code, and one addition before each call that may not come back.
    ("least, optimised instructions", Way::Counted(&["--point", "last", "--placement", "least"]), None),
];

/// The path of variant `index` of a program; the empty program is called `nothing`.
pub fn path(directory: &Path, program: &str, index: usize) -> PathBuf {
    directory.join(format!("{program}-{index}"))
}

pub const NOTHING: &str = "nothing";
