//! The data of collective operations, and the results that every rank must have.
//!
//! Elements of 8 bytes are floating-point numbers with integer values, so that their sums are exact. Elements of other lengths are
//! combined byte by byte. The commutative operator adds bytes. The operator for combining in rank order composes maps: a byte stands for
//! the map `x -> a x + b` modulo 16, with `a` in its upper half and `b` in its lower half. Composition is associative and not commutative.
//! `a` is odd, so every map is a bijection and no operand is lost.

use multicomputer::{
    Payload, PayloadError, Rank,
    collective::{Operation, Task},
};

use super::{Content, message};

/// Bytes of a floating-point number.
const DOUBLE: usize = size_of::<f64>();

/// Returns whether the elements are floating-point numbers that are added.
pub fn adds_doubles(task: &Task) -> bool {
    task.operation().combines() && task.element_bytes() == DOUBLE as u64 && !task.is_in_order()
}

/// Returns the byte ranges of the vector that a rank holds before and after the operation.
pub fn before_and_after(task: &Task, rank: Rank) -> [std::ops::Range<u64>; 2] {
    use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
    let (all, block) = (0..task.bytes(), task.block(rank));
    let if_root = |range| if rank == task.root() { range } else { 0..0 };
    match task.operation() {
        Broadcast => [if_root(all.clone()), all],
        Scatter => [if_root(all), block],
        Gather => [block, if_root(all)],
        AllGather => [block, all],
        Reduce => [all.clone(), if_root(all)],
        AllReduce | Scan => [all.clone(), all],
        ReduceScatter => [all, block],
        other => unreachable!("the data of {other} is not known"),
    }
}

impl Content {
    /// The input vector: of `rank` if the operation combines vectors, otherwise the only one.
    fn vector(self, seed: u64, task: &Task, rank: Rank) -> Vec<u8> {
        let source = if task.operation().combines() { rank } else { task.root() };
        let mut bytes = message(seed, source, task.bytes());
        if task.is_in_order() {
            bytes.iter_mut().for_each(|byte| *byte |= 0x10);
        } else if adds_doubles(task) {
            for double in bytes.chunks_exact_mut(DOUBLE) {
                // Sums over all nodes are exact.
                let whole = u32::from_le_bytes([double[0], double[1], double[2], double[3]]);
                double.copy_from_slice(&f64::from(whole).to_ne_bytes());
            }
        }
        bytes
    }

    /// Returns the input of every rank.
    pub fn given(self, task: &Task) -> Vec<Payload> {
        let ranks = (0..task.size()).map(|rank| (rank, before_and_after(task, rank)[0].clone()));
        let Content::Random { seed } = self else {
            return ranks.map(|(_, range)| Payload::phantom(range.end - range.start)).collect();
        };
        if task.operation().combines() {
            return ranks.map(|(rank, _)| self.vector(seed, task, rank).into()).collect();
        }
        let vector = self.vector(seed, task, task.root());
        ranks.map(|(_, range)| vector[range.start as usize..range.end as usize].to_vec().into()).collect()
    }

    /// Combines two operands.
    ///
    /// # Errors
    ///
    /// [`PayloadError`] if an operand is a phantom or has another length.
    pub fn combine(self, task: &Task, left: Payload, right: Payload) -> Result<Payload, PayloadError> {
        match self {
            Content::Phantom => Ok(left),
            Content::Random { .. } if adds_doubles(task) => {
                let (left, right) = (left.elements::<f64>()?, right.elements::<f64>()?);
                Ok(left
                    .iter()
                    .zip(right.iter())
                    .map(|(left, right)| left + right)
                    .collect::<Vec<f64>>()
                    .into())
            }
            Content::Random { .. } => {
                let mut bytes = left.to_bytes()?.to_vec();
                accumulate(&mut bytes, &right.to_bytes()?, task);
                Ok(bytes.into())
            }
        }
    }

