//! Image instructions on images that the tests lay out themselves. Expected values follow from the definitions of number
//! formats, addressing modes and linear filters.

use crate::harness::{Machine, POISON, scene::*};
use wave::Stop;

/// A target of gfx9 with the AccVGPRs apart, with them unified, one of gfx10, one of gfx11 and one of gfx12.
const TARGETS: [&str; 5] = ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];
/// Instructions that sample with a level of their own.
const SAMPLERS: [&str; 4] = ["gfx906", "gfx1030", "gfx1100", "gfx1201"];

#[test]
fn loads_and_stores_reach_their_texels() {
    for target in TARGETS {
        let mut scene = Scene::new(D2, R32_UINT, [10, 5, 1], |x, y| (100 * y + x) as u32);
        let mut m = scene.machine(
            target,
            "image_load v8, v[2:3], s[8:15] dmask:0x1 DIM unorm DA
             image_store v4, v[6:7], s[8:15] dmask:0x1 DIM unorm DA",
        );
        // Some coordinates are outside: 10 is one too many, and so is 5.
        m.vgpr(2, |lane| lane as u32 % 11)
            .vgpr(3, |lane| lane as u32 / 11);
        m.vgpr(6, |lane| lane as u32).vgpr(7, |_| 2);
        m.vgpr(4, |lane| 7000 + lane as u32).run();
        m.check(8, |lane| {
            let (x, y) = (lane % 11, lane / 11);
            if x < 10 && y < 5 {
                (100 * y + x) as u32
            } else {
                0
            }
        });
        for (y, row) in scene.rows.iter().enumerate() {
            for (x, &texel) in row.0.iter().enumerate() {
                let want = match (x, y) {
                    (10.., _) => POISON,
                    (_, 2) => 7000 + x as u32,
                    _ => (100 * y + x) as u32,
                };
                assert_eq!(texel, want, "{target} ({x}, {y})");
            }
        }
    }
}

#[test]
fn volumes_arrays_and_rows() {
    for target in TARGETS {
        for (kind, size) in [(D3, [4, 3, 5]), (D2_ARRAY, [4, 3, 5]), (D1, [20, 1, 1])] {
            let mut scene = Scene::new(kind, R32_UINT, size, |x, row| (100 * row + x) as u32);
            let mut m = scene.machine(
                target,
                match kind {
                    D1 => "image_load v8, v2, s[8:15] dmask:0x1 DIM unorm DA",
                    _ => "image_load v8, v[2:4], s[8:15] dmask:0x1 DIM unorm DA",
                },
            );
            let [width, height, depth] = size.map(|size| size as usize);
            m.vgpr(2, |lane| (lane % width) as u32);
            m.vgpr(3, |lane| (lane / width % height) as u32);
            m.vgpr(4, |lane| (lane / width / height) as u32).run();
            m.check(8, |lane| {
                let (x, row) = (lane % width, lane / width);
                match kind {
                    D1 => x as u32,
                    _ if row < height * depth => (100 * row + x) as u32,
                    _ => 0,
                }
            });
        }
    }
}

