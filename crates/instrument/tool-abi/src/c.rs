//! How C writes a type.

use std::ffi::{c_char, c_int, c_void};

/// A type that the header has as well.
pub trait InC {
    /// The declaration of something with this type: `int *` and `NAME`, for example, is `int *NAME`.
    fn in_c(declarator: &str) -> String;
}

macro_rules! plain {
    ($($type:ty = $c:literal,)*) => {
        $(
            impl InC for $type {
                fn in_c(declarator: &str) -> String {
                    format!("{} {declarator}", $c)
                }
            }
        )*
    };
}

plain! {
    c_char = "char",
    c_int = "int",
    c_void = "void",
    () = "void",
    u32 = "luthier_u32",
    u64 = "luthier_u64",
    usize = "size_t",
}

impl<T: InC> InC for *mut T {
    fn in_c(declarator: &str) -> String {
        T::in_c(&format!("*{declarator}"))
    }
}

/// (No function takes a constant pointer to a pointer, which C would write in another way.)
impl<T: InC> InC for *const T {
    fn in_c(declarator: &str) -> String {
        format!("const {}", T::in_c(&format!("*{declarator}")))
    }
}

/// A pointer to a function: its name, its parameters, and what it returns.
pub(crate) fn function<R: InC>(name: &str, parameters: &[String]) -> String {
    let parameters = match parameters {
        [] => "void".to_owned(),
        some => some.join(", "),
    };
    R::in_c(&format!("(*{name})({parameters})"))
}
