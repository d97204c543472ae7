//! Minimum number of rounds, by edge colouring of a bipartite graph.
//!
//! Vertices are the senders on one side and the receivers on the other. Messages are edges, and colors are rounds. The edges of a
//! bipartite graph can be colored with as many colors as the maximum degree (D. König, "Über Graphen und ihre Anwendung auf
//! Determinantentheorie und Mengenlehre", Math. Annalen 77, 1916). So `h` rounds suffice in which no node sends or receives twice, and no
//! schedule has fewer.

use super::{super::Matrix, Part, parts};

/// Returns rounds whose number is minimal. The longest messages are colored first, so that messages of a round have similar lengths.
pub(crate) fn rounds(matrix: &Matrix) -> Vec<Vec<Part>> {
    let mut parts: Vec<Part> = parts(matrix).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    color(matrix.nodes(), &parts)
}

/// Returns rounds of slices of at most `slice` bytes (at least 1). The number of rounds is minimal for these slices.
pub(crate) fn sliced(matrix: &Matrix, slice: u64) -> Vec<Vec<Part>> {
    let slice = slice.max(1);
    let slices = |part: Part| {
        let count = part.bytes.div_ceil(slice);
        (0..count).map(move |nth| Part { bytes: slice.min(part.bytes - nth * slice), ..part })
    };
    let mut parts: Vec<Part> = parts(matrix).flat_map(slices).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
    color(matrix.nodes(), &parts)
}

/// Colors the edges in the given order, each with the first color free at both ends. If no color is free at both ends, two colors are
/// swapped along an alternating path.
fn color(nodes: usize, parts: &[Part]) -> Vec<Vec<Part>> {
    let mut degrees = vec![0; 2 * nodes];
    for part in parts {
        degrees[part.from] += 1;
        degrees[nodes + part.to] += 1;
    }
    let colors = degrees.into_iter().max().unwrap_or(0);
    let mut graph = Graph {
        nodes,
        parts,
        colors,
        at: vec![NONE; 2 * nodes * colors],
        free: vec![vec![u64::MAX; colors.div_ceil(64)]; 2 * nodes],
        of: Vec::with_capacity(parts.len()),
    };
    for (edge, part) in (0..).zip(parts) {
        let ends = [part.from, nodes + part.to];
        let color = match graph.common(ends) {
            Some(color) => color,
            None => {
                let free = ends.map(|end| graph.first(end));
                graph.swap(ends[1], free);
                free[0]
            }
        };
        graph.of.push(color);
        ends.into_iter().for_each(|end| graph.set(end, color, edge));
    }
    let mut rounds = vec![Vec::new(); colors];
    for (part, color) in parts.iter().zip(graph.of) {
        rounds[color].push(*part);
    }
    rounds
}

const NONE: u32 = u32::MAX;

/// A partially colored graph. Its vertices are the senders, followed by the receivers.
struct Graph<'a> {
    nodes: usize,
    parts: &'a [Part],
    colors: usize,
    /// The edge at each vertex with each color, or `NONE`.
    at: Vec<u32>,
    /// For each vertex, a bit set for every unused color. Bits beyond the last color are set too.
    free: Vec<Vec<u64>>,
    /// The color of each edge.
    of: Vec<usize>,
}

impl Graph<'_> {
    /// Returns the first color that is free at both vertices.
    fn common(&self, [one, other]: [usize; 2]) -> Option<usize> {
        let words = self.free[one].iter().zip(&self.free[other]).map(|(one, other)| one & other);
        first(words).filter(|&color| color < self.colors)
    }

    /// Returns the first color that is free at a vertex. One is free, because the vertex still has an uncolored edge.
    fn first(&self, vertex: usize) -> usize {
        first(self.free[vertex].iter().copied()).unwrap_or(0)
    }

    fn set(&mut self, vertex: usize, color: usize, edge: u32) {
        self.at[vertex * self.colors + color] = edge;
        let bit = 1 << (color % 64);
        let word = &mut self.free[vertex][color / 64];
        *word = if edge == NONE { *word | bit } else { *word & !bit };
    }

    /// Frees the first color at a receiver where the second color is free, by swapping both colors on the alternating path that starts
    /// there. The path does not reach the sender at which the first color is free, because it would arrive there by an edge of that
    /// color.
    fn swap(&mut self, receiver: usize, [first, second]: [usize; 2]) {
        let (mut vertex, mut wanted, mut path) = (receiver, first, Vec::new());
        loop {
            let edge = self.at[vertex * self.colors + wanted];
            if edge == NONE {
                break;
            }
            path.push(edge);
            let Part { from, to, .. } = self.parts[edge as usize];
            vertex = if vertex == from { self.nodes + to } else { from };
            wanted = first + second - wanted;
        }
        for &edge in &path {
            let color = self.of[edge as usize];
            self.ends(edge).into_iter().for_each(|end| self.set(end, color, NONE));
            self.of[edge as usize] = first + second - color;
        }
        for &edge in &path {
            let color = self.of[edge as usize];
            self.ends(edge).into_iter().for_each(|end| self.set(end, color, edge));
        }
    }

    fn ends(&self, edge: u32) -> [usize; 2] {
        let part = self.parts[edge as usize];
        [part.from, self.nodes + part.to]
    }
}

/// Returns the number of the first set bit.
fn first(mut words: impl Iterator<Item = u64>) -> Option<usize> {
    let (place, word) = words.by_ref().enumerate().find(|&(_, word)| word != 0)?;
    Some(64 * place + word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn check(matrix: &Matrix, rounds: &[Vec<Part>]) {
        let mut moved: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for round in rounds {
            let ends = |end: fn(&Part) -> usize| {
                let mut ends: Vec<usize> = round.iter().map(end).collect();
                ends.sort_unstable();
                ends.windows(2).all(|pair| pair[0] != pair[1])
            };
            assert!(ends(|part| part.from) && ends(|part| part.to), "one message each way: {round:?}");
            for part in round {
                *moved.entry((part.from, part.to)).or_default() += part.bytes;
            }
        }
        let wanted = matrix.without_own();
        assert!(moved.into_iter().eq(wanted.messages().map(|(from, to, bytes)| ((from, to), bytes))));
    }

    proptest! {
        #[test]
        fn as_many_rounds_as_messages_meet_at_a_node(
            nodes in 1..12_usize, bytes in prop::collection::vec(0..5_u64, 144), slice in 1..4_u64
        ) {
            let matrix = Matrix::of(nodes, |from, to| bytes[from * 12 + to]).unwrap();
            let rounds = rounds(&matrix);
            check(&matrix, &rounds);
            prop_assert_eq!(rounds.len() as u64, matrix.without_own().fan());
            check(&matrix, &sliced(&matrix, slice));
        }
    }

    #[test]
    fn figure_1_takes_six_rounds() {
        assert_eq!(rounds(&Matrix::figure_1()).len(), 6);
    }
}
