//! Compilers by a source's extension.

use std::path::Path;

use crate::asked::asked;

/// How sources of one kind become executables with device code.
#[derive(Debug)]
pub struct Language {
    pub extension: &'static str,
    pub compiler: &'static str,
    /// The prefix of the lines of the header.
    pub comment: &'static str,
    /// Flags of every program. Warnings would hide what a failing build says.
    pub flags: &'static [&'static str],
    /// The option that names a target, before it.
    pub target: &'static str,
    /// Debian packages of the compiler.
    pub packages: &'static str,
    /// A file that the compiler must have in its folder of programs; empty if nothing.
    needs: &'static str,
}

const GCC: Language = Language {
    extension: "c",
    compiler: "gcc",
    comment: "// ",
    // Ubuntu's GCC protects control flow and the stack unless it is told otherwise, and cannot for GPUs.
    flags: &[
        "-O2",
        "-w",
        "-fcf-protection=none",
        "-fno-stack-protector",
        "-foffload=amdgcn-amdhsa",
    ],
    target: "-foffload-options=amdgcn-amdhsa=-march=",
    packages: "gcc-offload-amdgcn",
    needs: "accel/amdgcn-amdhsa/mkoffload",
};

const LANGUAGES: &[Language] = &[
    Language {
        extension: "hip",
        compiler: "hipcc",
        comment: "// ",
        flags: &["-O2", "-w"],
        target: "--offload-arch=",
        packages: "hipcc",
        needs: "",
    },
    GCC,
    Language {
        extension: "cpp",
        compiler: "g++",
        ..GCC
    },
    Language {
        extension: "f90",
        compiler: "gfortran",
        comment: "! ",
        packages: "gfortran gcc-offload-amdgcn",
        ..GCC
    },
];

impl Language {
    /// The language of a file; None if it is no program.
    pub fn for_file(source: &Path) -> Option<&'static Language> {
        let extension = source.extension()?.to_str()?;
        LANGUAGES
            .iter()
            .find(|language| language.extension == extension)
    }

    /// Returns `true` if its compiler is here with what it needs for device code.
    pub fn is_here(&self) -> bool {
        let program = format!("-print-prog-name={}", self.needs);
        let option = if self.needs.is_empty() {
            "--version"
        } else {
            &program
        };
        // A program that GCC does not find is printed as it was asked for.
        asked(self.compiler, &[option])
            .is_some_and(|printed| self.needs.is_empty() || printed.starts_with(b"/"))
    }

    /// Returns `true` if its compiler finds a header.
    pub fn includes(&self, header: &str) -> bool {
        let kind = if self.extension == "hip" { "c++" } else { "c" };
        let defined = "-D__HIP_PLATFORM_AMD__";
        let arguments = ["-x", kind, defined, "-M", "-include", header, "/dev/null"];
        asked(self.compiler, &arguments).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_are_not_there_are_missed() {
        let hip = Language::for_file(Path::new("a.hip")).unwrap();
        if hip.is_here() {
            assert!(hip.includes("hip/hip_runtime.h"));
            assert!(!hip.includes("hip/no_such_header.h"));
        }
    }
}
