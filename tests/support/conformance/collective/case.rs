//! A collective operation that every member checks against what a loop over all ranks gives.

use std::{ops::Range, sync::Arc};

use multicomputer::{
    collective::{
        Algorithm, Collective, CollectiveError, Job, Lengths, Max, Operation, associative, commutative,
    },
    error::Failure,
    prelude::*,
};

use crate::conformance::{case, same_all};

/// What vectors are combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    Sum,
    Max,
    /// The product of 2 x 2 matrices of bytes, which is associative and not commutative.
    MatrixProduct,
}

/// An operation, and what every rank has before and after it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) operation: Operation,
    pub(crate) root: Rank,
    /// Elements of each rank's block.
    pub(crate) blocks: Vec<usize>,
    pub(crate) with: With,
    /// Told apart from other cases of the same shape by other data.
    seed: u64,
    /// The vector of all ranks combined, or of all ranks up to each.
    combined: Vec<Arc<[u64]>>,
}

/// Even blocks of `total` elements.
pub(crate) fn even(total: usize, size: usize) -> Vec<usize> {
    (0..size).map(|rank| total * (rank + 1) / size - total * rank / size).collect()
}

fn matrix_product(left: u64, right: u64) -> u64 {
    let entry = |matrix: u64, place: usize| u64::from(matrix.to_le_bytes()[place]);
    let at = |row: usize, column: usize| {
        let sum =
            entry(left, 2 * row) * entry(right, column) + entry(left, 2 * row + 1) * entry(right, 2 + column);
        sum as u8
    };
    u64::from_le_bytes([at(0, 0), at(0, 1), at(1, 0), at(1, 1), 0, 0, 0, 0])
}

fn combine(with: With, left: u64, right: u64) -> u64 {
    match with {
        With::Sum => left.wrapping_add(right),
        With::Max => left.max(right),
        With::MatrixProduct => matrix_product(left, right),
    }
}

impl Case {
    pub(crate) fn new(operation: Operation, root: Rank, blocks: Vec<usize>, with: With) -> Case {
        Case::seeded(operation, root, blocks, with, 0)
    }

    pub(crate) fn seeded(
        operation: Operation,
        root: Rank,
        blocks: Vec<usize>,
        with: With,
        seed: u64,
    ) -> Case {
        let mut case = Case { operation, root, blocks, with, seed, combined: Vec::new() };
        if operation.combines() {
            let mut sums: Vec<Arc<[u64]>> = vec![case.own(0, 0..case.total()).into()];
            for rank in 1..case.blocks.len() {
                let pairs = sums[rank - 1].iter().zip(case.own(rank, 0..case.total()));
                sums.push(pairs.map(|(&sum, own)| combine(with, sum, own)).collect());
            }
            if operation != Operation::Scan {
                sums.drain(..sums.len() - 1);
            }
            case.combined = sums;
        }
        case
    }

    pub(crate) fn total(&self) -> usize {
        self.blocks.iter().sum()
    }

    /// The elements of a rank's block.
    fn block(&self, rank: Rank) -> Range<usize> {
        let start = self.blocks[..rank].iter().sum();
        start..start + self.blocks[rank]
    }

    /// The elements of the vector that `rank` has in the beginning.
    fn own(&self, rank: Rank, range: Range<usize>) -> Vec<u64> {
        let first = (rank as u64 + 1) * 1_000_003 + self.seed * 10_000_019;
        range.map(|index| index as u64).map(|index| first + index * 97 + index * index).collect()
    }

    /// What a rank gives and what it must get.
    fn before_and_after(&self, rank: Rank) -> [Vec<u64>; 2] {
        use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
        let all = 0..self.total();
        let sum = |range: Range<usize>| self.combined[0][range].to_vec();
        let gathered =
            || (0..self.blocks.len()).flat_map(|rank| self.own(rank, self.block(rank))).collect::<Vec<u64>>();
        let if_root = |vector: &dyn Fn() -> Vec<u64>| if rank == self.root { vector() } else { Vec::new() };
        match self.operation {
            Broadcast => [if_root(&|| self.own(self.root, all.clone())), self.own(self.root, all.clone())],
            Scatter => [if_root(&|| self.own(self.root, all.clone())), self.own(self.root, self.block(rank))],
            Gather => [self.own(rank, self.block(rank)), if_root(&gathered)],
            AllGather => [self.own(rank, self.block(rank)), gathered()],
            Reduce => [self.own(rank, all.clone()), if_root(&|| sum(all.clone()))],
            AllReduce => [self.own(rank, all.clone()), sum(all)],
            ReduceScatter => [self.own(rank, all), sum(self.block(rank))],
            Scan => [self.own(rank, all), self.combined[rank].to_vec()],
            other => panic!("nothing is known of {other}"),
        }
    }

    /// Carries it out on this member; `false` if the algorithm does not work for it.
    pub(crate) fn check(&self, group: &Group<'_>, algorithm: &Algorithm) -> Result<bool, Failure> {
        let rank = group.rank();
        assert_eq!(group.size(), self.blocks.len());
        let lengths: Lengths =
            if self.operation.has_blocks() { (&self.blocks).into() } else { self.total().into() };
        let request = Job::of::<u64>(self.operation, self.root, lengths);
        let [before, after] = self.before_and_after(rank);
        let by = group.using(algorithm);
        let got = match (self.operation.combines(), self.with) {
            (false, _) => by.carry_out(&request, before),
            (true, With::Sum) => by.combine(&request, before, &commutative(u64::wrapping_add)),
            (true, With::Max) => by.combine::<u64>(&request, before, &Max),
            (true, With::MatrixProduct) => by.combine(&request, before, &associative(matrix_product)),
        };
        match got {
            Ok(got) => {
                let Case { operation, root, blocks, with, .. } = self;
                let name = algorithm.spelled(*operation);
                let text = format_args!("{operation} by {name}, root {root}, {with:?}, blocks {blocks:?}");
                case(group, text, || same_all(&got.to_vec::<u64>()?, &after))?;
                Ok(true)
            }
            Err(CollectiveError::Plan(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
