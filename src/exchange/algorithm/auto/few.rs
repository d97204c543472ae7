//! Few long messages that are passed on, by *bruck* or *levels*: which of them are worth a try, by closed forms.
//!
//! To make one of their schedules takes the host time for each message of the matrix, and to predict it some more, though
//! they send few messages: so it is known beforehand about how long each takes. First without links, which takes no time
//! to speak of, and where that is not too long with what links have to carry.

use std::sync::OnceLock;

use super::super::{
    super::{
        planner::{Planner, Variant},
        rounds::{closed_form::Times, digits::Pace},
    },
    Algorithm,
    bruck::{self, Paced},
    levels,
};
use crate::{
    pattern::Exchange,
    time::{Span, Time},
};

/// Of few long messages only those are tried that take at most so many times as long as the best of them by the closed form.
const SIMILAR: f64 = 1.25;

/// Those of both algorithms are tried at all paces that take at most so many times as long.
const ALIKE: f64 = 1.05;

/// The part of what the closed form says that they may take if a rank sends its messages in turn. At once hardly any takes less, so
/// that is only looked at as closely where few long messages are the fastest so far.
const EXACT: f64 = 0.9;

/// The most that something may take to be worth a try.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) time: Time,
    /// Whether few long messages are the fastest so far.
    pub(super) is_of_few: bool,
}

/// Estimates of few long messages that are passed on, before any of their schedules is made.
pub(super) struct Few<'a> {
    planner: &'a Planner,
    /// About the least time if no link is short of anything.
    least: Span,
    /// About the times of the variants of *bruck* and of *levels*, links included, worked out when they matter.
    estimates: OnceLock<[Vec<Option<Times>>; 2]>,
    /// These variants, each with its algorithm, at all paces.
    paced: OnceLock<[Vec<Paced>; 2]>,
}

impl Few<'_> {
    pub(super) fn of(planner: &Planner) -> Few<'_> {
        let instance = planner.instance();
        let least = bruck::least(instance).min(levels::least(instance).unwrap_or(Span::MAX));
        Few { planner, least, estimates: OnceLock::new(), paced: OnceLock::new() }
    }

    /// About the least time if no link is short of anything.
    pub(in super::super) fn least(&self) -> Span {
        self.least
    }

    fn estimates(&self) -> &[Vec<Option<Times>>; 2] {
        self.estimates
            .get_or_init(|| [bruck::estimates(self.planner.instance()), levels::estimates(self.planner)])
    }

    fn estimate(&self) -> Span {
        self.estimates().iter().flatten().flatten().map(|times| times.least()).min().unwrap_or(Span::MAX)
    }

    /// Whether they are likely to take less than a time.
    pub(super) fn is_under(&self, time: Span) -> bool {
        self.least < time && self.estimate() < time
    }

    fn paced(&self) -> &[Vec<Paced>; 2] {
        let with = |paced: Paced, algorithm| -> Paced {
            paced.into_iter().map(|(pace, variant)| (pace, variant.by(algorithm))).collect()
        };
        let all = |all: Vec<Paced>, algorithm| all.into_iter().map(|paced| with(paced, algorithm)).collect();
        self.paced.get_or_init(|| {
            [
                all(bruck::variants(self.planner.instance(), true), Algorithm::BRUCK),
                all(levels::variants(self.planner, true), Algorithm::LEVELS),
            ]
        })
    }

    /// The estimates, with their variants at all paces.
    fn known(&self) -> impl Iterator<Item = (Times, &[(Pace, Variant)])> {
        let all = self.estimates().iter().zip(self.paced());
        let all = all.flat_map(|(estimates, paced)| estimates.iter().zip(paced));
        all.filter_map(|(&times, paced)| Some((times?, &paced[..])))
    }

    /// The best of each algorithm at all paces that may end by the limit, where both are about as fast.
    pub(super) fn alike(&self, limit: Limit) -> Vec<Variant> {
        let [bruck, levels] = self.estimates();
        let least = |estimates: &[Option<Times>]| {
            let times = estimates.iter().enumerate().filter_map(|(nth, times)| Some((nth, (*times)?)));
            times.min_by_key(|(_, times)| times.least())
        };
        let (Some(bruck), Some(levels)) = (least(bruck), least(levels)) else { return Vec::new() };
        let both = [bruck.1, levels.1].map(|times| times.least().as_secs_f64());
        if both[0].max(both[1]) > ALIKE * both[0].min(both[1]) {
            return Vec::new();
        }
        let of = |(paced, (nth, times)): (&Vec<Paced>, (usize, Times))| worth(&paced[nth], times, limit);
        self.paced().iter().zip([bruck, levels]).flat_map(of).collect()
    }

    /// The likely one, if it may end by the limit.
    pub(super) fn likely(&self, limit: Limit) -> Vec<Variant> {
        let least = self.known().min_by_key(|(times, _)| times.least());
        least.map(|(times, paced)| worth(likely(times, paced), times, limit)).unwrap_or_default()
    }

    /// Those at the likely pace, or at all, that may end by the limit, and are not much slower than the best of them.
    pub(super) fn variants(&self, are_all: bool, limit: Limit) -> Vec<Variant> {
        if self.least > limit.time.since_start() {
            return Vec::new();
        }
        let similar = SIMILAR * self.estimate().as_secs_f64();
        let near = self.known().filter(|(times, _)| times.least().as_secs_f64() <= similar);
        let tried = |times, paced| if are_all { paced } else { likely(times, paced) };
        near.flat_map(|(times, paced)| worth(tried(times, paced), times, limit)).collect()
    }
}

