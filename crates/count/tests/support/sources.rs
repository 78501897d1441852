//! Sources of real programs, as crates carry them: fetched by name through cargo, once per target directory.
//!
//! Fetches from the crates registry: libz-sys, bzip2-sys, lz4-sys, lua-src, libsqlite3-sys, libffi-sys (and what they
//! depend on).

use super::{must, program, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A program made of a crate's C sources and a `main` of ours.
pub struct Real {
    pub name: &'static str,
    /// Directory in the vendored crate, relative to its root.
    root: &'static str,
    krate: &'static str,
    /// Source files; `*` stands for all C files but those listed after `!`.
    files: &'static [&'static str],
    pub flags: &'static [&'static str],
    /// An argument for benchmarks: about half a second of work.
    pub long: &'static str,
}

#[rustfmt::skip]
pub const REAL: &[Real] = &[
    Real { name: "zlib",   krate: "libz-sys",       root: "src/zlib",      files: &["*", "!gzlib.c", "!gzread.c", "!gzwrite.c", "!gzclose.c"], flags: &[],                 long: "2500000" },
    Real { name: "bzip2",  krate: "bzip2-sys",      root: "bzip2-1.0.8",   files: &["blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c", "decompress.c", "bzlib.c"], flags: &["-DBZ_NO_STDIO"], long: "3000000" },
    Real { name: "lz4",    krate: "lz4-sys",        root: "liblz4/lib",    files: &["lz4.c", "lz4hc.c"],                       flags: &[],                 long: "8000000" },
    // (Lookaside memory is recognised by comparing addresses: branches would depend on where the heap lies.)
    // The cache of API strings hashes addresses of literals; one entry makes that harmless. The seed is an address, too.
    Real { name: "lua",    krate: "lua-src",        root: "lua-5.4.9",     files: &["*", "!lua.c", "!luac.c", "!ltests.c", "!onelua.c"], flags: &["-DLUA_USE_POSIX", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1", "-Dluai_makeseed(L)=42u", "-lm"], long: "880" },
    Real { name: "sqlite", krate: "libsqlite3-sys", root: "sqlite3",       files: &["sqlite3.c"],                              flags: &["-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOOKASIDE", "-lm"], long: "80000" },
    // No crate: the bots of the example.
    Real { name: "bot",    krate: "",               root: "examples/bot-match", files: &["nearest_coin.cpp", "deep_thinker.cpp"], flags: &["-std=c++17"],     long: "600" },
    Real { name: "objects", krate: "",              root: "crates/count/tests/programs/real", files: &["shapes.cpp"],       flags: &["-std=c++17"],     long: "150000" },
];

impl Real {
    pub fn named(name: &str) -> &'static Real {
        REAL.iter()
            .find(|real| real.name == name)
            .expect("a program of the table")
    }

    pub fn is_cxx(&self) -> bool {
        self.files.iter().any(|file| file.ends_with(".cpp"))
    }

    /// The subcommand of `luthier count` that compiles it.
    pub fn driver(&self) -> &'static str {
        if self.is_cxx() { "c++" } else { "cc" }
    }

    /// The compiler that `driver` stands for.
    pub fn clang(&self) -> &'static str {
        if self.is_cxx() {
            "clang++-22"
        } else {
            "clang-22"
        }
    }

    fn directory(&self) -> PathBuf {
        if self.krate.is_empty() {
            return Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(self.root);
        }
        let root = vendored().join(self.krate);
        let exact = root.join(self.root);
        if exact.is_dir() {
            return exact;
        }
        // Versions in directory names move on: take the one that begins alike.
        let stem = self
            .root
            .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let mut found: Vec<PathBuf> = fs::read_dir(&root)
            .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(stem))
            })
            .collect();
        found.sort();
        found
            .pop()
            .unwrap_or_else(|| panic!("{}: no {}", root.display(), self.root))
    }

    /// Clang arguments that name the sources, our `main` first.
    pub fn arguments(&self) -> Vec<String> {
        let directory = self.directory();
        let ending = if self.is_cxx() { "cpp" } else { "c" };
        let mut files = vec![program(&format!("real/{}.{ending}", self.name))];
        if self.files[0] == "*" {
            let mut all: Vec<PathBuf> = fs::read_dir(&directory)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
                .filter(|path| {
                    let name = format!("!{}", path.file_name().unwrap().to_string_lossy());
                    !self.files.contains(&name.as_str())
                })
                .collect();
            all.sort();
            files.extend(all);
        } else {
            files.extend(self.files.iter().map(|name| directory.join(name)));
        }
        let mut arguments: Vec<String> = vec!["-w".into(), format!("-I{}", directory.display())];
        arguments.extend(
            self.flags
                .iter()
                .filter(|flag| !flag.starts_with("-l"))
                .map(|flag| (*flag).to_owned()),
        );
        arguments.extend(files.iter().map(|path| path.display().to_string()));
        arguments.extend(
            self.flags
                .iter()
                .filter(|flag| flag.starts_with("-l"))
                .map(|flag| (*flag).to_owned()),
        );
        arguments
    }
}

/// Sources of a crate as it was published.
pub fn of_crate(name: &str) -> PathBuf {
    vendored().join(name)
}

fn vendored() -> &'static Path {
    static VENDORED: OnceLock<PathBuf> = OnceLock::new();
    VENDORED.get_or_init(|| {
        let root = tools().parent().unwrap().join("count-sources");
        let done = root.join("vendor");
        let work = root.join("project");
        let manifest = "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
            libz-sys = \"1\"\nbzip2-sys = \"0.1\"\nlz4-sys = \"1\"\nlua-src = \"547\"\nlibsqlite3-sys = \"0.30\"\nlibffi-sys = \"3\"\n";
        let fetched = fs::read_to_string(work.join("Cargo.toml"));
        if done.is_dir() && fetched.is_ok_and(|fetched| fetched == manifest) {
            return done;
        }
        let _ = fs::remove_dir_all(&done);
        fs::create_dir_all(work.join("src")).unwrap();
        fs::write(work.join("src/lib.rs"), "").unwrap();
        fs::write(work.join("Cargo.toml"), manifest).unwrap();
        let aside = root.join("vendor.part");
        let _ = fs::remove_dir_all(&aside);
        let mut cargo = Command::new(env!("CARGO"));
        must(cargo.arg("vendor").arg(&aside).current_dir(&work));
        fs::rename(&aside, &done).unwrap();
        done
    })
}
