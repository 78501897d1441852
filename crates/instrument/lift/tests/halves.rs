//! Halves of registers: read, they keep the register alive; written, they end nothing.

use isa::{Assembler, Decoder};
use lift::{Access, Span};

fn access(target: &str, text: &str) -> Access {
    let target = gfx::Target::find(target).expect("a target");
    let code = Assembler::new(target)
        .expect("LLVM knows it")
        .assemble(text)
        .unwrap_or_else(|error| panic!("{}: {text}: {error}", target.name));
    let decoder = Decoder::new(target).expect("LLVM knows it");
    let inst = decoder.decode(&code, 0).expect("as it was assembled");
    assert_eq!(decoder.print(&inst), text, "{}", target.name);
    Access::new(&inst, decoder.wave_size(), false)
}

#[test]
fn registers_of_halves_are_read_and_not_ended() {
    for target in ["gfx1100", "gfx1151", "gfx1200", "gfx1201", "gfx1250"] {
        let register = |number| Span::Vector(number, 1);
        let conversion = access(target, "v_cvt_f32_f16_e32 v2, v1.h");
        assert!(
            conversion.reads.contains(&register(1)),
            "{target}: {conversion:?}"
        );
        assert!(
            !conversion.reads.contains(&register(129)),
            "{target}: {conversion:?}"
        );
        assert!(
            conversion.kills && conversion.writes.contains(&register(2)),
            "{target}"
        );
        for (text, read) in [
            ("v_mov_b16_e32 v5.h, v7.l", 7),
            ("v_cvt_f16_f32_e32 v5.l, v7", 7),
            ("v_add_f16_e32 v5.h, v7.h, v9.l", 9),
            ("v_add_f16_e64 v5.h, v7.h, v200.l op_sel:[1,0,1]", 200),
        ] {
            let half = access(target, text);
            assert!(
                half.reads.contains(&register(read)),
                "{target}: {text}: {half:?}"
            );
            assert!(
                half.writes.contains(&register(5)),
                "{target}: {text}: {half:?}"
            );
            assert!(!half.kills, "{target}: {text}");
        }
    }
}
