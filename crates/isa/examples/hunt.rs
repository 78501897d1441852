use isa::*;
use std::os::unix::fs::FileExt;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let target = gfx::Target::find(&a[1]).unwrap();
    let wave: u8 = a[2].parse().unwrap();
    let (start, end): (u64, u64) = (a[3].parse().unwrap(), a[4].parse().unwrap());
    let mode = &a[5];
    let f = std::fs::File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&a[6])
        .unwrap();
    let d = Decoder::with_features(target, wave, "").unwrap();
    let specials = [255u32, 249, 250, 233, 234, 253, 125, 124, 0x7f, 128];
    for i in start..end {
        let mut s = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
        };
        let mut b = Vec::new();
        for k in 0..5 {
            let mut w = next();
            if k > 0 {
                match next() % 4 {
                    0 => w &= next(),
                    1 => w &= 0x7f7f_7f7f,
                    2 => w &= next() & next(),
                    _ => {}
                }
            } else {
                w = (w & 0xffff) | ((i as u32 & 0xffff) << 16);
                if i & 0x10000 != 0 && w < 0x8000_0000 {
                    w |= 0x8000_0000;
                }
            }
            // plant special field values
            match next() % 6 {
                0 => w = w & !0xff | specials[next() as usize % specials.len()],
                1 => w = w & !0x1ff | specials[next() as usize % specials.len()],
                2 if k > 0 => {
                    w = w & !(0x1ff << 9) | specials[next() as usize % specials.len()] << 9
                }
                3 if k > 0 => {
                    w = w & !(0x1ff << 18) | specials[next() as usize % specials.len()] << 18
                }
                4 => w = w & !(0xff << 8) | specials[next() as usize % specials.len()] << 8,
                5 if k > 0 => {
                    w = w & !(0xff << 24) | specials[next() as usize % specials.len()] << 24
                }
                _ => {}
            }
            b.extend_from_slice(&w.to_le_bytes());
        }
        f.write_all_at(&[&i.to_le_bytes()[..], &b[..]].concat(), 0)
            .unwrap();
        if let Ok(inst) = d.decode(&b, 0) {
            if mode == "print" {
                d.print(&inst);
            }
        }
    }
}
