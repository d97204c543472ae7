//! The plan of a problem: the schedule variant chosen for it.

use std::{
    borrow::Borrow,
    fmt,
    sync::{Arc, OnceLock},
};

use super::{
    Cache, PlanError, Problem,
    effort::{Budget, Effort, Search},
    predict::{Prediction, predict_among},
    problem::{Draft, Scheduled},
    registry::{Algorithm, Predicted, Variant},
    search::{check_messages, fastest},
    shape::Shape,
};
use crate::{
    pattern::Schedule,
    time::{Span, Time},
    topology::catch_route_error,
};

/// The chosen solution of a problem: made once by [`Algorithm::plan`] and used by all members.
#[derive(Debug)]
pub struct Plan<P: Problem> {
    problem: P,
    algorithm: Algorithm<P>,
    variant: String,
    name: String,
    pub(crate) estimate: Span,
    pub(crate) draft: Arc<P::Draft>,
    left_out: usize,
    prediction: OnceLock<Prediction>,
}

impl<P: Problem> Algorithm<P> {
    /// Makes the plan of a problem, once for all members.
    ///
    /// If the algorithm has several variants, every variant that could be the fastest is [predicted](super::predict()),
    /// at a cost of some microseconds of host time per message. The fastest variant is taken; the first wins a tie. The
    /// result depends only on the problem, so every member gets the same plan. A single variant is not predicted.
    /// *Auto* takes tens of milliseconds on 100 nodes, and seconds on thousands.
    ///
    /// In a program that runs in real time, planning counts as computation and delays the node. The calls of a group
    /// cache plans and share them among all members.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm does not apply to the problem, if a message would be too long, or if the
    /// algorithm has several variants and all of them exceed the range of modeled time. [`Algorithm::custom`] and
    /// [`Algorithm::or`] have further errors.
    pub fn plan(&self, problem: &P) -> Result<Plan<P>, PlanError> {
        self.plan_with(problem, Effort::default())
    }

    /// Makes the plan of a problem with the given [`Effort`], or with a [`Search`] that is observed.
    ///
    /// # Errors
    ///
    /// The errors of [`plan`](Algorithm::plan).
    pub fn plan_with(&self, problem: &P, search: impl Into<Search>) -> Result<Plan<P>, PlanError> {
        let search = search.into();
        if !self.alternatives().is_empty() {
            return self.fastest_alternative(|algorithm| algorithm.plan_with(problem, search.clone()));
        }
        let budget = Budget::of(search);
        let plan = catch_route_error(|| self.plan_on(problem, &budget))??;
        Ok(Plan { left_out: budget.left_out(), ..plan })
    }

    /// Makes the plan. Must be called inside [`catch_route_error`], because routes may be invalid.
    fn plan_on(&self, problem: &P, budget: &Budget) -> Result<Plan<P>, PlanError> {
        self.check(problem)?;
        let workspace = problem.workspace();
        if let Some(found) = self.searched(problem, &workspace, budget) {
            let (variant, predicted) = found?;
            return Ok(Plan::predicted_as(problem, self, &variant, predicted));
        }
        if !budget.is_by_estimate() {
            let variants = self.listed(problem, &workspace, true)?;
            if let [variant] = &variants[..] {
                return Plan::of(problem, self, variant);
            }
            let (nth, predicted) = fastest(self, problem, &variants, Time::MAX, budget)?;
            return match self.improved(problem, predicted.prediction.modeled, budget) {
                Some((variant, better)) => Ok(Plan::predicted_as(problem, self, &variant, better)),
                None => Ok(Plan::predicted_as(problem, self, &variants[nth], predicted)),
            };
        }
        let mut left = self.listed(problem, &workspace, false)?;
        let listed = left.len();
        left.retain(|variant| !variant.is_searched());
        let mut tried = 0;
        loop {
            let cheapest = take_cheapest(&mut left);
            tried += cheapest.len();
            let plan = match &cheapest[..] {
                [variant] => Plan::of(problem, self, variant),
                _ => fastest(self, problem, &cheapest, Time::MAX, budget)
                    .map(|(nth, predicted)| Plan::predicted_as(problem, self, &cheapest[nth], predicted)),
            };
            match plan {
                // The next cheapest variant may divide its messages.
                Err(PlanError::MessageTooLong { .. }) if !left.is_empty() => {}
                plan => {
                    budget.leave(listed - tried);
                    return plan;
                }
            }
        }
    }

