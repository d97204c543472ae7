//! *Apart*: short messages by one algorithm and long messages by another, one after the other.
//!
//! **What it does.** If a few messages are much longer than many others, no single algorithm suits all. Short messages should be combined
//! and forwarded, and long messages should be cut into slices that avoid link contention. So messages are split by length, at the split
//! lengths with the smallest estimates, and both parts are planned as *auto* plans an exchange. The parts are executed in the faster
//! order. Nodes start the second part without synchronization, or all pause until the first part has ended, if that is faster.
//!
//! **Restrictions.** At one of the lengths tried, at least half of the start-ups of the busiest node must be for shorter messages, and at
//! least half of the bytes of the busiest port must be in longer messages.
//!
//! **Cost.** At most the cost of both parts together: about `ceil(log2 p) alpha` for few bytes, and `t beta` for the long messages.
//!
//! **Source.** This project.

use std::sync::Arc;

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        procedure::{Draft, Procedure},
        rounds::{
            parts,
            split_by_length::{PartOrder, SplitByLength, instances},
        },
    },
    Algorithm, Entry, Planning, bruck, levels, of,
    unsplit::{self, Predicted},
};
use crate::{
    plan::{
        self, Budget, Planned, Restriction,
        predict::{Prediction, predict_among},
        split::{lengths_in_words, places},
    },
    time::{Span, Time},
};

/// Maximum number of split lengths tried. A pruned search tries only one.
const MAX_SPLITS: usize = 2;

/// Maximum ratio of the parts' summed times to the incumbent: parts overlap, because a node starts the second part as soon as it has
/// finished the first.
const OVERLAP: f64 = 1.1;

/// Maximum ratio of the parts' summed estimates to the incumbent in a pruned search.
const PRUNING_RATIO: f64 = 0.93;

impl Algorithm {
    /// Short and long messages in sequence, each part by the fastest of the other algorithms. Requires messages of different lengths.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", search)
    .about("splits messages by length: short ones by one algorithm, then long ones by another")
    .source("this project")
    .cost("at most the sum of both parts' costs")
    .only_if(&[Restriction {
        text: "messages of different lengths: most start-ups of the busiest node for short ones, most bytes of the busiest port in long ones",
        is_met: |instance, _| !cuts(instance).is_empty(),
        found: |instance, _| lengths_in_words(&lengths(instance)),
    }]);

fn search(planning: &Planning<'_>, budget: &Budget) -> Result<(Variant, Predicted), PlanError> {
    let too_long = || PlanError::TooLong { algorithm: Algorithm::APART.to_string() };
    fastest_split(planning.problem, Time::MAX, false, budget).ok_or_else(too_long)
}

/// Returns the fastest split plan that ends by `limit`, if there is one. With `is_pruned`, splits and plans of parts are left out that
/// probably do not end by the limit; otherwise the search does not depend on the limit, so that *auto* finds every plan of *apart*.
pub(super) fn fastest_split(
    instance: &Instance,
    mut limit: Time,
    is_pruned: bool,
    budget: &Budget,
) -> Option<(Variant, Predicted)> {
    let mut splits = cuts(instance);
    splits.sort_by_key(Cut::estimate);
    splits.truncate(if is_pruned { 1 } else { MAX_SPLITS });
    let mut best = None;
    for cut in splits {
        if is_pruned && cut.estimate().as_secs_f64() > PRUNING_RATIO * limit.as_secs_f64() {
            break;
        }
        if let Some((variant, found)) = cut.fastest(instance, limit, is_pruned, budget) {
            limit = found.prediction.modeled - Span::from_picos(1);
            best = Some((variant, found));
        }
    }
    best
}

/// A split of the messages by length.
struct Cut {
    /// Maximum length of a short message in bytes.
    max_short: u64,
    /// Exchanges of the short and of the long messages.
    parts: [Planner; 2],
    /// Estimates of the times of both parts.
    estimates: [Span; 2],
}

/// Returns the splits that pass the pruning test: short messages cause at least half of the start-ups of the busiest node, and long
/// messages at least half of the bytes of the busiest port.
fn cuts(instance: &Instance) -> Vec<Cut> {
    let matrix = instance.matrix().without_own();
    let cut = |max_short: u64| {
        let parts = instances(instance, max_short);
        let [short, long] = parts.each_ref().map(|part| part.matrix().without_own());
        let passes_test = 2 * short.fan() >= matrix.fan() && 2 * long.traffic() >= matrix.traffic();
        let parts = parts.each_ref().map(Planner::new);
        passes_test.then(|| Cut { max_short, estimates: parts.each_ref().map(estimate), parts })
    };
    places(&lengths(instance)).into_iter().filter_map(cut).collect()
}

/// Returns the estimated time of the fastest plan that treats all messages alike.
fn estimate(planner: &Planner) -> Span {
    let instance = planner.instance();
    let combined = bruck::estimate(instance).min(levels::estimate(instance).unwrap_or(Span::MAX));
    planner.direct_bound().min(combined)
}

impl Cut {
    /// Returns the estimate of the time of both parts in sequence.
    fn estimate(&self) -> Span {
        self.estimates[0] + self.estimates[1]
    }

