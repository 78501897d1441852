//! No bytes and no text crash the decoder, the printer or the assembler.

use crate::common::wave_sizes;
use isa::{Assembler, Decoder};
use proptest::prelude::*;

/// Field values with a meaning of their own: DPP8, SDWA, DPP16, literals, NULL, M0, inline constants.
const SPECIAL: [u32; 12] = [255, 254, 249, 250, 233, 234, 253, 127, 126, 125, 124, 128];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn special(&mut self) -> u32 {
        SPECIAL[self.next() as usize % SPECIAL.len()]
    }

    /// A dword with a special value in one of the usual field positions half the time.
    fn word(&mut self) -> u32 {
        let word = self.next();
        match self.next() % 12 {
            0 => word & !0xff | self.special(),
            1 => word & !0x1ff | self.special(),
            2 => word & !(0x1ff << 9) | self.special() << 9,
            3 => word & !(0x1ff << 18) | self.special() << 18,
            4 => word & !(0xff << 8) | self.special() << 8,
            5 => word & !(0xff << 24) | self.special() << 24,
            6 => word & self.next() & self.next(),
            _ => word,
        }
    }
}

/// Every value of the upper half of the first dword, which holds all opcode fields, for every target and wave size, with
/// random rest: decoding and printing return.
#[test]
fn every_opcode_with_random_fields() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for target in gfx::TARGETS {
        for wave_size in wave_sizes(target) {
            let decoder = Decoder::with_features(target, wave_size, "").unwrap();
            let mut decoded = 0;
            for upper in 0..=0xffff_u32 {
                let first = upper << 16 | random.word() & 0xffff;
                let words = [
                    first,
                    random.word(),
                    random.word(),
                    random.word(),
                    random.word(),
                ];
                let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                if let Ok(inst) = decoder.decode(&code, 0) {
                    decoded += 1;
                    assert!(matches!(inst.size, 4 | 8 | 12 | 16 | 20));
                    assert!(!decoder.print(&inst).is_empty());
                }
            }
            assert!(
                decoded > 10_000,
                "{} wave{wave_size}: {decoded}",
                target.name
            );
        }
    }
}

/// LLVM takes scalars for registers here, and looks for parts of them that are not there.
#[test]
fn products_of_scalars_are_refused() {
    let decoder = Decoder::new(gfx::Target::find("gfx950").unwrap()).unwrap();
    let size = |words: &[u32]| {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        decoder.decode(&code, 0).map(|inst| inst.size).ok()
    };
    let vectors = 256 | 256 << 9 | 256 << 18;
    for product in [0xd3ad_0200, 0xd3ae_0200] {
        for scalars in [128, 5, 240] {
            let a = vectors & !0x1ff | scalars | 4 << 29;
            let b = vectors & !0x3fe00 | scalars << 9 | 4 << 29;
            for second in [a, b] {
                assert_eq!(size(&[product, second]), None);
                let scales = [0xd3ac_0000, 256 | 256 << 9];
                assert_eq!(size(&[&scales[..], &[product, second]].concat()), None);
            }
        }
        assert_eq!(size(&[product, vectors]), Some(8));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any bytes at any cut: all of them are accounted for, and nothing is read past the end.
    #[test]
    fn any_bytes(target in 0..gfx::TARGETS.len(), code in proptest::collection::vec(any::<u8>(), 0..64)) {
        thread_local! {
            static DECODERS: Vec<Decoder> =
                gfx::TARGETS.iter().map(|target| Decoder::new(target).unwrap()).collect();
        }
        DECODERS.with(|decoders| {
            let mut consumed = 0;
            for result in decoders[target].decode_all(&code, 0x1000) {
                let left = code.len() - consumed;
                consumed += match result {
                    Ok(inst) => usize::from(inst.size),
                    Err(error) => {
                        assert_eq!(error.pc(), 0x1000 + consumed as u64);
                        left.min(4)
                    }
                };
                assert!(consumed <= code.len());
            }
            assert_eq!(consumed, code.len());
        });
    }

    /// Text made of fragments of the grammar. No macros: nested ones may rightly take exponential
    /// time. No single quotes: LLVM's lexer may loop on an unterminated one, see [`Assembler`].
    #[test]
    fn any_text(
        target in 0..gfx::TARGETS.len(),
        fragments in proptest::collection::vec(proptest::sample::select(FRAGMENTS), 1..12),
    ) {
        let text = fragments.concat();
        let assembler = Assembler::new(&gfx::TARGETS[target]).unwrap();
        if let Err(error) = assembler.assemble(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

const FRAGMENTS: &[&str] = &[
    "v_add_f32 ",
    "v0",
    ", ",
    "s[0:1]",
    "s[3:1]",
    "v[0:",
    "\n",
    "s_branch ",
    "label",
    ":",
    "label:\n",
    "s_nop ",
    "0x",
    "99999999999999999999",
    "-1",
    "[",
    "]",
    "(",
    ")",
    "exec",
    "m0",
    "global_load_dword ",
    "off",
    " offset:",
    "-4096",
    ".long ",
    ".rept 3\n",
    ".endr\n",
    ".if 1\n",
    ".endif\n",
    "\"",
    "\\",
    "/*",
    "//",
    ".amdhsa_kernel k\n",
    ".end_amdhsa_kernel\n",
    ".amdhsa_next_free_vgpr 1\n",
    ".amdhsa_next_free_sgpr 1\n",
    ".amdgpu_metadata\n",
    ".end_amdgpu_metadata\n",
    ".section .text\n",
    ".org 3\n",
    ".align 3\n",
    ".fill 2, 4, 1\n",
    ".incbin \"/etc/hostname\"\n",
    ".include \"/etc/hostname\"\n",
    "quad_perm:[0,1,2,3]",
    " row_shl:1",
    " dst_sel:BYTE_0",
    "v_mov_b32_sdwa ",
    "v_mov_b32_dpp ",
    "lit(",
    "label-.",
    "abs(v1)",
    "-v1",
    "|v1|",
    "hwreg(HW_REG_MODE)",
    "s_getreg_b32 ",
    "sendmsg(MSG_GS, GS_OP_EMIT, 0)",
    "s_sendmsg ",
    "s_waitcnt ",
    "vmcnt(0)",
    "1.5",
    "1e400",
    "v_mfma_f32_32x32x1f32 ",
    "a[0:31]",
    "\u{7f}",
    "\u{e9}",
    "\0",
    ";",
    "#",
    "$",
    "s_mov_b32 ",
    "=",
    "x",
    "sym = 1\n",
    ".set x, x+1\n",
    ".size x, .-x\n",
];

/// The assembler must not read the file system.
#[test]
fn assembly_text_reads_no_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    std::fs::write(&path, b"s_nop 0\n").unwrap();
    let assembler = Assembler::new(gfx::Target::find("gfx90a").unwrap()).unwrap();
    for directive in ["incbin", "include"] {
        let text = format!(".{directive} \"{}\"\n", path.display());
        let error = assembler.assemble(&text).unwrap_err().to_string();
        assert!(error.starts_with("line 1, column "), "{error}");
    }
}
