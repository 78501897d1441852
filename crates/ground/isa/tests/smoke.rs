//! The shortest way through the crate: text to bytes to instructions to text.

use isa::{AssembleError, Assembler, Decoder, Format};

const TEXT: &str = "\
    v_add_f32_e32 v0, v1, v2
    s_cbranch_scc0 done
    global_load_dword v1, v[2:3], off offset:16
done:
    s_endpgm
";

#[test]
fn text_to_bytes_to_text() {
    for name in ["gfx90a", "gfx1030"] {
        let target = gfx::Target::find(name).unwrap();
        let code = Assembler::new(target).unwrap().assemble(TEXT).unwrap();
        let decoder = Decoder::new(target).unwrap();
        let insts: Vec<_> = decoder
            .decode_all(&code, 0x1000)
            .map(Result::unwrap)
            .collect();
        let text: Vec<_> = insts
            .iter()
            .map(|inst| decoder.print_with_target(inst, |_| None))
            .collect();
        assert_eq!(
            text,
            [
                "v_add_f32_e32 v0, v1, v2",
                "s_cbranch_scc0 0x1010",
                "global_load_dword v1, v[2:3], off offset:16",
                "s_endpgm"
            ]
        );
        let formats: Vec<_> = insts.iter().map(|inst| inst.format).collect();
        assert_eq!(
            formats,
            [Format::Vop2, Format::Sopp, Format::Global, Format::Sopp]
        );
        assert_eq!(insts[1].target(), Some(0x1010));
        assert_eq!(decoder.print(&insts[1]), "s_cbranch_scc0 2");
    }
}

#[test]
fn bad_text_is_reported_by_line_and_column() {
    let assembler = Assembler::new(gfx::Target::find("gfx90a").unwrap()).unwrap();
    let AssembleError::Text(messages) = assembler
        .assemble("s_nop 0\nv_foo v0\n s_branch nowhere")
        .unwrap_err()
    else {
        panic!("wrong error");
    };
    assert_eq!((messages[0].line, messages[0].column), (2, 1));
    assert_eq!(messages[0].text, "invalid instruction");
    let AssembleError::Text(messages) = assembler.assemble("s_branch nowhere").unwrap_err() else {
        panic!("wrong error");
    };
    assert_eq!(
        messages[0].to_string(),
        "line 1, column 10: undefined label 'nowhere'"
    );
}

/// As clang 15 writes and prints it, with abs and neg of a source, which mean nothing there.
#[test]
fn bits_that_instructions_ignore_are_no_obstacle() {
    let decoder = Decoder::new(gfx::Target::find("gfx1030").unwrap()).unwrap();
    let code = [0x06, 0x12, 0x78, 0xd7, 0x05, 0x01, 0x01, 0x42];
    let inst = decoder.decode(&code, 0).unwrap();
    let text = "v_permlanex16_b32 v6, v5, 0, 0 op_sel:[0,1]";
    assert_eq!(decoder.print(&inst), text);
    assert_eq!(inst.words[..2], [0xd778_1206, 0x4201_0105]);
}

/// Register fields that an instruction does not use may hold anything; the words stay what they were. (That is how
/// tinygrad's instruction tests, which are checked on hardware, write them.)
#[test]
fn fields_that_instructions_leave_unused_are_no_obstacle() {
    let cases: &[(&str, &[u32], &str)] = &[
        // A result, for an atomic operation without one.
        ("gfx1100", &[0xd800_0000, 0x0200_010a], "ds_add_u32 v10, v1"),
        ("gfx90a", &[0xd800_0000, 0x0200_010a], "ds_add_u32 v10, v1"),
        (
            "gfx1200",
            &[0xd840_0000, 0x0302_010a],
            "ds_cmpstore_b32 v10, v1, v2",
        ),
        // Both values, for a load.
        ("gfx1030", &[0xd8d8_0000, 0x0302_0104], "ds_read_b32 v3, v4"),
        // A second source, for a move.
        (
            "gfx1100",
            &[0xca20_04ff, 0x0200_0300, 0x64],
            "v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1",
        ),
        (
            "gfx1200",
            &[0xc8d0_0700, 0x0400_2301],
            "v_dual_mul_f32 v4, v0, v3 :: v_dual_mov_b32 v1, v1",
        ),
    ];
    for (target, words, text) in cases {
        let decoder = Decoder::new(gfx::Target::find(target).unwrap()).unwrap();
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let inst = decoder.decode(&code, 0).unwrap();
        assert_eq!(decoder.print(&inst), *text, "{target}");
        assert_eq!(inst.words[..words.len()], **words);
    }
}
