//! Samples and gathers in all their forms. Where words lie in address registers is from the manuals' table of image address
//! components; what comes out is worked out here from the definitions of linear filters, offsets and comparisons.

use crate::harness::scene::*;

const TARGETS: [&str; 4] = ["gfx906", "gfx1030", "gfx1100", "gfx1201"];

#[rustfmt::skip]
const FORMS: &[&str] = &[
    "image_sample", "image_sample_o", "image_sample_cl", "image_sample_cl_o", "image_sample_d", "image_sample_d_g16",
    "image_sample_d_o", "image_sample_d_o_g16", "image_sample_d_cl", "image_sample_d_cl_g16", "image_sample_d_cl_o",
    "image_sample_d_cl_o_g16", "image_sample_l", "image_sample_l_o", "image_sample_b", "image_sample_b_o",
    "image_sample_b_cl", "image_sample_b_cl_o", "image_sample_lz", "image_sample_lz_o", "image_sample_cd",
    "image_sample_cd_g16", "image_sample_cd_o", "image_sample_cd_o_g16", "image_sample_cd_cl",
    "image_sample_cd_cl_g16", "image_sample_cd_cl_o", "image_sample_cd_cl_o_g16", "image_sample_c",
    "image_sample_c_o", "image_sample_c_cl", "image_sample_c_cl_o", "image_sample_c_d", "image_sample_c_d_g16",
    "image_sample_c_d_o", "image_sample_c_d_o_g16", "image_sample_c_d_cl", "image_sample_c_d_cl_g16",
    "image_sample_c_d_cl_o", "image_sample_c_d_cl_o_g16", "image_sample_c_l", "image_sample_c_l_o",
    "image_sample_c_b", "image_sample_c_b_o", "image_sample_c_b_cl", "image_sample_c_b_cl_o", "image_sample_c_lz",
    "image_sample_c_lz_o", "image_sample_c_cd", "image_sample_c_cd_g16", "image_sample_c_cd_o",
    "image_sample_c_cd_o_g16", "image_sample_c_cd_cl", "image_sample_c_cd_cl_g16", "image_sample_c_cd_cl_o",
    "image_sample_c_cd_cl_o_g16", "image_gather4", "image_gather4_o", "image_gather4_cl", "image_gather4_cl_o",
    "image_gather4_l", "image_gather4_l_o", "image_gather4_b", "image_gather4_b_o", "image_gather4_b_cl",
    "image_gather4_b_cl_o", "image_gather4_lz", "image_gather4_lz_o", "image_gather4_c", "image_gather4_c_o",
    "image_gather4_c_cl", "image_gather4_c_cl_o", "image_gather4_c_l", "image_gather4_c_l_o", "image_gather4_c_b",
    "image_gather4_c_b_o", "image_gather4_c_b_cl", "image_gather4_c_b_cl_o", "image_gather4_c_lz",
    "image_gather4_c_lz_o",
];

/// Texels in a row, and rows.
const SIZE: [i32; 2] = [6, 5];

fn texel(x: i32, y: i32) -> f32 {
    let [x, y] = [x.clamp(0, SIZE[0] - 1), y.clamp(0, SIZE[1] - 1)];
    (7 * x + 40 * y) as f32
}

/// Coordinates of a lane in texels, some beyond the edges; quarters, so that weights are exact.
fn at(lane: usize) -> [f32; 2] {
    [
        (lane % 29) as f32 / 4.0 - 0.5,
        (lane % 13) as f32 / 2.0 - 0.25,
    ]
}

/// Texels to go on by.
fn offset(lane: usize) -> [i32; 2] {
    [(lane % 9) as i32 - 4, (lane % 5) as i32 - 2]
}

fn reference(lane: usize) -> f32 {
    (lane * 5 % 200) as f32
}

/// Texels left above, right above, left below, right below, and weights of right and below.
fn around(lane: usize, offset: [i32; 2]) -> ([f32; 4], [f32; 2]) {
    let middle = at(lane).map(|at| at - 0.5);
    let [x, y] = [0, 1].map(|axis| middle[axis].floor() as i32 + offset[axis]);
    let texels = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, below)| texel(x + right, y + below));
    (texels, middle.map(|at| at - at.floor()))
}

