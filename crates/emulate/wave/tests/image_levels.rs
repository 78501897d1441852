//! Images with several levels, cube maps, atomics on texels and questions about images.
//!
//! Where levels lie is worked out by hand from what addrlib lays out for linear surfaces: room for a level is rounded up;
//! gfx9 stacks them below each other with one pitch, gfx10 puts the smallest first.

use crate::harness::{Machine, POISON, scene::*};
use wave::Stop;

/// Targets whose instructions name a level.
const SAMPLERS: [&str; 3] = ["gfx906", "gfx1030", "gfx1100"];

fn is_gfx9(target: &str) -> bool {
    target.starts_with("gfx9")
}

/// 10 x 5 texels, then 5 x 2, then 2 x 1, which need 5, 3 and 2 rows.
const SIZES: [(usize, usize); 3] = [(10, 5), (5, 2), (2, 1)];
/// Rows of all levels of a slice.
const ROWS: usize = 10;

/// First row of a level in a slice.
fn first_row(target: &str, level: usize) -> usize {
    if is_gfx9(target) {
        [0, 5, 8][level]
    } else {
        [5, 2, 0][level]
    }
}

/// Slices of three levels, in which row r of memory holds `texel(x, r)`. Levels `base` to `last` can be reached.
fn pyramid(
    kind: (u32, &'static str),
    format: Format,
    slices: u32,
    texel: impl Fn(usize, usize) -> u32,
) -> Scene {
    let mut scene = Scene::new(kind, format, [10, ROWS as u32, slices], texel);
    scene.size[1] = 5;
    scene
}

/// Says in the descriptor that there are three levels, of which `base` to `last` can be reached.
fn with_levels(m: &mut Machine, target: &str, [base, last]: [u32; 2]) {
    let [w3, w4] = [11, 12].map(|index| m.wave.sgpr(index));
    m.sgpr(11, w3 | base << 12 | last << 16);
    if is_gfx9(target) {
        m.sgpr(12, w4 & 0x1fff | (ROWS as u32 - 1) << 13);
        m.sgpr(13, 2 << 28);
    } else if target.starts_with("gfx11") {
        let w1 = m.wave.sgpr(9);
        m.sgpr(9, w1 | 2 << 16);
    } else {
        m.sgpr(13, 2 << 4);
    }
}

#[test]
fn levels_lie_where_the_layouts_say() {
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100"] {
        for slice in 0..2 {
            let kind = if slice == 0 { D2 } else { D2_ARRAY };
            let mut scene = pyramid(kind, R32_UINT, 3, |x, row| (100 * row + x) as u32);
            let text = "image_load_mip v8, v[2:5], s[8:15] dmask:0x1 DIM unorm DA
                        image_store_mip v9, v[2:5], s[8:15] dmask:0x1 DIM unorm DA";
            let flat = text.replace("v[2:5]", "v[2:4]");
            let mut m = scene.machine(target, if slice == 0 { &flat } else { text });
            with_levels(&mut m, target, [0, 2]);
            // Lanes 16 and on ask for a level that is not there.
            let place = |lane: usize| (lane % 6, lane % 4 / 2, (lane / 16).min(3));
            m.vgpr(2, |lane| place(lane).0 as u32);
            m.vgpr(3, |lane| place(lane).1 as u32);
            m.vgpr(4 + slice, |lane| place(lane).2 as u32);
            if slice != 0 {
                m.vgpr(4, |_| 2);
            }
            m.vgpr(9, |lane| 50_000 + lane as u32).run();
            let row = |lane: usize| {
                let (x, y, level) = place(lane);
                let (width, height) = *SIZES.get(level)?;
                let row = 2 * slice * ROWS + first_row(target, level) + y;
                (x < width && y < height).then_some((x, row))
            };
            m.check(8, |lane| {
                row(lane).map_or(0, |(x, row)| (100 * row + x) as u32)
            });
            for lane in 0..m.wave.wave_size() as usize {
                if let Some((x, row)) = row(lane) {
                    let got = scene.rows[row].0[x];
                    // Several lanes may have stored the same texel.
                    assert!(
                        (50_000..50_064).contains(&got),
                        "{target} lane {lane}: {got}"
                    );
                }
            }
            let stored = scene.rows.iter().flat_map(|row| row.0);
            let stored = stored
                .filter(|&texel| (50_000..50_064).contains(&texel))
                .count();
            let texels: std::collections::BTreeSet<_> =
                (0..m.wave.wave_size() as usize).filter_map(row).collect();
            assert_eq!(stored, texels.len(), "{target}");
        }
    }
}

