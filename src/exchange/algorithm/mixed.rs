//! *Mixed*: short messages by [Bruck's algorithm](super::bruck), long ones straight to their receivers.
//!
//! **What it does.** Where lengths vary, neither way is right for all messages: most of the start-ups are those of
//! short messages, and most of the bytes those of long ones. So the messages up to a length go first, many together and
//! passed on by others, and then the rest, in as few rounds as possible in which no link is crowded. Where the long ones go
//! one by one in some way so do those of a digit of the short ones, and otherwise in the way that is likely to be the fastest.
//!
//! **Restrictions.** None; if all messages are short, or all are long, it is one of the two ways alone.
//!
//! **Cost.** That of Bruck's algorithm for the short messages and `h (alpha + s beta)` for the long ones. To pass a
//! message on is worth it up to about `alpha / (beta log2 p)` bytes; lengths around that are tried.
//!
//! **Source.** This project. That libraries change from one way to the other by the length of a message: R. Thakur, R.
//! Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005.

use std::sync::Arc;

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        procedure::Draft,
        rounds::{
            coloring as graph,
            digits::Pace,
            parted::{Parted, Way, parted},
            parts,
            stage::Stage,
            style::Style,
        },
    },
    Algorithm, Entry, Planning, bruck, coloring, of,
};
use crate::time::Span;

/// The lengths that are tried, as multiples of the best one by the estimate: the first alone where there are many messages.
const FACTORS: [f64; 3] = [1.0, 0.25, 4.0];

static MIXED: Entry = Entry::new("mixed", variants)
    .about("bruck for short messages, and colored for long ones")
    .source("this project")
    .cost("that of *bruck* for messages up to about `alpha / (beta log2 p)` bytes, and up to `h (alpha + s beta)` for the others");

impl Algorithm {
    /// Bruck's algorithm for short messages, and as few rounds as possible for long ones.
    pub const MIXED: Algorithm = of(&MIXED);
}

/// With several lengths; one of the two algorithms alone where no length parts the messages.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let mut lengths = lengths(instance);
    if planner.is_large() {
        lengths.truncate(1);
    }
    Ok(match lengths.is_empty() {
        true if are_short(instance) => bruck::variants(planner, true),
        true => coloring::colored(planner),
        false => lengths.into_iter().flat_map(|most| with(planner, most)).collect(),
    })
}

/// Messages of up to `most` bytes by Bruck's algorithm, and the others in several styles.
fn with(planner: &Planner, most: u64) -> Vec<Variant> {
    let [short, long] = parted(planner.matrix(), most).map(Arc::new);
    let among = planner.instance().with(short.clone());
    let (radix, likely) = bruck::best(&among);
    let floor = bruck::floor(&among, radix).max(planner.straight_of(&long.without_own()));
    let rounds = {
        let long = long.clone();
        planner.once(move |planner| Ok(planner.uncrowded(&long, graph::rounds(&long))))
    };
    let variant = |&style: &Style| {
        let (short, long, rounds) = (short.clone(), long.clone(), rounds.clone());
        let name = format!("mixed (to {most} B{})", style.name());
        Variant::new(name, move |instance| {
            let pace = if let Style::Each(exchange) = style { Pace::Each(exchange) } else { likely };
            let short = bruck::stage(short.clone(), radix, pace);
            let long = Stage::rounds(long.clone(), &rounds()?, style);
            let way = Way::new(most, false, &vec![Span::ZERO; instance.size()]);
            Ok(Draft::by(Parted::new(way, [Arc::new(short), Arc::new(long)])))
        })
        .at_least(floor)
    };
    planner.styles().iter().map(variant).collect()
}

/// About the times of the short and of the long messages with the first of the lengths: that of *bruck*, and the start-ups, ports
/// and links that going straight takes at least; `None` if no length parts the messages.
pub(super) fn estimates(planner: &Planner) -> Option<[Span; 2]> {
    let most = *lengths(planner.instance()).first()?;
    let [short, long] = parted(planner.matrix(), most);
    let passed_on = bruck::least(&planner.instance().with(Arc::new(short)));
    Some([passed_on, planner.straight_of(&long.without_own())])
}

/// The length up to which it is worth to pass a message on, by the estimate.
fn best(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let passed_on = f64::from(instance.size().next_power_of_two().ilog2().max(1));
    parameters.alpha().as_secs_f64() / (parameters.beta() * passed_on)
}

/// Whether all messages are short by the estimate, and there are some.
fn are_short(instance: &Instance) -> bool {
    let longest = parts(instance.matrix()).map(|part| part.bytes).max();
    longest.is_some_and(|bytes| bytes as f64 <= best(instance))
}

/// The lengths that are worth a try as the longest of short messages: those between which there are messages.
fn lengths(instance: &Instance) -> Vec<u64> {
    let (messages, best) = (|| parts(instance.matrix()), best(instance));
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
    use crate::{exchange::Matrix, model::Description};

    #[test]
    fn a_length_parts_short_from_long() {
        let machine: Description = "hockney:1x8".parse().unwrap();
        let lengths_of = |bytes: [u64; 2]| {
            let matrix = Matrix::of(8, |from, to| bytes[usize::from((from + 1) % 8 == to)]).unwrap();
            lengths(&Instance::new(&machine, matrix).unwrap())
        };
        // alpha / (3 beta) is 130 us / 150 ns.
        assert_eq!(lengths_of([10, 100_000]), [866]);
        assert_eq!(lengths_of([10, 800]), [216]);
        assert!(lengths_of([10, 10]).is_empty());
        assert!(lengths_of([9000, 10_000]).is_empty());
        let [short, long] = parted(&Matrix::figure_1(), 2);
        assert_eq!((short.get(0, 1), short.get(0, 2), short.get(0, 4)), (0, 1, 2));
        assert_eq!((long.get(0, 1), long.get(0, 2), long.get(0, 4)), (3, 0, 0));
    }
}
