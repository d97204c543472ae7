//! A problem with the way in which it is solved.

use std::sync::{Arc, OnceLock};

use super::{
    Cache, PlanError, Problem,
    effort::{Budget, Effort},
    predict::{Prediction, predict_among},
    problem::{Draft, Scheduled},
    registry::{Algorithm, Predicted, Registered, Variant},
    search::{check_messages, fastest},
    shape::Shape,
};
use crate::{
    pattern::Schedule,
    time::{Span, Time},
    topology::catch_route_error,
};

/// The way in which a problem is solved: made once, by [`Algorithm::plan`], and then used by all members.
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
    /// Plans a problem: once, for all members.
    ///
    /// If the algorithm has several variants for it, all that could be the fastest are [predicted](super::predict()), some
    /// microseconds a message, and the fastest is taken, of equally fast ones the first. That depends on the problem alone,
    /// so it is the same whoever works it out. A single variant is not predicted. For *Auto* it takes tens of milliseconds on 100 nodes, and seconds on
    /// thousands.
    ///
    /// In a program that runs in real time making a plan is computing, and delays the node. The calls of groups share
    /// plans among all members, and keep them.
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm does not work for the problem, if a message would be too long, or if it has several
    /// variants and modeled time cannot tell how long any of them takes.
    pub fn plan(&self, problem: &P) -> Result<Plan<P>, PlanError> {
        self.plan_with(problem, Effort::default())
    }

    /// The same with more or less effort.
    ///
    /// # Errors
    ///
    /// Those of [`plan`](Algorithm::plan).
    pub fn plan_with(&self, problem: &P, effort: Effort) -> Result<Plan<P>, PlanError> {
        let budget = Budget::of(effort);
        let plan = catch_route_error(|| self.plan_on(problem, &budget))??;
        Ok(Plan { left_out: budget.left_out(), ..plan })
    }

    /// Plans; called inside [`catch_route_error`], since routes may be invalid.
    fn plan_on(&self, problem: &P, budget: &Budget) -> Result<Plan<P>, PlanError> {
        self.check(problem)?;
        let workspace = problem.workspace();
        if let Some(found) = self.searched(problem, &workspace, budget) {
            let (variant, predicted) = found?;
            return Ok(Plan::predicted_as(problem, self, &variant, predicted));
        }
        let variants = self.variants(problem, &workspace)?;
        if let [variant] = &variants[..] {
            return Plan::of(problem, self, variant);
        }
        let (nth, predicted) = fastest(self, problem, &variants, Time::MAX, budget)?;
        match self.improved(problem, predicted.prediction.modeled, budget) {
            Some((variant, better)) => Ok(Plan::predicted_as(problem, self, &variant, better)),
            None => Ok(Plan::predicted_as(problem, self, &variants[nth], predicted)),
        }
    }

    /// The plan that is kept for a problem, made by the first who asks.
    pub(crate) fn kept_plan(&self, problem: &P, cache: &Cache) -> Result<Arc<Plan<P>>, PlanError> {
        cache.get((problem.key(), self.clone()), Plan::weight, || {
            let search = || self.plan_with(problem, cache.effort()).map(Arc::new);
            let shape = || Shape::of(problem.machine(), problem.members());
            match problem.key_of_shape().and_then(|key| Some((key, shape()?))) {
                Some((key, shape)) => {
                    let (room, key) = (shape.room(), (key, shape, self.clone()));
                    let found = cache.get(key, |plan| Plan::weight(plan) + room, search)?;
                    Ok(Arc::new(found.among(problem)))
                }
                None => search(),
            }
        })
    }
}

impl<P: Problem> Plan<P> {
    /// The plan of a variant that the algorithm has listed, if all its messages can be sent.
    pub(crate) fn of(
        problem: &P,
        algorithm: &Algorithm<P>,
        variant: &Variant<P>,
    ) -> Result<Plan<P>, PlanError> {
        let draft = variant.draft(problem)?;
        draft.schedule().map_or(Ok(()), check_messages)?;
        Ok(Plan::made(problem, algorithm, variant, draft, None))
    }

    /// The plan of a variant that the algorithm has chosen.
    fn predicted_as(
        problem: &P,
        algorithm: &Algorithm<P>,
        variant: &Variant<P>,
        Predicted { draft, prediction }: Predicted<P>,
    ) -> Plan<P> {
        Plan::made(problem, algorithm, variant, draft, Some(prediction))
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
            estimate: variant.estimate(),
            algorithm,
            problem: problem.clone(),
            draft: Arc::new(draft),
            left_out: 0,
            prediction: prediction.map_or_else(OnceLock::new, OnceLock::from),
        }
    }

    /// The plan of an algorithm of one's own.
    pub(super) fn by_own(problem: &P, name: &str, draft: P::Draft, prediction: Option<Prediction>) -> Plan<P>
    where
        P: Registered,
    {
        Plan {
            name: name.to_owned(),
            variant: name.to_owned(),
            estimate: Span::ZERO,
            algorithm: P::OWN,
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

    /// The problem that it is for.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// The algorithm; if that is *Auto*, the one that it has chosen.
    pub fn algorithm(&self) -> &Algorithm<P> {
        &self.algorithm
    }

    /// The variant of the algorithm; empty if it has only one.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Whether all variants were tried that could be the fastest. Otherwise the [effort](Effort) did not suffice for some.
    pub fn is_complete(&self) -> bool {
        self.left_out == 0
    }

    /// The algorithm, in the way that was chosen.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The prediction for a schedule of its own, which is worked out once. [`Time::MAX`] everywhere if it takes longer
    /// than modeled time can tell.
    pub(crate) fn predicted(&self, schedule: &Schedule) -> &Prediction {
        self.prediction.get_or_init(|| {
            let (machine, members) = (self.problem.machine(), self.problem.members());
            predict_among(machine, members, schedule, Time::MAX).unwrap_or_else(|| Prediction {
                modeled: Time::MAX,
                finished: vec![Time::MAX; members.len()],
            })
        })
    }

    /// The modeled time of its end; `None` if only a run can tell.
    pub(super) fn modeled(&self) -> Option<Time> {
        self.draft.schedule().map(|schedule| self.predicted(schedule).modeled)
    }

    /// The room that it takes, in steps of a schedule.
    pub(super) fn weight(&self) -> usize {
        self.problem.weight() + self.draft.schedule().map_or(0, Schedule::steps_in_all)
    }
}

/// Plans whose schedule is always known beforehand: those of s-to-p broadcasts and of collective operations.
impl<P: Problem<Draft: Scheduled>> Plan<P> {
    /// The steps of every member.
    pub fn schedule(&self) -> &Schedule {
        self.draft.steps()
    }

    /// Prediction of its times: exactly those of a run in virtual time in which all members start at the same instant and
    /// nothing else is under way. Worked out when it is first asked for. [`Time::MAX`] everywhere if it takes longer than
    /// modeled time can tell; a run then ends with an error.
    pub fn prediction(&self) -> &Prediction {
        self.predicted(self.schedule())
    }
}