#[test]
fn views_start_at_their_base() {
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100"] {
        let mut scene = pyramid(D2_ARRAY, R32_UINT, 4, |x, row| (100 * row + x) as u32);
        let mut m = scene.machine(
            target,
            "image_load v8, v[2:4], s[8:15] dmask:0x1 DIM unorm DA
             image_get_resinfo v[20:23], v5, s[8:15] dmask:0xf DIM unorm DA
             image_get_resinfo v24, v5, s[8:15] dmask:0x2 DIM unorm DA",
        );
        with_levels(&mut m, target, [1, 2]);
        // Slices 1 to 3 of the allocation.
        let (word, value) = if is_gfx9(target) {
            (13, m.wave.sgpr(13) | 1)
        } else {
            (12, m.wave.sgpr(12) | 1 << 16)
        };
        m.sgpr(word, value);
        m.vgpr(2, |lane| lane as u32 % 6).vgpr(3, |_| 1);
        m.vgpr(4, |lane| lane as u32 / 6 % 4);
        m.vgpr(5, |lane| lane as u32 % 2).run();
        m.check(8, |lane| {
            let (x, slice) = (lane % 6, 1 + lane / 6 % 4);
            let row = slice * ROWS + first_row(target, 1) + 1;
            if x < 5 && slice < 4 {
                (100 * row + x) as u32
            } else {
                0
            }
        });
        m.check(20, |lane| [5, 2][lane % 2]);
        m.check(21, |lane| [2, 1][lane % 2]);
        m.check(22, |_| 3);
        m.check(23, |_| 2);
        m.check(24, |lane| [2, 1][lane % 2]);
    }
}

/// Word 2 of a sampler: between levels, the nearest or both.
const NEAREST_LEVEL: u32 = 1 << 26;
const BLEND_LEVELS: u32 = 2 << 26;

/// Texels of level n are 100 n.
fn levels_as_texels(target: &str) -> Scene {
    let is_gfx9 = is_gfx9(target);
    pyramid(D2, R32_FLOAT, 1, move |_, row| {
        let level = if is_gfx9 {
            [0, 0, 0, 0, 0, 1, 1, 1, 2, 2][row]
        } else {
            [2, 2, 1, 1, 1, 0, 0, 0, 0, 0][row]
        };
        f(100.0 * level as f32)
    })
}

/// Red of samples at levels of detail, and the sampler's least and greatest.
fn at_levels(target: &str, filter: u32, limits: [u32; 2], levels: &[f32]) -> Vec<f32> {
    let mut scene = levels_as_texels(target);
    scene.sampler = [clamp(EDGE), filter];
    let text = "image_sample_l v8, v[2:4], s[8:15], s[16:19] dmask:0x1 DIM DA";
    let mut m = scene.machine(target, text);
    with_levels(&mut m, target, [0, 2]);
    m.sgpr(17, limits[0] | limits[1] << 12);
    m.vgpr(2, |_| f(0.5)).vgpr(3, |_| f(0.5));
    m.vgpr(4, |lane| f(levels[lane % levels.len()])).run();
    let got = (0..levels.len()).map(|lane| f32::from_bits(m.wave.vgpr(8, lane)));
    got.collect()
}