#[test]
fn formats_and_selects() {
    for target in TARGETS {
        let texel = 0x80c0_4020;
        let load = |format, selects| {
            let mut scene = Scene::new(D1, format, [1, 1, 1], |_, _| texel);
            scene.selects = selects;
            let mut m = scene.machine(
                target,
                "image_load v[8:11], v2, s[8:15] dmask:0xf DIM unorm DA
                 image_load v[12:13], v2, s[8:15] dmask:0xa DIM unorm DA",
            );
            m.vgpr(2, |_| 0).exec(1).run();
            assert_eq!(m.wave.vgpr(12, 0), m.wave.vgpr(9, 0));
            assert_eq!(m.wave.vgpr(13, 0), m.wave.vgpr(11, 0));
            [8, 9, 10, 11].map(|index| m.wave.vgpr(index, 0))
        };
        assert_eq!(load(RGBA8_UINT, IDENTITY), [0x20, 0x40, 0xc0, 0x80]);
        // Blue, green, red and the constant one.
        let turned = 6 | 5 << 3 | 4 << 6 | 1 << 9;
        assert_eq!(load(RGBA8_UINT, turned), [0xc0, 0x40, 0x20, 1]);
        let unorm = [32.0, 64.0, 192.0, 128.0].map(|value| f(value / 255.0));
        assert_eq!(load(RGBA8_UNORM, IDENTITY), unorm);
        assert_eq!(load(RG16_SINT, IDENTITY), [0x4020, 0xffff_80c0, 0, 1]);
        let srgb = load(RGBA8_SRGB, IDENTITY).map(f32::from_bits);
        // ((v / 255 + 0.055) / 1.055) ^ 2.4, but for alpha.
        let want = [0.014_443_844, 0.051_269_46, 0.527_115_1, 128.0 / 255.0];
        for (got, want) in srgb.into_iter().zip(want) {
            assert!((got - want).abs() < 1e-6, "{got} is not {want}");
        }
    }
}

#[test]
fn stores_convert_and_turn_back() {
    for target in TARGETS {
        let store = |format, selects, values: [u32; 4]| {
            let mut scene = Scene::new(D1, format, [1, 1, 1], |_, _| POISON);
            scene.selects = selects;
            let mut m = scene.machine(
                target,
                "image_store v[8:11], v2, s[8:15] dmask:0xf DIM unorm DA",
            );
            m.vgpr(2, |_| 0).exec(1);
            for (index, value) in values.into_iter().enumerate() {
                m.vgpr(8 + index, |_| value);
            }
            m.run();
            scene.rows[0].0[0]
        };
        // Integers saturate (OpenCL 1.2, 8.3.3).
        assert_eq!(store(RGBA8_UINT, IDENTITY, [1, 2, 300, 255]), 0xffff_0201);
        let narrow = [40_000, -40_000i32 as u32, 0, 0];
        assert_eq!(store(RG16_SINT, IDENTITY, narrow), 0x8000_7fff);
        let turned = 6 | 5 << 3 | 4 << 6 | 7 << 9;
        assert_eq!(store(RGBA8_UINT, turned, [1, 2, 3, 4]), 0x0401_0203);
        let colour = [f(1.0), f(0.2), f(-1.0), f(2.0)];
        assert_eq!(store(RGBA8_UNORM, IDENTITY, colour), 0xff00_33ff);
    }
}

#[test]
fn halves_in_registers() {
    for target in TARGETS {
        let mut scene = Scene::new(D2, RGBA8_UNORM, [4, 4, 1], |x, y| {
            if (x, y) == (3, 2) { 0xff00_ff00 } else { 0 }
        });
        let mut m = scene.machine(
            target,
            "image_load v[8:9], v2, s[8:15] dmask:0xf DIM unorm a16 d16 DA",
        );
        m.vgpr(2, |_| 3 | 2 << 16).run();
        m.check(8, |_| 0x3c00_0000);
        m.check(9, |_| 0x3c00_0000);
    }
}

#[test]
fn levels_beyond_the_last_do_not_exist() {
    for target in TARGETS {
        let mut scene = Scene::new(D2, R32_UINT, [4, 4, 1], |x, _| 5 + x as u32);
        let mut m = scene.machine(
            target,
            "image_load_mip v8, v[2:4], s[8:15] dmask:0x1 DIM unorm DA
             image_store_mip v5, v[2:4], s[8:15] dmask:0x1 DIM unorm DA
             image_load v9, v[2:3], s[8:15] dmask:0x1 DIM unorm DA",
        );
        m.vgpr(2, |_| 1)
            .vgpr(3, |_| 1)
            .vgpr(4, |lane| lane as u32 % 2)
            .vgpr(5, |lane| 70 + lane as u32 % 2);
        m.run();
        m.check(8, |lane| if lane % 2 == 0 { 6 } else { 0 });
        // The values that odd lanes would store to the second level are nowhere.
        m.check(9, |_| 70);
    }
}

