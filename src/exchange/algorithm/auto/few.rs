//! Selection, by closed forms, of variants with few combined messages: those of *bruck* and *levels*.
//!
//! Making and predicting one of these schedules takes host time for each message of the matrix, although few messages are sent. So its
//! time is estimated beforehand: first without link contention, in negligible time, and, if that estimate passes, with the load of the
//! links.

use super::super::{
    super::{
        planner::{Planner, Variant},
        rounds::{digits::Pace, shape::Shape},
    },
    Algorithm, bruck, levels,
};
use crate::time::{Span, Time};

/// Maximum ratio of a shape's estimate to the best estimate for trying the shape.
const SIMILAR: f64 = 1.25;

/// Maximum ratio of the best estimates of both algorithms for trying both at all paces.
const ALIKE: f64 = 1.05;

/// Factor from the closed form to a lower bound on the time if ranks send their messages in turn. At once the closed form is rarely too
/// high, so there the factor is used only if the incumbent combines messages.
const EXACT: f64 = 0.9;

/// The pruning limit for a variant.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub(super) time: Time,
    /// Whether the incumbent combines messages.
    pub(super) is_of_few: bool,
}

/// The shapes of *bruck* and of *levels*, before any schedule is made.
pub(super) struct Few<'a> {
    planner: &'a Planner,
    /// Estimate of the least time without link contention.
    least: Span,
}

/// A shape and its algorithm.
type Shaped<'a> = (Algorithm, &'a Shape);

impl Few<'_> {
    pub(super) fn of(planner: &Planner) -> Few<'_> {
        let instance = planner.instance();
        let least = bruck::least(instance).min(levels::least(instance).unwrap_or(Span::MAX));
        Few { planner, least }
    }

    /// Returns the estimate of the least time without link contention.
    pub(in super::super) fn least(&self) -> Span {
        self.least
    }

    /// Returns the shapes to try, selected with link loads. They are computed when needed.
    fn shapes(&self) -> impl Iterator<Item = Shaped<'_>> {
        let bruck = bruck::distinct(self.planner).map(|shape| (Algorithm::BRUCK, shape));
        bruck.chain(levels::shapes(self.planner).iter().map(|shape| (Algorithm::LEVELS, shape)))
    }

    /// Returns the estimate of the least time, link loads included.
    fn estimate(&self) -> Span {
        self.shapes().map(|(_, shape)| shape.times().least()).min().unwrap_or(Span::MAX)
    }

    /// Returns whether combined messages probably take less than `time`.
    pub(super) fn is_under(&self, time: Span) -> bool {
        self.least < time && self.estimate() < time
    }

    /// Returns the most promising variant, if it may end by the limit.
    pub(super) fn likely(&self, limit: Limit) -> Vec<Variant> {
        let least = self.shapes().min_by_key(|(_, shape)| shape.times().least());
        least.map(|shaped| worth(shaped, false, limit)).unwrap_or_default()
    }

    /// Returns the variants at the probably fastest pace that may end by the limit and are not much slower than the best of them.
    pub(super) fn variants(&self, limit: Limit) -> Vec<Variant> {
        if self.least > limit.time.since_start() {
            return Vec::new();
        }
        let similar = SIMILAR * self.estimate().as_secs_f64();
        let near = self.shapes().filter(|(_, shape)| shape.times().least().as_secs_f64() <= similar);
        near.flat_map(|shaped| worth(shaped, false, limit)).collect()
    }

    /// Returns the variants of the shape of plan `plan`, at all paces that may end by the limit.
    pub(super) fn like(&self, plan: &str, limit: Limit) -> Vec<Variant> {
        let of_plan = self.shapes().filter(|(_, shape)| shape.is_called(plan));
        of_plan.flat_map(|shaped| worth(shaped, true, limit)).collect()
    }

    /// Returns the best variants of each algorithm at all paces that may end by the limit, if both algorithms are about equally fast.
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

/// Returns the variants at the probably fastest pace, or at all paces if `are_all`, that may end by the limit.
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

    /// Short messages of 64 nodes are combined, long messages are not, and crowded links are taken into account.
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