#[test]
fn samples_choose_or_blend_levels() {
    for target in SAMPLERS {
        let levels = [-1.0, 0.0, 0.25, 0.75, 1.0, 1.75, 2.0, 9.0];
        let any = [0, 0xfff];
        let at = |filter, limits| at_levels(target, filter, limits, &levels);
        let nearest = [0.0, 0.0, 0.0, 100.0, 100.0, 200.0, 200.0, 200.0];
        let blended = [0.0, 0.0, 25.0, 75.0, 100.0, 175.0, 200.0, 200.0];
        assert_eq!(at(0, any), [0.0; 8], "{target}");
        assert_eq!(at(NEAREST_LEVEL, any), nearest, "{target}");
        assert_eq!(at(BLEND_LEVELS, any), blended, "{target}");
        assert_eq!(at(LINEAR | BLEND_LEVELS, any), blended, "{target}");
        // From a half to one and a half, in 1/256.
        let limited = [50.0, 50.0, 50.0, 75.0, 100.0, 150.0, 150.0, 150.0];
        assert_eq!(at(BLEND_LEVELS, [128, 384]), limited, "{target}");
    }
}

#[test]
fn derivatives_say_the_level() {
    for target in SAMPLERS {
        let mut scene = levels_as_texels(target);
        scene.sampler = [clamp(EDGE) | UNNORMALIZED, BLEND_LEVELS];
        let text = "image_sample_d v8, v[2:7], s[8:15], s[16:19] dmask:0x1 DIM DA
                    image_sample_lz v9, v[6:7], s[8:15], s[16:19] dmask:0x1 DIM DA";
        let mut m = scene.machine(target, text);
        with_levels(&mut m, target, [0, 2]);
        // In texels: along x (2, 0), (0, 2), (0, 0) and (0.6, 0.8); along y nothing, nothing, (0, 4) and (1, 0).
        let slopes = [
            [2.0, 0.0, 0.0, 0.0],
            [0.0, 2.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 4.0],
            [0.6, 0.8, 1.0, 0.0],
        ];
        for word in 0..4 {
            m.vgpr(2 + word, |lane| f(slopes[lane % 4][word]));
        }
        m.vgpr(6, |_| f(0.5)).vgpr(7, |_| f(0.5)).run();
        m.check(8, |lane| f([100.0, 100.0, 200.0, 0.0][lane % 4]));
        m.check(9, |_| 0);
    }
}

#[test]
fn least_levels_and_derivatives_in_halves() {
    for target in SAMPLERS {
        let mut scene = levels_as_texels(target);
        scene.sampler = [clamp(EDGE) | UNNORMALIZED, BLEND_LEVELS];
        let text = "image_sample_d_cl v20, v[2:8], s[8:15], s[16:19] dmask:0x1 DIM DA";
        let mut m = scene.machine(target, text);
        with_levels(&mut m, target, [0, 2]);
        // Images of 1, 2 and 4 texels along x, and a least level of 1/2, 3/2 or 1.
        for word in 0..4 {
            m.vgpr(2 + word, |lane| {
                f(if word == 0 {
                    [1.0, 2.0, 4.0][lane % 3]
                } else {
                    0.0
                })
            });
        }
        m.vgpr(6, |_| f(0.5)).vgpr(7, |_| f(0.5));
        m.vgpr(8, |lane| f([0.5, 1.5, 1.0][lane % 3])).run();
        m.check(20, |lane| f([50.0, 150.0, 200.0][lane % 3]));

        if is_gfx9(target) {
            continue;
        }
        let text = "image_sample_d_g16 v20, v[2:5], s[8:15], s[16:19] dmask:0x1 DIM DA";
        let mut m = scene.machine(target, text);
        with_levels(&mut m, target, [0, 2]);
        // (0, 2) along x and (4, 0) along y, or nothing there.
        m.vgpr(2, |_| 0x4000_0000);
        m.vgpr(3, |lane| [0x4400, 0][lane % 2]);
        m.vgpr(4, |_| f(0.5)).vgpr(5, |_| f(0.5)).run();
        m.check(20, |lane| f([200.0, 100.0][lane % 2]));
    }
}

