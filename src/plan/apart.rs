//! Messages treated apart by length: the long ones by one schedule and the short ones by another, one after the other.
//!
//! A schedule that suits long messages costs short ones many start-ups, and one that suits short messages carries long ones
//! too often. Where lengths differ much, two or more schedules in a row can be faster than any single one.
//!
//! The messages, by length, may be parted at a few places that follow from their lengths alone. All that lies between two places is
//! a problem of its own, for which the fastest variant is taken. The ways whose parts take the least time together are tried: the
//! parts are put one after the other, from the shortest messages on, from the longest on, or with the longest at the other end.
//! No node waits in between: each goes on to the next part when it is done with the one before.
//!
//! First one place is tried, and then two. Among up to 64 nodes (`few`) the messages are also parted in two halfway between places that are far from
//! each other; all other places that follow from the lengths come next; then places near those of the best way, halfway to the next
//! ones that have been tried, a few times over, and at last all these places together, and those between any two lengths
//! if there are few lengths. Among more nodes the places of the best way are moved once or twice. Among more than 128, without a root (`many`),
//! the best of the first places is left for those beside it before that, of all that follow from the lengths, as
//! long as two parts take less time there, and parts are looked at by such variants first as other parts take. In the end
//! the fastest way is changed a little, as long as that makes it faster (`polish`).
//!
//! Where there is no root, every part takes some time to look at, and each of these steps is taken only if it is likely to pay (`worth`).
//! Lower bounds tell of many parts beforehand that they
//! cannot pay, none is looked at for longer than the others leave it, and variants come first for it that suit its neighbours.

mod few;
mod many;
mod part;
mod places;
mod polish;
mod worth;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) use self::places::places;
use self::{
    part::{Chosen, Part, Row, in_a_row, key, kind, orders},
    worth::{HOPELESS, VERY_FEW},
};
use super::{
    choose::{FEW, fastest, near, times},
    error::PlanError,
    predict::predict_among,
    problem::{Draft, Problem},
    registry::{Algorithm, Planning, Predicted, Variant},
};
use crate::{
    text::count,
    time::{Span, Time},
};

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

    /// Whether all messages come from one node, or all go to one.
    fn has_root(&self) -> bool;

    /// Whether plans are those for spreading data turned round in time.
    fn is_backwards(&self) -> bool;
}

/// A variant with its draft and the time that it takes.
type Found<P> = (Variant<P>, Predicted<P>);

/// So many ways to part the messages up to a place are kept, and so many are tried at a time.
const MOST_WAYS: usize = 24;

/// Where only that is looked at which is likely to pay, a part that is parted once more is taken to need this part of its time.
const PARTED: f64 = 0.95;

/// Among more nodes, where there is no root, parts are looked at roughly, and few ways are tried.
const SOME: usize = 128;

/// Whether there are messages of which some are treated apart.
pub(crate) fn is_uneven<P: Divisible>(problem: &P) -> bool {
    !places(&problem.lengths()).is_empty()
}

/// The lengths of messages in words, where they are too much alike to be treated apart.
pub(crate) fn lengths_in_words(lengths: &[u64]) -> String {
    let some = || lengths.iter().filter(|&&length| length > 0);
    match (some().min(), some().max()) {
        (Some(least), Some(most)) if least < most => format!("they have {least} to {most} bytes"),
        (Some(length), _) => format!("all have {}", count(*length, "byte")),
        _ => "all are empty".to_owned(),
    }
}

/// The fastest way to treat messages apart, whether or not it is faster than to treat all alike. It is found as [`faster`] finds it;
/// where that gives up, messages are parted at the first place, however long that takes. So it hardly ever finds what *Auto* does not: once in
/// some 3,000 random problems, where the two parts overlapped more than usual.
///
/// # Errors
///
/// [`PlanError::TooLong`]: no way ends within modeled time.
pub(crate) fn search<P: Divisible>(planning: &Planning<'_, P>) -> Result<Found<P>, PlanError> {
    let problem = planning.problem;
    let whole = problem.others().and_then(|others| fastest(&P::APART, problem, &others, Time::MAX));
    let mut parting = Parting::of(problem, whole.map_or(Time::MAX, |(_, found)| found.prediction.modeled));
    parting.search();
    if parting.found.is_none() {
        parting = Parting::of(problem, Time::MAX);
        parting.places.truncate(1);
        parting.try_between(&parting.places.clone());
    }
    let too_long = || PlanError::TooLong { algorithm: P::APART.called(problem) };
    let (row, predicted) = parting.found.ok_or_else(too_long)?;
    Ok((in_a_row(row).by(P::APART), predicted))
}

