//! Messages treated apart by length: the long ones by one schedule and the short ones by another, one after the other.
//!
//! A schedule that suits long messages costs short ones many start-ups, and one that suits short messages carries long ones
//! too often. Where lengths differ much, two or more schedules in a row can be faster than any single one.
//!
//! The messages, by length, may be parted at a few places that follow from their lengths alone: six of them among up to 64 nodes,
//! and two among more, where the second one is looked at only if the first one could pay. All that lies between two places is
//! a problem of its own, for which the fastest variant is taken. For each number of parts the way is found whose parts take the
//! least time together, and the best of these are tried: the parts are put one after the other, the longest messages first or
//! last. No node waits in between: each goes on to the next part when it is done with the one before. Lower bounds tell of many
//! parts beforehand that they cannot pay, and none is looked at for longer than the others leave it.

use std::{cmp::Reverse, collections::BTreeMap, ops::Range, sync::Arc};

use super::{
    choose::{FEW, fastest},
    error::PlanError,
    predict::predict_among,
    problem::{Draft, Problem},
    registry::{Algorithm, Planning, Predicted, Variant},
};
use crate::time::{Span, Time};

/// A problem of several messages that can be treated apart.
pub(crate) trait Divisible: Problem {
    /// The algorithm that treats messages apart.
    const APART: Algorithm<Self>;

    /// The variants of all other algorithms, among which that of a part is chosen.
    fn others(&self) -> Result<Vec<Variant<Self>>, PlanError>;

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

/// A variant with its draft and the time that it takes.
type Found<P> = (Variant<P>, Predicted<P>);

/// So many ways to part the messages are tried.
const MOST_WAYS: usize = 4;

/// Whether there are messages of which some are treated apart.
pub(crate) fn is_uneven<P: Divisible>(problem: &P) -> bool {
    !places(&problem.lengths()).is_empty()
}

/// The fastest way to treat messages apart.
///
/// # Errors
///
/// [`PlanError::TooLong`]: no way ends within modeled time.
pub(crate) fn search<P: Divisible>(planning: &Planning<'_, P>) -> Result<Found<P>, PlanError> {
    let too_long = || PlanError::TooLong { algorithm: P::APART.called(planning.problem) };
    faster(planning.problem, Time::MAX).ok_or_else(too_long)
}

/// The fastest way to treat messages apart, if it takes less than the limit.
pub(crate) fn faster<P: Divisible>(problem: &P, mut limit: Time) -> Option<Found<P>> {
    let mut found = None;
    for shortest_first in Parting::of(problem, limit).ways() {
        let longest_first = shortest_first.iter().rev().cloned().collect();
        for parts in [shortest_first, longest_first] {
            let drafts: Vec<_> = parts.iter().map(|part| (&*part.is_in, &part.predicted.draft)).collect();
            let draft = problem.joined(&drafts);
            let (machine, members) = (problem.machine(), problem.members());
            let prediction = draft.schedule().and_then(|all| predict_among(machine, members, all, limit));
            if let Some(prediction) = prediction.filter(|prediction| prediction.modeled < limit) {
                limit = prediction.modeled;
                found = Some((in_a_row(parts).by(P::APART), Predicted { draft, prediction }));
            }
        }
    }
    found
}

/// A search for ways to part the messages. Classes are the messages between two places.
struct Parting<'a, P: Problem> {
    problem: &'a P,
    lengths: Vec<u64>,
    places: Vec<u64>,
    /// The number of the place that is the most likely to gain, from 1 on.
    first: usize,
    /// The time that is left for all parts together.
    budget: Span,
    /// The parts that were looked at and end in the time that was left for them.
    known: BTreeMap<(usize, usize), Arc<Chosen<P>>>,
    /// Times that nothing can beat, of the parts for which they are known.
    least: BTreeMap<(usize, usize), Span>,
}