/// Red of samples along the first row of texels 10, 20, 30, 40.
fn samples(target: &str, sampler: [u32; 2], at: &[f32]) -> Vec<f32> {
    let mut scene = Scene::new(D2, R32_FLOAT, [4, 2, 1], |x, y| {
        f(10.0 * (x + 1) as f32 + 1000.0 * y as f32)
    });
    scene.sampler = sampler;
    let text = if target == "gfx90a" {
        "image_sample v8, v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA"
    } else {
        "image_sample_lz v8, v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA
         image_sample v9, v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA"
    };
    let mut m = scene.machine(target, text);
    // The middle of the first row.
    let y = if sampler[0] & UNNORMALIZED != 0 {
        0.5
    } else {
        0.25
    };
    m.vgpr(2, |lane| f(at[lane % at.len()]))
        .vgpr(3, |_| f(y))
        .run();
    if target != "gfx90a" {
        // There is one level to choose from.
        assert_eq!(m.row(8), m.row(9), "{target}");
    }
    let got = (0..at.len()).map(|lane| f32::from_bits(m.wave.vgpr(8, lane)));
    got.collect()
}

#[test]
fn nearest_texel_by_addressing_mode() {
    for target in TARGETS {
        let at = [-0.6, -0.1, 0.0, 0.3, 0.5, 0.99, 1.0, 1.3, 2.1];
        let modes: [(u32, [f32; 9]); 4] = [
            (
                REPEAT,
                [20.0, 40.0, 10.0, 20.0, 30.0, 40.0, 10.0, 20.0, 10.0],
            ),
            (
                MIRROR,
                [30.0, 10.0, 10.0, 20.0, 30.0, 40.0, 40.0, 30.0, 10.0],
            ),
            (EDGE, [10.0, 10.0, 10.0, 20.0, 30.0, 40.0, 40.0, 40.0, 40.0]),
            (BORDER, [0.0, 0.0, 10.0, 20.0, 30.0, 40.0, 0.0, 0.0, 0.0]),
        ];
        for (mode, want) in modes {
            assert_eq!(
                samples(target, [clamp(mode), 0], &at),
                want,
                "{target} {mode}"
            );
        }
        let texels = [-1.0, 0.0, 0.999, 1.5, 3.0, 9.0];
        let sampler = [clamp(EDGE) | UNNORMALIZED, 0];
        // 0.999 rounds to 1 in eight bits behind the point.
        let want = [10.0, 10.0, 20.0, 20.0, 40.0, 40.0];
        assert_eq!(samples(target, sampler, &texels), want, "{target}");
        // Cut off instead.
        let sampler = [sampler[0] | 1 << 27, 0];
        assert_eq!(samples(target, sampler, &texels)[2], 10.0, "{target}");
    }
}

#[test]
fn linear_filters_weigh_neighbours() {
    for target in TARGETS {
        let at = [0.5, 1.0, 1.75, 3.9, 0.0];
        let texels = |mode| samples(target, [clamp(mode) | UNNORMALIZED, LINEAR], &at);
        // 3.9 - 0.5 is 870/256: 102 parts of the edge beyond the last texel.
        assert_eq!(texels(EDGE), [10.0, 15.0, 22.5, 40.0, 10.0]);
        let last = 40.0 * 154.0 / 256.0;
        assert_eq!(texels(BORDER), [10.0, 15.0, 22.5, last, 5.0]);
        let repeated = samples(target, [clamp(REPEAT), LINEAR], &[0.0, 0.125, 1.0]);
        assert_eq!(repeated, [25.0, 10.0, 25.0]);
    }
}

