//! Butterflies (recursive halving): pairs of groups of adjacent nodes, for any number of nodes, that halve the part of each node at every
//! level.
//!
//! Initially every node is a group and is responsible for the whole vector. At each level adjacent groups are paired, and the nodes of a
//! pair of groups that are responsible for the same part of the vector form pairs: from then on the node of the first group is responsible
//! for the first half of the part, the node of the second group for the second half. After `k` levels groups have up to `2^k` nodes, each
//! with its own part. If the number of groups is odd, the last group has no partner at this level (`aside`); the algorithm decides how to
//! treat it.
//!
//! Source of the pairs, for powers of two: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
//! MPICH", IJHPCA 19(1), 2005. For any number of nodes: R. Rabenseifner, J. L. Träff, "More efficient reduction algorithms for
//! non-power-of-two number of processors in message-passing parallel systems", EuroPVM/MPI 2004.

use crate::rank::Rank;

/// The nodes of a group, in the order of their parts of the vector.
pub(crate) type Group = Vec<Rank>;

/// One level of a butterfly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The pairs of adjacent groups.
    pub(crate) pairs: Vec<[Group; 2]>,
    /// The last group, if the number of groups is odd.
    pub(crate) aside: Option<Group>,
}

impl Level {
    /// Returns the pairs of nodes that are responsible for the same part at the start of the level, with the number of the part.
    pub(crate) fn pairings(&self) -> impl Iterator<Item = (usize, [Rank; 2])> {
        let nodes = |[one, other]: &[Group; 2]| {
            let pairs = one.iter().copied().zip(other.iter().copied());
            pairs.enumerate().map(|(part, (one, other))| (part, [one, other])).collect::<Vec<_>>()
        };
        self.pairs.iter().flat_map(nodes)
    }
}

/// Returns the levels, at most `most` of them, and the final groups without groups that had no partner at some level.
pub(crate) fn butterfly(nodes: &[Rank], most: usize) -> (Vec<Level>, Vec<Group>) {
    let mut groups: Vec<Group> = nodes.iter().map(|&node| vec![node]).collect();
    let mut levels = Vec::new();
    while groups.len() > 1 && levels.len() < most {
        let aside = if groups.len() % 2 == 1 { groups.pop() } else { None };
        let pairs: Vec<[Group; 2]> =
            groups.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
        let met = |[one, other]: &[Group; 2]| one.iter().zip(other).flat_map(|(&a, &b)| [a, b]).collect();
        groups = pairs.iter().map(met).collect();
        levels.push(Level { pairs, aside });
    }
    (levels, groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_seven_merge_until_one_is_left() {
        let (levels, groups) = butterfly(&[0, 1, 2, 3, 4, 5, 6], 9);
        assert_eq!(levels[0].aside, Some(vec![6]));
        assert_eq!(
            levels[0].pairs,
            [[[0], [1]], [[2], [3]], [[4], [5]]].map(|pair| pair.map(|group| group.to_vec()))
        );
        assert_eq!(levels[1].aside, Some(vec![4, 5]));
        assert_eq!(levels[1].pairings().collect::<Vec<_>>(), [(0, [0, 2]), (1, [1, 3])]);
        assert_eq!((levels.len(), groups), (2, vec![vec![0, 2, 1, 3]]));
    }

    #[test]
    fn every_node_has_a_part_or_is_idle() {
        for nodes in 1..70 {
            let all: Vec<Rank> = (0..nodes).collect();
            for most in 0..8 {
                let (levels, groups) = butterfly(&all, most);
                let aside = levels.iter().flat_map(|level| level.aside.iter().flatten());
                let mut seen: Vec<Rank> = groups.iter().flatten().chain(aside).copied().collect();
                seen.sort_unstable();
                assert_eq!(seen, all);
                assert!(groups.iter().all(|group| group.len() == 1 << levels.len()));
            }
        }
    }
}
