//! Sources of real programs, as crates carry them: fetched by name through cargo, once per target directory.
//!
//! Fetches from the crates registry: libz-sys, bzip2-sys, lz4-sys, lua-src, libsqlite3-sys, libffi-sys, zstd-sys, libquickjs-sys,
//! expat-sys, cadical, mujs, pcre2-sys, brotli-sys, zopfli-sys (and what they depend on); from Debian: nlohmann-json3-dev, and the
//! sources of mawk, pigz and Stockfish (65 MB) as Debian 13 has them.

use super::{must, program, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// A program made of a crate's C sources and a `main` of this crate.
pub struct Real {
    pub name: &'static str,
    /// Directory in the vendored crate, relative to its root.
    root: &'static str,
    krate: &'static str,
    /// Source files; `*` stands for all C files but those listed after `!`.
    files: &'static [&'static str],
    pub flags: &'static [&'static str],
    /// An argument for benchmarks: about half a second of work.
    #[allow(dead_code, reason = "benchmarks read it")]
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
    // More of the same kind, measured but not in the gate.
    Real { name: "zstd",   krate: "zstd-sys",       root: "zstd/lib",      files: &["common/*", "compress/*", "decompress/*"], flags: &["-DZSTD_DISABLE_ASM"], long: "2500000" },
    Real { name: "quickjs", krate: "libquickjs-sys", root: "embed/quickjs", files: &["cutils.c", "libbf.c", "libregexp.c", "libunicode.c", "quickjs.c"], flags: &["-D_GNU_SOURCE", "-DCONFIG_VERSION=\"1\"", "-DCONFIG_BIGNUM", "-funsigned-char", "-lm", "-lpthread"], long: "60000" },
    Real { name: "expat",  krate: "expat-sys",      root: "expat/lib",     files: &["xmlparse.c", "xmlrole.c", "xmltok.c"],    flags: &["-DHAVE_MEMMOVE", "-DXML_NS", "-DXML_DTD", "-DXML_CONTEXT_BYTES=1024"], long: "250000" },
    Real { name: "cadical", krate: "cadical",       root: "cadical/src",   files: &["*", "!mobical.cpp", "!cadical.cpp", "!ccadical.cpp", "!ipasir.cpp"], flags: &["-std=c++17", "-DNBUILD", "-DNUNLOCKED", "-DNTRACING", "-DQUIET", "-DNDEBUG", "-DVERSION=\"1\""], long: "40" },
    Real { name: "json",   krate: "debian:nlohmann-json3-dev", root: "usr/include", files: &[],                                 flags: &["-std=c++17"],     long: "600" },
    Real { name: "modern", krate: "",               root: "crates/count/count/tests/programs/real", files: &[],                      flags: &["-std=c++20"],     long: "3000" },
    Real { name: "mujs",   krate: "mujs",           root: "mujs",          files: &["one.c"],                                  flags: &["-lm"],            long: "60000" },
    Real { name: "pcre2",  krate: "pcre2-sys",      root: "upstream/src",  files: &["*", "!pcre2_jit_match.c", "!pcre2_jit_misc.c", "!pcre2_ucptables.c"], flags: &["-I@/../include", "-DPCRE2_CODE_UNIT_WIDTH=8", "-DHAVE_STDLIB_H", "-DHAVE_MEMMOVE", "-DHAVE_CONFIG_H", "-DPCRE2_STATIC", "-DSTDC_HEADERS", "-DSUPPORT_PCRE2_8", "-DSUPPORT_UNICODE"], long: "2000000" },
    Real { name: "brotli", krate: "brotli-sys",     root: "brotli",        files: &["common/*", "dec/*", "enc/*"],              flags: &["-I@/include", "-lm"], long: "3000000" },
    Real { name: "zopfli", krate: "zopfli-sys",     root: "vendor/src/zopfli", files: &["*", "!zopfli_bin.c"],                 flags: &["-lm"],            long: "60000" },
    Real { name: "mawk",   krate: "source:mawk",    root: "",              files: &["*", "!makescan.c", "!makebits.c", "!fpe_check.c", "!trace.c", "!regexp_system.c", "!rexp.c", "!rexp0.c", "!rexp1.c", "!rexp2.c", "!rexp3.c", "!rexp4.c", "!rexpdb.c"], flags: &["-Dmain=mawk_main", "-DHAVE_CONFIG_H", "-D_DEFAULT_SOURCE", "-D_XOPEN_SOURCE=500", "-lm"], long: "10000000" },
    Real { name: "pigz",   krate: "source:pigz",    root: "",              files: &["*", "zopfli/src/zopfli/*", "!zopfli_bin.c"], flags: &["-Dmain=pigz_main", "-lz", "-lm"], long: "150000" },
    Real { name: "stockfish", krate: "source:stockfish", root: "src",      files: &["*", "nnue/*", "nnue/features/*", "syzygy/*", "!main.cpp"], flags: &["-std=c++17", "-DNNUE_EMBEDDING_OFF", "-DUSE_PTHREADS", "-DIS_64BIT", "-DNDEBUG"], long: "20" },
    Real { name: "objects", krate: "",              root: "crates/count/count/tests/programs/real", files: &["shapes.cpp"],       flags: &["-std=c++17"],     long: "150000" },
];

