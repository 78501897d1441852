//! Settings of a session, from the environment.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use crate::{Selection, workgroup};

/// Longest time a launch is held up by instrumenting its kernel; then the original runs.
const BUILD_LIMIT: Duration = Duration::from_secs(60);
/// Longest time that a call of a tool's host code is waited for.
const TOOL_LIMIT: Duration = Duration::from_secs(5);
const CACHE_LIMIT: u64 = 1 << 30;
/// Settings that are no paths.
const TEXTS: [&str; 12] = [
    "LUTHIER_TOOL",
    "LUTHIER_LOG",
    "LUTHIER_CACHE_SIZE",
    "LUTHIER_BUILD_LIMIT",
    "LUTHIER_TOOL_LIMIT",
    "LUTHIER_TOOL_OPTIONS",
    "LUTHIER_KERNEL",
    "LUTHIER_LAUNCH",
    "LUTHIER_EVERY",
    "LUTHIER_GRID",
    "LUTHIER_SERIALIZE",
    "LUTHIER_KERNEL_LIMIT",
];

/// Variables that are `1`, or `0` as without them.
const FLAGS: [&str; 4] = [
    "LUTHIER_OUTPUT_TEMPORARY",
    "LUTHIER_OBJECTS",
    "LUTHIER_SERIALIZE",
    "LUTHIER_STRICT",
];

/// The messages that go to standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

/// See [`Config::read`].
#[derive(Clone, Debug)]
pub struct Config {
    /// Names of tools; empty: nothing is instrumented.
    pub tools: Vec<String>,
    /// Directory for `summary.PID.json`, beside what is printed.
    pub output: Option<PathBuf>,
    /// The process that named that directory reads it and removes it. Files that tools write for the user are left out.
    pub output_is_temporary: bool,
    /// The number of this session in its process, from 1; names of files have it. The environment does not set it.
    pub session: u32,
    /// Code objects whose kernels were launched are wanted in that directory.
    pub keep_objects: bool,
    /// File in which sessions count records while they come, for `luthier run --live`.
    pub live: Option<PathBuf>,
    pub level: Level,
    pub selection: Selection,
    /// The conditions on places, as the user wrote them; the instrumenter applies them.
    pub places: String,
    /// The workgroup whose executions the user chose.
    pub workgroup: Option<[u32; 3]>,
    /// The mistake in the selection, if there is one; then nothing is instrumented.
    pub refused: Option<String>,
    /// Directory of the disk cache; `None`: off.
    pub cache: Option<PathBuf>,
    /// Bytes in the cache.
    pub cache_limit: u64,
    pub build_limit: Duration,
    pub tool_limit: Duration,
    /// No launch begins before the one before it has ended, whatever their queues.
    pub serialize: bool,
    /// A hook that cannot be inserted somewhere costs the kernel.
    pub strict: bool,
    /// A launch that runs longer ends the program.
    pub kernel_limit: Option<Duration>,
    /// Names this build of the engine: what another build has cached is not used. The environment does not say it.
    pub build: String,
}

