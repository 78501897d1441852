//! Tools with host code in Rust: the author of the tool builds a library that contains all of this crate.
//!
//! The runtime loads this library in place of `libluthier_intercept.so`. Nothing but functions of the runtime passes between
//! it and others, so it does not matter which compiler made them.

use std::ffi::{CStr, CString};

use guest::library;
use luthier::{Tool, ToolFile};

/// The variable under which [`tools!`](crate::tools) leaves what is in the library; also tells such libraries from others.
const VARIABLE: &CStr = c"LUTHIER_OWN_TOOLS";

/// A tool of such a library.
#[derive(Clone, Copy, Debug)]
pub struct OwnTool {
    pub name: &'static str,
    /// The tool file that `luthier tool build` made of its hooks.
    pub file: &'static [u8],
    pub make: fn(ToolFile) -> Box<dyn Tool>,
}

/// All tools of a library.
#[derive(Clone, Copy, Debug)]
pub struct OwnTools(pub &'static [OwnTool]);

/// Makes a library's tools known: `luthier_intercept::tools! { "NAME" => TYPE }`, once in a crate of type `cdylib`. TYPE is a
/// tuple structure with a [`ToolFile`] alone, or a function from that to a tool; `NAME.tool` lies in the build script's
/// `OUT_DIR`.
#[macro_export]
macro_rules! tools {
    ($($name:literal => $make:expr),+ $(,)?) => {
        #[unsafe(no_mangle)]
        pub static LUTHIER_OWN_TOOLS: $crate::OwnTools = $crate::OwnTools(&[$($crate::OwnTool {
            name: $name,
            file: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".tool")),
            make: |file| Box::new($make(file)),
        }),+]);
    };
}

/// The tools in this library; none if it is Luthier's own.
pub fn tools() -> &'static [OwnTool] {
    let path = library::own_path().map(|path| path.into_os_string().into_encoded_bytes());
    let Some(path) = path.and_then(|path| CString::new(path).ok()) else {
        return &[];
    };
    let Some(variable) = library::symbol(&path, VARIABLE) else {
        return &[];
    };
    // SAFETY: the variable that `tools!` defines, which was compiled together with this code.
    unsafe { variable.cast::<OwnTools>().as_ref() }.0
}
