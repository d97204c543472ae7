//! Messages treated apart by length: the long ones by one schedule and the short ones by another, one after the other.
//!
//! A schedule that suits long messages costs short ones many start-ups, and one that suits short messages carries long ones
//! too often. Where lengths differ much, two schedules in a row can be faster than any single one.
//!
//! The messages are parted at a few places that follow from their lengths alone. Each part is a problem of its own, for
//! which the fastest variant is taken, and the two are put one after the other, in both orders. No node waits in between:
//! each goes on to the second part when it is done with the first. Lower bounds of the parts tell beforehand where that
//! cannot pay, and no variant of a part is looked at for longer than the whole takes without parting.

use std::sync::Arc;

use super::{
    choose::fastest,
    error::PlanError,
    predict::predict_among,
    problem::{Draft, Problem},
    registry::{Algorithm, Predicted, Variant},
};
use crate::time::{Span, Time};

/// A problem of several messages that can be treated apart.
pub(crate) trait Divisible: Problem {
    /// The length of each message, 0 for those that have to go nowhere; nothing if there are no messages to be told apart.
    fn lengths(&self) -> Vec<u64>;

    /// The same problem with some of the messages alone.
    fn part(&self, is_in: &[bool]) -> Self;

    /// The drafts of two parts one after the other, each with the messages that it is for: every message is in one of them.
    fn joined(&self, parts: [(&[bool], &Self::Draft); 2]) -> Self::Draft;

    /// A time that nothing can beat.
    fn least(&self) -> Span;
}

/// Lists the variants among which that of a part is chosen.
type List<P> = fn(&P) -> Result<Vec<Variant<P>>, PlanError>;

/// A variant with its draft and the time that it takes.
type Found<P> = (Variant<P>, Predicted<P>);

/// Whether there are messages of which some are treated apart.
pub(crate) fn is_uneven<P: Divisible>(problem: &P) -> bool {
    !places(&problem.lengths()).is_empty()
}

/// The fastest way to treat messages apart, if it takes less than the limit.
pub(crate) fn fastest_apart<P: Divisible>(
    apart: &Algorithm<P>,
    problem: &P,
    list: List<P>,
    mut limit: Time,
) -> Option<Found<P>> {
    let lengths = problem.lengths();
    let mut best = None;
    for most in places(&lengths) {
        let parts = [true, false].map(|is_long| Part::of(problem, &lengths, most, is_long));
        let least = parts.iter().fold(Span::ZERO, |sum, part| sum + part.problem.least());
        if least >= limit.since_start() {
            continue;
        }
        let [long, short] = parts.map(|part| part.chosen(apart, list, limit).map(Arc::new));
        let (Some(long), Some(short)) = (long, short) else { continue };
        for [first, second] in [[&long, &short], [&short, &long]] {
            let draft = problem.joined([first, second].map(|part| (&*part.is_in, &part.draft)));
            let (machine, members) = (problem.machine(), problem.members());
            let found = draft.schedule().and_then(|all| predict_among(machine, members, all, limit));
            if let Some(prediction) = found.filter(|prediction| prediction.modeled < limit) {
                limit = prediction.modeled;
                let variant = in_a_row([first.clone(), second.clone()]).by(apart.clone());
                best = Some((variant, Predicted { draft, prediction }));
            }
        }
    }
    best
}

/// The variant of two parts, one after the other.
fn in_a_row<P: Divisible>(parts: [Arc<Chosen<P>>; 2]) -> Variant<P> {
    let name = format!("{}, then {}", parts[0].name, parts[1].name);
    Variant::new(name, move |problem: &P| {
        let draft = |part: &Chosen<P>| part.variant.draft(&problem.part(&part.is_in));
        let drafts = [draft(&parts[0])?, draft(&parts[1])?];
        Ok(problem.joined([0, 1].map(|nth| (&*parts[nth].is_in, &drafts[nth]))))
    })
}

/// Some of the messages, as a problem of their own.
struct Part<P> {
    name: String,
    is_in: Vec<bool>,
    problem: P,
}

