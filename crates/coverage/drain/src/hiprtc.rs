//! The options by which hipRTC compiles with counters.
//!
//! hipRTC calls the clang inside the installed comgr, whose driver ignores instrumentation of device code before LLVM 20,
//! so the options go to the compiler proper. The header brings what the code of that clang refers to.

/// File name of the device header.
pub const HEADER_NAME: &str = "luthier_profile.h";

/// Options for `hiprtcCompileProgram`, to be followed by the path of the header.
#[rustfmt::skip]
pub const OPTIONS: &[&str] = &[
    "-Xclang", "-fprofile-instrument=clang",
    "-Xclang", "-fcoverage-mapping",
    "-Xclang", "-fprofile-update=atomic",
    "-include",
];
