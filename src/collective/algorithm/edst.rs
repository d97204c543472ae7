//! *EDST*: the vector in packets, down the edge-disjoint spanning trees of a hypercube.
//!
//! **What it does.** Broadcast, and as its dual reduce. A hypercube of `p = 2^d` nodes has `d` spanning trees that share no link in
//! the same direction ([`edge_disjoint`](crate::pattern::pipeline::edge_disjoint)). Packet `i` goes down tree `i mod d`. In round `t` all
//! nodes exchange packets with their neighbours in dimension `t mod d`: each node sends one and receives one. Either the messages drive the
//! rounds, or the schedule is time-triggered (*by the clock*): each packet rests one round at each node and all nodes start their rounds at
//! the same time, as in [*Pipeline*](super::pipeline), so that start-ups overlap with transfers.
//!
//! **Restrictions.** A power of two ranks, at least four; a commutative operator. The algorithm is designed for hypercubes, where every
//! message crosses one link that it does not share. Elsewhere ranks are numbered along the rows, and neighbours in the cube may be far
//! apart: on an `r x c` mesh `c / 2` messages share a link in the highest dimension of a row.
//!
//! **Cost.** `(N + d) (alpha + n/N beta)` for `N` packets; with the best `N` this is `(sqrt(n beta) + sqrt(d alpha))^2`. By the clock
//! about `(N + 2 d) max(o_s + o_r, L + hop + n/N beta)`, which without latency is about `n beta + 2 d alpha` at best. For long vectors both approach `n beta`, half of the `2 (p - 1)/p n beta` of scatter and all-gather. These formulas
//! hold for nodes with *one port* in each direction, the model of this crate. With half-duplex ports the bytes cost twice as much, and
//! scatter and all-gather cost three times as much, so the factor is 1.5 instead of 2. With `d` ports at each node all trees could be used at
//! the same time, for `n/d beta`; this implementation does not do so.
//!
//! **Source.** S. L. Johnsson, C.-T. Ho, "Optimum broadcasting and personalized communication in hypercubes", IEEE
//! Transactions on Computers 38(9), 1989; Barnett et al., "Building a High-Performance Collective Communication Library",
//! 1994, section 8, which calls the algorithm EDST. The time-triggered form is not in these sources.

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        cost::conflict_of,
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry,
    blocks::{can_be_pipelined, too_little},
    of, pipeline, round,
};
use crate::{
    pattern::{
        Transfer,
        pipeline::{Hop, across_dimensions},
    },
    plan::{Layout, Restriction, pipeline::Trees},
};

impl Algorithm {
    /// Packets down the edge-disjoint spanning trees of a hypercube (Johnsson, Ho).
    pub const EDST: Algorithm = of(&EDST);
}

static EDST: Entry =
    Entry::new("edst", |planning| Ok(variants_of_cheapest(planning.problem, candidates(planning.problem))))
        .about("in packets along the edge-disjoint spanning trees of a hypercube (Johnsson, Ho)")
        .source("Johnsson, Ho 1989; Barnett et al. 1994, section 8")
        .cost("broadcast: `(N + d) (alpha + n/N beta)` for `N` packets and `p = 2^d`, at best `(sqrt(n beta) + sqrt(d alpha))^2`; by the clock about `(N + 2 d) max(o_s + o_r, L + hop + n/N beta)`")
        .kinds(|operation| matches!(operation, Operation::Broadcast | Operation::Reduce))
        .only_if(&[Restriction {
            text: "a power of two of at least 4 ranks, at least 2 elements, and a commutative operator",
            is_met: |task, _| can_be_pipelined(task) && task.size().is_power_of_two(),
            found: |task, _| too_little(task),
        }]);

/// Maximum number of packets: more packets cost planning time.
const MAX_PACKETS: usize = 512;

/// The time-triggered form: packets go in two interleaved streams, so that each packet rests one round at each node.
const BY_THE_CLOCK: Trees = Trees {
    name: "edst by the clock",
    period: |grid, _| 2 * grid.nodes().ilog2() as usize,
    rounds: |grid, root, packets| across_dimensions(grid.nodes().ilog2(), root, packets, 2),
};

