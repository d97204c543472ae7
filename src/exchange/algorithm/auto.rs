//! *Auto*: the fastest plan found among all algorithms with a prediction.
//!
//! **What it does.** It lists the schedules of all algorithms, each with a lower bound and an estimate, and tries those with the least
//! estimates first: all algorithms in one style, then the best algorithm in all styles, then everything else. If lengths differ much, it
//! also plans long and short messages [apart].
//!
//! **Restrictions.** Random scheduling is excluded, because only a run gives its time. Sorting is excluded, because it needs real data.
//! In large exchanges, unless the effort is *thorough*, other algorithms are not tried in all styles, and a schedule is tried only if its
//! lower bound is 2 % below the incumbent.
//!
//! **Cost.** The cost of the chosen algorithm.
//!
//! **Source.** This project.

use std::collections::BTreeSet;

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        rounds::style::Style,
    },
    Algorithm, Entry, Planning, apart, of,
};
use crate::{
    plan::{self, Budget, search::fastest},
    time::{Span, Time},
};

/// The style in which all algorithms are tried first.
const FIRST_STYLE: Style = Style::Ahead(usize::MAX);

/// In large exchanges a variant is pruned if its lower bound, raised by this fraction, exceeds the incumbent.
const GAP: f64 = 0.02;

static AUTO: Entry = Entry::searching("auto", search)
    .about("the fastest that is found among those that can be predicted, but for sorting")
    .source("this project")
    .cost("what that takes");

impl Algorithm {
    /// The fastest plan found among all algorithms with a prediction, except sorting, which needs real data.
    pub const AUTO: Algorithm = of(&AUTO);
}

/// A plan of an exchange with its prediction.
pub(super) type Predicted = plan::Predicted<Instance>;

fn search(planning: &Planning<'_>, budget: &Budget) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let (variant, found) = unsplit(planner, Time::MAX, budget)?;
    let limit = found.prediction.modeled - Span::from_picos(1);
    let split = apart::fastest_split(instance, limit, is_pruned(planner, budget), budget);
    Ok(split.unwrap_or((variant, found)))
}

/// Returns whether the search leaves out variants that might be the fastest: in large exchanges, unless the effort is *thorough*.
fn is_pruned(planner: &Planner, budget: &Budget) -> bool {
    planner.is_large() && !budget.is_unlimited()
}

/// Returns the fastest plan that treats all messages alike, if it ends by `limit`.
pub(super) fn unsplit(
    planner: &Planner,
    limit: Time,
    budget: &Budget,
) -> Result<(Variant, Predicted), PlanError> {
    let is_pruned = is_pruned(planner, budget);
    let mut search =
        Search { planner, limit, budget, is_pruned, tried: BTreeSet::new(), best: None, cause: None };
    search.try_all(candidates(&planner.with_styles(&[FIRST_STYLE]), |_| true));
    if let Some(likely) = search.algorithm() {
        search.try_all(candidates(planner, |algorithm| *algorithm == likely));
    }
    let others = search.untried(candidates(planner, |_| true));
    match is_pruned {
        true => budget.leave(others.iter().filter(|variant| search.can_be_faster(variant)).count()),
        false => search.try_all(others),
    }
    search.best.ok_or_else(|| search.cause.expect("a search that finds nothing has a cause"))
}

/// Returns the variants of the wanted algorithms, in ascending order of their estimates.
fn candidates(planner: &Planner, is_wanted: impl Fn(&Algorithm) -> bool + Copy) -> Vec<Variant> {
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
    /// The incumbent.
    best: Option<(Variant, Predicted)>,
    /// The first error.
    cause: Option<PlanError>,
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
        match fastest(&Algorithm::AUTO, self.planner.instance(), &variants, self.faster(), self.budget) {
            Ok((nth, found)) => self.best = Some((variants.swap_remove(nth), found)),
            Err(cause) => drop(self.cause.get_or_insert(cause)),
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
        self.best.as_ref().and_then(|(variant, _)| variant.algorithm().copied())
    }
}

/// Returns the identity of a variant. Variants that make the same schedule have the same identity.
fn identity(variant: &Variant) -> String {
    match (variant.identity().unwrap_or(variant.name()), variant.algorithm()) {
        ("", Some(algorithm)) => algorithm.to_string(),
        (identity, _) => identity.to_owned(),
    }
}
