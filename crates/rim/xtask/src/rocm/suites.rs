//! Test suites that Debian ships, and how each is run.

use super::{amd, built::Program, compiled::Sources, onnx, python::Script};

/// A suite of one package.
pub struct Suite {
    pub name: &'static str,
    /// Debian packages; those that only another release has end with its name, as apt takes it, and those whose name tells
    /// their version stand with `|` between them, the newest first.
    pub packages: &'static str,
    pub kind: Kind,
}

pub enum Kind {
    /// Programs of GoogleTest.
    GoogleTest {
        /// Their files; `*` stands for anything.
        files: &'static str,
        /// Arguments of each; paths with `*` are those of the files that match.
        arguments: &'static [&'static str],
        /// The tests, in the form of `--gtest_filter`.
        filter: &'static str,
    },
    /// Programs of GoogleTest that are compiled here, for devices that no package of tests has code for.
    Compiled(Sources),
    /// One program of GoogleTest that is built from ROCr's sources.
    Built(&'static Program),
    /// Programs of Thrust's own unit tests.
    UnitTests { files: &'static str },
    /// llama.cpp's operators, which are compared with those of its CPU backend.
    Operators,
    /// llama.cpp generating text with models made up here.
    Completion,
    /// ONNX's models, which are compared with the results that it ships.
    Onnx,
    /// Frameworks of Python.
    Python(Script),
}

pub const SUITES: &[Suite] = &[
    Suite {
        name: "kfdtest",
        packages: "g++ libdrm-dev libnuma-dev libgtest-dev llvm-21-dev|llvm-19-dev|llvm-18-dev",
        kind: Kind::Built(&amd::KFDTEST),
    },
    Suite {
        name: "rocrtst",
        packages: "g++ libhsa-runtime-dev librocm-smi-dev libhwloc-dev libnuma-dev libgtest-dev clang-21|clang-19|clang-18 llvm-21-dev|llvm-19-dev|llvm-18-dev",
        kind: Kind::Built(&amd::ROCRTST),
    },
    Suite {
        name: "rocprim",
        packages: "librocprim-tests",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocprim-tests/test_*",
            arguments: &[],
            filter: "*",
        },
    },
    Suite {
        name: "rocprim-source",
        packages: "librocprim-dev libgtest-dev",
        kind: Kind::Compiled(Sources {
            package: "rocprim",
            files: "test/rocprim/*.cpp",
            flags: &["-std=c++17", "-O1", "-w"],
            include: &["test", "test/rocprim"],
            libraries: &["-lgtest", "-lgtest_main", "-pthread"],
            macros: &[("gfx950", "__gfx9_4_generic__")],
        }),
    },
    Suite {
        name: "hipcub",
        packages: "libhipcub-tests",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/libhipcub-tests/test_*",
            arguments: &[],
            filter: "*",
        },
    },
    Suite {
        name: "rocthrust",
        packages: "librocthrust-tests",
        kind: Kind::UnitTests {
            files: "/usr/libexec/rocm/librocthrust-tests/test_*",
        },
    },
    Suite {
        name: "rocblas",
        packages: "librocblas5-tests|librocblas4-tests librocblas5-tests-data|librocblas4-tests-data",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocblas*-tests/rocblas-test",
            arguments: &[
                "--data",
                "/usr/share/librocblas*-tests/data/rocblas_gtest.data",
            ],
            filter: "*quick*",
        },
    },
    Suite {
        name: "rocfft",
        packages: "librocfft0-tests",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocfft0-tests/rocfft-test",
            arguments: &[],
            filter: "*pow2_1D*",
        },
    },
    Suite {
        name: "rocsolver",
        packages: "librocsolver0-tests",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocsolver0-tests/rocsolver-test",
            arguments: &[],
            filter: "*checkin*",
        },
    },
    Suite {
        name: "rocsparse",
        packages: "librocsparse1-tests librocsparse1-tests-data",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocsparse1-tests/rocsparse-test",
            arguments: &[],
            filter: "*quick*",
        },
    },
    Suite {
        name: "rocwmma",
        packages: "librocwmma-tests",
        kind: Kind::GoogleTest {
            files: "/usr/libexec/rocm/librocwmma-tests/*_test",
            arguments: &[],
            filter: "*",
        },
    },
    Suite {
        name: "operators",
        packages: "llama.cpp libggml0-backend-hip llama.cpp-tests",
        kind: Kind::Operators,
    },
    Suite {
        name: "llama",
        packages: "llama.cpp libggml0-backend-hip python3-gguf",
        kind: Kind::Completion,
    },
    Suite {
        name: "onnx",
        packages: onnx::PACKAGES,
        kind: Kind::Onnx,
    },
    Suite {
        name: "tinygrad",
        packages: "python3-numpy clang-21",
        kind: Kind::Python(Script {
            name: "tinygrad",
            requirement: "tinygrad==0.14.0",
            backends: 2,
            text: include_str!("tinygrad.py"),
        }),
    },
    Suite {
        name: "triton",
        packages: "python3-numpy gcc libc6-dev",
        kind: Kind::Python(Script {
            name: "triton",
            requirement: "triton==3.9.0",
            backends: 1,
            text: include_str!("triton.py"),
        }),
    },
];

pub fn named(name: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|suite| suite.name == name)
}

pub fn names() -> String {
    let names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
    names.join(", ")
}