impl Config {
    /// Reads the settings through `variable`; the second part lists what could not be understood.
    ///
    /// `LUTHIER_TOOL` (names or paths, separated by `,` or `:`), `LUTHIER_OUTPUT`, `LUTHIER_OUTPUT_TEMPORARY` (`1`),
    /// `LUTHIER_OBJECTS` (`1`), `LUTHIER_LIVE` (a file),
    /// `LUTHIER_LOG` (`off`, `error`, `warn`, `info`, `debug`), `LUTHIER_CACHE` (a directory or `off`; else `$XDG_CACHE_HOME/luthier` or `~/.cache/luthier`),
    /// `LUTHIER_CACHE_SIZE` (bytes, or with K, M, G), `LUTHIER_BUILD_LIMIT` and `LUTHIER_TOOL_LIMIT` (seconds),
    /// `LUTHIER_SERIALIZE` and `LUTHIER_STRICT` (`1`), `LUTHIER_KERNEL_LIMIT` (seconds), and those of [`crate::selection::SETTINGS`].
    pub fn read<V: Into<OsString>>(variable: impl Fn(&str) -> Option<V>) -> (Config, Vec<String>) {
        let mut problems = Vec::new();
        // Paths are bytes, everything else is text.
        let raw = |name: &str| {
            let value: Option<OsString> = variable(name).map(Into::into);
            value.filter(|value| !value.is_empty())
        };
        let path = |name: &str| raw(name).map(PathBuf::from);
        let get = |name: &str| raw(name)?.into_string().ok();
        for name in TEXTS {
            if let Some(value) = raw(name).filter(|value| value.to_str().is_none()) {
                problems.push(format!(
                    "{name}={}: it is not UTF-8; it is ignored",
                    value.display()
                ));
            }
        }
        // If a selection has a mistake, nothing is instrumented: a user who asked for some launches does not want all of them.
        let (selection, refused) = match Selection::read(get) {
            Ok(selection) => (selection, None),
            Err(error) => (Selection::default(), Some(error.to_string())),
        };
        let limits = Limits::read(get, &mut problems);
        let flags = FLAGS.map(|name| match get(name).as_deref() {
            Some("1") => true,
            Some("0") | None => false,
            Some(value) => {
                problems.push(format!("{name}={value}: expected 1 or 0; it is ignored"));
                false
            }
        });
        let level = match get("LUTHIER_LOG") {
            None => Level::Warn,
            Some(name) => level(&name).unwrap_or_else(|| {
                problems.push(format!(
                    "LUTHIER_LOG={name}: expected off, error, warn, info or debug; it is ignored"
                ));
                Level::Warn
            }),
        };
        let cache = match get("LUTHIER_CACHE").as_deref() {
            Some("off" | "0" | "no") => None,
            _ => path("LUTHIER_CACHE").or_else(|| outputs::user_cache(raw)),
        };
        let tools = get("LUTHIER_TOOL").unwrap_or_default();
        let conditions = get("LUTHIER_SITE").unwrap_or_default();
        let config = Config {
            tools: tools
                .split([',', ':'])
                .map(str::trim)
                .filter(|tool| !tool.is_empty())
                .map(str::to_owned)
                .collect(),
            output: path("LUTHIER_OUTPUT"),
            output_is_temporary: flags[0],
            session: 1,
            keep_objects: flags[1],
            live: path("LUTHIER_LIVE"),
            level,
            selection,
            places: places(&conditions),
            workgroup: workgroup::asked(&conditions),
            refused,
            cache,
            cache_limit: limits.cache,
            build_limit: limits.build,
            tool_limit: limits.tool,
            serialize: flags[2],
            strict: flags[3],
            kernel_limit: limits.kernel,
            build: String::new(),
        };
        (config, problems)
    }

    /// The conditions of `--site`: they choose places and executions.
    pub fn choose(&mut self, conditions: &str) {
        self.places = places(conditions);
        self.workgroup = workgroup::asked(conditions);
    }
}

/// The settings that are numbers.
struct Limits {
    cache: u64,
    build: Duration,
    tool: Duration,
    kernel: Option<Duration>,
}

impl Limits {
    fn read(get: impl Fn(&str) -> Option<String>, problems: &mut Vec<String>) -> Limits {
        let mut parsed = |name: &str, parse: fn(&str) -> Option<u64>, expected: &str| {
            let value = get(name)?;
            let number = parse(&value);
            if number.is_none() {
                problems.push(format!(
                    "{name}={value}: expected {expected}; it is ignored"
                ));
            }
            number
        };
        let seconds: fn(&str) -> Option<u64> = |value| value.trim().parse().ok();
        let some_seconds = |value: &str| value.trim().parse().ok().filter(|&limit: &u64| limit > 0);
        let size = "a number of bytes such as 512M";
        let cache = parsed("LUTHIER_CACHE_SIZE", bytes, size);
        let build = parsed("LUTHIER_BUILD_LIMIT", seconds, "a number of seconds");
        let tool = parsed("LUTHIER_TOOL_LIMIT", seconds, "a number of seconds");
        let from_one = "a number of seconds from 1";
        let kernel = parsed("LUTHIER_KERNEL_LIMIT", some_seconds, from_one);
        Limits {
            cache: cache.unwrap_or(CACHE_LIMIT),
            build: build.map_or(BUILD_LIMIT, Duration::from_secs),
            tool: tool.map_or(TOOL_LIMIT, Duration::from_secs),
            kernel: kernel.map(Duration::from_secs),
        }
    }
}

