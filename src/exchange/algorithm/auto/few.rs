//! Few long messages that are passed on, by *bruck* or *levels*: which of them are worth a try, by closed forms.
//!
//! To make one of their schedules takes the host time for each message of the matrix, and to predict it some more, though
//! they send few messages: so it is known beforehand about how long each takes. First without links, which takes no time
//! to speak of, and where that is not too long with what links have to carry.

use super::super::{
    super::{
        planner::{Planner, Variant},
        rounds::{digits::Pace, shape::Shape},
    },
    Algorithm, bruck, levels,
};
use crate::time::{Span, Time};

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

/// Few long messages that are passed on, in the shapes of *bruck* and of *levels*, before any of their schedules is made.
pub(super) struct Few<'a> {
    planner: &'a Planner,
    /// About the least time if no link is short of anything.
    least: Span,
}

/// A shape, and the algorithm that it is of.
type Shaped<'a> = (Algorithm, &'a Shape);

impl Few<'_> {
    pub(super) fn of(planner: &Planner) -> Few<'_> {
        let instance = planner.instance();
        let least = bruck::least(instance).min(levels::least(instance).unwrap_or(Span::MAX));
        Few { planner, least }
    }

    /// About the least time if no link is short of anything.
    pub(in super::super) fn least(&self) -> Span {
        self.least
    }

    /// The shapes that are worth a try, links included, found when they matter.
    fn shapes(&self) -> impl Iterator<Item = Shaped<'_>> {
        let bruck = bruck::distinct(self.planner).map(|shape| (Algorithm::BRUCK, shape));
        bruck.chain(levels::shapes(self.planner).iter().map(|shape| (Algorithm::LEVELS, shape)))
    }

    /// About the least time.
    fn estimate(&self) -> Span {
        self.shapes().map(|(_, shape)| shape.times().least()).min().unwrap_or(Span::MAX)
    }

    /// Whether they are likely to take less than a time.
    pub(super) fn is_under(&self, time: Span) -> bool {
        self.least < time && self.estimate() < time
    }

    /// The likely one, if it may end by the limit.
    pub(super) fn likely(&self, limit: Limit) -> Vec<Variant> {
        let least = self.shapes().min_by_key(|(_, shape)| shape.times().least());
        least.map(|shaped| worth(shaped, false, limit)).unwrap_or_default()
    }

    /// Those at the likely pace that may end by the limit, and are not much slower than the best of them.
    pub(super) fn variants(&self, limit: Limit) -> Vec<Variant> {
        if self.least > limit.time.since_start() {
            return Vec::new();
        }
        let similar = SIMILAR * self.estimate().as_secs_f64();
        let near = self.shapes().filter(|(_, shape)| shape.times().least().as_secs_f64() <= similar);
        near.flat_map(|shaped| worth(shaped, false, limit)).collect()
    }

    /// The shape of a plan of this name, at all paces that may end by the limit.
    pub(super) fn like(&self, plan: &str, limit: Limit) -> Vec<Variant> {
        let of_plan = self.shapes().filter(|(_, shape)| shape.is_called(plan));
        of_plan.flat_map(|shaped| worth(shaped, true, limit)).collect()
    }

    /// The best of each algorithm at all paces that may end by the limit, where both are about as fast.
    pub(super) fn alike(&self, limit: Limit) -> Vec<Variant> {
        let least = |of: Algorithm| {
            let shapes = self.shapes().filter(|&(algorithm, _)| algorithm == of);
            shapes.min_by_key(|(_, shape)| shape.times().least())
        };
        let (Some(bruck), Some(levels)) = (least(Algorithm::BRUCK), least(Algorithm::LEVELS)) else {
            return Vec::new();
        };
        let both = [bruck, levels];
        let times = both.map(|(_, shape)| shape.times().least().as_secs_f64());
        if times[0].max(times[1]) > ALIKE * times[0].min(times[1]) {
            return Vec::new();
        }
        both.into_iter().flat_map(|shaped| worth(shaped, true, limit)).collect()
    }
}

/// Those at the likely pace, or at all, that may end by the limit.
fn worth((algorithm, shape): Shaped<'_>, are_all: bool, limit: Limit) -> Vec<Variant> {
    let times = shape.times();
    let may_end = |&pace: &Pace| {
        let (time, part) = match pace {
            Pace::AtOnce => (times.at_once, if limit.is_of_few { EXACT } else { 1.0 }),
            Pace::Each(_) => (times.in_turn, EXACT),
        };
        time.as_secs_f64() * part <= limit.time.since_start().as_secs_f64()
    };
    let paces = shape.paces().into_iter().take(if are_all { Pace::ALL.len() } else { 1 });
    paces.filter(may_end).map(|pace| shape.variant(pace).by(algorithm)).collect()
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
        assert!(long.1.variants(limit(Time::ZERO + long.0.straight())).is_empty());
        let names: Vec<String> =
            short.1.variants(limit(Time::MAX)).iter().map(|variant| variant.name().to_owned()).collect();
        assert!(names.iter().any(|name| name.starts_with("levels (8 at ")), "{names:?}");
    }
}
