//! Names of functions as their authors wrote them.
//!
//! C++ names go through LLVM's demangler, which the compilers themselves use and which knows what their newest mangling says.
//! Plain C names stay as they are: a function `f` is not the type `float`, which has that code inside mangled names.

use std::ffi::{CStr, c_char, c_void};

unsafe extern "C" {
    fn luthier_demangle(name: *const c_char, length: usize) -> *mut c_char;
    fn luthier_demangle_windows(name: *const c_char, length: usize) -> *mut c_char;
    fn free(memory: *mut c_void);
}

/// [`demangled`], or the name itself.
pub fn readable(name: &str) -> String {
    demangled(name).unwrap_or_else(|| name.to_owned())
}

/// [`readable`], also of names in objects for Windows, which begin with `?`.
pub fn readable_of_any_system(name: &str) -> String {
    match name.starts_with('?') {
        true => through_llvm(luthier_demangle_windows, name).unwrap_or_else(|| name.to_owned()),
        false => readable(name),
    }
}

/// The readable form of a C++ or Rust name (without the hash of the latter), or `None` if the name is not a mangled one.
pub fn demangled(name: &str) -> Option<String> {
    // Mach-O puts one more underscore before every name.
    let name = match name.strip_prefix('_') {
        Some(inner) if inner.starts_with("_Z") || inner.starts_with("_R") => inner,
        _ => name,
    };
    if !["_Z", "_R"].iter().any(|start| name.starts_with(start)) {
        return None;
    }
    // Rust's older mangling is valid C++ mangling, too, with a namespace for the hash.
    if let Ok(symbol) = rustc_demangle::try_demangle(name) {
        return Some(format!("{symbol:#}"));
    }
    through_llvm(luthier_demangle, name)
}

/// `add(int*, int)` as `add`.
pub fn without_parameters(demangled: &str) -> &str {
    parameters_at(demangled).map_or(demangled, |(start, _)| &demangled[..start])
}

/// The types of the parameters in a readable C++ name: `int*` and `int` of `add(int*, int)`.
pub fn parameter_types(demangled: &str) -> Vec<&str> {
    let Some((start, end)) = parameters_at(demangled) else {
        return Vec::new();
    };
    let inside = &demangled[start + 1..end];
    let (mut types, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                types.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = inside[from..].trim();
    if !last.is_empty() {
        types.push(last);
    }
    types
}

/// The first and the last byte of the last pair of outer parentheses.
fn parameters_at(demangled: &str) -> Option<(usize, usize)> {
    let end = demangled.rfind(')')?;
    let mut depth = 0;
    for (at, byte) in demangled[..=end].bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((at, end));
        }
    }
    None
}

fn through_llvm(
    demangler: unsafe extern "C" fn(*const c_char, usize) -> *mut c_char,
    name: &str,
) -> Option<String> {
    // SAFETY: the pointer and length describe `name`; the result is null or text that `malloc` allocated.
    let text = unsafe { demangler(name.as_ptr().cast(), name.len()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: LLVM's result ends with a zero; it is freed once, after it was copied.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        free(text.cast());
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::{demangled, parameter_types, readable_of_any_system, without_parameters};

    #[test]
    fn types_are_in_mangled_names() {
        let name =
            "void apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int*, std::pair<int, float>)";
        let types = ["main::{lambda(int)#1}", "int*", "std::pair<int, float>"];
        assert_eq!(parameter_types(name), types);
        assert_eq!(
            without_parameters(name),
            "void apply<main::{lambda(int)#1}>"
        );
        assert_eq!(parameter_types("empty()"), [""; 0]);
        assert_eq!(parameter_types("plain"), [""; 0]);
        assert_eq!(
            parameter_types("callback(void (*)(int, int), float)"),
            ["void (*)(int, int)", "float"]
        );
    }

    /// Expected texts are what `llvm-cxxfilt-22` and the sources say.
    #[test]
    fn names_read_as_they_were_written() {
        #[rustfmt::skip]
        let rows = [
            ("_Z1fv", "f()"),
            ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2EmcRKS3_",
             "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>::basic_string(unsigned long, char, std::allocator<char> const&)"),
            ("_Z5twiceITk1IiET_S0_Q1IIS0_E", "int twice<int>(int) requires I<int>"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("__Z1fv", "f()"),
        ];
        for (mangled, written) in rows {
            assert_eq!(demangled(mangled).as_deref(), Some(written), "{mangled}");
        }
    }

    #[test]
    fn names_of_windows_are_read_where_they_may_be() {
        let name = "?f@@YAHH@Z";
        assert_eq!(demangled(name), None);
        let read = readable_of_any_system;
        assert_eq!(read(name), "int __cdecl f(int)");
        assert_eq!(read("?"), "?");
        assert_eq!(read("_Z1fv"), "f()");
    }

    #[test]
    fn names_of_c_stay_as_they_are() {
        for name in [
            "f", "i", "d", "v", "l", "c", "z", "St", "main", "R1f", "ZN3fooE", "_exit", "",
            "_Zebra",
        ] {
            assert_eq!(demangled(name), None, "{name}");
        }
    }
}
