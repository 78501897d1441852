//! Faces of cube maps: which texels of other faces continue one.

/// Coordinates of a direction on face 0 to 5, after `v_cubesc_f32`, `v_cubetc_f32` and `v_cubema_f32`: for s, t and the major
/// axis, which of x, y, z it is and its sign.
const FACES: [[(usize, i64); 3]; 6] = [
    [(2, -1), (1, -1), (0, 1)],
    [(2, 1), (1, -1), (0, -1)],
    [(0, 1), (2, 1), (1, 1)],
    [(0, 1), (2, -1), (1, -1)],
    [(0, 1), (1, -1), (2, 1)],
    [(0, -1), (1, -1), (2, -1)],
];

/// The texel next to a face of `size` texels squared, beyond one of its edges: its face, column and row.
///
/// The face's plane, in half texels from its middle, is continued to the texel's centre; the line from there to the cube's
/// centre meets the other face in the texel.
pub fn beyond(face: u32, at: [i64; 2], size: u32) -> [u32; 3] {
    let size = i64::from(size);
    let [s, t, major] = FACES[face as usize];
    let mut direction = [0; 3];
    for ((axis, sign), value) in [
        (s, 2 * at[0] + 1 - size),
        (t, 2 * at[1] + 1 - size),
        (major, size),
    ] {
        direction[axis] = sign * value;
    }
    let along = |(axis, sign): (usize, i64)| sign * direction[axis];
    let longest = (0..6)
        .max_by_key(|&face| along(FACES[face][2]))
        .unwrap_or_default();
    let [s, t, major] = FACES[longest];
    let distance = along(major);
    let texel = |axis| (((along(axis) + distance) * size) / (2 * distance)) as u32;
    [longest as u32, texel(s), texel(t)]
}
