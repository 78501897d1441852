//! Functions of the C library that always come back to their caller.
//!
//! A call of one of these is no observation point: nothing instrumented runs inside, it neither exits, throws nor jumps.
//! Not listed: whatever calls back (`qsort`, `bsearch`), blocks or is a cancellation point, writes to streams (a custom
//! stream runs user code), or may end the process. A program that defines one of these names itself, in another module,
//! must not leave through it.

/// Sorted, so that it can be searched.
#[rustfmt::skip]
const ALWAYS_RETURNS: &[&str] = &[
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno_location", "__memcpy_chk", "__memmove_chk",
    "__memset_chk", "__strcat_chk", "__strcpy_chk", "__strncpy_chk",
    "abs", "acos", "acosf", "asin", "asinf", "atan", "atan2", "atan2f", "atanf", "atof", "atoi", "atol", "atoll",
    "bcmp", "bzero",
    "calloc", "cbrt", "ceil", "ceilf", "copysign", "cos", "cosf", "cosh",
    "div",
    "exp", "exp2", "exp2f", "expf", "expm1",
    "fabs", "fabsf", "floor", "floorf", "fma", "fmax", "fmin", "fmod", "fmodf", "free", "frexp",
    "getpid",
    "hypot", "hypotf",
    "isalnum", "isalpha", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace", "isupper", "isxdigit",
    "labs", "ldexp", "ldexpf", "llabs", "localeconv", "log", "log10", "log1p", "log2", "log2f", "logf",
    "malloc", "malloc_usable_size", "memchr", "memcmp", "memcpy", "memmove", "memrchr", "memset", "modf",
    "nearbyint",
    "posix_memalign", "pow", "powf",
    "rand", "rand_r", "random", "realloc", "rint", "rintf", "round", "roundf",
    "sin", "sinf", "sinh", "sqrt", "sqrtf", "srand", "srandom", "stpcpy", "strcasecmp", "strcat", "strchr", "strchrnul",
    "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strlen", "strncasecmp", "strncat", "strncmp",
    "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strspn", "strstr", "strtod", "strtof", "strtok", "strtok_r",
    "strtol", "strtoll", "strtoul", "strtoull",
    "tan", "tanf", "tanh", "tolower", "toupper", "trunc", "truncf",
];

/// Returns `true` if a function of this name, declared but not defined here, is known to return always.
pub fn always_returns(name: &str) -> bool {
    ALWAYS_RETURNS.binary_search(&name).is_ok()
}

/// Prefix of the counter's own interface, which is free of charge.
pub const COUNTER_PREFIX: &str = "luthier_count_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_free_of_callbacks() {
        assert!(ALWAYS_RETURNS.is_sorted());
        for name in ["malloc", "memcpy", "strlen"] {
            assert!(always_returns(name), "{name}");
        }
        for name in [
            "qsort",
            "exit",
            "longjmp",
            "printf",
            "fork",
            "pthread_create",
            "",
        ] {
            assert!(!always_returns(name), "{name}");
        }
    }
}