    /// Returns the first rank with a wrong result, and what is wrong with it. Ranks without a result in `results` are not checked.
    pub fn wrong_rank(self, task: &Task, results: &[Option<&Payload>]) -> Option<(Rank, &'static str)> {
        let expected = |rank| before_and_after(task, rank)[1].clone();
        let has_length = |rank: Rank| {
            results[rank].is_none_or(|result| {
                let range = expected(rank);
                result.len() == range.end - range.start
            })
        };
        if let Some(rank) = (0..task.size()).find(|&rank| !has_length(rank)) {
            return Some((rank, "wrong length"));
        }
        let Content::Random { seed } = self else { return None };
        // The operands of the ranks so far, combined: the expected result of a rank in a scan.
        let mut vector = self.vector(seed, task, 0);
        let is_wrong = |rank: Rank, vector: &[u8]| {
            let range = expected(rank);
            let part = &vector[range.start as usize..range.end as usize];
            results[rank].is_some_and(|result| !result.to_bytes().is_ok_and(|bytes| bytes == part))
        };
        let is_scan = task.operation() == Operation::Scan;
        for rank in 0..task.size() {
            if task.operation().combines() && rank > 0 {
                accumulate(&mut vector, &self.vector(seed, task, rank), task);
            }
            if is_scan && is_wrong(rank, &vector) {
                return Some((rank, "wrong bytes"));
            }
        }
        let wrong = (0..task.size()).find(|&rank| !is_scan && is_wrong(rank, &vector));
        wrong.map(|rank| (rank, "wrong bytes"))
    }
}

/// Combines the left operand with a right operand in place.
fn accumulate(left: &mut [u8], right: &[u8], task: &Task) {
    if adds_doubles(task) {
        let double = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        for (left, right) in left.chunks_exact_mut(DOUBLE).zip(right.chunks_exact(DOUBLE)) {
            left.copy_from_slice(&(double(left) + double(right)).to_ne_bytes());
        }
        return;
    }
    let in_order = task.is_in_order();
    for (left, &right) in left.iter_mut().zip(right) {
        *left = if in_order { composed(*left, right) } else { left.wrapping_add(right) };
    }
}

/// The composition of two maps: first `right`, then `left`.
fn composed(left: u8, right: u8) -> u8 {
    let ([a, b], [c, d]) = ([left >> 4, left & 15], [right >> 4, right & 15]);
    (a.wrapping_mul(c) << 4) | (a.wrapping_mul(d).wrapping_add(b) & 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(operation: Operation, in_order: bool) -> Task {
        of_elements(operation, 8, in_order)
    }

    fn of_elements(operation: Operation, bytes: u64, in_order: bool) -> Task {
        let task = Task::builder(&"line:3".parse().unwrap(), operation);
        task.elements(7).element_bytes(bytes).root(2).in_order(in_order).build().unwrap()
    }

    #[test]
    fn the_composition_is_associative_and_not_commutative() {
        let maps = (0..=255).step_by(7).map(|byte: u8| byte | 0x10);
        for x in maps.clone() {
            for y in maps.clone() {
                for z in maps.clone() {
                    assert_eq!(composed(composed(x, y), z), composed(x, composed(y, z)));
                }
            }
        }
        assert_ne!(composed(0x31, 0x50), composed(0x50, 0x31));
    }

    #[test]
    fn what_is_wrong_is_found() {
        let content = Content::Random { seed: 1 };
        for operation in Operation::ALL {
            let task = task(operation, false);
            let given = content.given(&task);
            assert!(given.iter().map(Payload::len).sum::<u64>() >= 56, "{operation}");
            let empty = Payload::empty();
            let empty = [Some(&empty); 3];
            assert!(matches!(content.wrong_rank(&task, &empty), Some((_, "wrong length"))), "{operation}");
            let zeros: Vec<Payload> = (0..3)
                .map(|rank| {
                    let range = before_and_after(&task, rank)[1].clone();
                    vec![0_u8; (range.end - range.start) as usize].into()
                })
                .collect();
            let zeros: Vec<Option<&Payload>> = zeros.iter().map(Some).collect();
            assert!(matches!(content.wrong_rank(&task, &zeros), Some((_, "wrong bytes"))), "{operation}");
        }
    }

    #[test]
    fn a_scan_has_a_result_for_every_rank() {
        for (bytes, in_order) in [(8, false), (8, true), (5, false)] {
            let (content, task) =
                (Content::Random { seed: 5 }, of_elements(Operation::Scan, bytes, in_order));
            let mut results = content.given(&task);
            for rank in 1..3 {
                results[rank] =
                    content.combine(&task, results[rank - 1].clone(), results[rank].clone()).unwrap();
            }
            assert_eq!(content.wrong_rank(&task, &results.iter().map(Some).collect::<Vec<_>>()), None);
            results.swap(1, 2);
            assert_eq!(
                content.wrong_rank(&task, &results.iter().map(Some).collect::<Vec<_>>()),
                Some((1, "wrong bytes"))
            );
        }
    }
}