impl Real {
    pub fn named(name: &str) -> &'static Real {
        REAL.iter()
            .find(|real| real.name == name)
            .expect("a program of the table")
    }

    pub fn is_cxx(&self) -> bool {
        self.flags.iter().any(|flag| flag.starts_with("-std=c++"))
    }

    /// Libraries that it is linked with.
    pub fn libraries(&self) -> Vec<&'static str> {
        let flags = self.flags.iter().copied();
        flags.filter(|flag| flag.starts_with("-l")).collect()
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
                .join("../../..")
                .join(self.root);
        }
        if let Some(package) = self.krate.strip_prefix("debian:") {
            return of_debian(package).join(self.root);
        }
        if let Some(package) = self.krate.strip_prefix("source:") {
            return of_debian_source(package).join(self.root);
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

    /// Sources of a folder, but those that are left out.
    fn all_in(&self, folder: &Path, ending: &str) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|found| found == ending))
            .filter(|path| {
                let name = format!("!{}", path.file_name().unwrap().to_string_lossy());
                !self.files.contains(&name.as_str())
            })
            .collect();
        all.sort();
        all
    }

    /// Clang arguments that name the sources, our `main` first.
    pub fn arguments(&self) -> Vec<String> {
        let directory = self.directory();
        let ending = if self.is_cxx() { "cpp" } else { "c" };
        let mut files = vec![program(&format!("real/{}.{ending}", self.name))];
        for name in self.files.iter().filter(|name| !name.starts_with('!')) {
            match name.strip_suffix('*') {
                Some(folder) => files.extend(self.all_in(&directory.join(folder), ending)),
                None => files.push(directory.join(name)),
            }
        }
        let mut arguments: Vec<String> = vec!["-w".into(), format!("-I{}", directory.display())];
        arguments.extend(
            self.flags
                .iter()
                .filter(|flag| !flag.starts_with("-l"))
                .map(|flag| flag.replace('@', &directory.display().to_string())),
        );
        arguments.extend(files.iter().map(|path| path.display().to_string()));
        arguments.extend(self.libraries().into_iter().map(str::to_owned));
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
            libz-sys = \"1\"\nbzip2-sys = \"0.1\"\nlz4-sys = \"1\"\nlua-src = \"547\"\nlibsqlite3-sys = \"0.30\"\nlibffi-sys = \"3\"\n\
            zstd-sys = \"2\"\nlibquickjs-sys = \"0.10\"\nexpat-sys = \"2\"\ncadical = \"0.1\"\nmujs = \"0.0.3\"\n\
            pcre2-sys = \"0.2\"\nbrotli-sys = \"0.3\"\nzopfli-sys = \"0.1\"\n";
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

fn debian() -> PathBuf {
    tools().parent().unwrap().join("count-sources/debian")
}

/// One package at a time: makes `done` of what `fill` puts into a folder, if it is not there.
fn once(done: PathBuf, fill: impl FnOnce(&Path)) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap();
    if !done.is_dir() {
        let aside = done.with_extension("part");
        let _ = fs::remove_dir_all(&aside);
        fs::create_dir_all(&aside).unwrap();
        fill(&aside);
        fs::rename(&aside, &done).unwrap();
    }
    done
}

fn only_entry(folder: &Path) -> PathBuf {
    fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
}

/// The files of a Debian package, below a directory of the tests.
fn of_debian(package: &str) -> PathBuf {
    once(debian().join(package), |aside| {
        must(
            Command::new("apt-get")
                .args(["download", package])
                .current_dir(aside),
        );
        let archive = only_entry(aside);
        must(Command::new("dpkg-deb").arg("-x").arg(archive).arg(aside));
    })
}

/// The sources of a Debian package as their authors publish them, with what its makefile generates.
fn of_debian_source(package: &str) -> PathBuf {
    // (Lists of our own: machines need not be set up for sources, and releases before 13 have no mawk and no pigz that mirrors still hold.)
    let apt = once(debian().join("lists-of-sources"), |aside| {
        fs::create_dir_all(aside.join("lists/partial")).unwrap();
        let sources = format!(
            "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {} trixie main\n",
            archive()
        );
        fs::write(aside.join("sources.list"), sources).unwrap();
        must(apt_get(aside).arg("update"));
    });
    once(debian().join("source").join(package), |aside| {
        let archives = aside.join("archives");
        fs::create_dir(&archives).unwrap();
        let mut fetch = apt_get(&apt);
        must(
            fetch
                .args(["source", "--tar-only", package])
                .current_dir(&archives),
        );
        let mut unpack = Command::new("tar");
        unpack.args(["--strip-components=1", "--exclude=*.nnue", "-xf"]);
        must(unpack.arg(only_entry(&archives)).current_dir(aside));
        fs::remove_dir_all(&archives).unwrap();
        if aside.join("configure").exists() {
            let mut configure = Command::new("./configure");
            must(configure.env("CC", "clang-22").current_dir(aside));
            must(Command::new("make").current_dir(aside));
        }
    })
}

/// The archive of Debian that apt uses on this machine.
fn archive() -> String {
    let mut apt = Command::new("apt-get");
    let of_debian = ["Created-By: Packages", "Origin: Debian", "Label: Debian"];
    let told = must(
        apt.args(["indextargets", "--format", "$(REPO_URI)"])
            .args(of_debian),
    );
    let told = String::from_utf8(told.stdout).unwrap();
    let archive = told.lines().next();
    archive
        .expect("apt has lists of Debian's packages: `apt-get update` fetches them")
        .to_owned()
}

fn apt_get(lists: &Path) -> Command {
    let mut command = Command::new("apt-get");
    for (what, where_to) in [
        ("Dir::Etc::SourceList", "sources.list"),
        ("Dir::Etc::SourceParts", "none"),
        ("Dir::State::Lists", "lists"),
        ("Dir::Cache", "cache"),
    ] {
        command.arg(format!("-o{what}={}", lists.join(where_to).display()));
    }
    command
}
