//! How often control went along each edge of a graph whose blocks were counted: what comes into a block leaves it.
//!
//! Entry types: [`Flow`]. It does not know kernels: the same walk says, before anything ran, which edges need counters of their own,
//! and afterwards what the others come to.

/// A graph with what is known of its edges.
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    pub edges: &'a [(u32, u32)],
    /// `true` for a block that control enters only along edges.
    pub closed_in: &'a [bool],
    /// `true` for a block that control leaves only along edges.
    pub closed_out: &'a [bool],
    into: Vec<Vec<u32>>,
    out: Vec<Vec<u32>>,
}

impl<'a> Flow<'a> {
    /// `edges`: from and to, as positions in the two other lists.
    pub fn new(edges: &'a [(u32, u32)], closed_in: &'a [bool], closed_out: &'a [bool]) -> Flow<'a> {
        let mut into = vec![Vec::new(); closed_in.len()];
        let mut out = vec![Vec::new(); closed_in.len()];
        for (edge, (from, to)) in edges.iter().enumerate() {
            out[*from as usize].push(edge as u32);
            into[*to as usize].push(edge as u32);
        }
        Flow {
            edges,
            closed_in,
            closed_out,
            into,
            out,
        }
    }

    /// Edges that have to be counted so that all others follow from the blocks.
    pub fn counted(&self) -> Vec<u32> {
        let mut values = vec![None; self.edges.len()];
        let blocks = vec![0; self.closed_in.len()];
        self.spread(&blocks, &mut values, 0..blocks.len());
        let mut counted = Vec::new();
        for edge in 0..self.edges.len() {
            if values[edge].is_none() {
                values[edge] = Some(0);
                counted.push(edge as u32);
                let (from, to) = self.edges[edge];
                self.spread(&blocks, &mut values, [from as usize, to as usize]);
            }
        }
        counted
    }

    /// Counts of all edges, from those of the blocks and of the edges that [`Flow::counted`] names. If the counts are inconsistent (a wave
    /// was ended within a block, or a counter overflowed), it is not known where, and only counted edges are returned.
    pub fn solve(&self, blocks: &[u64], counted: &[(u32, u64)]) -> Vec<Option<u64>> {
        let blocks: Vec<i128> = blocks.iter().map(|count| i128::from(*count)).collect();
        let mut known = vec![None; self.edges.len()];
        for (edge, count) in counted {
            known[*edge as usize] = Some(i128::from(*count));
        }
        let mut values = known.clone();
        self.spread(&blocks, &mut values, 0..blocks.len());
        let fits = |block: usize| {
            let sum = |edges: &[u32]| -> Option<i128> {
                edges.iter().map(|edge| values[*edge as usize]).sum()
            };
            let holds = |closed: bool, edges: &[u32]| {
                !closed || sum(edges).is_none_or(|sum| sum == blocks[block])
            };
            holds(self.closed_in[block], &self.into[block])
                && holds(self.closed_out[block], &self.out[block])
        };
        let sound = (0..blocks.len()).all(fits);
        let told = if sound { values } else { known };
        told.into_iter()
            .map(|count| count.and_then(|count| u64::try_from(count).ok()))
            .collect()
    }

    /// Fills in what follows from `start` on: the last unknown edge of a block is what its count leaves for it.
    fn spread(
        &self,
        blocks: &[i128],
        values: &mut [Option<i128>],
        start: impl IntoIterator<Item = usize>,
    ) {
        let mut waiting: Vec<usize> = start.into_iter().collect();
        while let Some(block) = waiting.pop() {
            let sides = [
                (self.closed_in[block], &self.into[block]),
                (self.closed_out[block], &self.out[block]),
            ];
            for (_, edges) in sides.into_iter().filter(|(closed, _)| *closed) {
                let mut unknown = edges
                    .iter()
                    .filter(|edge| values[**edge as usize].is_none());
                let (Some(&edge), None) = (unknown.next(), unknown.next()) else {
                    continue;
                };
                let known: i128 = edges.iter().filter_map(|edge| values[*edge as usize]).sum();
                values[edge as usize] = Some(blocks[block] - known);
                let (from, to) = self.edges[edge as usize];
                waiting.extend([from as usize, to as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entry, a condition, its two sides, the end.
    const DIAMOND: [(u32, u32); 4] = [(0, 1), (0, 2), (1, 3), (2, 3)];

    #[test]
    fn a_diamond_follows_from_its_blocks() {
        let (closed_in, closed_out) = ([false, true, true, true], [true, true, true, false]);
        let flow = Flow::new(&DIAMOND, &closed_in, &closed_out);
        assert!(flow.counted().is_empty());
        let edges = flow.solve(&[10, 3, 7, 10], &[]);
        assert_eq!(edges, [Some(3), Some(7), Some(3), Some(7)]);
    }

    #[test]
    fn a_condition_without_an_else_follows_too_and_a_loop() {
        // 0 branches over 1 to 2; 2 goes back to itself or ends.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 2), (2, 3)];
        let (closed_in, closed_out) = ([false, true, true, true], [true, true, true, false]);
        let flow = Flow::new(&edges, &closed_in, &closed_out);
        assert!(flow.counted().is_empty());
        let solved = flow.solve(&[5, 2, 50, 5], &[]);
        assert_eq!(solved, [2, 3, 2, 45, 5].map(Some));
    }

    #[test]
    fn edges_that_do_not_follow_get_counters() {
        // Two blocks that each branch to the same two.
        let edges = [(0, 2), (0, 3), (1, 2), (1, 3)];
        let (closed_in, closed_out) = ([false, false, true, true], [true, true, false, false]);
        let flow = Flow::new(&edges, &closed_in, &closed_out);
        assert_eq!(flow.counted(), [0]);
        let solved = flow.solve(&[4, 6, 5, 5], &[(0, 1)]);
        assert_eq!(solved, [1, 3, 4, 2].map(Some));
    }

    #[test]
    fn counts_that_do_not_fit_say_nothing() {
        // A wave was ended on one side of the diamond.
        let (closed_in, closed_out) = ([false, true, true, true], [true, true, true, false]);
        let flow = Flow::new(&DIAMOND, &closed_in, &closed_out);
        let edges = flow.solve(&[10, 3, 7, 9], &[]);
        assert_eq!(edges, [None; 4]);
        assert_eq!(flow.solve(&[10, 3, 8, 11], &[]), [None; 4]);
        let counted = flow.solve(&[10, 3, 7, 9], &[(3, 6)]);
        assert_eq!(counted, [None, None, None, Some(6)]);
    }
}
