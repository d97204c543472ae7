//! Distances in a graph.

/// Returns the number of edges on the shortest path from `start` to each of the vertices `0..vertices`, by breadth-first search; `None` for
/// unreachable vertices. `neighbours` returns the vertices to which a vertex has an edge.
///
/// ```
/// use multicomputer::topology::distances;
///
/// let edges = [vec![1], vec![2], vec![0], vec![0]];
/// let from_0 = distances(4, 0, |vertex| edges[vertex].iter().copied());
/// assert_eq!(from_0, [Some(0), Some(1), Some(2), None]);
/// ```
///
/// # Panics
/// If `start` or a neighbour is not below `vertices`.
pub fn distances<I: IntoIterator<Item = usize>>(
    vertices: usize,
    start: usize,
    neighbours: impl Fn(usize) -> I,
) -> Vec<Option<u32>> {
    let mut distances = vec![None; vertices];
    distances[start] = Some(0);
    let (mut reached, mut beyond) = (vec![start], 1);
    while !reached.is_empty() {
        let mut next = Vec::new();
        for neighbour in reached.into_iter().flat_map(&neighbours) {
            if distances[neighbour].is_none() {
                distances[neighbour] = Some(beyond);
                next.push(neighbour);
            }
        }
        (reached, beyond) = (next, beyond + 1);
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_a_direction() {
        let edges = [vec![1, 2], vec![3], vec![1], vec![], vec![0]];
        let from = |start| distances(5, start, |vertex: usize| edges[vertex].iter().copied());
        assert_eq!(from(0), [Some(0), Some(1), Some(1), Some(2), None]);
        assert_eq!(from(3), [None, None, None, Some(0), None]);
    }
}