#[test]
fn gathers_choose_a_level() {
    for target in SAMPLERS {
        let mut scene = levels_as_texels(target);
        scene.sampler = [clamp(EDGE), NEAREST_LEVEL];
        let text = "image_gather4_l v[20:23], v[2:4], s[8:15], s[16:19] dmask:0x1 DIM DA
                    image_gather4_lz v[24:27], v[2:3], s[8:15], s[16:19] dmask:0x1 DIM DA";
        let mut m = scene.machine(target, text);
        with_levels(&mut m, target, [0, 2]);
        m.vgpr(2, |_| f(0.5)).vgpr(3, |_| f(0.5));
        m.vgpr(4, |lane| f([0.0, 1.0, 2.0][lane % 3])).run();
        for index in 0..4 {
            m.check(20 + index, |lane| f([0.0, 100.0, 200.0][lane % 3]));
            m.check(24 + index, |_| 0);
        }
    }
}

/// Cube maps of 4 x 4 texels, two of them: texel (x, y) of a face is 1000 cube + 100 face + 10 y + x.
fn cubes() -> Scene {
    Scene::new(CUBE, R32_FLOAT, [4, 4, 12], |x, row| {
        let (layer, y) = (row / 4, row % 4);
        f((1000 * (layer / 6) + 100 * (layer % 6) + 10 * y + x) as f32)
    })
}

#[test]
fn faces_are_slices() {
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100"] {
        let mut scene = cubes();
        let mut m = scene.machine(
            target,
            "image_load v8, v[2:4], s[8:15] dmask:0x1 DIM unorm DA",
        );
        m.vgpr(2, |lane| lane as u32 % 4).vgpr(3, |_| 2);
        m.vgpr(4, |lane| lane as u32 / 4 % 13).run();
        m.check(8, |lane| {
            let layer = lane / 4 % 13;
            if layer == 12 {
                return 0;
            }
            f((1000 * (layer / 6) + 100 * (layer % 6) + 20 + lane % 4) as f32)
        });
    }
}

/// Red of samples of cube maps at columns and rows of texels, on a face.
fn on_cubes(target: &str, sampler: [u32; 2], at: &[(f32, f32, f32)]) -> Vec<f32> {
    let mut scene = cubes();
    scene.sampler = sampler;
    let text = "image_sample_lz v8, v[2:4], s[8:15], s[16:19] dmask:0x1 DIM DA";
    let mut m = scene.machine(target, text);
    let place = |lane: usize| at[lane % at.len()];
    m.vgpr(2, |lane| f(1.0 + place(lane).0 / 4.0));
    m.vgpr(3, |lane| f(1.0 + place(lane).1 / 4.0));
    m.vgpr(4, |lane| f(place(lane).2)).run();
    let got = (0..at.len()).map(|lane| f32::from_bits(m.wave.vgpr(8, lane)));
    got.collect()
}

#[test]
fn samples_of_cube_maps() {
    for target in SAMPLERS {
        // Eights choose the cube. The end of a face is its last texel.
        let nearest = on_cubes(
            target,
            [clamp(EDGE), 0],
            &[
                (0.5, 1.5, 0.0),
                (3.5, 0.5, 5.0),
                (4.0, 4.0, 2.0),
                (1.5, 2.5, 12.0),
            ],
        );
        assert_eq!(nearest, [10.0, 503.0, 233.0, 1421.0], "{target}");

        let across = [
            // In the middle of a face, between four texels.
            (2.0, 2.0, 1.0),
            // Right of +X, whose s goes along -z, is -Z: texel 3 of row 1 and there texel 0 of row 1.
            (4.0, 1.5, 0.0),
            // Above +X is +Y, whose last column it meets, from the bottom row on: below texel 0 is row 3.
            (0.5, 0.0, 0.0),
            // Left of +Z is -X, whose texel 3 it meets.
            (0.0, 2.5, 4.0),
            // Below -Y, whose t goes along -z, is -Z, upside down: texel 1 meets texel 2 of the last row.
            (1.5, 4.0, 3.0),
            // The corner of +X, +Y and +Z: texels 0 of +X, 33 of +Y and 3 of +Z.
            (0.0, 0.0, 0.0),
        ];
        let got = on_cubes(target, [clamp(EDGE), LINEAR], &across);
        let want = [
            115.5 + 1.0,
            (13.0 + 510.0) / 2.0,
            (0.0 + 233.0) / 2.0,
            (420.0 + 123.0) / 2.0,
            (331.0 + 532.0) / 2.0,
            (0.0 + 233.0 + 403.0) / 3.0,
        ];
        assert_eq!(got, want, "{target}");
        // Edges of their own.
        let own = on_cubes(target, [clamp(EDGE) | 1 << 28, LINEAR], &across[1..]);
        assert_eq!(own, [13.0, 0.0, 420.0, 331.0, 0.0], "{target}");
    }
}