fn candidates(task: &Task) -> Vec<Candidate> {
    let conflict = mean_conflict(task);
    let dimensions = task.size().ilog2() as usize;
    let time = |packets: usize| {
        let bytes = (task.bytes() as f64 / packets as f64 * conflict).ceil() as u64;
        round(task, bytes).times((packets + dimensions) as u64)
    };
    let most = (task.bytes() / task.element_bytes()).min(MAX_PACKETS as u64) as usize;
    let numbers = std::iter::successors(Some(1), |&number| Some(number + (number / 8).max(1)));
    let best =
        numbers.take_while(|&packets| packets <= most).min_by_key(|&packets| time(packets)).unwrap_or(1);
    vec![
        Candidate {
            name: format!("edst, {best} packets"),
            estimate: time(best),
            messages: best,
            tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
            lower_bound: None,
            make: Box::new(move |task, tuning| draft(task, best, tuning)),
        },
        pipeline::by_the_clock(task, BY_THE_CLOCK),
    ]
}

/// Mean contention factor of messages over all dimensions: 1 on a hypercube.
fn mean_conflict(task: &Task) -> f64 {
    let (ranks, dimensions) = (task.layout().ranks, task.size().ilog2());
    let of = |dimension: u32| {
        conflict_of(task, &ranks, (0..ranks.len()).map(|place| (place, place ^ 1 << dimension)))
    };
    (0..dimensions).map(of).sum::<f64>() / f64::from(dimensions)
}

fn draft(task: &Task, packets: usize, tuning: Tuning) -> Draft {
    let pieces: Vec<Piece> =
        cut(0, task.bytes(), task.element_bytes(), packets).map(|(_, piece)| piece).collect();
    let Layout { ranks, .. } = task.layout();
    let root = ranks.iter().position(|&rank| rank == task.root()).unwrap_or(0);
    let rounds = across_dimensions(task.size().ilog2(), root, pieces.len(), 1);
    let origins = vec![task.root(); pieces.len()];
    let broadcast = Draft::moving(task, pieces, &origins, tuning.exchange, |builder| {
        for hops in rounds {
            let transfer =
                |hop: Hop| Transfer { from: ranks[hop.from], to: ranks[hop.to], blocks: [hop.chunk].into() };
            builder.iteration(hops.into_iter().map(transfer));
        }
    });
    if task.operation() == Operation::Reduce { broadcast.combining() } else { broadcast }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::MachineSpec, plan::predict};

    /// Tests a machine with `o_s = alpha`: all ranks run in lockstep, so `N` packets take `N + d` rounds.
    #[test]
    fn packets_take_the_closed_form() {
        for dimensions in 2..=5_u32 {
            let machine: MachineSpec = format!("hypercube:{}", 1 << dimensions).parse().unwrap();
            let strict = machine.parameters().to_builder();
            let strict = strict.send_overhead(130e-6).receive_overhead(0.0).beta(50e-9).build().unwrap();
            let machine = MachineSpec::new("strict", machine.topology().clone(), strict);
            let task = Task::builder(&machine, Operation::Broadcast).root(1).elements(6400).build().unwrap();
            for packets in [1, 2, 4, 8, 32] {
                let draft = draft(&task, packets, Tuning::PLAIN);
                let modeled = predict(&machine, &draft.schedule).unwrap().modeled.since_start();
                let rounds = packets as u64 + u64::from(dimensions);
                assert_eq!(modeled, round(&task, 6400 / packets as u64).times(rounds), "{packets} packets");
            }
        }
    }

    /// Pins the times on Hockney's machine with 16 nodes and 64 KiB.
    #[test]
    fn modeled_times_are_pinned() {
        let machine: MachineSpec = "hypercube:16".parse().unwrap();
        let times = [Operation::Broadcast, Operation::Reduce].map(|operation| {
            let task = Task::builder(&machine, operation).elements(1 << 16).build().unwrap();
            let plan = Algorithm::EDST.plan(&task).unwrap();
            (plan.name().to_owned(), plan.prediction().modeled.to_string())
        });
        // The dual takes the same time, because combining costs nothing on this machine.
        let expected = ("edst by the clock, 24 chunks".to_owned(), "4.4996 ms".to_owned());
        assert_eq!(times, [expected.clone(), expected]);
    }
}
