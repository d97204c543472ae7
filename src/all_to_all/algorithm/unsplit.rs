//! The search for the fastest plan of an exchange that treats all messages alike, for *auto* and for the parts of *apart*.
//!
//! It lists the schedules of all algorithms, each with a lower bound and an estimate, and tries those with the least estimates first: all
//! algorithms in one style, then the best algorithm in all styles, then everything else. In large exchanges, unless the effort is
//! *thorough*, it omits the last step, and prunes a variant if its lower bound is not 2 % below the incumbent.

use std::collections::BTreeSet;

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        rounds::style::Style,
    },
    Algorithm,
};
use crate::{
    plan::{self, Budget, search},
    time::{Span, Time},
};

/// The style in which all algorithms are tried first. For 71 exchanges among 128 to 256 nodes it led to the same times as *1 ahead*
/// and as both, within 2 %, and to less planning time than both.
const FIRST_STYLE: Style = Style::Ahead(usize::MAX);

/// In large exchanges a variant is pruned if its lower bound, raised by this fraction, exceeds the incumbent.
const GAP: f64 = 0.02;

/// A plan of an exchange with its prediction.
pub(super) type Predicted = plan::Predicted<Instance>;

/// Returns whether the search leaves out variants that might be the fastest: in large exchanges, unless the effort is *thorough*.
pub(super) fn is_pruned(planner: &Planner, budget: &Budget) -> bool {
    planner.is_large() && !budget.is_unlimited()
}

/// Returns the fastest plan that treats all messages alike, if it ends by `limit`.
pub(super) fn fastest(
    planner: &Planner,
    limit: Time,
    budget: &Budget,
) -> Result<(Variant, Predicted), PlanError> {
    let is_pruned = is_pruned(planner, budget);
    let too_long = PlanError::TooLong { algorithm: Algorithm::AUTO.to_string() };
    let mut search =
        Search { planner, limit, budget, is_pruned, tried: BTreeSet::new(), best: Err(too_long) };
    search.try_all(candidates(&planner.with_styles(&[FIRST_STYLE]), |_| true));
    if let Some(likely) = search.algorithm() {
        search.try_all(candidates(planner, |algorithm| *algorithm == likely));
    }
    let others = search.untried(candidates(planner, |_| true));
    match is_pruned {
        true => budget.leave(others.iter().filter(|variant| search.can_be_faster(variant)).count()),
        false => search.try_all(others),
    }
    search.best
}

/// Returns the variants of the wanted algorithms, in ascending order of their estimates.
fn candidates(planner: &Planner, is_wanted: impl Fn(&Algorithm) -> bool + Copy) -> Vec<Variant> {
    // *Auto* and *apart* would search again.
    let is_candidate = |other: &&Algorithm| {
        ![Algorithm::AUTO, Algorithm::APART, Algorithm::SORTING].contains(other)
            && other.is_predictable()
            && is_wanted(other)
    };
    // Algorithms that do not support the exchange have no variants.
    let all = Algorithm::ALL.iter().filter(is_candidate);
    let all = all.flat_map(|other| other.variants(planner.instance(), planner).unwrap_or_default());
    let mut all: Vec<Variant> = time_triggered(planner, is_wanted).into_iter().chain(all).collect();
    // Among variants with equal lower bounds those with an estimate come first: they hardly exceed it.
    all.sort_by_key(|variant| (variant.estimate().max(variant.floor()), variant.estimate().is_zero()));
    all
}

/// Returns the time-triggered variant of *balanced*, or of *pairwise* or *colored* if balancing brings no improvement.
fn time_triggered(planner: &Planner, is_wanted: impl Fn(&Algorithm) -> bool) -> Option<Variant> {
    let fewest = if planner.is_regular() { Algorithm::PAIRWISE } else { Algorithm::COLORED };
    let algorithm = if planner.balanced().is_some() { Algorithm::BALANCED } else { fewest };
    is_wanted(&algorithm).then(|| planner.time_triggered_rounds(algorithm.name()).by(algorithm))
}

/// An incremental search among variants.
struct Search<'a> {
    planner: &'a Planner,
    /// The latest allowed end of any variant.
    limit: Time,
    budget: &'a Budget,
    /// Whether `GAP` prunes variants, and other algorithms than the best are not tried in all styles.
    is_pruned: bool,
    /// The identities of the variants tried.
    tried: BTreeSet<String>,
    /// The incumbent, or the reason why there is none: the error of the first variant that cannot be made, if any.
    best: Result<(Variant, Predicted), PlanError>,
}

impl Search<'_> {
    /// Tries the variants that differ from all variants tried before.
    fn try_all(&mut self, variants: Vec<Variant>) {
        let mut variants = self.untried(variants);
        self.tried.extend(variants.iter().map(identity));
        if self.is_pruned {
            // These are no lower bounds but pruning thresholds.
            let raised = |variant: Variant| {
                let floor = Span::from_secs_f64(variant.floor().as_secs_f64() * (1.0 + GAP));
                variant.at_least(floor)
            };
            variants = variants.into_iter().map(raised).collect();
        }
        match search::fastest(
            &Algorithm::AUTO,
            self.planner.instance(),
            &variants,
            self.faster(),
            self.budget,
        ) {
            Ok((nth, found)) => self.best = Ok((variants.swap_remove(nth), found)),
            Err(cause) if matches!(self.best, Err(PlanError::TooLong { .. })) => self.best = Err(cause),
            Err(_) => {}
        }
    }

    /// Returns the variants that differ from each other and from all variants tried before.
    fn untried(&self, variants: Vec<Variant>) -> Vec<Variant> {
        let mut seen = self.tried.clone();
        variants.into_iter().filter(|variant| seen.insert(identity(variant))).collect()
    }

    /// Returns the latest end of a variant that improves on the incumbent.
    fn faster(&self) -> Time {
        let faster = |(_, found): &(Variant, Predicted)| found.prediction.modeled - Span::from_picos(1);
        self.best.as_ref().map_or(self.limit, faster)
    }

    /// Returns whether the lower bound of a variant allows it to improve on the incumbent.
    fn can_be_faster(&self, variant: &Variant) -> bool {
        Time::ZERO + variant.floor() <= self.faster()
    }

    /// Returns the algorithm of the incumbent.
    fn algorithm(&self) -> Option<Algorithm> {
        self.best.as_ref().ok().and_then(|(variant, _)| variant.algorithm().cloned())
    }
}

/// Returns the identity of a variant. Variants that make the same schedule have the same identity.
fn identity(variant: &Variant) -> String {
    match (variant.identity().unwrap_or(variant.name()), variant.algorithm()) {
        ("", Some(algorithm)) => algorithm.to_string(),
        (identity, _) => identity.to_owned(),
    }
}
