//! Messages treated apart by length: the long ones by one schedule and the short ones by another, one after the other.
//!
//! A schedule that suits long messages costs short ones many start-ups, and one that suits short messages carries long ones
//! too often. Where lengths differ much, two or more schedules in a row can be faster than any single one.
//!
//! The messages, by length, may be parted at a few places that follow from their lengths alone. All that lies between two
//! places is a problem of its own, for which the fastest variant is taken. Of all ways to part the messages those are tried
//! whose parts take the least time together: the parts are put one after the other, the longest messages first or last. No
//! node waits in between: each goes on to the next part when it is done with the one before. Lower bounds tell of most parts
//! beforehand that they cannot pay, and none is looked at for longer than the others would leave it.

use std::{ops::Range, sync::Arc};

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

    /// The drafts of parts one after the other, each with the messages that it is for: every message is in one of them.
    fn joined(&self, parts: &[(&[bool], &Self::Draft)]) -> Self::Draft;

    /// A time that nothing can beat.
    fn least(&self) -> Span;

    /// The factor by which parts in a row may take less time than all parts one after the other, as nodes that are done with
    /// one begin with the next.
    fn overlap(&self) -> f64;
}

/// Lists the variants among which that of a part is chosen.
type List<P> = fn(&P) -> Result<Vec<Variant<P>>, PlanError>;

/// A variant with its draft and the time that it takes.
type Found<P> = (Variant<P>, Predicted<P>);

/// So many ways to part the messages are tried.
const MOST_WAYS: usize = 4;

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
    let places = places(&lengths);
    let classes = places.len() + 1;
    let budget = limit.as_secs_f64() * problem.overlap();
    let between = |classes: Range<usize>| Part::of(problem, &lengths, &places, classes);
    // Nothing comes before the first class and behind the last one.
    let least = |part: Range<usize>| match part.is_empty() || part == (0..classes) {
        true => 0.0,
        false => between(part).problem.least().as_secs_f64(),
    };
    let (shorter, longer): (Vec<f64>, Vec<f64>) =
        (0..=classes).map(|class| (least(0..class), least(class..classes))).unzip();
    let mut chosen: Vec<(Range<usize>, Arc<Chosen<P>>)> = Vec::new();
    let ranges = (0..classes).flat_map(|start| (start + 1..=classes).map(move |end| start..end));
    for range in ranges.filter(|range| range.len() < classes) {
        let left = budget - shorter[range.start] - longer[range.end];
        let part = between(range.clone());
        if part.problem.least().as_secs_f64() < left {
            let by = Time::ZERO + Span::from_secs_f64(left);
            chosen.extend(part.chosen(apart, list, by).map(|part| (range, Arc::new(part))));
        }
    }
    let mut ways = ways(0, classes, &chosen);
    ways.sort_unstable();
    let mut found = None;
    for (_, numbers) in ways.into_iter().take(MOST_WAYS) {
        let shortest_first: Vec<_> = numbers.into_iter().map(|nth| chosen[nth].1.clone()).collect();
        let longest_first = shortest_first.iter().rev().cloned().collect();
        for parts in [shortest_first, longest_first] {
            let drafts: Vec<_> = parts.iter().map(|part| (&*part.is_in, &part.predicted.draft)).collect();
            let draft = problem.joined(&drafts);
            let (machine, members) = (problem.machine(), problem.members());
            let prediction = draft.schedule().and_then(|all| predict_among(machine, members, all, limit));
            if let Some(prediction) = prediction.filter(|prediction| prediction.modeled < limit) {
                limit = prediction.modeled;
                found = Some((in_a_row(parts).by(apart.clone()), Predicted { draft, prediction }));
            }
        }
    }
    found
}

/// All ways to part the classes from `start` on, as the numbers of parts, each with the time of all of them together.
fn ways<P: Problem>(
    start: usize,
    classes: usize,
    chosen: &[(Range<usize>, Arc<Chosen<P>>)],
) -> Vec<(Span, Vec<usize>)> {
    if start == classes {
        return vec![(Span::ZERO, Vec::new())];
    }
    let first = chosen.iter().enumerate().filter(|(_, (part, _))| part.start == start);
    let with_rest = |(nth, (part, first)): (usize, &(Range<usize>, Arc<Chosen<P>>))| {
        let time = first.predicted.prediction.modeled.since_start();
        let rest = ways(part.end, classes, chosen).into_iter();
        rest.map(move |(rest, numbers)| (time + rest, [vec![nth], numbers].concat()))
    };
    first.flat_map(with_rest).collect()
}

/// The variant of several parts, one after the other.
fn in_a_row<P: Divisible>(parts: Vec<Arc<Chosen<P>>>) -> Variant<P> {
    let names: Vec<&str> = parts.iter().map(|part| &*part.name).collect();
    Variant::new(names.join(", then "), move |problem: &P| {
        let draft = |part: &Arc<Chosen<P>>| part.variant.draft(&problem.part(&part.is_in));
        let drafts: Vec<P::Draft> = parts.iter().map(draft).collect::<Result<_, _>>()?;
        let parts: Vec<_> = parts.iter().zip(&drafts).map(|(part, draft)| (&*part.is_in, draft)).collect();
        Ok(problem.joined(&parts))
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
    predicted: Predicted<P>,
}

impl<P: Divisible> Part<P> {
    /// The messages of some classes: class `k` is longer than place `k - 1` and no longer than place `k`.
    fn of(problem: &P, lengths: &[u64], places: &[u64], classes: Range<usize>) -> Part<P> {
        let over = classes.start.checked_sub(1).map(|place| places[place]);
        let up_to = places.get(classes.end - 1).copied();
        let is_in = |&length: &u64| {
            over.is_none_or(|over| length > over) && up_to.is_none_or(|up_to| length <= up_to)
        };
        let is_in: Vec<bool> = lengths.iter().map(is_in).collect();
        let name = match (over, up_to) {
            (Some(over), Some(up_to)) => format!("over {over} up to {up_to} B"),
            (Some(over), None) => format!("over {over} B"),
            (None, Some(up_to)) => format!("up to {up_to} B"),
            (None, None) => "all".to_owned(),
        };
        Part { name, problem: problem.part(&is_in), is_in }
    }

    /// With the variant that is the fastest, if that ends by the limit.
    fn chosen(self, apart: &Algorithm<P>, list: List<P>, limit: Time) -> Option<Chosen<P>> {
        let mut variants = list(&self.problem).ok()?;
        let (nth, predicted) = fastest(apart, &self.problem, &variants, limit).ok()?;
        let variant = variants.swap_remove(nth);
        let algorithm = variant.algorithm().unwrap_or(apart).to_string();
        let name = format!("{} by {}", self.name, P::plan_name(algorithm, variant.name()));
        Some(Chosen { name, is_in: self.is_in, variant, predicted })
    }
}

/// The lengths behind which messages may be parted, the shortest first: below the widest gap between two lengths, as a
/// ratio; below those that make up half of all bytes; and halfway, as ratios go, between the shortest and the longest.
/// None if no message is more than twice as long as another one.
fn places(lengths: &[u64]) -> Vec<u64> {
    let mut sorted: Vec<u64> = lengths.iter().copied().filter(|&length| length > 0).collect();
    sorted.sort_unstable();
    let (Some(&shortest), Some(&longest)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    if longest.div_ceil(2) <= shortest {
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
    places.sort_unstable();
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
        assert_eq!(places(&[1, 2, 4, 8, 16, 32]), [1, 4, 16]);
        assert_eq!(places(&[u64::MAX, 1]), [1]);
    }
}