/// The fastest way to treat messages apart, if it takes less than the fastest way to treat all alike, whose time is given.
pub(crate) fn faster<P: Divisible>(problem: &P, given: Time) -> Option<Found<P>> {
    let mut parting = Parting::of(problem, given);
    parting.search();
    let (row, predicted) = parting.found?;
    (predicted.prediction.modeled < given).then(|| (in_a_row(row).by(P::APART), predicted))
}

/// A search for ways to part the messages. A part is what lies between two places: messages longer than one, and no longer than
/// the other.
struct Parting<'a, P: Problem> {
    problem: &'a P,
    lengths: Vec<u64>,
    /// The lengths that there are, in order.
    distinct: Vec<u64>,
    /// The lengths behind which messages may be parted, to which refinements add theirs.
    places: Vec<u64>,
    /// The other places that follow from the lengths alone: they are looked at only if the first ones could pay.
    further: Vec<u64>,
    /// Whether there are few nodes, so that several places are looked at together.
    is_among_few: bool,
    /// Whether parts take so long to look at that only that is done which is likely to pay: where there is no root, and more than very few
    /// nodes.
    is_selective: bool,
    /// Whether they take longer still: among many nodes.
    is_laborious: bool,
    /// The time that is to be beaten.
    given: Time,
    /// The time that nothing can beat.
    floor: Span,
    /// The time of the fastest way so far, or what it has to take less than.
    limit: Time,
    /// The messages of all parts that are known, and of all rows that were tried.
    messages: u64,
    /// The time that is left for all parts together.
    budget: Span,
    /// The parts that were looked at and end in the time that was left for them, with the time that each takes by itself.
    known: BTreeMap<Bounds, (Span, Arc<Chosen<P>>)>,
    /// Those of them for which not all variants have been tried.
    rough: BTreeSet<Bounds>,
    /// The times in which the others do not end.
    refused: BTreeMap<Bounds, Span>,
    /// Times that nothing can beat, of the parts for which they are known.
    least: BTreeMap<Bounds, Span>,
    /// The parts that have been predicted in a row.
    tried: BTreeSet<Vec<(Bounds, usize)>>,
    /// The fastest way so far, or else that whose parts take the least time one after the other.
    best: Vec<Bounds>,
    /// The fastest row of each way that has been seen to end by the limit at the time it was tried, or near that, with its time.
    rows: BTreeMap<Vec<Bounds>, (Time, Row<P>)>,
    /// The parts of the fastest way, one after the other, with the draft and the time of all.
    found: Option<(Row<P>, Predicted<P>)>,
}

/// The two places between which a part lies.
type Bounds = (u64, u64);

/// The places before the shortest message and behind the longest one.
const ENDS: Bounds = (0, u64::MAX);

/// A way to part the messages: the time of its parts one after the other, and the parts, the shortest messages first.
type Way = (Span, Vec<Bounds>);

