//! Faces of a cube and their neighbours.

use wave::inside::beyond;

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