/// The form's result in a lane: one number, or four.
fn expected(form: &str, lane: usize, linear: bool) -> Vec<f32> {
    let has = |part: &str| form.split('_').any(|other| other == part);
    let offset = if has("o") { offset(lane) } else { [0, 0] };
    let judge = |texel: f32| match has("c") {
        // The sampler's comparison is "less".
        true => f32::from(u8::from(reference(lane) < texel)),
        false => texel,
    };
    let (texels, [right, below]) = around(lane, offset);
    let texels = texels.map(judge);
    if form.starts_with("image_gather4") {
        // Counter-clockwise from below on the left.
        return [2, 3, 1, 0].map(|corner| texels[corner]).to_vec();
    }
    if !linear {
        let [x, y] = [0, 1].map(|axis| at(lane)[axis].floor() as i32 + offset[axis]);
        return vec![judge(texel(x, y))];
    }
    let above = texels[0] * (1.0 - right) + texels[1] * right;
    let under = texels[2] * (1.0 - right) + texels[3] * right;
    vec![above * (1.0 - below) + under * below]
}

/// The form's address words in order, for a flat image: one closure's value per lane each.
fn words(form: &str, lane: usize) -> Vec<u32> {
    let has = |part: &str| form.split('_').any(|other| other == part);
    let mut words = Vec::new();
    if has("o") {
        let [x, y] = offset(lane).map(|texels| texels as u32 & 0x3f);
        words.push(x | y << 8);
    }
    if has("b") {
        words.push(f(3.0));
    }
    if has("c") {
        words.push(f(reference(lane)));
    }
    match (has("d") || has("cd"), has("g16")) {
        (false, _) => {}
        // A half and a quarter.
        (true, true) => words.extend([0x3400_3800; 2]),
        (true, false) => words.extend([f(0.5), f(0.25), f(0.5), f(0.25)]),
    }
    words.extend(at(lane).map(f));
    if has("l") || has("cl") {
        words.push(0);
    }
    words
}

fn scene(linear: bool) -> Scene {
    const LESS: u32 = 1 << 12;
    let size = [SIZE[0] as u32, SIZE[1] as u32, 1];
    let mut scene = Scene::new(D2, R32_FLOAT, size, |x, y| f(texel(x as i32, y as i32)));
    let filter = if linear { LINEAR } else { 0 };
    scene.sampler = [clamp(EDGE) | UNNORMALIZED | LESS, filter];
    scene
}

fn text(form: &str) -> String {
    let last = 1 + words(form, 0).len();
    let data = if form.starts_with("image_gather4") {
        "v[20:23]"
    } else {
        "v20"
    };
    format!("{form} {data}, v[2:{last}], s[8:15], s[16:19] dmask:0x1 DIM DA")
}

#[test]
fn every_form_is_given_its_words_and_gives_what_they_ask_for() {
    let mut seen = std::collections::BTreeSet::new();
    for target in TARGETS {
        for form in FORMS {
            for linear in [false, true] {
                let mut scene = scene(linear);
                let Some(mut m) = scene.machine_if_known(target, &text(form)) else {
                    continue;
                };
                seen.insert(*form);
                for index in 0..words(form, 0).len() {
                    m.vgpr(2 + index, |lane| words(form, lane)[index]);
                }
                m.run();
                for index in 0..expected(form, 0, linear).len() {
                    for (lane, found) in m.row(20 + index).into_iter().enumerate() {
                        let (found, want) =
                            (f32::from_bits(found), expected(form, lane, linear)[index]);
                        assert_eq!(found, want, "{target} {form} linear {linear} lane {lane}");
                    }
                }
            }
        }
    }
    let unseen: Vec<_> = FORMS.iter().filter(|form| !seen.contains(*form)).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn offsets_and_references_are_whole_words_beside_half_coordinates() {
    let halves = |lane: usize| {
        let half = |value: f32| u32::from(half_of(value));
        let [x, y] = at(lane);
        half(x) | half(y) << 16
    };
    for target in ["gfx1030", "gfx1100", "gfx1201"] {
        let mut scene = scene(true);
        let text = "image_sample_c_lz_o v20, v[2:4], s[8:15], s[16:19] dmask:0x1 DIM a16 DA";
        let mut m = scene.machine(target, text);
        let form = "image_sample_c_lz_o";
        m.vgpr(2, |lane| words(form, lane)[0])
            .vgpr(3, |lane| words(form, lane)[1])
            .vgpr(4, halves)
            .run();
        for (lane, found) in m.row(20).into_iter().enumerate() {
            let want = expected(form, lane, true)[0];
            assert_eq!(f32::from_bits(found), want, "{target} lane {lane}");
        }
    }
}

/// A small multiple of a quarter as a half: sign, exponent and fraction from its single's.
fn half_of(value: f32) -> u16 {
    let bits = value.to_bits();
    if value == 0.0 {
        return 0;
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    (bits >> 16 & 0x8000) as u16 | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16
}
