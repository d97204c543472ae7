//! *Multiplying*: in each round every rank exchanges data with several partners, so that its data multiplies and few rounds are needed.
//!
//! **What it does.** The number of ranks is a product of factors, one for each round. In a round of factor `r` every rank has as partners
//! the `r - 1` ranks whose numbers differ from its own in one radix-`r` digit: it sends to all of them, and then receives. All these
//! messages overlap, and a round pays the latency once: `r = 2` is recursive doubling, and `r = p` is a message from every rank to every
//! other. An all-gather begins with the farthest partners, while there is little data. Its dual is a reduce-scatter, and both in a row are
//! an all-reduce. If results do not depend on how operands are grouped, partners may also combine whole vectors, in half as many rounds.
//!
//! **Restrictions.** At least three ranks, whose number is a product of factors up to 64 that give at most 65,536 messages, or at most 24
//! for each rank if this is more; no root; a commutative operator. Whole vectors only if all partners of a round together send at most 64
//! MiB.
//!
//! **Cost.** `sum ((r - 1) (o_s + o_r) + L + hop)` over the factors, or less if the first message of a round arrives before the last one
//! has left, plus `(p - 1)/p n beta` for an all-gather of `n` bytes and `(p - 1)/p n gamma` to combine. With whole vectors an all-reduce
//! takes `n beta + n gamma` for each of the `sum (r - 1)` messages.
//!
//! **Source.** M. Ruefenacht, M. Bull, S. Booth, "Generalisation of recursive doubling for AllReduce: now with simulation", Parallel
//! Computing 69, 2017; for nodes with several ports: J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", 1997.

use std::collections::BTreeSet;

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::Tuning,
    },
    Algorithm, Entry, of,
    pairings::{self, Rounds, in_parts, named, with_all},
};
use crate::{
    plan::{Restriction, concurrent_round_time, max_concurrent_messages},
    time::Span,
};

impl Algorithm {
    /// Recursive multiplying: exchanges with several partners in each round, for networks of high latency (Ruefenacht, Bull, Booth).
    pub const MULTIPLYING: Algorithm = of(&MULTIPLYING);
}

static MULTIPLYING: Entry = Entry::new("multiplying", |planning| {
    Ok(variants_of_cheapest(planning.problem, candidates(planning.problem)))
})
.aliases(&["recursive-multiplying"])
.about("with several partners per round, for networks of high latency (Ruefenacht et al.)")
.source("Ruefenacht et al. 2017; Bruck et al. 1997")
.cost("all-gather: up to `sum ((r - 1) (o_s + o_r) + L + hop) + (p - 1)/p n beta` over the factors `r` of `p`; reduce-scatter: plus `(p - 1)/p n gamma`; all-reduce: both, or with `sum (r - 1) n (beta + gamma)` for the bytes")
.kinds(|operation| !operation.has_root() && operation != Operation::Scan)
.only_if(&[Restriction {
    text: "at least 3 ranks, a product of factors up to 64, and a commutative operator",
    is_met: |task, _| !task.is_in_order() && !shapes(task.size()).is_empty(),
    found: |task, _| pairings::refused(task),
}]);

/// Maximum factor: the partners of a round and the rank itself.
const MAX_FACTOR: usize = 64;

/// Maximum number of bytes that a rank receives in a round of whole vectors; it stores them until all have arrived.
const MAX_KEPT: u64 = 1 << 26;

/// Maximum number of factorizations that are tried, the fastest by the closed form first.
const MAX_SHAPES: usize = 6;

/// Returns candidates for the factorizations that save start-ups over recursive doubling, or else for the best factorization.
fn candidates(task: &Task) -> Vec<Candidate> {
    let time = |shape: &[usize]| -> Span {
        shape.iter().map(|factor| concurrent_round_time(task.machine(), factor - 1)).sum()
    };
    let doubling =
        concurrent_round_time(task.machine(), 1).times(u64::from(task.size().next_power_of_two().ilog2()));
    let mut shapes = shapes(task.size());
    shapes.sort_by_key(|shape| time(shape));
    let saving = shapes.iter().filter(|shape| time(shape) < doubling).count();
    shapes.truncate(saving.clamp(1, MAX_SHAPES));
    shapes.iter().flat_map(|shape| by_factors(task, shape)).collect()
}

/// Returns the candidates with these factors.
fn by_factors(task: &Task, shape: &[usize]) -> Vec<Candidate> {
    let (name, sequence) = (named("multiplying", shape), sequence(shape));
    let mut candidates = in_parts(task, &name, std::slice::from_ref(&sequence), [1]);
    let most = shape.iter().max().map_or(0, |factor| factor - 1) as u64;
    if task.bytes().saturating_mul(most) <= MAX_KEPT {
        candidates.extend(pairings::whole(task, &name, sequence.clone(), Tuning::OVERLAPPED, with_all));
    }
    if is_filled(task) {
        // Lower bound: each rank is busy with all messages that it sends and receives.
        let call = task.parameters().send_overhead() + task.parameters().receive_overhead();
        for candidate in &mut candidates {
            let calls = call.times(candidate.messages as u64);
            candidate.lower_bound = Some(Box::new(move |_, _| calls));
        }
    }
    candidates
}

