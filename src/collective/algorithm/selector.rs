//! Selectors: published rules by which other libraries choose an algorithm by operation, number of ranks and length.
//!
//! A selector takes the algorithm of this library that corresponds to the published choice. *Auto* does not try selectors: it tries the
//! algorithms. docs/collectives.md lists what corresponds to what.

use super::{
    super::{
        Operation, Strategy, Task,
        strategy::{AllGatherKind, Tree},
    },
    Algorithm, Variants,
};

/// An algorithm in the terms of the selectors. Its meaning depends on the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The root sends to, or receives from, every rank itself.
    Linear,
    /// A tree of halves; where the operation has no root, up the tree and down again.
    Binomial,
    /// A chain of ranks, in segments.
    Chain,
    /// Recursive doubling. A broadcast scatters the vector first. Without a power of two ranks, another all-gather.
    Doubling,
    /// Recursive halving, then the reverse, or to the root.
    Halving,
    /// Around a ring. A broadcast scatters the vector first.
    Ring,
    /// An all-gather on a circulant graph.
    Bruck,
}

impl Choice {
    /// The algorithm of this library.
    fn algorithm(self, task: &Task) -> Algorithm {
        let size = task.size();
        let long = |side: usize, count: usize, kind| {
            Strategy::long((0..count).filter(|_| side > 1).map(|_| (side, kind))).into()
        };
        let is_sum = matches!(task.operation(), Operation::AllReduce | Operation::Scan);
        match self {
            Choice::Linear => Algorithm::LINEAR,
            Choice::Binomial => Strategy::short(size, Tree::Halves).into(),
            Choice::Chain => Algorithm::CHAINS,
            Choice::Doubling if is_sum => Algorithm::DOUBLING,
            Choice::Doubling if size.is_power_of_two() => long(2, size.ilog2() as usize, AllGatherKind::Ring),
            Choice::Doubling if task.operation() == Operation::Broadcast => Choice::Ring.algorithm(task),
            Choice::Halving => Algorithm::HALVING,
            Choice::Ring => long(size, 1, AllGatherKind::Ring),
            Choice::Doubling | Choice::Bruck => long(size, 1, AllGatherKind::Circulant),
        }
    }

    /// The variants of the algorithm for a task. Where the algorithm is restricted to other tasks, the tree is taken instead.
    pub(super) fn variants(self, task: &Task) -> Variants {
        let algorithm = self.algorithm(task);
        match algorithm.check(task) {
            Ok(()) => algorithm.variants(task, &()),
            Err(_) => Choice::Binomial.algorithm(task).variants(task, &()),
        }
    }
}

/// Choices by length: each up to a length in bytes, which is excluded.
pub(super) type Lengths = &'static [(u64, Choice)];

/// Choices by number of ranks: each up to a number, which is excluded.
pub(super) type Rules = &'static [(usize, Lengths)];

/// Returns the choice of a table for a number of ranks and a length.
pub(super) fn chosen(rules: Rules, size: usize, bytes: u64) -> Choice {
    let lengths = rules.iter().find(|(most, _)| size < *most).map_or(&[][..], |(_, lengths)| lengths);
    lengths.iter().find(|(most, _)| bytes < *most).map_or(Choice::Binomial, |&(_, choice)| choice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::delivery;

    fn task(operation: Operation, size: usize, bytes: u64) -> crate::collective::TaskBuilder {
        let machine = format!("hockney:1x{size}").parse().unwrap();
        Task::builder(&machine, operation).elements(bytes / 8).element_bytes(8)
    }

    #[test]
    fn every_choice_delivers() {
        for operation in Operation::ALL {
            for (size, root) in [(1, 0), (2, 1), (3, 2), (7, 3), (8, 5), (16, 0), (33, 4)] {
                for bytes in [0, 8, 400, 4096, 100_000, 2 << 20] {
                    for in_order in [false, true] {
                        let task =
                            task(operation, size, bytes).root(root).in_order(in_order).exact(false).build();
                        let task = task.unwrap();
                        for algorithm in Algorithm::UNTRIED.iter().filter(|known| known.is_for(operation)) {
                            for variant in algorithm.variants(&task, &()).unwrap() {
                                let draft = variant.draft(&task).unwrap();
                                let checked = delivery::check(&task, &draft);
                                assert_eq!(
                                    checked,
                                    Ok(()),
                                    "{algorithm}: {operation}, {size} ranks, {bytes} B"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn choices_are_the_published_ones() {
        let name = |algorithm: &Algorithm, operation, size, bytes| {
            let plan = algorithm.plan(&task(operation, size, bytes).build().unwrap()).unwrap();
            plan.name().to_owned()
        };
        for (operation, size, bytes, expected) in [
            (Operation::Broadcast, 16, 12288, "16:M"),
            (Operation::Broadcast, 16, 12296, "2x2x2x2:SSSSCCCC"),
            (Operation::Broadcast, 15, 12296, "15:SC"),
            (Operation::Broadcast, 16, (512 << 10) + 8, "16:SC"),
            (Operation::Broadcast, 7, 1 << 20, "7:M"),
            (Operation::AllGather, 16, (512 << 10) - 128, "2x2x2x2:CCCC"),
            (Operation::AllGather, 16, 512 << 10, "16:C"),
            (Operation::AllGather, 15, 81800, "15:B"),
            (Operation::AllReduce, 16, 2048, "doubling"),
            (Operation::AllReduce, 16, 2056, "halving"),
            (Operation::Reduce, 16, 2048, "16:M"),
            (Operation::ReduceScatter, 16, 512 << 10, "16:C"),
            (Operation::Scatter, 16, 8 << 20, "16:S"),
            (Operation::Scan, 16, 8 << 20, "doubling"),
        ] {
            let found = name(&Algorithm::MPICH, operation, size, bytes);
            assert!(found.starts_with(expected), "{operation}, {size} ranks, {bytes} B: {found}");
        }
        for (operation, size, bytes, expected) in [
            (Operation::Broadcast, 16, (1 << 20) - 8, "16:M"),
            (Operation::Broadcast, 16, 1 << 20, "2x2x2x2:SSSSCCCC"),
            (Operation::Broadcast, 8, 32 << 10, "linear"),
            (Operation::AllReduce, 32, 120, "32:C"),
            (Operation::AllReduce, 32, 128, "halving"),
            (Operation::Reduce, 4, 4 << 10, "arms"),
            (Operation::Gather, 4, 4 * (1 << 10), "linear"),
            (Operation::Gather, 4, 4 * (1 << 10) - 32, "4:S"),
            (Operation::ReduceScatter, 64, 248, "64:M"),
        ] {
            let found = name(&Algorithm::OPEN_MPI, operation, size, bytes);
            assert!(found.starts_with(expected), "{operation}, {size} ranks, {bytes} B: {found}");
        }
    }
}
