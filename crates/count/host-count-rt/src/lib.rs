//! The runtime of counted programs: its C sources for the driver, which compiles them for whatever target a program is
//! built for, and (feature `link`) a Rust interface for counted Rust programs.
//!
//! The runtime is in C for three reasons. It must exist for every target that clang knows, without a Rust library for it. Stable Rust
//! cannot define a thread-local variable with a C name. `siglongjmp` and stack switches have no meaning in Rust.

/// The files of the runtime as (path relative to one root, text): headers first, then what is to be compiled.
#[rustfmt::skip]
pub const SOURCES: &[(&str, &str)] = &[
    ("include/luthier/count.h",   include_str!("../include/luthier/count.h")),
    ("include/luthier/count.hpp", include_str!("../include/luthier/count.hpp")),
    ("c/internal.h",              include_str!("../c/internal.h")),
    ("c/interpose.h",             include_str!("../c/interpose.h")),
    ("c/runtime.c",               include_str!("../c/runtime.c")),
    ("c/budget.c",                include_str!("../c/budget.c")),
    ("c/contracts.c",             include_str!("../c/contracts.c")),
    ("c/pool.c",                  include_str!("../c/pool.c")),
    ("c/spawn.c",                 include_str!("../c/spawn.c")),
    ("c/report.c",                include_str!("../c/report.c")),
    ("c/watchdog.c",              include_str!("../c/watchdog.c")),
    ("c/interpose.c",             include_str!("../c/interpose.c")),
    ("c/windows.c",               include_str!("../c/windows.c")),
    ("c/ends.c",                  include_str!("../c/ends.c")),
];

/// The files to compile for Windows; for other systems, all but the first of these.
pub const WINDOWS: &[&str] = &["c/windows.c", "c/budget.c", "c/contracts.c"];

/// Functions the runtime puts itself in front of; `--wrap` names for static programs, exported names for dynamic ones.
#[rustfmt::skip]
pub const INTERPOSED: &[&str] = &[
    "pthread_create", "thrd_create", "sigaction", "signal", "_exit", "_Exit",
    "execve", "execv", "execvpe", "execvp", "fexecve", "execl", "execlp", "execle",
    "posix_spawn", "posix_spawnp", "system", "popen", "clone", "daemon",
];

#[cfg(feature = "link")]
mod linked;
#[cfg(feature = "link")]
pub use linked::{Budget, Scope, Stop, now, process};