    /// Returns the fastest plan of the alternatives; the first wins a tie.
    fn fastest_alternative<T: Borrow<Plan<P>>>(
        &self,
        plan: impl Fn(&Algorithm<P>) -> Result<T, PlanError>,
    ) -> Result<T, PlanError> {
        let time = |plan: &T| plan.borrow().modeled().unwrap_or(Time::MAX);
        let (mut best, mut cause) = (None, None);
        for algorithm in self.alternatives() {
            match plan(algorithm) {
                Ok(plan) if best.as_ref().is_none_or(|best| time(&plan) < time(best)) => best = Some(plan),
                Ok(_) => {}
                Err(error @ PlanError::Undelivered { .. }) => return Err(error),
                Err(error) => {
                    cause.get_or_insert(error);
                }
            }
        }
        let too_long = || PlanError::TooLong { algorithm: self.to_string() };
        best.ok_or_else(|| cause.unwrap_or_else(too_long))
    }

    /// Returns the cached plan of a problem. The first request makes the plan.
    pub(crate) fn cached_plan(&self, problem: &P, cache: &Cache) -> Result<Arc<Plan<P>>, PlanError> {
        if !self.alternatives().is_empty() {
            return self.fastest_alternative(|algorithm| algorithm.cached_plan(problem, cache));
        }
        cache.get((problem.key(), self.clone()), Plan::weight, || {
            let search = || self.plan_with(problem, cache.effort()).map(Arc::new);
            let shape = || Shape::of(problem.machine(), problem.members());
            // A custom algorithm may distinguish groups of the same shape.
            let key = problem.key_of_shape().filter(|_| !self.is_custom());
            match key.and_then(|key| Some((key, shape()?))) {
                Some((key, shape)) => {
                    let (size, key) = (shape.size(), (key, shape, self.clone()));
                    let found = cache.get(key, |plan| Plan::weight(plan) + size, search)?;
                    Ok(Arc::new(found.among(problem)))
                }
                None => search(),
            }
        })
    }
}

/// Takes the variants with the smallest closed-form time, which are tunings of one schedule, and those without a closed form.
fn take_cheapest<P: Problem>(variants: &mut Vec<Variant<P>>) -> Vec<Variant<P>> {
    let estimates = variants.iter().map(Variant::estimate).filter(|estimate| !estimate.is_zero());
    let least = estimates.min().unwrap_or_default();
    variants.extract_if(.., |variant| variant.estimate() <= least).collect()
}

/// Adds the call overhead to the predicted times of a schedule. Every member takes it before its first step, so the call delays all times
/// by the same span, and variants can be compared without it.
fn after_call<P: Problem>(problem: &P, prediction: Prediction) -> Prediction {
    let overhead = problem.machine().parameters().call_overhead();
    let finished = prediction.finished.into_iter().map(|end| end + overhead).collect();
    Prediction { modeled: prediction.modeled + overhead, finished }
}

impl<P: Problem> Plan<P> {
    /// Makes the plan of a listed variant. Fails if a message is too long.
    pub(crate) fn of(
        problem: &P,
        algorithm: &Algorithm<P>,
        variant: &Variant<P>,
    ) -> Result<Plan<P>, PlanError> {
        let draft = variant.draft(problem)?;
        draft.schedule().map_or(Ok(()), check_messages)?;
        Ok(Plan::made(problem, algorithm, variant, draft, None))
    }

