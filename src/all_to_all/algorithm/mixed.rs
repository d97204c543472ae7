//! *Mixed*: short messages by [Bruck's algorithm](super::bruck), long messages directly to their receivers.
//!
//! **What it does.** If lengths vary, no single algorithm suits all messages: short messages cause most of the start-ups, and long messages
//! carry most of the bytes. So the messages up to a split length go first, combined and forwarded. The longer messages follow in the
//! minimum number of rounds, balanced over the links. If nodes send and receive the long messages of each round by one kind of exchange
//! (`Style::Each`), the short messages of a digit use the same kind of exchange, otherwise the probably fastest `Pace`.
//!
//! **Restrictions.** None. If all messages are short, or all are long, only one of the two algorithms is used.
//!
//! **Cost.** The cost of Bruck's algorithm for the short messages, and `h (alpha + s beta)` for the long messages. Forwarding is faster for
//! messages up to about `alpha / (beta log2 p)` bytes; lengths near this value are tried.
//!
//! **Source.** This project. Libraries switch algorithms by message length: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
//! collective communication operations in MPICH", IJHPCA 19(1), 2005.

use std::sync::Arc;

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        procedure::Draft,
        rounds::{
            coloring as graph,
            digits::Pace,
            parts,
            split_by_length::{PartOrder, SplitByLength, split},
            stage::Stage,
            style::Style,
        },
    },
    Algorithm, Entry, Planning, bruck, coloring, of,
};
use crate::time::Span;

/// The split lengths to try, as multiples of the best estimate. In large exchanges only the first length that splits the messages is tried.
const FACTORS: [f64; 3] = [1.0, 0.25, 4.0];

static MIXED: Entry = Entry::new("mixed", variants)
    .about("`bruck` for short messages, `colored` for long ones")
    .source("this project")
    .cost("as `bruck` for messages up to about `alpha / (beta log2 p)` bytes, and up to `h (alpha + s beta)` for the others");

impl Algorithm {
    /// Bruck's algorithm for short messages, and the minimum number of rounds for long messages.
    pub const MIXED: Algorithm = of(&MIXED);
}

/// Returns variants with several split lengths, or one of the two algorithms if no length splits the messages.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let mut lengths = lengths(instance);
    if planner.is_large() {
        lengths.truncate(1);
    }
    Ok(match lengths.is_empty() {
        true if are_short(instance) => bruck::variants(planner, planner.styles().len() > 1),
        true => coloring::colored(planner),
        false => lengths.into_iter().flat_map(|max_short| split_at(planner, max_short)).collect(),
    })
}

/// Returns variants in several styles: messages of up to `max_short` bytes by Bruck's algorithm, and longer messages in rounds.
fn split_at(planner: &Planner, max_short: u64) -> Vec<Variant> {
    let [short, long] = split(planner.matrix(), max_short).map(Arc::new);
    let among = planner.instance().with(short.clone());
    let (radix, likely) = bruck::best(&among);
    let floor = bruck::port_bound(&among, radix).max(planner.direct_bound_of(&long.without_own()));
    let rounds = {
        let long = long.clone();
        planner.computed_once(move |planner| Ok(planner.balanced_rounds_of(&long, graph::rounds(&long))))
    };
    let variant = |&style: &Style| {
        let (short, long, rounds) = (short.clone(), long.clone(), rounds.clone());
        let name = format!("mixed (to {max_short} B{})", style.name());
        Variant::new(name, move |instance| {
            let pace = if let Style::Each(exchange) = style { Pace::Each(exchange) } else { likely };
            let short = bruck::stage(short.clone(), radix, pace);
            let long = Stage::rounds(long.clone(), &rounds()?, style);
            let order = PartOrder::new(max_short, false, &vec![Span::ZERO; instance.size()]);
            Ok(Draft::by(SplitByLength::new(order, [Arc::new(short), Arc::new(long)])))
        })
        .at_least(floor)
    };
    planner.styles().iter().map(variant).collect()
}

/// Returns the estimated length up to which forwarding a message is faster than sending it directly.
fn estimated_split(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let hops = f64::from(instance.size().next_power_of_two().ilog2().max(1));
    parameters.alpha().as_secs_f64() / (parameters.beta() * hops)
}

/// Returns whether there are messages and all are short by the estimate.
fn are_short(instance: &Instance) -> bool {
    let longest = parts(instance.matrix()).map(|part| part.bytes).max();
    longest.is_some_and(|bytes| bytes as f64 <= estimated_split(instance))
}

/// Returns the split lengths to try. Each leaves at least one message on each side, and no two give the same split.
fn lengths(instance: &Instance) -> Vec<u64> {
    let (messages, best) = (|| parts(instance.matrix()), estimated_split(instance));
    let mut lengths: Vec<(usize, u64)> = FACTORS
        .into_iter()
        .map(|factor| (best * factor) as u64)
        .map(|length| (messages().filter(|part| part.bytes <= length).count(), length))
        .filter(|&(short, _)| (1..messages().count()).contains(&short))
        .collect();
    lengths.dedup_by_key(|&mut (short, _)| short);
    lengths.into_iter().map(|(_, length)| length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all_to_all::Matrix, model::MachineSpec};

    #[test]
    fn a_split_length_separates_short_from_long_messages() {
        let machine: MachineSpec = "hockney:1x8".parse().unwrap();
        let lengths_of = |bytes: [u64; 2]| {
            let matrix = Matrix::of(8, |from, to| bytes[usize::from((from + 1) % 8 == to)]).unwrap();
            lengths(&Instance::new(&machine, matrix).unwrap())
        };
        // alpha / (3 beta) is 130 us / 150 ns.
        assert_eq!(lengths_of([10, 100_000]), [866]);
        assert_eq!(lengths_of([10, 800]), [216]);
        assert!(lengths_of([10, 10]).is_empty());
        assert!(lengths_of([9000, 10_000]).is_empty());
        let [short, long] = split(&Matrix::figure_1(), 2);
        assert_eq!((short.get(0, 1), short.get(0, 2), short.get(0, 4)), (0, 1, 2));
        assert_eq!((long.get(0, 1), long.get(0, 2), long.get(0, 4)), (3, 0, 0));
    }
}
