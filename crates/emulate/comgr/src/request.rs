//! The request that a program makes, and the question whether the request alone decides the result.

use std::{ffi::CString, fmt::Write, fs, os::unix::fs::MetadataExt};

use twox_hash::XxHash3_128;

use crate::library::Library;

/// An action whose result is kept.
struct Kept {
    /// Its number in comgr.
    kind: u32,
    /// The action takes a target, and works only for a caller that has set it. (comgr crashes if it is asked for one that is not set.)
    target: bool,
    /// An option that callers always pass that set a target: ROCclr, which is a part of HIP and of ROCm's OpenCL.
    sign: Option<&'static [u8]>,
}

/// The actions that take long. The other ones add what the library contains, or link an object.
const KEPT: [Kept; 3] = [
    // Source to bitcode.
    Kept {
        kind: 2,
        target: true,
        sign: Some(b"-cl-kernel-arg-info"),
    },
    // Bitcode, linked.
    Kept {
        kind: 4,
        target: false,
        sign: None,
    },
    // Bitcode to an object.
    Kept {
        kind: 6,
        target: true,
        sign: Some(b"-cl-kernel-arg-info"),
    },
];

/// How options begin that let the compiler neither read nor write another file.
const PURE: [&[u8]; 11] = [
    b"-O",
    b"-D",
    b"-cl-",
    b"-Xclang",
    b"-mllvm",
    b"-amdgpu-",
    b"-mcumode",
    b"-mwavefrontsize64",
    b"-mno-",
    b"-mcode-object-version=",
    // The linker of bitcode takes words without a dash.
    b"wavefrontsize64",
];
const LINKER: &[u8] = b"code_object_v";

/// Words in a source that bring in something else.
const IMPURE: [&[u8]; 4] = [b"include", b"__DATE__", b"__TIME", b"embed"];
/// The kind of data that is a source.
const SOURCE: u32 = 1;

/// Variables with such names change what comgr does besides.
const VARIABLES: &str = "AMD_COMGR_";

/// A data object as far as the result depends on it.
struct Input {
    kind: u32,
    name: Vec<u8>,
    hash: u128,
}

/// Everything that decides the result.
pub struct Request {
    kind: u32,
    language: u32,
    logging: bool,
    target: Vec<u8>,
    options: Vec<Vec<u8>>,
    input: Vec<Input>,
    /// The files of the compiler, with size and time.
    compiler: String,
}

impl Request {
    /// `None` if something else might decide the result, too.
    ///
    /// # Safety
    /// The handles must be the library's.
    pub unsafe fn read(
        library: &Library,
        kind: u32,
        info: u64,
        input: u64,
        result: u64,
    ) -> Option<Request> {
        let kept = KEPT.iter().find(|kept| kept.kind == kind)?;
        // SAFETY: the caller's handles. The target is asked for where callers have set it.
        unsafe {
            let options = library.options(info)?;
            if !kept
                .sign
                .is_none_or(|sign| options.iter().any(|option| option == sign))
                || !options.iter().all(|option| is_pure(option))
                || std::env::vars_os()
                    .any(|(name, _)| name.to_string_lossy().starts_with(VARIABLES))
                || !library.set(result)?.is_empty()
            {
                return None;
            }
            let mut pure = true;
            let mut inputs = Vec::new();
            let read = |kind, name, bytes: &[u8]| {
                pure &= kind != SOURCE || !IMPURE.iter().any(|word| contains(bytes, word));
                inputs.push(Input {
                    kind,
                    name,
                    hash: hash(bytes),
                });
            };
            library.each(input, read)?;
            let request = Request {
                kind,
                language: library.language(info)?,
                logging: library.logging(info)?,
                target: if kept.target {
                    library.target(info)?
                } else {
                    Vec::new()
                },
                options,
                input: inputs,
                compiler: compiler()?,
            };
            pure.then_some(request)
        }
    }

    /// The name of the result: a hash of everything that decides it.
    pub fn key(&self) -> String {
        let mut hasher = XxHash3_128::new();
        // The length keeps apart what would be the same when joined.
        let mut part = |bytes: &[u8]| {
            hasher.write(&(bytes.len() as u64).to_le_bytes());
            hasher.write(bytes);
        };
        part(env!("CARGO_PKG_VERSION").as_bytes());
        part(self.compiler.as_bytes());
        part(
            &[self.kind, self.language, self.logging.into()]
                .map(u32::to_le_bytes)
                .concat(),
        );
        part(&self.target);
        part(&(self.options.len() as u64).to_le_bytes());
        self.options.iter().for_each(|option| part(option));
        for data in &self.input {
            part(&data.kind.to_le_bytes());
            part(&data.name);
            part(&data.hash.to_le_bytes());
        }
        format!("{:032x}", hasher.finish_128())
    }
}

/// A hash that need not be cryptographic: only the user can write into the directory.
pub fn hash(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

fn is_pure(option: &[u8]) -> bool {
    PURE.iter().any(|start| option.starts_with(start)) || option.starts_with(LINKER)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// The libraries of the process that compile, each with its size and the time of its last change.
fn compiler() -> Option<String> {
    let is_one = |name: &CString| {
        let name = name.to_string_lossy().into_owned();
        let file = name.rsplit('/').next().unwrap_or_default();
        ["comgr", "LLVM", "clang", "lld"]
            .iter()
            .any(|part| file.contains(part))
            .then_some(name)
    };
    let mut said = String::new();
    for name in guest::library::loaded().iter().filter_map(is_one) {
        let of = fs::metadata(&name).ok()?;
        writeln!(
            said,
            "{name} {} {}.{}",
            of.len(),
            of.mtime(),
            of.mtime_nsec()
        )
        .ok()?;
    }
    (!said.is_empty()).then_some(said)
}
