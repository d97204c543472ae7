//! An operator, by every algorithm that combines, against a fold over the ranks.

use multicomputer::{
    Element,
    collective::{Algorithm, CollectiveError, Operation, Operator},
    error::Failure,
    prelude::*,
};

use crate::conformance::{case, same_all};

/// The vectors of all ranks: small numbers, of which sums and products are exact in every type, zeros among them.
pub(crate) fn vectors<T>(size: usize, element: impl Fn(u8) -> T) -> Vec<Vec<T>> {
    let number = |rank: usize, index: usize| match index % 4 {
        0 => 0,
        1 => 1,
        2 => ((rank * 5 + index) % 3) as u8,
        _ => 1 + ((rank + index) % 2) as u8,
    };
    (0..size).map(|rank| (0..13).map(|index| element(number(rank, index))).collect()).collect()
}

/// Whether an algorithm works for any number of ranks, on a line too, and for blocks of any lengths.
pub(crate) fn any_shape(algorithm: &&Algorithm) -> bool {
    let restricted = [
        Algorithm::ALTERNATING,
        Algorithm::EDST,
        Algorithm::SWING,
        Algorithm::BINE,
        Algorithm::TRIVANCE,
        Algorithm::MULTIPLYING,
        Algorithm::FOREST,
        Algorithm::SOURCES,
        Algorithm::APART,
    ];
    !restricted.contains(algorithm)
}

/// All operations that combine, with every algorithm. The operator is not a type parameter, for there are seventy, and
/// each would have all of this compiled once more.
pub(crate) fn check<T>(
    group: &Group<'_>,
    vectors: &[Vec<T>],
    operator: &(dyn Operator<T> + Sync),
) -> Result<(), Failure>
where
    T: Element + Send + Sync + PartialEq + std::fmt::Debug,
{
    let (rank, size, mine) = (group.rank(), group.size(), &vectors[group.rank()]);
    let up_to = |last: Rank| -> Vec<T> {
        let combined = |index: usize| {
            (1..=last).fold(vectors[0][index], |sum, rank| operator.combine(sum, vectors[rank][index]))
        };
        (0..mine.len()).map(combined).collect()
    };
    let all = up_to(size - 1);
    let blocks: Vec<usize> = (0..size).map(|rank| if rank < 6 { (rank * 4 + 1) % 5 } else { 0 }).collect();
    let total: usize = blocks.iter().sum();
    let start: usize = blocks[..rank].iter().sum();
    let root = 4 % size;
    for operation in Operation::ALL.into_iter().filter(|operation| operation.combines()) {
        for algorithm in Algorithm::of(operation).iter().filter(any_shape) {
            let by = group.using(algorithm);
            let mut x = mine.clone();
            let (done, expected) = match operation {
                Operation::Reduce => {
                    (by.reduce(root, &mut x, operator), if rank == root { &all } else { mine })
                }
                Operation::AllReduce => (by.all_reduce(&mut x, operator), &all),
                Operation::Scan => (by.scan(&mut x, operator), &up_to(rank)),
                _ => {
                    let done = by.reduce_scatter(&mine[..total], &blocks, operator);
                    (done.map(|got| x = got), &all[start..start + blocks[rank]].to_vec())
                }
            };
            let name =
                format_args!("{} of {} by {}", operation, operator.name(), algorithm.spelled(operation));
            case(group, name, || match done {
                // Pipelines do without fewer than three ranks, most algorithms without operators that do not commute.
                Err(CollectiveError::Plan(_)) if !operator.is_commutative() || size < 3 => Ok(()),
                done => {
                    done?;
                    same_all(&x, expected)
                }
            })?;
        }
    }
    Ok(())
}