#[test]
fn slices_round_to_even_and_volumes_blend() {
    for target in SAMPLERS {
        for kind in [D2_ARRAY, D3] {
            let mut scene = Scene::new(kind, R32_FLOAT, [2, 2, 4], |_, row| f((row / 2) as f32));
            scene.sampler = [clamp(EDGE) | UNNORMALIZED, LINEAR];
            let mut m = scene.machine(
                target,
                "image_sample_l v8, v[2:5], s[8:15], s[16:19] dmask:0x1 DIM DA",
            );
            let depth = |lane: usize| [0.0, 0.5, 1.5, 2.25, 9.0][lane % 5];
            m.vgpr(2, |_| f(1.0)).vgpr(3, |_| f(0.5)).vgpr(5, |_| 0);
            m.vgpr(4, |lane| f(depth(lane))).run();
            m.check(8, |lane| {
                let of_array = [0.0, 0.0, 2.0, 2.0, 3.0];
                let of_volume = [0.0, 0.0, 1.0, 1.75, 3.0];
                f(if kind == D3 { of_volume } else { of_array }[lane % 5])
            });
        }
    }
}

#[test]
fn gathers_go_around_the_square() {
    for target in SAMPLERS {
        let mut scene = Scene::new(D2, R32_UINT, [4, 4, 1], |x, y| (10 * y + x) as u32);
        scene.sampler = [clamp(EDGE) | UNNORMALIZED, 0];
        let mut m = scene.machine(
            target,
            "image_gather4_lz v[8:11], v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA
             image_gather4 v[12:15], v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA",
        );
        m.vgpr(2, |_| f(2.0)).vgpr(3, |_| f(3.0)).run();
        // Between texels 1 and 2, rows 2 and 3: from the lower left, against the clock.
        for (index, want) in [31, 32, 22, 21].into_iter().enumerate() {
            m.check(8 + index, |_| want);
            m.check(12 + index, |_| want);
        }
    }
}

#[test]
fn derivatives_stand_in_front_of_the_coordinates() {
    for target in SAMPLERS {
        let mut scene = Scene::new(D2, R32_UINT, [4, 4, 1], |x, y| (10 * y + x) as u32);
        scene.sampler = [clamp(EDGE) | UNNORMALIZED, 0];
        let mut m = scene.machine(
            target,
            "image_sample_d v8, v[2:7], s[8:15], s[16:19] dmask:0x1 DIM DA",
        );
        m.vgpr(6, |_| f(2.0)).vgpr(7, |_| f(1.0)).run();
        m.check(8, |_| 12);
    }
}

#[test]
fn addresses_may_lie_anywhere_on_gfx10() {
    let mut scene = Scene::new(D3, R32_UINT, [4, 3, 5], |x, row| (100 * row + x) as u32);
    let mut m = scene.machine(
        "gfx1030",
        "image_load v8, [v20, v3, v30], s[8:15] dmask:0x1 DIM unorm DA",
    );
    m.vgpr(20, |lane| lane as u32 % 4)
        .vgpr(3, |_| 2)
        .vgpr(30, |_| 4);
    m.run();
    m.check(8, |lane| 1400 + lane as u32 % 4);
}

#[test]
fn what_is_not_executed_says_so() {
    let stop = |change: fn(&mut Machine)| {
        let mut scene = Scene::new(D2, R32_UINT, [4, 4, 1], |_, _| 0);
        let text = "image_sample_lz v8, v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA";
        let mut m = scene.machine("gfx906", text);
        m.vgpr(2, |_| 0).vgpr(3, |_| 0);
        change(&mut m);
        match m.stop() {
            Stop::Unsupported(what) => what,
            other => panic!("{other:?}"),
        }
    };
    let levels = |m: &mut Machine| {
        let w3 = m.wave.sgpr(11);
        m.sgpr(11, w3 | 2 << 16);
    };
    assert!(stop(levels).starts_with("an image whose levels are not there"));
    let linear = |m: &mut Machine| {
        m.sgpr(18, LINEAR);
    };
    assert!(stop(linear).starts_with("linear filters of integers"));
    let cube = |m: &mut Machine| {
        m.sgpr(11, IDENTITY | 11 << 28);
    };
    assert!(stop(cube).starts_with("cube maps whose faces"));
}