    /// Makes the plan of the variant that the search chose.
    fn predicted_as(
        problem: &P,
        algorithm: &Algorithm<P>,
        variant: &Variant<P>,
        Predicted { draft, prediction }: Predicted<P>,
    ) -> Plan<P> {
        Plan::made(problem, algorithm, variant, draft, Some(after_call(problem, prediction)))
    }

    fn made(
        problem: &P,
        algorithm: &Algorithm<P>,
        variant: &Variant<P>,
        draft: P::Draft,
        prediction: Option<Prediction>,
    ) -> Plan<P> {
        let algorithm = variant.algorithm().unwrap_or(algorithm).clone();
        Plan {
            name: P::plan_name(algorithm.to_string(), variant.name()),
            variant: variant.name().to_owned(),
            estimate: match variant.estimate() {
                none if none.is_zero() => none,
                estimate => estimate + problem.machine().parameters().call_overhead(),
            },
            algorithm,
            problem: problem.clone(),
            draft: Arc::new(draft),
            left_out: 0,
            prediction: prediction.map_or_else(OnceLock::new, OnceLock::from),
        }
    }

    /// Returns the plan for the same problem in another group of the same shape. The schedule is shared.
    fn among(&self, problem: &P) -> Plan<P> {
        Plan {
            problem: problem.clone(),
            algorithm: self.algorithm.clone(),
            variant: self.variant.clone(),
            name: self.name.clone(),
            estimate: self.estimate,
            draft: self.draft.clone(),
            left_out: self.left_out,
            prediction: self.prediction.clone(),
        }
    }

    /// Returns the problem that the plan solves.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// Returns the algorithm. For *Auto* and alternatives, this is the algorithm that was chosen.
    pub fn algorithm(&self) -> &Algorithm<P> {
        &self.algorithm
    }

    /// Returns the variant of the algorithm; empty if the algorithm has only one.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Returns whether all variants that could be the fastest were tried. `false` if the [effort](Effort) was too low for some.
    pub fn is_complete(&self) -> bool {
        self.left_out == 0
    }

    /// Returns the name of the plan: the algorithm and the chosen variant.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the prediction for the plan's own schedule, computed once. All times are [`Time::MAX`] if they exceed
    /// the range of modeled time.
    pub(crate) fn predicted(&self, schedule: &Schedule) -> &Prediction {
        self.prediction.get_or_init(|| {
            let (machine, members) = (self.problem.machine(), self.problem.members());
            let prediction = predict_among(machine, members, schedule, Time::MAX);
            prediction.map(|prediction| after_call(&self.problem, prediction)).unwrap_or_else(|| Prediction {
                modeled: Time::MAX,
                finished: vec![Time::MAX; members.len()],
            })
        })
    }

    /// Returns the modeled finish time; `None` if only a run can determine it.
    pub(super) fn modeled(&self) -> Option<Time> {
        self.draft.schedule().map(|schedule| self.predicted(schedule).modeled)
    }

    /// Returns the size of the plan in the plan cache. The unit is the size of one step of a schedule, about 100 bytes.
    pub(super) fn weight(&self) -> usize {
        self.problem.weight() + self.draft.schedule().map_or(0, Schedule::steps_in_all)
    }
}

/// Writes the name of the plan, and its predicted time if it is known before a run: `tree, predicted 1.2 ms`.
impl<P: Problem> fmt::Display for Plan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.modeled().map_or(Ok(()), |time| write!(f, ", predicted {time}"))
    }
}

/// Plans whose schedule is always known before the run: plans of s-to-p broadcasts and collective operations.
impl<P: Problem<Draft: Scheduled>> Plan<P> {
    /// Returns the schedule: the steps of every member.
    pub fn schedule(&self) -> &Schedule {
        self.draft.steps()
    }

    /// Returns the predicted times. They are exactly the times of a run in virtual time in which all members start at
    /// the same instant and no other traffic is present. The first call computes the prediction. All times are
    /// [`Time::MAX`] if they exceed the range of modeled time; a run then ends with an error.
    pub fn prediction(&self) -> &Prediction {
        self.predicted(self.schedule())
    }
}
