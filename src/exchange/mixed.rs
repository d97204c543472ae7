//! *Mixed*: short messages by [Bruck's way](super::bruck), long ones straight to their receivers.
//!
//! **What it does.** Where lengths vary, neither way is right for all messages: most of the start-ups are those of
//! short messages, and most of the bytes those of long ones. So the messages up to a length go first, many together and
//! passed on by others, and then the rest, in as few rounds as possible in which no link is crowded.
//!
//! **Restrictions.** None; if all messages are short, or all are long, it is one of the two ways alone.
//!
//! **Cost.** That of Bruck's way for the short messages and `h (alpha + s beta)` for the long ones. To pass a message
//! on is worth it up to about `alpha / (beta log2 p)` bytes; lengths around that are tried.
//!
//! **Source.** This project. That libraries change from one way to the other by the length of a message: R. Thakur, R.
//! Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005.

use super::{Algorithm, ExchangeError, Instance, Matrix, stage::Stage};
use crate::comm::Payload;

/// How many times as long as the best length, by the estimate, those that are tried are.
const FACTORS: [f64; 3] = [1.0, 0.25, 4.0];

/// Both stages, and up to which length messages are short.
#[derive(Clone, Debug)]
pub(super) struct Mixed {
    most: u64,
    pub(super) short: Stage,
    pub(super) long: Stage,
}

impl Mixed {
    pub(super) fn new(most: u64, short: Stage, long: Stage) -> Mixed {
        Mixed { most, short, long }
    }

    /// Carries it out: `stage` carries out each of the two.
    pub(super) fn carry_out(
        &self,
        mut stage: impl FnMut(&Stage, Vec<Payload>) -> Result<Vec<Payload>, ExchangeError>,
        outgoing: &[Payload],
    ) -> Result<Vec<Payload>, ExchangeError> {
        let part = |is_short: bool| {
            let of = |payload: &Payload| match (payload.len() <= self.most) == is_short {
                true => payload.clone(),
                false => Payload::empty(),
            };
            outgoing.iter().map(of).collect()
        };
        let short = stage(&self.short, part(true))?;
        let long = stage(&self.long, part(false))?;
        // From each rank one of the two is empty.
        let either = |(short, long): (Payload, Payload)| if long.is_empty() { short } else { long };
        Ok(short.into_iter().zip(long).map(either).collect())
    }
}

/// The messages of up to so many bytes, and the others.
pub(super) fn parted(matrix: &Matrix, most: u64) -> [Matrix; 2] {
    [true, false].map(|is_short| matrix.filtered(|bytes| (bytes <= most) == is_short))
}

/// The length up to which it is worth to pass a message on, by the estimate.
fn best(instance: &Instance) -> f64 {
    let parameters = instance.parameters();
    let passed_on = f64::from(instance.size().next_power_of_two().ilog2().max(1));
    parameters.alpha().as_secs_f64() / (parameters.beta() * passed_on)
}

/// The better of the two ways where messages cannot be told apart.
pub(super) fn alone(instance: &Instance) -> Algorithm {
    let longest = instance.matrix().without_own().messages().map(|(.., bytes)| bytes).max();
    let is_short = longest.is_some_and(|bytes| bytes as f64 <= best(instance));
    if is_short { Algorithm::Bruck } else { Algorithm::Colored }
}

/// The lengths that are worth a try as the longest of short messages: those between which there are messages.
pub(super) fn lengths(instance: &Instance) -> Vec<u64> {
    let (matrix, best) = (instance.matrix().without_own(), best(instance));
    let mut lengths: Vec<(usize, u64)> = FACTORS
        .into_iter()
        .map(|factor| (best * factor) as u64)
        .map(|length| (matrix.messages().filter(|&(.., bytes)| bytes <= length).count(), length))
        .filter(|&(short, _)| (1..matrix.messages().count()).contains(&short))
        .collect();
    lengths.dedup_by_key(|&mut (short, _)| short);
    lengths.into_iter().map(|(_, length)| length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Description;

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