/// A part with the variant that was chosen for it.
struct Chosen<P: Problem> {
    name: String,
    is_in: Vec<bool>,
    variant: Variant<P>,
    draft: P::Draft,
}

impl<P: Divisible> Part<P> {
    /// The messages of up to `most` bytes, or the longer ones.
    fn of(problem: &P, lengths: &[u64], most: u64, is_long: bool) -> Part<P> {
        let is_in: Vec<bool> = lengths.iter().map(|&length| (length > most) == is_long).collect();
        let name = format!("{} {most} B", if is_long { "over" } else { "up to" });
        Part { name, problem: problem.part(&is_in), is_in }
    }

    /// With the variant that is the fastest, if that ends by the limit.
    fn chosen(self, apart: &Algorithm<P>, list: List<P>, limit: Time) -> Option<Chosen<P>> {
        let mut variants = list(&self.problem).ok()?;
        let (nth, Predicted { draft, .. }) = fastest(apart, &self.problem, &variants, limit).ok()?;
        let variant = variants.swap_remove(nth);
        let algorithm = variant.algorithm().unwrap_or(apart).to_string();
        let name = format!("{} by {}", self.name, P::plan_name(algorithm, variant.name()));
        Some(Chosen { name, is_in: self.is_in, variant, draft })
    }
}

/// The lengths up to which messages count as short, each worth a try: below the widest gap between two lengths, as a
/// ratio; below those that make up half of all bytes; and halfway, as ratios go, between the shortest and the longest.
/// None if no message is more than twice as long as another one.
fn places(lengths: &[u64]) -> Vec<u64> {
    let mut sorted: Vec<u64> = lengths.iter().copied().filter(|&length| length > 0).collect();
    sorted.sort_unstable();
    let (Some(&shortest), Some(&longest)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    if longest / 2 < shortest {
        return Vec::new();
    }
    let steps = sorted.windows(2).filter(|pair| pair[0] < pair[1]);
    // The shorter one of two widest gaps has more bytes above it.
    let widest = steps.max_by(|a, b| wider(a, b).then(b[0].cmp(&a[0]))).map(|pair| pair[0]);
    let half = sorted.iter().map(|&length| u128::from(length)).sum::<u128>().div_ceil(2);
    let mut bytes = 0;
    let heavy = sorted.iter().rev().find(|&&length| {
        bytes += u128::from(length);
        bytes >= half
    });
    let below = |bound: u64| sorted.iter().rev().copied().find(|&length| length < bound);
    let middle = (u128::from(shortest) * u128::from(longest)).isqrt() as u64;
    let mut places = Vec::new();
    for place in [widest, heavy.and_then(|&heavy| below(heavy)), below(middle.saturating_add(1))] {
        if let Some(place) = place.filter(|place| *place < longest && !places.contains(place)) {
            places.push(place);
        }
    }
    places
}

/// Compares the ratios of two pairs of lengths.
fn wider(one: &[u64], other: &[u64]) -> std::cmp::Ordering {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    product(one[1], other[0]).cmp(&product(other[1], one[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_are_alike_are_not_parted() {
        for lengths in [&[][..], &[0, 0], &[7], &[0, 1, 1], &[1, 2, 1], &[500, 999, 700]] {
            assert_eq!(places(lengths), [0_u64; 0], "{lengths:?}");
        }
    }

    #[test]
    fn places_follow_from_gaps_bytes_and_extremes() {
        assert_eq!(places(&[32, 0, 65_536, 32]), [32]);
        // The widest gap is below 6400; 100,000 is half of the bytes; 400 is below the square root of 16 x 100,000.
        assert_eq!(places(&[16, 50, 100, 400, 6400, 100_000, 50_000]), [400, 50_000]);
        // Of gaps that are as wide as each other the one with the shortest message counts.
        assert_eq!(places(&[1, 2, 4, 8, 16, 32]), [1, 16, 4]);
        assert_eq!(places(&[u64::MAX, 1]), [1]);
    }
}