impl<'a, P: Divisible> Parting<'a, P> {
    fn of(problem: &'a P, given: Time) -> Parting<'a, P> {
        let lengths = problem.lengths();
        let mut distinct = lengths.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut places = places(&lengths);
        let further = places.split_off(places.len().min(2));
        let nodes = problem.members().len();
        let is_selective = nodes > VERY_FEW && !problem.has_root();
        let limit = near(given);
        let mut budget = alone(problem, limit.since_start());
        if is_selective {
            budget = budget.min(times(given, HOPELESS).since_start());
        }
        Parting {
            problem,
            lengths,
            distinct,
            places,
            further,
            is_among_few: nodes <= FEW,
            is_selective,
            is_laborious: is_selective && nodes > SOME,
            given,
            floor: problem.least(),
            limit,
            messages: 0,
            budget,
            known: BTreeMap::new(),
            rough: BTreeSet::new(),
            refused: BTreeMap::new(),
            least: BTreeMap::new(),
            tried: BTreeSet::new(),
            best: Vec::new(),
            rows: BTreeMap::new(),
            found: None,
        }
    }

    fn search(&mut self) {
        let Some(&first) = self.places.first() else { return };
        if self.is_laborious && self.is_close() {
            return;
        }
        let leaves_time = self.look_at_two(first);
        if self.is_selective && !self.is_among_few && !leaves_time {
            return;
        }
        if !self.is_laborious {
            self.try_between(&[first]);
            if self.is_close() {
                return;
            }
        }
        if self.is_tired() {
            self.places.truncate(1);
        }
        self.places.sort_unstable();
        self.try_between(&self.places.clone());
        if self.is_among_few {
            self.fill_gaps();
        }
        if !self.is_promising() {
            return;
        }
        if self.is_among_few {
            self.try_others();
        } else if self.is_worth_refining() {
            if self.is_laborious && !self.is_tired() {
                self.extend();
            }
            if !self.is_tired() {
                self.shift();
            }
            self.complete();
        }
        self.polish();
    }

    /// Tries the ways with some places in order whose parts take the least time together.
    fn try_between(&mut self, places: &[u64]) {
        for &place in places {
            self.look_at_two(place);
        }
        let ways = self.ways(places);
        if self.best.is_empty()
            && let Some((_, way)) = ways.first()
        {
            self.best.clone_from(way);
        }
        for (time, way) in self.likely_ways(ways) {
            if time <= alone(self.problem, self.limit.since_start()) {
                self.attempt_in_order(&way);
            }
        }
    }

    /// Predicts the parts of a way in a row: in all [orders], or where that takes long in those two that are likely to be the fastest,
    /// which begin with the longest messages, or end with them where plans go backwards.
    fn attempt_in_order(&mut self, way: &[Bounds]) {
        let likely: &[usize] = match self.problem.is_backwards() {
            _ if !self.is_laborious => &[0, 1, 2, 3],
            false => &[1, 2],
            true => &[0, 3],
        };
        let orders = orders(way);
        likely.iter().filter_map(|&nth| orders.get(nth)).for_each(|order| self.attempt(way, order));
    }

    /// Predicts the parts of a way in a row, in some order.
    fn attempt(&mut self, way: &[Bounds], order: &[Bounds]) {
        let row: Row<P> = order.iter().map(|part| self.known[part].1.clone()).collect();
        self.attempt_row(way, &row, if self.keeps_ways() { near(self.limit) } else { self.limit });
    }

    /// Predicts parts in a row, which are those of a way, if they take less than a limit.
    fn attempt_row(&mut self, way: &[Bounds], row: &Row<P>, limit: Time) {
        if !self.tried.insert(key(row)) {
            return;
        }
        let drafts: Vec<_> = row.iter().map(|part| (&*part.is_in, &part.draft)).collect();
        let draft = self.problem.joined(&drafts);
        self.messages += draft.schedule().map_or(0, |all| all.messages().count() as u64);
        let (machine, members) = (self.problem.machine(), self.problem.members());
        let prediction = draft.schedule().and_then(|all| predict_among(machine, members, all, limit));
        let Some(prediction) = prediction.filter(|prediction| prediction.modeled < limit) else { return };
        let time = prediction.modeled;
        if self.rows.get(way).is_none_or(|&(other, _)| time < other) {
            self.rows.insert(way.to_vec(), (time, row.clone()));
        }
        if time < self.limit {
            self.limit = time;
            self.budget = self.budget.min(alone(self.problem, time.since_start()));
            self.best = way.to_vec();
            self.found = Some((row.clone(), Predicted { draft, prediction }));
        }
    }

    /// The lengths halfway, among those that there are, from a place to the nearest ones that have been tried.
    fn halfway(&self, place: u64) -> Vec<u64> {
        let number = |place: u64| self.distinct.partition_point(|&length| length < place);
        let nth = number(place);
        let below = self.places.iter().rev().find(|&&other| other < place).map_or(0, |&other| number(other));
        let last = self.distinct.len() - 1;
        let above = self.places.iter().find(|&&other| other > place).map_or(last, |&other| number(other));
        let halfway = [below.midpoint(nth), nth.midpoint(above)];
        let is_new =
            |length: &u64| (1..self.distinct[last]).contains(length) && !self.places.contains(length);
        halfway.into_iter().map(|nth| self.distinct[nth]).filter(is_new).collect()
    }

    /// The ways with some of these places, which are in order, whose parts take the least time together; the least first.
    fn ways(&mut self, places: &[u64]) -> Vec<Way> {
        let cuts: Vec<u64> = [ENDS.0].iter().chain(places).chain([&ENDS.1]).copied().collect();
        let last = cuts.len() - 1;
        // For each cut the best ways up to it.
        let mut ways: Vec<Vec<Way>> = vec![vec![(Span::ZERO, Vec::new())]];
        for end in 1..=last {
            let mut up_to: Vec<Way> = Vec::new();
            for start in 0..end {
                let part = (cuts[start], cuts[end]);
                let Some(&(before, _)) = ways[start].first().filter(|_| part != ENDS) else { continue };
                let others = before + self.rest(part.1);
                let Some(time) = self.look_at(part, others) else { continue };
                let longer = |(before, way): &Way| (*before + time, [&way[..], &[part]].concat());
                up_to.extend(ways[start].iter().map(longer));
            }
            up_to.sort();
            up_to.truncate(MOST_WAYS);
            ways.push(up_to);
        }
        ways.pop().unwrap_or_default()
    }

    /// Looks at the way in two parts divided at a place, and tells whether it ends in the time that is left. The part that takes
    /// longer at least comes first: it leaves the other one the least.
    fn look_at_two(&mut self, place: u64) -> bool {
        let mut parts = [(ENDS.0, place), (place, ENDS.1)];
        parts.sort_by_cached_key(|&part| Reverse(self.least(part)));
        let [part, next] = parts;
        let others = self.least(next);
        let Some(one) = self.look_at(part, others) else { return false };
        let Some(other) = self.look_at(next, one) else { return false };
        self.budget = self.budget.min(alone(self.problem, one + other));
        true
    }

    /// The time of a part by itself, if that leaves the others this time.
    fn look_at(&mut self, bounds: Bounds, others: Span) -> Option<Span> {
        let left = self.budget - others;
        if !self.known.contains_key(&bounds) {
            if self.least(bounds) >= left || self.refused.get(&bounds).is_some_and(|&time| time >= left) {
                return None;
            }
            let part = self.part(bounds);
            let is_rough = self.is_rough() && !part.is_single(&self.lengths);
            let likely = if is_rough { self.all_likely() } else { self.likely(bounds) };
            match part.chosen(&likely, is_rough, Time::ZERO + left) {
                Some((time, chosen)) => {
                    self.messages += chosen.draft.schedule().map_or(0, |all| all.messages().count() as u64);
                    if is_rough {
                        self.rough.insert(bounds);
                    }
                    self.known.insert(bounds, (time, Arc::new(chosen)))
                }
                None => {
                    self.refused.insert(bounds, left);
                    return None;
                }
            };
        }
        Some(self.known[&bounds].0).filter(|&time| time <= left)
    }

    /// The kinds of the variants taken for parts that have an end in common with this one.
    fn likely(&self, (over, up_to): Bounds) -> BTreeSet<String> {
        let is_beside = |part: &Bounds| part.0 == over || part.1 == up_to;
        self.known
            .iter()
            .filter(|(part, _)| is_beside(part))
            .map(|(_, (_, chosen))| kind(&chosen.variant))
            .collect()
    }

    fn part(&self, bounds: Bounds) -> Part<P> {
        Part::of(self.problem, &self.lengths, bounds)
    }

    /// About the least time of all messages longer than a place.
    fn rest(&mut self, place: u64) -> Span {
        let rest = (place, ENDS.1);
        match self.known.get(&rest) {
            Some(&(time, _)) if self.is_selective => Span::from_secs_f64(time.as_secs_f64() * PARTED),
            _ => self.least(rest),
        }
    }

    /// A time that nothing can beat for a part.
    fn least(&mut self, bounds: Bounds) -> Span {
        if bounds.0 == bounds.1 {
            return Span::ZERO;
        }
        let least = || Part::of(self.problem, &self.lengths, bounds).problem.least();
        *self.least.entry(bounds).or_insert_with(least)
    }
}

/// The time that parts may take one after the other, if they are to be done in this time in a row: nodes that are done with one
/// begin with the next. A root's messages may all be under way at the same time. Other parts hardly overlap: of 52 fastest ways
/// among up to 64 nodes, 49 took at most 4 % less than their parts one after the other, and the others up to 14 %.
fn alone<P: Divisible>(problem: &P, time: Span) -> Span {
    let overlap = if problem.has_root() { 2.0 } else { 1.1 };
    Span::from_secs_f64(time.as_secs_f64() * overlap)
}
