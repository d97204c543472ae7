//! The choice of a plan: the fastest variant of an algorithm, or of all of them.

use parking_lot::Mutex;

use super::{
    Algorithm, Instance, Plan,
    planner::{PlanError, Planner, Variant},
    rounds::{clocked, style::Style},
};
use crate::{
    choice,
    comm::MAX_MESSAGE,
    time::{Span, Time},
};

/// The styles that *Auto* tries where there are many messages.
const FEW_STYLES: [Style; 3] = [Style::ALL[0], Style::ALL[1], Style::ALL[4]];

impl Algorithm {
    /// Plans an exchange. What that takes the host grows with the messages: `Auto`, which tries the most, takes about
    /// 0.1 s on 32 nodes that all have something for each other, and seconds on 256.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm does not work for it.
    pub fn plan(self, instance: &Instance) -> Result<Plan, PlanError> {
        let planner = Planner::new(instance);
        let plan = match self {
            Algorithm::Auto => auto(&planner)?,
            other => match &other.variants(&planner)?[..] {
                // A single one is not predicted.
                [single] => made(&planner, single)?,
                several => fastest(&planner, several, Time::MAX)?.plan,
            },
        };
        Ok(plan.by(self))
    }
}

/// The fastest of all that can be predicted and work on phantom payloads. First it looks how to get on from round to
/// round, with the rounds that are likely to be good, and then which other rounds do better in that style, or whether
/// anything else does.
fn auto(planner: &Planner) -> Result<Plan, PlanError> {
    let all = if planner.is_large() { planner.with_styles(&FEW_STYLES) } else { planner.clone() };
    let main = match (planner.balanced().is_some(), planner.is_regular()) {
        (true, _) => Algorithm::Balanced,
        (_, true) => Algorithm::Pairwise,
        _ => Algorithm::Colored,
    };
    let rounds = planner.clone();
    let plan = move || {
        let main = rounds.balanced().unwrap_or_else(|| rounds.plain());
        Ok(clocked::planned(rounds.instance(), rounds.paths(), &main))
    };
    let first = all.clocked(main.name(), plan);
    let found = fastest(planner, &first, Time::MAX);
    let limit = found.as_ref().map_or(Time::MAX, |found| found.modeled);
    // The first one is by the clock. Where that takes the host no time, all styles are tried with everything.
    let nth = found.as_ref().map_or(0, |found| found.nth.saturating_sub(1));
    let some = if planner.is_large() { all.with_styles(&all.styles()[nth..=nth]) } else { all.clone() };
    let is_new = |&other: &Algorithm| match other {
        Algorithm::Auto | Algorithm::Sorting => false,
        other => other != main && other.is_predictable(),
    };
    let (mut rest, mut of): (Vec<Variant>, Vec<Algorithm>) = Default::default();
    for other in Algorithm::ALL.into_iter().filter(is_new) {
        // An algorithm may come to another one alone.
        let mut variants = other.variants(&some).unwrap_or_default();
        variants.retain(|variant| first.iter().chain(&rest).all(|known| known.name != variant.name));
        rest.extend(variants);
        of.resize(rest.len(), other);
    }
    let better = match (fastest(planner, &rest, limit), found) {
        (Ok(better), Ok(found)) if better.modeled >= found.modeled => return Ok(found.plan),
        (Ok(better), _) => better,
        (Err(_), found) => return found.map(|found| found.plan),
    };
    if !planner.is_large() {
        return Ok(better.plan);
    }
    // Another algorithm is better, and may be better still in another style.
    let again = of[better.nth].variants(&all).unwrap_or_default();
    Ok(match fastest(planner, &again, better.modeled) {
        Ok(best) if best.modeled < better.modeled => best.plan,
        _ => better.plan,
    })
}

/// The fastest of several variants.
struct Found {
    modeled: Time,
    /// Its number.
    nth: usize,
    plan: Plan,
}

/// The fastest variant that ends by the limit.
fn fastest(planner: &Planner, variants: &[Variant], limit: Time) -> Result<Found, PlanError> {
    // Why the first one that cannot be made cannot: that is the reason if there is none.
    let cause: Mutex<Option<(usize, PlanError)>> = Mutex::new(None);
    let attempt = |nth: usize, best: Time| {
        let limit = limit.min(best);
        let is_hopeless = |floor: Span| floor > limit.since_start();
        if is_hopeless(variants[nth].floor) {
            return None;
        }
        let plan = match made(planner, &variants[nth]) {
            Ok(plan) => plan,
            Err(error) => {
                let mut cause = cause.lock();
                if cause.as_ref().is_none_or(|&(first, _)| nth < first) {
                    *cause = Some((nth, error));
                }
                return None;
            }
        };
        if is_hopeless(choice::busiest_node(plan.schedule()?, planner.instance().parameters())) {
            return None;
        }
        let modeled = plan.predict_until(limit)?.modeled;
        Some((modeled, (modeled, plan)))
    };
    match choice::fastest_of(variants.len(), attempt) {
        Some((nth, (modeled, plan))) => Ok(Found { modeled, nth, plan }),
        None => Err(cause.into_inner().map_or(PlanError::TooLong, |(_, cause)| cause)),
    }
}

/// The plan of a variant, all of whose messages can be sent.
pub(super) fn made(planner: &Planner, variant: &Variant) -> Result<Plan, PlanError> {
    let plan = Plan::new(planner.instance(), variant.name.clone(), variant.make()?);
    let longest = plan.schedule().and_then(|schedule| schedule.messages().map(|sent| sent.bytes).max());
    match longest {
        Some(given) if given > MAX_MESSAGE => Err(PlanError::MessageTooLong { given }),
        _ => Ok(plan),
    }
}
