//! The choice: what every algorithm is made of, kept as long as something is planned, and which of the ways to carry an
//! exchange out is the fastest.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{
    Algorithm, Instance, Plan, PlanError, balance, coloring, mixed,
    paths::Paths,
    permutation,
    plan::Course,
    rounds::{Order, Part, Style},
    timed,
};
use crate::{
    choice,
    comm::MAX_MESSAGE,
    pattern::Exchange,
    time::{Span, Time},
};

/// All ways to get on from round to round; the first are more often the fastest.
pub(super) const STYLES: [Style; 6] = [
    Style::Ahead(1),
    Style::Each(Exchange::InTurn),
    Style::Ahead(4),
    Style::Each(Exchange::Together),
    Style::Ahead(usize::MAX),
    Style::Each(Exchange::Overlapped),
];

/// From how many messages on Auto tries less.
const LARGE: usize = 10_000;

/// The styles that it tries then.
const FEW_STYLES: [Style; 3] = [STYLES[0], STYLES[1], STYLES[4]];

/// One way to carry an exchange out, made only when somebody asks for it.
pub(super) struct Variant<'a> {
    pub(super) name: String,
    /// What it takes at least; known before it is made.
    pub(super) least: Span,
    pub(super) make: Box<dyn Fn() -> Result<Course, PlanError> + Send + Sync + 'a>,
}

/// What several ways are made of.
pub(super) struct Workshop<'a> {
    pub(super) instance: &'a Instance,
    paths: OnceLock<Paths>,
    linear: OnceLock<Order>,
    colored: OnceLock<Order>,
    balanced: OnceLock<Option<Order>>,
}

impl<'a> Workshop<'a> {
    pub(super) fn new(instance: &'a Instance) -> Workshop<'a> {
        Workshop {
            instance,
            paths: OnceLock::new(),
            linear: OnceLock::new(),
            colored: OnceLock::new(),
            balanced: OnceLock::new(),
        }
    }

    /// The plan of an algorithm: the fastest of its variants. A single one is not predicted.
    pub(super) fn plan(&self, algorithm: Algorithm) -> Result<Plan, PlanError> {
        if algorithm == Algorithm::Auto {
            return self.auto();
        }
        let variants = self.variants(algorithm, &STYLES)?;
        if let [single] = &variants[..] {
            return self.made(single);
        }
        self.fastest(&variants, Time::MAX).map(|found| found.plan)
    }

    /// Whether so many messages go that only what is most likely to be fast can be tried.
    pub(super) fn is_large(&self) -> bool {
        self.instance.matrix().messages().count() > LARGE
    }

    /// The fastest of all that can be predicted and work on phantom payloads. First it looks how to get on from round
    /// to round, with the rounds that are likely to be good, and then which other rounds do better in that style, or
    /// whether anything else does.
    fn auto(&self) -> Result<Plan, PlanError> {
        let known = if self.is_large() { &FEW_STYLES[..] } else { &STYLES[..] };
        let main = || self.balanced().unwrap_or_else(|| self.plain());
        let plan = move || Ok(timed::planned(self.instance, self.paths(), &main()));
        let main = self.main();
        let first = self.planned(main.name(), known, plan);
        let found = self.fastest(&first, Time::MAX);
        let limit = found.as_ref().map_or(Time::MAX, |found| found.modeled);
        // The first one is by the clock. Where that takes the host no time, all styles are tried with everything.
        let nth = found.as_ref().map_or(0, |found| found.nth.saturating_sub(1));
        let styles = if self.is_large() { &known[nth..=nth] } else { known };
        let is_mixed = !mixed::lengths(self.instance).is_empty();
        let is_new = |&other: &Algorithm| match other {
            Algorithm::Auto | Algorithm::Sorting => false,
            Algorithm::Mixed => is_mixed,
            other => other != main,
        };
        let (mut rest, mut of) = (Vec::new(), Vec::new());
        for other in Algorithm::ALL.into_iter().filter(is_new) {
            rest.extend(self.variants(other, styles).unwrap_or_default());
            of.resize(rest.len(), other);
        }
        let better = match (self.fastest(&rest, limit), found) {
            (Ok(better), Ok(found)) if better.modeled >= found.modeled => return Ok(found.plan),
            (Ok(better), _) => better,
            (Err(_), found) => return found.map(|found| found.plan),
        };
        if !self.is_large() {
            return Ok(better.plan);
        }
        // Another algorithm is better, and may be better still in another style.
        let again = self.variants(of[better.nth], known).unwrap_or_default();
        Ok(match self.fastest(&again, better.modeled) {
            Ok(best) if best.modeled < better.modeled => best.plan,
            _ => better.plan,
        })
    }

    /// The fastest variant that ends by the limit.
    fn fastest(&self, variants: &[Variant<'_>], limit: Time) -> Result<Found, PlanError> {
        // Why the first one that cannot be made cannot: that is the reason if there is none.
        let cause: Mutex<Option<(usize, PlanError)>> = Mutex::new(None);
        let attempt = |nth: usize, best: Time| {
            let limit = limit.min(best);
            let is_hopeless = |least: Span| least > limit.since_start();
            if is_hopeless(variants[nth].least) {
                return None;
            }
            let plan = match self.made(&variants[nth]) {
                Ok(plan) => plan,
                Err(error) => {
                    let mut cause = cause.lock();
                    if cause.as_ref().is_none_or(|&(first, _)| nth < first) {
                        *cause = Some((nth, error));
                    }
                    return None;
                }
            };
            if is_hopeless(choice::busiest_node(plan.schedule()?, self.instance.parameters())) {
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
    pub(super) fn made(&self, variant: &Variant<'_>) -> Result<Plan, PlanError> {
        let plan = Plan::new(self.instance, variant.name.clone(), (variant.make)()?);
        let longest = plan.schedule().and_then(|schedule| schedule.messages().map(|sent| sent.bytes).max());
        match longest {
            Some(given) if given > MAX_MESSAGE => Err(PlanError::MessageTooLong { given }),
            _ => Ok(plan),
        }
    }

    pub(super) fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| Paths::of(self.instance))
    }

    pub(super) fn linear(&self) -> Order {
        self.linear.get_or_init(|| Arc::new(permutation::rounds(self.instance.matrix()))).clone()
    }

    pub(super) fn colored(&self) -> Order {
        self.colored.get_or_init(|| Arc::new(coloring::rounds(self.instance.matrix()))).clone()
    }

    /// Whether linear permutation makes as few rounds as there can be, of messages of one length.
    fn is_regular(&self) -> bool {
        let matrix = self.instance.matrix();
        matrix.class().1 && self.linear().len() as u64 == matrix.without_own().fan()
    }

    pub(super) fn plain(&self) -> Order {
        if self.is_regular() { self.linear() } else { self.colored() }
    }

    /// The algorithm that makes the rounds that are likely to be good.
    fn main(&self) -> Algorithm {
        match (self.balanced().is_some(), self.is_regular()) {
            (true, _) => Algorithm::Balanced,
            (_, true) => Algorithm::Pairwise,
            _ => Algorithm::Colored,
        }
    }

    pub(super) fn balanced(&self) -> Option<Order> {
        let balanced = || {
            let plain: Vec<Vec<Part>> = (*self.plain()).clone();
            balance::rounds(self.instance, self.paths(), plain).map(Arc::new)
        };
        self.balanced.get_or_init(balanced).clone()
    }
}

/// The fastest of several variants.
struct Found {
    modeled: Time,
    /// Its number.
    nth: usize,
    plan: Plan,
}