impl<'a, P: Divisible> Parting<'a, P> {
    fn of(problem: &'a P, limit: Time) -> Parting<'a, P> {
        let lengths = problem.lengths();
        let mut places = places(&lengths);
        if problem.members().len() > FEW {
            places.truncate(2);
        }
        let first = places.first().copied().unwrap_or(0);
        places.sort_unstable();
        let first = places.partition_point(|&place| place < first) + 1;
        let budget = alone(problem, limit.since_start());
        Parting { problem, lengths, places, first, budget, known: BTreeMap::new(), least: BTreeMap::new() }
    }

    /// The best way for each number of parts, the fastest first.
    fn ways(mut self) -> Vec<Vec<Arc<Chosen<P>>>> {
        let classes = self.places.len() + 1;
        if classes < 2 {
            return Vec::new();
        }
        // The ways in two parts tell how much time is left for the others. Among many nodes there are others only if the first
        // of them leaves any.
        let first = self.first;
        if !self.look_at_two(first) && self.problem.members().len() > FEW {
            return Vec::new();
        }
        for place in (1..classes).filter(|&place| place != first) {
            self.look_at_two(place);
        }
        for (start, end) in (1..=classes).flat_map(|end| (0..end).map(move |start| (start, end))) {
            if end - start < classes {
                let others = self.least(0, start) + self.least(end, classes);
                self.look_at(start, end, others);
            }
        }
        // By the number of parts and the end of the last one: the least time of all of them, and the start of the last one.
        let mut best = vec![vec![None; classes + 1]];
        best[0][0] = Some((Span::ZERO, 0));
        for parts in 1..=classes {
            let with_last = |start: usize, end: usize| {
                let (before, _): (Span, usize) = best[parts - 1][start]?;
                Some((before + self.known.get(&(start, end))?.time(), start))
            };
            let least = |end: usize| (0..end).filter_map(|start| with_last(start, end)).min();
            let row = (0..=classes).map(least).collect();
            best.push(row);
        }
        let mut ways: Vec<(Span, usize)> =
            (2..=classes).filter_map(|parts| Some((best[parts][classes]?.0, parts))).collect();
        ways.sort_unstable();
        let way = |(_, parts): (Span, usize)| {
            let (mut way, mut end) = (Vec::with_capacity(parts), classes);
            for parts in (1..=parts).rev() {
                let (_, start) = best[parts][end]?;
                way.push(self.known[&(start, end)].clone());
                end = start;
            }
            way.reverse();
            Some(way)
        };
        ways.into_iter().take(MOST_WAYS).filter_map(way).collect()
    }

    /// Looks at the way in two parts divided at a place, and tells whether it ends in the time that is left. The part that takes
    /// longer at least comes first: it leaves the other one the least.
    fn look_at_two(&mut self, place: usize) -> bool {
        let mut parts = [(0, place), (place, self.places.len() + 1)];
        parts.sort_by_cached_key(|&(start, end)| Reverse(self.least(start, end)));
        let [(start, end), (next, last)] = parts;
        let others = self.least(next, last);
        let Some(one) = self.look_at(start, end, others) else { return false };
        let Some(other) = self.look_at(next, last, one) else { return false };
        self.budget = self.budget.min(alone(self.problem, one + other));
        true
    }

    /// The time of the messages of some classes by themselves, if that leaves the others this time.
    fn look_at(&mut self, start: usize, end: usize, others: Span) -> Option<Span> {
        let left = self.budget - others;
        if !self.known.contains_key(&(start, end)) {
            if self.least(start, end) >= left {
                return None;
            }
            let part = Part::of(self.problem, &self.lengths, &self.places, start..end);
            self.known.insert((start, end), Arc::new(part.chosen(Time::ZERO + left)?));
        }
        Some(self.known[&(start, end)].time()).filter(|&time| time <= left)
    }

    /// A time that nothing can beat for the messages of some classes.
    fn least(&mut self, start: usize, end: usize) -> Span {
        if start == end {
            return Span::ZERO;
        }
        let least = || Part::of(self.problem, &self.lengths, &self.places, start..end).problem.least();
        *self.least.entry((start, end)).or_insert_with(least)
    }
}

/// The time that parts may take one after the other, if they are to be done in this time in a row.
fn alone<P: Divisible>(problem: &P, time: Span) -> Span {
    Span::from_secs_f64(time.as_secs_f64() * problem.overlap())
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

impl<P: Problem> Chosen<P> {
    /// The time that it takes by itself.
    fn time(&self) -> Span {
        self.predicted.prediction.modeled.since_start()
    }
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
    fn chosen(self, limit: Time) -> Option<Chosen<P>> {
        let mut variants = self.problem.others().ok()?;
        let (nth, predicted) = fastest(&P::APART, &self.problem, &variants, limit).ok()?;
        let variant = variants.swap_remove(nth);
        let algorithm = variant.algorithm().unwrap_or(&P::APART).to_string();
        let name = format!("{} by {}", self.name, P::plan_name(algorithm, variant.name()));
        Some(Chosen { name, is_in: self.is_in, variant, predicted })
    }
}

/// The lengths behind which messages may be parted, those that are likely to gain most first: below the widest gap between two
/// lengths, as a ratio; below those that make up half of all bytes; halfway, as ratios go, between the shortest and the longest;
/// and below those that make up other parts of all bytes. None if no message is more than twice as long as another one.
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
    let all: u128 = sorted.iter().map(|&length| u128::from(length)).sum();
    let below = |bound: u64| sorted.iter().rev().copied().find(|&length| length < bound);
    // Below the longest messages that make up so many sixteenths of all bytes.
    let heavy = |sixteenths: u128| {
        let mut bytes = 0;
        let last = sorted.iter().rev().find(|&&length| {
            bytes += u128::from(length);
            bytes * 16 >= all * sixteenths
        });
        last.and_then(|&length| below(length))
    };
    let middle = (u128::from(shortest) * u128::from(longest)).isqrt() as u64;
    let mut places = Vec::new();
    for place in [widest, heavy(8), below(middle.saturating_add(1)), heavy(12), heavy(4), heavy(15)] {
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
        // The widest gap is below 6400; 100,000 is half of the bytes, and with 50,000 more than 15 of 16; 400 is below the
        // square root of 16 x 100,000.
        assert_eq!(places(&[16, 50, 100, 400, 6400, 100_000, 50_000]), [400, 50_000, 6400]);
        // Of gaps that are as wide as each other the one with the shortest message counts.
        assert_eq!(places(&[1, 2, 4, 8, 16, 32]), [1, 16, 4, 8, 2]);
        assert_eq!(places(&[u64::MAX, 1]), [1]);
    }
}
