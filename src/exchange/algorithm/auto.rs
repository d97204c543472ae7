//! *Auto*: the fastest that is found among all that can be predicted.
//!
//! **What it does.** First it looks how to get on from round to round, with the rounds that are likely to be good, and
//! then which other rounds do better in that style, or whether anything else does. From ten thousand messages on it
//! tries fewer variants: those in the best styles, and of the best algorithm in others.
//!
//! **Restrictions.** It leaves out random scheduling, which only a run can time, and sorting, which needs data.
//!
//! **Cost.** That of what it takes.
//!
//! **Source.** This project.

use std::sync::Arc;

use super::{
    super::{
        Instance, PlanError,
        planner::Variant,
        rounds::{clocked, style::Style},
    },
    Algorithm, Entry, Planning, of,
};
use crate::{
    plan::{self, choose::fastest},
    time::Time,
};

static AUTO: Entry = Entry::searching("auto", search)
    .about("the fastest that is found among those that can be predicted, but for sorting")
    .source("this project")
    .cost("what that takes");

impl Algorithm {
    /// The fastest that is found among those that can be predicted, but for sorting, which needs data. From ten
    /// thousand messages on fewer variants are tried. Planning takes the host about 0.1 s on 32 nodes that all have
    /// something for each other, and seconds on 256.
    pub const AUTO: Algorithm = of(&AUTO);
}

/// The styles that are tried where there are many messages.
const FEW_STYLES: [Style; 3] = [Style::ALL[0], Style::ALL[1], Style::ALL[4]];

/// Plans of exchanges that have been predicted.
type Predicted = plan::Predicted<Instance>;

fn search(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let all = if planner.is_large() { planner.with_styles(&FEW_STYLES) } else { planner.clone() };
    let main = match (planner.balanced().is_some(), planner.is_regular()) {
        (true, _) => Algorithm::BALANCED,
        (_, true) => Algorithm::PAIRWISE,
        _ => Algorithm::COLORED,
    };
    let clocked = all.clocked(main.name(), |planner| {
        let main = planner.balanced().unwrap_or_else(|| planner.plain());
        Ok(Arc::new(clocked::planned(planner.instance(), planner.paths(), &main)))
    });
    let mut first: Vec<Variant> = clocked.into_iter().map(|variant| variant.by(main)).collect();
    let found = fastest(&Algorithm::AUTO, instance, &first, Time::MAX);
    let limit = found.as_ref().map_or(Time::MAX, |(_, found)| modeled(found));
    // The first one is by the clock. Where that takes the host no time, all styles are tried with everything.
    let nth = found.as_ref().map_or(0, |&(nth, _)| nth.saturating_sub(1));
    let some = if planner.is_large() { all.with_styles(&all.styles()[nth..=nth]) } else { all.clone() };
    let is_new = |other: &Algorithm| {
        ![Algorithm::AUTO, Algorithm::SORTING, main].contains(other) && other.is_predictable()
    };
    let mut rest: Vec<Variant> = Vec::new();
    for other in Algorithm::ALL.iter().filter(|other| is_new(other)) {
        // An algorithm may come to another one alone.
        let mut variants = other.variants(instance, &some).unwrap_or_default();
        variants.retain(|variant| {
            variant.name().is_empty() || !first.iter().chain(&rest).any(|known| same(known) == same(variant))
        });
        rest.extend(variants);
    }
    let (nth, better) = match (fastest(&Algorithm::AUTO, instance, &rest, limit), found) {
        (Ok((_, better)), Ok((nth, found))) if modeled(&better) >= modeled(&found) => {
            return Ok((first.swap_remove(nth), found));
        }
        (Ok(better), _) => better,
        (Err(_), found) => return found.map(|(nth, found)| (first.swap_remove(nth), found)),
    };
    let variant = rest.swap_remove(nth);
    if !planner.is_large() {
        return Ok((variant, better));
    }
    // Another algorithm is better, and may be better still in another style.
    let again = variant.algorithm().map(|other| other.variants(instance, &all));
    let mut again = again.and_then(Result::ok).unwrap_or_default();
    Ok(match fastest(&Algorithm::AUTO, instance, &again, modeled(&better)) {
        Ok((nth, best)) if modeled(&best) < modeled(&better) => (again.swap_remove(nth), best),
        _ => (variant, better),
    })
}

/// The text that a variant has in common with those that make the same schedule.
fn same(variant: &Variant) -> &str {
    variant.identity().unwrap_or(variant.name())
}

fn modeled(predicted: &Predicted) -> Time {
    predicted.prediction.modeled
}