/// That at the better pace by the estimate. With radix 2 *at once* is the first, by another name.
fn likely(times: Times, paced: &[(Pace, Variant)]) -> &[(Pace, Variant)] {
    let nth = paced.iter().position(|(pace, _)| *pace == times.pace()).unwrap_or(0);
    &paced[nth..=nth]
}

/// Those that may end by the limit.
fn worth(paced: &[(Pace, Variant)], times: Times, limit: Limit) -> Vec<Variant> {
    let may_take =
        |time: Span, part: f64| time.as_secs_f64() * part <= limit.time.since_start().as_secs_f64();
    let at_once = may_take(times.at_once, if limit.is_of_few { EXACT } else { 1.0 });
    let in_turn = may_take(times.in_turn, EXACT);
    let is_renamed = paced.iter().all(|(pace, _)| *pace != Pace::AtOnce);
    let may_end = |pace: Pace| match pace {
        Pace::AtOnce => at_once,
        // With radix 2 this is *at once*.
        Pace::Each(Exchange::Overlapped) => in_turn || at_once && is_renamed,
        Pace::Each(_) => in_turn,
    };
    paced.iter().filter(|(pace, _)| may_end(*pace)).map(|(_, variant)| variant.clone()).collect()
}

/// Variants with the algorithm that they are of.
pub(super) fn by(variants: Vec<Variant>, algorithm: Algorithm) -> Vec<Variant> {
    variants.into_iter().map(|variant| variant.by(algorithm)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exchange::{Instance, Matrix},
        model::Description,
    };

    /// Short messages of 64 nodes are sent together, long ones are not, and links that are crowded count.
    #[test]
    fn they_are_for_short_messages() {
        let machine: Description = "hockney:8x8".parse().unwrap();
        let planner = |bytes: u64| {
            Planner::new(&Instance::new(&machine, Matrix::of(64, |_, _| bytes).unwrap()).unwrap())
        };
        let (short, long) = (planner(16), planner(16_384));
        let [short, long] = [&short, &long].map(|planner| (planner, Few::of(planner)));
        assert!(short.1.is_under(short.0.straight()));
        assert!(!long.1.is_under(long.0.straight()));
        assert!(long.1.least < long.1.estimate());
        let limit = |time| Limit { time, is_of_few: false };
        assert!(long.1.variants(false, limit(Time::ZERO + long.0.straight())).is_empty());
        let names: Vec<String> = short
            .1
            .variants(false, limit(Time::MAX))
            .iter()
            .map(|variant| variant.name().to_owned())
            .collect();
        assert!(names.iter().any(|name| name.starts_with("levels (8 at ")), "{names:?}");
    }
}
