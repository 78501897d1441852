//! Asks the C compiler where the members of structures are, and which numbers names have.

use std::{fmt::Write, path::Path, process::Command};

/// One struct: its C name, our size, and (C field path, our offset) pairs. Without a size only the members are compared.
pub type Row = (&'static str, Option<usize>, Vec<(&'static str, usize)>);

/// A C expression, and our number for it.
#[allow(
    dead_code,
    reason = "the programs that include this file need different parts of it"
)]
pub type Value = (&'static str, i64);

#[macro_export]
macro_rules! row {
    ($c:literal, $type:ty, { $($c_field:literal => $field:ident),* $(,)? }) => {
        ($c, Some(size_of::<$type>()), vec![$(($c_field, std::mem::offset_of!($type, $field))),*]) as $crate::common::Row
    };
}

/// Returns `true` if Debian's header is here.
fn has(header: &str) -> bool {
    let packages = "libhsakmt-dev, libhsa-runtime-dev, libdrm-dev or linux-libc-dev";
    prerequisite::file(Path::new("/usr/include").join(header), packages)
}

/// Compares numbers with a C program that includes the header, if it is here.
#[allow(
    dead_code,
    reason = "the programs that include this file need different parts of it"
)]
pub fn check_values(needed_header: &str, includes: &str, values: &[Value]) {
    if !has(needed_header) {
        return;
    }
    let (mut body, mut expected) = (String::new(), String::new());
    for (name, value) in values {
        writeln!(body, "printf(\"{name} %lld\\n\", (long long)({name}));").unwrap();
        writeln!(expected, "{name} {value}").unwrap();
    }
    assert_eq!(printed(includes, &body), expected);
}

/// Compares rows with a C program that includes the header, if it is here.
pub fn check(needed_header: &str, includes: &str, rows: Vec<Row>) {
    if !has(needed_header) {
        return;
    }
    let (mut body, mut expected) = (String::new(), String::new());
    for (name, size, fields) in &rows {
        if let Some(size) = size {
            writeln!(body, "printf(\"{name} %zu\\n\", sizeof({name}));").unwrap();
            writeln!(expected, "{name} {size}").unwrap();
        }
        for (field, offset) in fields {
            // `offsetof` does not take bit fields or anonymous members of every compiler; the address of a member does.
            writeln!(body, "{{ static {name} v; printf(\"{name}.{field} %zu\\n\", (size_t)((char *)&v.{field} - (char *)&v)); }}")
                .unwrap();
            writeln!(expected, "{name}.{field} {offset}").unwrap();
        }
    }
    assert_eq!(printed(includes, &body), expected);
}

/// The output of a C program with these lines.
fn printed(includes: &str, body: &str) -> String {
    let source = format!(
        "{includes}\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0; }}\n"
    );
    let directory = tempfile::tempdir().unwrap();
    let (file, program) = (
        directory.path().join("layout.c"),
        directory.path().join("layout"),
    );
    std::fs::write(&file, source).unwrap();
    let compiled = compiler(directory.path())
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let printed = Command::new(&program).output().unwrap();
    String::from_utf8(printed.stdout).unwrap()
}

/// The C compiler, which finds a `drm/drm.h` if libdrm's is not installed: the driver's header needs but types of it.
pub fn compiler(directory: &Path) -> Command {
    let stand_in = directory.join("drm");
    std::fs::create_dir_all(&stand_in).unwrap();
    std::fs::write(stand_in.join("drm.h"), "#include <linux/types.h>\n").unwrap();
    let mut command = Command::new("cc");
    command.arg("-w").arg("-idirafter").arg(directory);
    command
}
