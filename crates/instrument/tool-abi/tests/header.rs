//! The headers and the rows say the same: a compiler checks sizes, offsets and numbers.

use std::{fmt::Write, mem::offset_of, path::Path, process::Command};

use tool_abi::structures::{DispatchPacket, Packet};

#[test]
fn the_header_says_what_the_rows_have() {
    let mut text = String::from("#include <luthier.h>\n");
    let mut claims = 0;
    let mut claim = |what: String, value: u64| {
        claims += 1;
        writeln!(text, "static_assert({what} == {value}ull, \"{what}\");").unwrap();
    };
    for structure in tool_abi::all_structures() {
        let name = structure.name;
        claim(format!("sizeof({name})"), structure.size as u64);
        for member in structure.members {
            let what = format!("__builtin_offsetof({name}, {})", member.name);
            claim(what, member.offset as u64);
        }
    }
    for (_, all) in tool_abi::enumerations() {
        for row in all {
            claim(row.name.to_owned(), row.value.into());
        }
    }
    use tool_abi::constants::{API_VERSION, NO_DEVICE};
    claim("LUTHIER_API_VERSION".to_owned(), API_VERSION.into());
    claim("LUTHIER_NO_DEVICE".to_owned(), NO_DEVICE.into());
    claim("LUTHIER_OWN_MODULE".to_owned(), tool_abi::OWN_MODULE);

    // HSA's own structure.
    let packet = "hsa_kernel_dispatch_packet_t";
    claim(
        format!("sizeof({packet})"),
        size_of::<DispatchPacket>() as u64,
    );
    for (member, offset) in [
        (
            "workgroup_size_x",
            offset_of!(DispatchPacket, workgroup_size),
        ),
        ("grid_size_x", offset_of!(DispatchPacket, grid_size)),
        ("kernel_object", offset_of!(DispatchPacket, kernel_object)),
        (
            "kernarg_address",
            offset_of!(DispatchPacket, kernarg_address),
        ),
        (
            "completion_signal",
            offset_of!(DispatchPacket, completion_signal),
        ),
    ] {
        claim(
            format!("__builtin_offsetof({packet}, {member})"),
            offset as u64,
        );
    }
    claim(
        "sizeof(luthier_packet)".to_owned(),
        size_of::<Packet>() as u64,
    );
    claim(
        "alignof(luthier_packet)".to_owned(),
        align_of::<Packet>() as u64,
    );
    assert!(claims > 250, "{claims}");

    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("claims.hip");
    std::fs::write(&source, text).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let compiled = Command::new("clang++-22")
        .args(["-x", "hip", "--cuda-host-only", "-nogpulib", "-nogpuinc"])
        .args(["-fsyntax-only", "-std=c++17", "-DLUTHIER_WITHOUT_HIP", "-I"])
        .arg(include)
        .arg(source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}
