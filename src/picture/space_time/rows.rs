//! Which nodes have a row: all, those that are asked for, or of a large machine some.

use std::collections::BTreeSet;

use super::super::PictureError;
use crate::rank::Rank;

/// The nodes with a row, in rank order, each once.
///
/// With more nodes than `at_most` these are spread evenly over the ranks, rather than every so manieth: the nodes of a
/// power of two play the same part in many algorithms. The node that finished last is always among them.
pub(super) fn thinned(nodes: usize, at_most: usize, last: Rank) -> Vec<Rank> {
    if nodes <= at_most {
        return (0..nodes).collect();
    }
    let spread = at_most.saturating_sub(1);
    let mut rows: BTreeSet<Rank> = (0..spread).map(|nth| nth * nodes / spread).collect();
    rows.insert(last);
    rows.into_iter().collect()
}

/// The nodes that are asked for, in the order in which they are, each once.
pub(super) fn asked_for(ranks: &[Rank], nodes: usize) -> Result<Vec<Rank>, PictureError> {
    let mut seen = BTreeSet::new();
    if let Some(&given) = ranks.iter().find(|rank| **rank >= nodes) {
        return Err(PictureError::NoSuchNode { given, nodes });
    }
    Ok(ranks.iter().copied().filter(|&rank| seen.insert(rank)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_all_or_spread_and_have_the_last_to_finish() {
        assert_eq!(thinned(4, 4, 0), [0, 1, 2, 3]);
        assert_eq!(thinned(10, 4, 9), [0, 3, 6, 9]);
        assert_eq!(thinned(10, 4, 6), [0, 3, 6]);
        assert_eq!(thinned(9, 1, 5), [5]);
        let rows = thinned(4096, 100, 17);
        assert_eq!(rows.len(), 100);
        assert!(rows.iter().filter(|rank| *rank % 2 == 1).count() > 20, "not all of one parity");
    }

    #[test]
    fn nodes_that_are_asked_for_must_be_there() {
        assert_eq!(asked_for(&[3, 1, 3], 4), Ok(vec![3, 1]));
        assert_eq!(asked_for(&[4], 4), Err(PictureError::NoSuchNode { given: 4, nodes: 4 }));
    }
}