    /// Returns the fastest variant of both parts in sequence. With `is_pruned`, the search for each part is limited to the time that the
    /// other part leaves before `limit`.
    fn fastest(
        &self,
        instance: &Instance,
        limit: Time,
        is_pruned: bool,
        budget: &Budget,
    ) -> Option<(Variant, Predicted)> {
        let left = |other: Span| {
            let both = Span::from_secs_f64(limit.as_secs_f64() * OVERLAP);
            match is_pruned {
                true => (other < both).then(|| Time::ZERO + (both - other)),
                false => Some(Time::MAX),
            }
        };
        let [short, long] = &self.parts;
        let (of_long, long) = unsplit::fastest(long, left(self.estimates[0])?, budget).ok()?;
        let left = left(long.prediction.modeled.since_start())?;
        let (of_short, short) = unsplit::fastest(short, left, budget).ok()?;
        in_sequence(instance, self.max_short, [of_short, of_long], [short, long], limit)
    }
}

/// Returns the fastest sequence of both parts that ends by `limit`, if there is one.
fn in_sequence(
    instance: &Instance,
    max_short: u64,
    variants: [Variant; 2],
    parts: [Predicted; 2],
    mut limit: Time,
) -> Option<(Variant, Predicted)> {
    let predictions = parts.each_ref().map(|part| part.prediction.clone());
    let parts: [Arc<dyn Procedure>; 2] = parts.map(|part| part.draft.procedure.into());
    let at_once = || vec![Span::ZERO; instance.size()];
    let orders = [false, true].into_iter().flat_map(|is_long_first| {
        let first = &predictions[usize::from(is_long_first)];
        [at_once(), in_step(first)].map(|pauses| PartOrder::new(max_short, is_long_first, &pauses))
    });
    let mut fastest = None;
    for order in orders {
        let draft = Draft::by(SplitByLength::new(order.clone(), parts.clone()));
        let schedule = plan::Draft::schedule(&draft)?;
        let prediction = predict_among(instance.machine(), instance.members(), schedule, limit);
        if let Some(prediction) = prediction.filter(|prediction| prediction.modeled <= limit) {
            limit = prediction.modeled - Span::from_picos(1);
            fastest = Some((order, Predicted { draft, prediction }));
        }
    }
    let (order, found) = fastest?;
    let variant = Variant::new(name(max_short, &order, &variants), move |instance| {
        let [short, long] = instances(instance, max_short);
        let drafts = [variants[0].draft(&short)?, variants[1].draft(&long)?];
        Ok(Draft::by(SplitByLength::new(order.clone(), drafts.map(|draft| draft.procedure.into()))))
    });
    Some((variant.by(Algorithm::APART), found))
}

/// Returns pauses after which all nodes start the second part at the same instant.
fn in_step(prediction: &Prediction) -> Vec<Span> {
    prediction.finished.iter().map(|&at| prediction.modeled.since(at)).collect()
}

fn name(max_short: u64, order: &PartOrder, variants: &[Variant; 2]) -> String {
    let part = |which: &str, variant: &Variant| {
        let algorithm = variant.algorithm().map(Algorithm::to_string).unwrap_or_default();
        format!("{which} {max_short} B by {}", Instance::plan_name(algorithm, variant.name()))
    };
    let [first, second] = order.in_order([part("up to", &variants[0]), part("over", &variants[1])]);
    let in_step = if order.has_pauses() { " in step" } else { "" };
    format!("apart: {first}, then{in_step} {second}")
}

fn lengths(instance: &Instance) -> Vec<u64> {
    parts(instance.matrix()).map(|part| part.bytes).collect()
}
