//! The first lines of a program, which describe it.

use anyhow::{Context, Result, bail};

use crate::known::Known;

/// Targets of a program that names none.
pub const DEVICES: [&str; 2] = ["gfx90a", "gfx1030"];

/// How to build, run and judge a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub flags: Vec<String>,
    pub devices: Vec<String>,
    /// Further targets, for which only newer compilers make code; `*` is any.
    pub also: Vec<String>,
    /// Targets that lack what it is about.
    pub not: Vec<String>,
    pub run: Vec<String>,
    /// Variables of the program's environment.
    pub environment: Vec<(String, String)>,
    /// Tools for it instead of all.
    pub tools: Option<String>,
    /// A tool that is left out.
    pub omits: Option<String>,
    /// The program must die of SIGABRT.
    pub aborts: bool,
    /// Its kernels do not execute the same number of instructions every time.
    pub varies: bool,
    /// The last HIP whose headers let it compile.
    pub until: Option<String>,
    /// A HIP whose headers alone do not let it compile.
    pub without: Option<String>,
    /// A header of a library that not every release has.
    pub needs: Option<String>,
    /// Known errors of a compiler in its code.
    pub known: Vec<Known>,
    pub stdout: Vec<String>,
    pub stderr: Vec<String>,
}

impl Header {
    /// Reads the leading lines of a source that start with `mark`.
    pub fn parse(text: &str, mark: &str) -> Result<Header> {
        let mut header = Header::default();
        for line in text.lines() {
            let Some(comment) = line.strip_prefix(mark) else {
                break;
            };
            // Prose may contain a colon; only one lower-case word before it makes a key.
            let Some((key, value)) = comment.split_once(": ") else {
                continue;
            };
            if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_lowercase()) {
                continue;
            }
            let words = || value.split_whitespace().map(str::to_owned);
            // The first word, before a reason.
            let first = |mark| Some(words().next()?.trim_end_matches(mark).to_owned());
            match key {
                "flags" => header.flags.extend(words()),
                "devices" => header.devices.extend(words()),
                "not" => header.not.extend(words()),
                "also" => header.also.extend(words()),
                "run" => header.run.extend(words()),
                "environment" => {
                    for word in words() {
                        let Some((name, value)) = word.split_once('=') else {
                            bail!("{word:?} is no variable with a value in {comment:?}");
                        };
                        header.environment.push((name.to_owned(), value.to_owned()));
                    }
                }
                "stdout" => header.stdout.push(value.to_owned()),
                "stderr" => header.stderr.push(value.to_owned()),
                "tools" => header.tools = first(';'),
                "omits" => header.omits = first(';'),
                "varies" => header.varies = true,
                "until" => header.until = first(','),
                "without" => header.without = first(','),
                "needs" => header.needs = words().next(),
                "known" => header
                    .known
                    .push(Known::parse(value).with_context(|| format!("in {comment:?}"))?),
                "expect" if value == "abort" => header.aborts = true,
                _ => bail!("unknown header line {comment:?}"),
            }
        }
        if header.devices.is_empty() {
            header.devices = DEVICES.map(str::to_owned).to_vec();
        }
        Ok(header)
    }

    /// Only on those of the `wanted` devices that the program is for: all of them if it names none itself.
    pub fn restrict(&mut self, wanted: &[&str]) {
        let any = self.devices == DEVICES || self.also.iter().any(|name| name == "*");
        let named = |device: &str| {
            let mut names = self.devices.iter().chain(&self.also);
            let lacks = self.not.iter().any(|name| name == device);
            !lacks && (any || names.any(|name| name == device))
        };
        let chosen = wanted.iter().filter(|device| named(device));
        self.devices = chosen.map(|&device| device.to_owned()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_until_the_first_line_of_code() {
        let header = Header::parse(
            "// flags: -lhiprtc -O1\n// devices: gfx90a\n// expect: abort\n// stderr: a: b\n// Some prose: here.\nint x;\n// run: --gpus 2\n",
            "// ",
        )
        .unwrap();
        assert_eq!(header.flags, ["-lhiprtc", "-O1"]);
        assert_eq!(header.devices, ["gfx90a"]);
        assert!(header.aborts && header.run.is_empty());
        assert_eq!(header.stderr, ["a: b"]);
        let header = Header::parse("// environment: A=1 B=c=d\n", "// ").unwrap();
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [variable("A", "1"), variable("B", "c=d")];
        assert_eq!(header.environment, expected);
        assert!(Header::parse("// environment: A\n", "// ").is_err());
        let header = Header::parse("// until: 5.2, because of this and that\n", "// ").unwrap();
        assert_eq!(header.until.as_deref(), Some("5.2"));
        let header = Header::parse("// without: 5.7, because of this and that\n", "// ").unwrap();
        assert_eq!(header.without.as_deref(), Some("5.7"));
        assert_eq!(header.until, None);
        let header = Header::parse("// needs: rocrand/rocrand.h of librocrand-dev\n", "// ");
        assert_eq!(header.unwrap().needs.as_deref(), Some("rocrand/rocrand.h"));
        let header = Header::parse("// known: gfx1102, clang 21: a; b\n", "// ").unwrap();
        assert_eq!(header.known[0].device, "gfx1102");
        assert!(Header::parse("// known: gfx1102\n", "// ").is_err());
        let header = Header::parse("// tools: empty,instr-count; others take minutes\n", "// ");
        assert_eq!(header.unwrap().tools.as_deref(), Some("empty,instr-count"));
        let header = Header::parse("// omits: mem-trace; records wait\n", "// ");
        assert_eq!(header.unwrap().omits.as_deref(), Some("mem-trace"));
    }

    #[test]
    fn no_header_means_both_targets_and_a_typo_is_an_error() {
        assert_eq!(Header::parse("int x;", "// ").unwrap().devices, DEVICES);
        assert!(Header::parse("// flag: -O1\n", "// ").is_err());
        let mut header = Header::parse("int x;", "// ").unwrap();
        header.restrict(&["gfx1100"]);
        assert_eq!(header.devices, ["gfx1100"]);
        let mut header = Header::parse("// devices: gfx90a gfx1100\n", "// ").unwrap();
        header.restrict(&["gfx1100", "gfx1151"]);
        assert_eq!(header.devices, ["gfx1100"]);
        let text = "// devices: gfx908\n// also: gfx942\n";
        let mut header = Header::parse(text, "// ").unwrap();
        assert_eq!(header.devices, ["gfx908"]);
        header.restrict(&["gfx942", "gfx1151"]);
        assert_eq!(header.devices, ["gfx942"]);
        let mut header = Header::parse("// devices: gfx908\n// also: *\n", "// ").unwrap();
        header.restrict(&["gfx942", "gfx1151"]);
        assert_eq!(header.devices, ["gfx942", "gfx1151"]);
        let mut header = Header::parse("// not: gfx942\n", "// ").unwrap();
        header.restrict(&["gfx942", "gfx1151"]);
        assert_eq!(header.devices, ["gfx1151"]);
        assert!(Header::parse("// expect: success\n", "// ").is_err());
    }
}