#[test]
fn coordinates_of_cube_maps_start_at_one() {
    let mut scene = cubes();
    let text = "image_sample_lz v8, v[2:4], s[8:15], s[16:19] dmask:0x1 DIM DA";
    let mut m = scene.machine("gfx1030", text);
    m.vgpr(2, |_| f(0.5)).vgpr(3, |_| f(1.5)).vgpr(4, |_| 0);
    match m.stop() {
        Stop::Unsupported(what) => assert!(what.starts_with("cube map coordinates"), "{what}"),
        other => panic!("{other:?}"),
    }
}

/// Atomics that have another name on gfx12, from its manual.
const NAMES_OF_GFX12: [(&str, &str); 8] = [
    ("add", "add_uint"),
    ("sub", "sub_uint"),
    ("smin", "min_int"),
    ("umin", "min_uint"),
    ("smax", "max_int"),
    ("umax", "max_uint"),
    ("inc", "inc_uint"),
    ("dec", "dec_uint"),
];

/// Executes an atomic on texel 3, which holds `old` of one or two dwords. Returns the new texel and the instruction's
/// result.
fn atomic(target: &str, name: &str, format: Format, old: &[u32], data: &[u32]) -> [Vec<u32>; 2] {
    let words = old.len();
    let mut scene = Scene::new(D1, format, [4, 1, 1], |x, _| POISON ^ x as u32);
    scene.rows[0].0[3 * words..4 * words].copy_from_slice(old);
    let last = 7 + data.len();
    let mask = (1 << data.len()) - 1;
    let renamed = NAMES_OF_GFX12.iter().find(|row| row.0 == name);
    let name = match renamed {
        Some((_, renamed)) if target.starts_with("gfx12") => renamed,
        _ => name,
    };
    let text = format!(
        "image_atomic_{name} v[8:{last}], v2, s[8:15] dmask:{mask:#x} DIM unorm glc DA
         image_atomic_{name} v[16:{}], v3, s[8:15] dmask:{mask:#x} DIM unorm DA",
        8 + last
    );
    let mut m = scene.machine(target, &text);
    for (index, &value) in data.iter().enumerate() {
        m.vgpr(8 + index, |_| value).vgpr(16 + index, |_| value);
    }
    // The second instruction names a texel that is not there.
    m.vgpr(2, |_| 3).vgpr(3, |_| 4).exec(1).run();
    for (index, &value) in data.iter().enumerate() {
        assert_eq!(m.wave.vgpr(16 + index, 0), value, "{target} {name}");
    }
    let row = &scene.rows[0].0;
    for (index, &texel) in row.iter().enumerate() {
        let before = if index < 4 {
            POISON ^ index as u32
        } else {
            POISON
        };
        let named = (3 * words..4 * words).contains(&index);
        assert!(named || texel == before, "{target} {name}: word {index}");
    }
    let returned = (0..words).map(|index| m.wave.vgpr(8 + index, 0)).collect();
    [row[3 * words..4 * words].to_vec(), returned]
}

#[test]
fn atomics_on_texels() {
    // The result of the manual's pseudocode for the old value and the data.
    let below_zero = -5i32 as u32;
    let words: [(&str, u32, &[u32], u32); 18] = [
        ("swap", 7, &[9], 9),
        ("cmpswap", 7, &[9, 7], 9),
        ("cmpswap", 7, &[9, 8], 7),
        ("add", 7, &[u32::MAX], 6),
        ("sub", 7, &[9], u32::MAX - 1),
        ("smin", 7, &[below_zero], below_zero),
        ("umin", 7, &[below_zero], 7),
        ("smax", 7, &[below_zero], 7),
        ("umax", 7, &[below_zero], below_zero),
        ("and", 0b1100, &[0b1010], 0b1000),
        ("or", 0b1100, &[0b1010], 0b1110),
        ("xor", 0b1100, &[0b1010], 0b0110),
        ("inc", 7, &[7], 0),
        ("inc", 7, &[8], 8),
        ("dec", 7, &[6], 6),
        ("dec", 0, &[6], 6),
        ("dec", 7, &[7], 6),
        ("umax", 0, &[0], 0),
    ];
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        for (name, old, data, new) in words {
            let got = atomic(target, name, R32_UINT, &[old], data);
            assert_eq!(got, [vec![new], vec![old]], "{target} {name}");
        }
        // Two dwords: the carry reaches the second.
        let sum = atomic(target, "add", RG32_UINT, &[u32::MAX, 1], &[1, 2]);
        assert_eq!(sum, [vec![0, 4], vec![u32::MAX, 1]], "{target}");
        let swapped = atomic(target, "cmpswap", RG32_UINT, &[1, 2], &[3, 4, 1, 2]);
        assert_eq!(swapped, [vec![3, 4], vec![1, 2]], "{target}");
    }
    let floats: [(&str, f32, &[f32], f32); 4] = [
        ("fmin", 2.0, &[-1.0], -1.0),
        ("fmax", 2.0, &[-1.0], 2.0),
        ("fcmpswap", 2.0, &[3.0, 2.0], 3.0),
        ("fcmpswap", 2.0, &[3.0, 4.0], 2.0),
    ];
    for (name, old, data, new) in floats {
        let data: Vec<u32> = data.iter().copied().map(f).collect();
        let got = atomic("gfx1030", name, R32_FLOAT, &[f(old)], &data);
        assert_eq!(got, [vec![f(new)], vec![f(old)]], "{name}");
    }
    // gfx12's, by its manual's pseudocode: what is no number loses, and -0 is less than 0.
    let numbers: [(&str, f32, f32, f32); 8] = [
        ("add_flt", 2.5, -1.0, 1.5),
        ("min_flt", 2.0, -1.0, -1.0),
        ("min_flt", 2.0, f32::NAN, 2.0),
        ("min_flt", f32::NAN, 2.0, 2.0),
        ("min_flt", 0.0, -0.0, -0.0),
        ("max_flt", 2.0, -1.0, 2.0),
        ("max_flt", 2.0, f32::NAN, 2.0),
        ("max_flt", -0.0, 0.0, 0.0),
    ];
    for (name, old, data, new) in numbers {
        let got = atomic("gfx1201", name, R32_FLOAT, &[f(old)], &[f(data)]);
        assert_eq!(got, [vec![f(new)], vec![f(old)]], "{name} {old} {data}");
    }
    // 1 and 2 and the halves 0.5 and 1; the bf16 1 and 2, twice.
    let halves: [(&str, u32, u32, u32); 2] = [
        ("pk_add_f16", 0x3c00_4000, 0x3800_3c00, 0x3e00_4200),
        ("pk_add_bf16", 0x3f80_4000, 0x4000_3f80, 0x4040_4040),
    ];
    for (name, old, data, new) in halves {
        let got = atomic("gfx1201", name, R32_UINT, &[old], &[data]);
        assert_eq!(got, [vec![new], vec![old]], "{name}");
    }
}
