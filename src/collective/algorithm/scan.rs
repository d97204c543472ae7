//! *Scan*: every rank gets the sum of the vectors of all ranks up to itself.
//!
//! **What it does.** *Doubling*: in round `k` rank `i` sends its partial sum to rank `i + 2^k`, and combines it with the sum from rank `i -
//! 2^k`. *Chain*: the vector is cut into `N` chunks; each chunk goes from rank to rank, and each rank adds its own; the chunks form a
//! pipeline.
//!
//! **Restrictions.** None; both combine in rank order.
//!
//! **Cost.** Doubling: `ceil(log2 p) (alpha + n beta + n gamma)`; long vectors take longer, because ranks that end early send early, and
//! their messages share the in-ports of their receivers with others. Chain: about `(p + N - 2) (alpha + n/N (beta + gamma))`.
//!
//! **Source.** W. D. Hillis, G. L. Steele, "Data parallel algorithms", CACM 29(12), 1986; pipelining: P. Sanders,
//! J. L. Träff, "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006.

use super::{
    super::{
        Task,
        candidate::Candidate,
        draft::{Draft, Piece, Tuning, cut},
    },
    round,
};
use crate::pattern::{Combiner, Fold, Origin};

pub(super) fn doublings(task: &Task) -> Vec<Candidate> {
    let rounds = u64::from(task.size().next_power_of_two().ilog2());
    vec![Candidate {
        name: "doubling".into(),
        estimate: round(task, task.bytes()).times(rounds),
        messages: rounds as usize,
        tunings: vec![Tuning::PLAIN],
        lower_bound: None,
        make: Box::new(doubling),
    }]
}

/// Returns one candidate for each power of two of chunks; the closed form selects among them.
pub(super) fn chains(task: &Task) -> Vec<Candidate> {
    let candidate = |chunks: usize| Candidate {
        name: format!("chain, {chunks} chunks"),
        estimate: round(task, task.bytes() / chunks as u64)
            .times((task.size() + chunks).saturating_sub(2) as u64),
        messages: chunks,
        tunings: vec![Tuning::PLAIN, Tuning::OVERLAPPED],
        lower_bound: None,
        make: Box::new(move |task, tuning| chain(task, chunks, tuning)),
    };
    (0..=9).map(|exponent| candidate(1 << exponent)).collect()
}

fn combiner(task: &Task, pieces: &[Piece], tuning: Tuning) -> Combiner {
    let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
    Combiner::new(task.size(), &vec![Origin::Everywhere; pieces.len()], &sizes, tuning.exchange)
}

fn finish(task: &Task, pieces: Vec<Piece>, combiner: Combiner) -> Draft {
    Draft { pieces, schedule: combiner.finish().with_elements_of(task.element_bytes()) }
}

fn doubling(task: &Task, tuning: Tuning) -> Draft {
    let pieces: Vec<Piece> = cut(0, task.bytes(), task.element_bytes(), 1).map(|(_, piece)| piece).collect();
    let mut combiner = combiner(task, &pieces, tuning);
    let distances = (0..).map(|round| 1 << round).take_while(|&distance| distance < task.size());
    for distance in distances.filter(|_| !pieces.is_empty()) {
        let fold = |from: usize| Fold::of(from, from + distance, 0, 0);
        combiner.iteration((0..task.size() - distance).map(fold));
    }
    finish(task, pieces, combiner)
}

fn chain(task: &Task, chunks: usize, tuning: Tuning) -> Draft {
    let pieces: Vec<Piece> =
        cut(0, task.bytes(), task.element_bytes(), chunks).map(|(_, piece)| piece).collect();
    let mut combiner = combiner(task, &pieces, tuning);
    // In step t rank i sends chunk t - i to the next rank.
    for step in 0..(task.size() + pieces.len()).saturating_sub(2) {
        let senders = (0..task.size() - 1).filter(|&from| (from..from + pieces.len()).contains(&step));
        let fold = |from: usize| {
            let chunk = (step - from) as u32;
            Fold::of(from, from + 1, chunk, chunk)
        };
        combiner.iteration(senders.map(fold));
    }
    finish(task, pieces, combiner)
}