/// The conditions that choose places, without those that choose executions.
fn places(conditions: &str) -> String {
    let of_executions = ["workgroup=", "first=", "sample="];
    let chooses = |part: &&str| !of_executions.iter().any(|key| part.trim().starts_with(key));
    let parts: Vec<&str> = conditions.split(';').filter(chooses).collect();
    parts.join(";")
}

fn level(name: &str) -> Option<Level> {
    let levels = [
        ("off", Level::Off),
        ("error", Level::Error),
        ("warn", Level::Warn),
        ("info", Level::Info),
        ("debug", Level::Debug),
    ];
    levels
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()))
        .map(|(_, level)| *level)
}

fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, shift) = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> (Config, Vec<String>) {
        Config::read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn defaults() {
        let (config, problems) = read(&[("HOME", "/home/somebody")]);
        assert!(problems.is_empty() && config.tools.is_empty());
        let cache = config.cache.unwrap();
        assert_eq!(cache.to_str(), Some("/home/somebody/.cache/luthier"));
        assert_eq!(config.level, Level::Warn);
        // Paths in XDG_CACHE_HOME that are not absolute do not count, as its specification says.
        let relative = ("XDG_CACHE_HOME", "somewhere");
        let (config, _) = read(&[("HOME", "/home/somebody"), relative]);
        assert_eq!(config.cache.as_deref(), Some(cache.as_ref()));
        assert_eq!(read(&[relative]).0.cache, None);
    }

    #[test]
    fn lists_sizes_and_paths() {
        let (config, problems) = read(&[
            ("LUTHIER_TOOL", "instr-count, ./my.so:identity"),
            ("LUTHIER_CACHE_SIZE", "64M"),
            ("LUTHIER_CACHE", "off"),
            ("LUTHIER_LOG", "Debug"),
        ]);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(config.tools, ["instr-count", "./my.so", "identity"]);
        assert_eq!(config.cache_limit, 64 << 20);
        assert_eq!(config.cache, None);
        assert_eq!(config.level, Level::Debug);
    }

    #[test]
    fn paths_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let odd = OsString::from_vec(b"/tmp/\xff".to_vec());
        let (config, problems) = Config::read(|name| {
            let named = ["LUTHIER_OUTPUT", "LUTHIER_CACHE", "LUTHIER_LOG"].contains(&name);
            named.then(|| odd.clone())
        });
        assert_eq!(config.output.as_deref(), Some(odd.as_ref()));
        assert_eq!(config.cache.as_deref(), Some(odd.as_ref()));
        assert!(
            problems.len() == 1 && problems[0].starts_with("LUTHIER_LOG="),
            "{problems:?}"
        );
    }

    #[test]
    fn flags_are_one_or_zero() {
        let (config, problems) = read(&[("LUTHIER_SERIALIZE", "1"), ("LUTHIER_STRICT", "0")]);
        assert!(config.serialize && !config.strict && problems.is_empty());
        let wrong = FLAGS.map(|name| (name, "yes"));
        let (config, problems) = read(&wrong);
        assert!(!config.serialize && !config.strict);
        for (name, said) in FLAGS.iter().zip(&problems) {
            assert_eq!(*said, format!("{name}=yes: expected 1 or 0; it is ignored"));
        }
        assert_eq!(problems.len(), FLAGS.len());
    }

    #[test]
    fn problems_name_the_variable_and_leave_the_default() {
        let (config, problems) = read(&[
            ("LUTHIER_CACHE_SIZE", "lots"),
            ("LUTHIER_EVERY", "never"),
            ("LUTHIER_LOG", "loud"),
        ]);
        assert_eq!(config.cache_limit, CACHE_LIMIT);
        assert!(config.refused.unwrap().starts_with("LUTHIER_EVERY=never"));
        for name in ["LUTHIER_CACHE_SIZE", "LUTHIER_LOG"] {
            let named = problems.iter().filter(|text| text.starts_with(name));
            assert_eq!(named.count(), 1, "{name}: {problems:?}");
        }
    }
}