/// Whether every rank has data to send in every round.
fn is_filled(task: &Task) -> bool {
    match task.operation() {
        Operation::AllReduce => task.bytes() / task.element_bytes() >= task.size() as u64,
        _ => (0..task.size()).all(|rank| !task.block(rank).is_empty()),
    }
}

/// Lists factorizations of a number, the factors of the nearest partners first. Each is greedy for some maximum factor, in ascending or
/// descending order.
fn shapes(size: usize) -> Vec<Vec<usize>> {
    let mut shapes = BTreeSet::new();
    for most in 3..=MAX_FACTOR {
        let (mut left, mut shape) = (size, Vec::new());
        while let Some(factor) = (2..=most.min(left)).rev().find(|factor| left % factor == 0) {
            left /= factor;
            shape.push(factor);
        }
        let messages: usize = shape.iter().map(|factor| factor - 1).sum();
        if left == 1 && shape.iter().any(|&factor| factor > 2) && messages <= max_concurrent_messages(size) {
            shapes.insert(shape.iter().rev().copied().collect());
            shapes.insert(shape);
        }
    }
    shapes.into_iter().collect()
}

/// Returns the partners of all ranks, in one round for each factor.
fn sequence(shape: &[usize]) -> Rounds {
    let size: usize = shape.iter().product();
    let mut stride = 1;
    let mut sequence = Rounds::new();
    for &factor in shape {
        let pairings = |place: usize| {
            let digit = place / stride % factor;
            let partner = move |step: usize| place - digit * stride + (digit + step) % factor * stride;
            (1..factor).map(move |step| (place, partner(step)))
        };
        sequence.push((0..size).flat_map(pairings).collect());
        stride *= factor;
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::{pairings::tests::assert_each_item_arrives_once, *};
    use crate::model::MachineSpec;

    #[test]
    fn factors_are_as_large_as_allowed() {
        assert_eq!(shapes(8), [vec![2, 4], vec![4, 2], vec![8]]);
        assert_eq!(
            shapes(30),
            [
                vec![2, 3, 5],
                vec![2, 15],
                vec![3, 10],
                vec![5, 3, 2],
                vec![5, 6],
                vec![6, 5],
                vec![10, 3],
                vec![15, 2],
                vec![30]
            ]
        );
        for none in [1, 2, 67, 134] {
            assert!(shapes(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn no_rank_receives_a_block_twice() {
        for shape in [vec![3], vec![4, 4], vec![2, 5, 3], vec![8, 2, 8]] {
            assert_each_item_arrives_once(&sequence(&shape), shape.iter().product());
        }
    }

    #[test]
    fn partners_differ_in_one_digit() {
        let sequence = sequence(&[3, 2]);
        let of = |place: usize| {
            let partners = |round: &pairings::Round| {
                round.iter().filter(|meeting| meeting.0 == place).map(|meeting| meeting.1).collect::<Vec<_>>()
            };
            sequence.iter().map(partners).collect::<Vec<_>>()
        };
        assert_eq!((of(1), of(5)), (vec![vec![2, 0], vec![4]], vec![vec![3, 4], vec![2]]));
    }

    /// Tests a latency of 20 us and calls of 0.16 us: when every rank sends to all others, it pays the latency once.
    #[test]
    fn multiplying_is_the_fastest_on_high_latency_networks() {
        let machine: MachineSpec = "host:64".parse().unwrap();
        for (operation, name) in [
            (Operation::AllGather, "multiplying 64 (in turn)"),
            (Operation::ReduceScatter, "multiplying 64 (in turn)"),
            // Fewer messages are faster here, because each is combined.
            (Operation::AllReduce, "multiplying 8x8, whole vectors"),
        ] {
            let task =
                Task::builder(&machine, operation).elements(64).element_bytes(8).exact(true).build().unwrap();
            let plan = Algorithm::AUTO.plan(&task).unwrap();
            assert_eq!(plan.name(), name, "{operation}");
        }
    }

    #[test]
    fn a_prime_number_of_ranks_is_refused() {
        let task =
            Task::builder(&"line:67".parse::<MachineSpec>().unwrap(), Operation::AllGather).elements(67);
        assert_eq!(
            Algorithm::MULTIPLYING.check(&task.build().unwrap()).unwrap_err().to_string(),
            "`multiplying` does not apply to this all-gather: it needs at least 3 ranks, a product of factors up to 64, and a commutative operator (here: 67 ranks)"
        );
    }
}
