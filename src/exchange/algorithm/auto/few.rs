//! Few long messages that are passed on, by *bruck* or *levels*: which of them are worth a try, by closed forms.
//!
//! To make one of their schedules takes the host time for each message of the matrix, and to predict it some more, though
//! they send few messages: so it is known beforehand about how long each takes. First without links, which takes no time
//! to speak of, and where that is not too long with what links have to carry.

use std::sync::OnceLock;

use super::super::{
    super::planner::{Planner, Variant},
    Algorithm, bruck, levels,
};
use crate::{
    pattern::Exchange,
    time::{Span, Time},
};

/// Of few long messages only those are tried that take at most so many times as long as the best of them by the closed form.
const SIMILAR: f64 = 1.25;

/// Those of both algorithms are tried in all ways that take at most so many times as long.
const ALIKE: f64 = 1.05;

/// The part of what the closed form says of them that they may take.
const EXACT: f64 = 0.9;

/// Estimates of few long messages that are passed on, before any of their schedules is made.
pub(super) struct Few<'a> {
    planner: &'a Planner,
    /// About the least time if no link is short of anything.
    least: Span,
    /// About the times of the variants of *bruck* and of *levels*, links included, worked out when they matter.
    estimates: OnceLock<[Vec<Span>; 2]>,
}

impl Few<'_> {
    pub(super) fn of(planner: &Planner) -> Few<'_> {
        let instance = planner.instance();
        let least = bruck::least(instance).min(levels::least(instance).unwrap_or(Span::MAX));
        Few { planner, least, estimates: OnceLock::new() }
    }

    /// About the least time if no link is short of anything.
    pub(in super::super) fn least(&self) -> Span {
        self.least
    }

    fn estimates(&self) -> &[Vec<Span>; 2] {
        self.estimates
            .get_or_init(|| [bruck::estimates(self.planner.instance()), levels::estimates(self.planner)])
    }

    fn estimate(&self) -> Span {
        self.estimates().iter().flatten().copied().min().unwrap_or(Span::MAX)
    }

    /// Whether they are likely to take less than a time.
    pub(super) fn is_under(&self, time: Span) -> bool {
        self.least < time && self.estimate() < time
    }

    /// The best of each algorithm in all ways, where both are about as fast.
    pub(super) fn alike(&self) -> Vec<Variant> {
        let [bruck, levels] = self.estimates();
        let least = |estimates: &[Span]| {
            estimates.iter().enumerate().min_by_key(|&(_, estimate)| estimate).map(|(nth, time)| (nth, *time))
        };
        let (Some(bruck), Some(levels)) = (least(bruck), least(levels)) else { return Vec::new() };
        let both = [bruck.1, levels.1].map(Span::as_secs_f64);
        if both[0].max(both[1]) > ALIKE * both[0].min(both[1]) {
            return Vec::new();
        }
        let ways = &bruck::EXCHANGES;
        let nth =
            |variants: Vec<Variant>, nth: usize| variants.into_iter().skip(nth * ways.len()).take(ways.len());
        let of_bruck = nth(bruck::variants(self.planner.instance(), ways), bruck.0).collect();
        let of_levels = nth(levels::variants(self.planner, ways), levels.0).collect();
        [by(of_bruck, Algorithm::BRUCK), by(of_levels, Algorithm::LEVELS)].into_iter().flatten().collect()
    }

    /// Those in some ways that may end by the limit, and are not much slower than the best of them.
    pub(super) fn variants(&self, ways: &[Exchange], limit: Time) -> Vec<Variant> {
        let limit = limit.since_start();
        if self.least > limit {
            return Vec::new();
        }
        let least = self.estimate().as_secs_f64();
        let most = (SIMILAR * least).min(limit.as_secs_f64() / EXACT);
        let [bruck, levels] = self.estimates();
        let all = [
            (bruck, by(bruck::variants(self.planner.instance(), ways), Algorithm::BRUCK)),
            (levels, by(levels::variants(self.planner, ways), Algorithm::LEVELS)),
        ];
        let worth = |(estimates, variants): (&Vec<Span>, Vec<Variant>)| {
            let estimates =
                estimates.clone().into_iter().flat_map(|estimate| ways.iter().map(move |_| estimate));
            variants.into_iter().zip(estimates).filter(|(_, estimate)| estimate.as_secs_f64() <= most)
        };
        all.into_iter().flat_map(worth).map(|(variant, _)| variant).collect()
    }
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
        let limit = Time::ZERO + long.0.straight();
        assert!(long.1.variants(&bruck::EXCHANGES[..1], limit).is_empty());
        let names: Vec<String> = short
            .1
            .variants(&bruck::EXCHANGES[..1], Time::MAX)
            .iter()
            .map(|variant| variant.name().to_owned())
            .collect();
        assert!(names.iter().any(|name| name.starts_with("levels (8 at ")), "{names:?}");
    }
}
