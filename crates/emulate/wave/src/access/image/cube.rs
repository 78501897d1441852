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
pub(crate) fn beyond(face: u32, at: [i64; 2], size: u32) -> [u32; 3] {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours across an edge share it: going there and back across it is going nowhere.
    #[test]
    fn edges_are_shared() {
        let size = 5;
        let inside = |at: [i64; 2]| at.iter().all(|at| (0..5).contains(at));
        for face in 0..6 {
            for along in 0..5 {
                for at in [[-1, along], [5, along], [along, -1], [along, 5]] {
                    let [other, column, row] = beyond(face, at, size);
                    assert!(other != face && other ^ 1 != face, "{face} {at:?}");
                    let next = [i64::from(column), i64::from(row)];
                    let steps = [[-1, 0], [1, 0], [0, -1], [0, 1]];
                    let back = steps
                        .map(|[x, y]| [next[0] + x, next[1] + y])
                        .into_iter()
                        .filter(|&at| !inside(at))
                        .map(|at| beyond(other, at, size))
                        .filter(|&[third, ..]| third == face)
                        .collect::<Vec<_>>();
                    let own = at.map(|at| at.clamp(0, 4) as u32);
                    assert_eq!(back, [[face, own[0], own[1]]], "{face} {at:?}");
                }
            }
        }
    }
}
