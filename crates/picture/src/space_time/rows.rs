//! Selection of the ranks that have a row: all ranks, the requested ranks, or (on large machines) the ranks of the critical path and a
//! regular sample.

use std::collections::BTreeSet;

use multicomputer::{Rank, record::NodeRecord};

use super::super::{PictureError, critical::Stretch};

/// The ranks with a row, in the order of rows, and the rule of their selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) ranks: Vec<Rank>,
    /// The rule as text that follows "Rows:" in a sentence. Empty if every rank has a row.
    pub(crate) rule: String,
}

impl Rows {
    /// Selects every rank on a machine of at most `at_most` nodes. On a larger machine it selects the ranks of the critical
    /// path, and every k-th rank, where k is the smallest power of two that respects the limit. The ranks 0, k, 2k, ..
    /// start equal groups of ranks; on a mesh whose width is a power of two they lie in the same columns of each row.
    ///
    /// A path over more ranks than there are rows is sampled with a separate stride, counted from its end, so that the
    /// node that finished last always has a row.
    pub(crate) fn thinned(nodes: &[NodeRecord], at_most: usize, path: &[Stretch]) -> Rows {
        if nodes.len() <= at_most {
            return Rows { ranks: (0..nodes.len()).collect(), rule: String::new() };
        }
        let from_end = from_end(path);
        let (from_end, name) = match from_end.len() {
            0 => (vec![last_to_finish(nodes)], "the rank that finished last".to_owned()),
            1 => (from_end, "the rank of the critical path".to_owned()),
            ranks => (from_end, format!("the {ranks} ranks of the critical path")),
        };
        if from_end.len() > at_most {
            let stride = from_end.len().div_ceil(at_most);
            let ranks: BTreeSet<Rank> = from_end.iter().copied().step_by(stride).collect();
            let rule = format!("every {} of {name}, counted from its end", ordinal(stride));
            return Rows { ranks: ranks.into_iter().collect(), rule };
        }
        let strides = std::iter::successors(Some(2_usize), |stride| stride.checked_mul(2));
        for stride in strides.take_while(|&stride| stride < nodes.len()) {
            let mut ranks: BTreeSet<Rank> = from_end.iter().copied().collect();
            ranks.extend((0..nodes.len()).step_by(stride));
            if ranks.len() <= at_most {
                let rule = format!("{name} and every {} rank from 0 on", ordinal(stride));
                return Rows { ranks: ranks.into_iter().collect(), rule };
            }
        }
        Rows { ranks: from_end.into_iter().collect::<BTreeSet<_>>().into_iter().collect(), rule: name }
    }

    /// Selects the requested ranks in the given order, without duplicates.
    pub(super) fn asked_for(ranks: &[Rank], nodes: usize) -> Result<Rows, PictureError> {
        let mut seen = BTreeSet::new();
        if let Some(&given) = ranks.iter().find(|rank| **rank >= nodes) {
            return Err(PictureError::NoSuchNode { given, nodes });
        }
        let ranks: Vec<Rank> = ranks.iter().copied().filter(|&rank| seen.insert(rank)).collect();
        let rule = if ranks.len() < nodes { "the selected ranks".to_owned() } else { String::new() };
        Ok(Rows { ranks, rule })
    }

    /// Returns the rule and the number of rows as a sentence for the notes; `None` if every rank has a row.
    pub(crate) fn describe(&self, nodes: usize) -> Option<String> {
        (!self.rule.is_empty()).then(|| format!("Rows: {} ({} of {nodes}).", self.rule, self.ranks.len()))
    }
}

/// Returns the ranks of the path without duplicates, in the order of their last visits, from the end back to time zero.
fn from_end(path: &[Stretch]) -> Vec<Rank> {
    let mut seen = BTreeSet::new();
    let visits = path.iter().rev().flat_map(|stretch| [stretch.to, stretch.from]);
    visits.filter(|&rank| seen.insert(rank)).collect()
}

/// Returns the node that finished last; the first one in case of ties.
fn last_to_finish(nodes: &[NodeRecord]) -> Rank {
    let last = nodes.iter().enumerate().rev().max_by_key(|(_, node)| node.finished);
    last.map_or(0, |(rank, _)| rank)
}

/// Formats an ordinal number: `2nd`, `3rd`, `12th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use multicomputer::{Span, Time};

    fn nodes(number: usize) -> Vec<NodeRecord> {
        vec![NodeRecord::default(); number]
    }

    /// Creates a path that visits the ranks in order.
    fn path(ranks: &[Rank]) -> Vec<Stretch> {
        let at = |nth: usize| Time::ZERO + Span::from_micros(nth as u64);
        let pairs = ranks.windows(2).enumerate();
        pairs
            .map(|(nth, pair)| Stretch { from: pair[0], to: pair[1], start: at(nth), end: at(nth + 1) })
            .collect()
    }

    #[test]
    fn rows_are_all_or_those_of_the_critical_path_and_a_regular_stride() {
        let all = Rows::thinned(&nodes(4), 4, &path(&[0, 3]));
        assert_eq!((all.ranks, all.rule.as_str()), (vec![0, 1, 2, 3], ""));

        let few = Rows::thinned(&nodes(32), 10, &path(&[0, 16, 17, 31]));
        assert_eq!(few.ranks, [0, 4, 8, 12, 16, 17, 20, 24, 28, 31]);
        assert_eq!(
            few.describe(32).unwrap(),
            "Rows: the 4 ranks of the critical path and every 4th rank from 0 on (10 of 32)."
        );
        // There is no space for a sample besides the path.
        let path_only = Rows::thinned(&nodes(32), 3, &path(&[1, 3, 5]));
        assert_eq!(
            (path_only.ranks, path_only.rule.as_str()),
            (vec![1, 3, 5], "the 3 ranks of the critical path")
        );
        // Without a path, as under the host's clock.
        let mut recorded = nodes(9);
        recorded[5].finished = Time::ZERO + Span::from_micros(1);
        let host = Rows::thinned(&recorded, 4, &[]);
        assert_eq!(host.ranks, [0, 4, 5, 8]);
        assert_eq!(host.rule, "the rank that finished last and every 4th rank from 0 on");
        assert_eq!(Rows::thinned(&recorded, 1, &[]).ranks, [5]);
    }

    #[test]
    fn a_path_over_more_ranks_than_rows_has_a_stride_from_its_end() {
        let ranks: Vec<Rank> = (0..250).collect();
        let rows = Rows::thinned(&nodes(256), 100, &path(&ranks));
        assert_eq!(rows.ranks, (0..250).filter(|rank| rank % 3 == 0).collect::<Vec<_>>());
        assert_eq!(
            rows.describe(256).unwrap(),
            "Rows: every 3rd of the 250 ranks of the critical path, counted from its end (84 of 256)."
        );
        assert!(rows.ranks.contains(&249), "the last one");
    }

    #[test]
    fn requested_ranks_must_exist() {
        let rows = Rows::asked_for(&[3, 1, 3], 4).unwrap();
        assert_eq!(
            (&rows.ranks[..], rows.describe(4).unwrap().as_str()),
            (&[3, 1][..], "Rows: the selected ranks (2 of 4).")
        );
        assert_eq!(Rows::asked_for(&[4], 4), Err(PictureError::NoSuchNode { given: 4, nodes: 4 }));
    }
}
