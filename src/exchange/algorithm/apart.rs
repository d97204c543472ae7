//! *Apart*: short messages by one algorithm and long ones by another, one after the other.
//!
//! **What it does.** Where a few messages are much longer than many others, no way is right for all: the short ones are to be
//! passed on many together, and the long ones to be cut into slices that keep links free. So messages are parted by length, at
//! a few lengths that are tried, and both parts are planned as *auto* plans an exchange. They follow each other in the
//! order that is faster; no node waits for others in between, or all pause until the last one is done, if that is faster.
//!
//! **Restrictions.** Some length, of those that are tried, parts short messages, for which the busiest node has at least half of its
//! start-ups, from long ones, which are at least half of the bytes of the busiest port.
//!
//! **Cost.** At most that of the two parts together: about `ceil(log2 p) alpha` for few bytes, and `t beta` for the long messages.
//!
//! **Source.** This project.

use super::{
    super::{
        Instance, PlanError,
        planner::{Planner, Variant},
        procedure::Draft,
        rounds::{
            parted::{Parted, instances, pauses, without_pauses},
            parts,
            stage::one_after_the_other,
        },
    },
    Algorithm, Entry, Planning,
    auto::{self, FEW_RANKS, Predicted},
    of,
};
use crate::{
    pattern::Schedule,
    plan::{
        self, Planned, Restriction,
        apart::{lengths_in_words, places},
        predict::{Prediction, predict_among},
    },
    time::{Span, Time},
};

/// The most lengths at which messages are parted among few ranks; among more it is one.
const MOST_PLACES: usize = 2;

/// So many times the time of both may the two parts take one after the other, as nodes that are done with one begin with the next.
const OVERLAP: f64 = 1.1;

/// Among more than few ranks the lower limits of the two parts may take together this part of the time that is to be beaten.
const PROMISING: f64 = 0.93;

impl Algorithm {
    /// Short messages and long ones apart, each by the fastest of the other algorithms; only if lengths differ.
    pub const APART: Algorithm = of(&APART);
}

static APART: Entry = Entry::searching("apart", search)
    .about("short messages by one algorithm and long ones by another, one after the other")
    .source("this project")
    .cost("at most that of the two parts together")
    .only_if(&[Restriction {
        text: "some length parts short messages, for most of the start-ups of the busiest node, from long ones with most of the bytes of the busiest port",
        is_met: |instance, _| !ways(instance).is_empty(),
        found: |instance, _| lengths_in_words(&lengths(instance)),
    }]);

fn search(planning: &Planning<'_>) -> Result<(Variant, Predicted), PlanError> {
    let too_long = || PlanError::TooLong { algorithm: Algorithm::APART.to_string() };
    faster(planning.problem, Time::MAX).ok_or_else(too_long)
}

/// The fastest way to treat messages apart, if that ends by a limit.
pub(super) fn faster(instance: &Instance, mut limit: Time) -> Option<(Variant, Predicted)> {
    let mut best = None;
    for (place, parts) in ways(instance) {
        if let Some((variant, found)) = parted(instance, place, parts, limit) {
            limit = found.prediction.modeled - Span::from_picos(1);
            best = Some((variant, found));
        }
    }
    best
}

/// The lengths at which messages are parted, with the two parts: where the busiest node has most of its start-ups for short messages, and
/// the long ones are most of the bytes of the busiest port. Otherwise there is little to gain.
fn ways(instance: &Instance) -> Vec<(u64, [Planner; 2])> {
    let most = if instance.size() <= FEW_RANKS { MOST_PLACES } else { 1 };
    let matrix = instance.matrix().without_own();
    let part = |place: u64| {
        let parts = instances(instance, place);
        let [short, long] = parts.each_ref().map(|part| part.matrix().without_own());
        let is_worth = 2 * short.fan() >= matrix.fan() && 2 * long.traffic() >= matrix.traffic();
        is_worth.then(|| (place, parts.each_ref().map(Planner::new)))
    };
    places(&lengths(instance)).into_iter().filter_map(part).take(most).collect()
}

/// The messages up to a length and the others, each by the fastest way. Among few ranks that is looked for whatever the limit, so that
/// *auto* finds what this algorithm by itself does.
fn parted(
    instance: &Instance,
    place: u64,
    planners: [Planner; 2],
    limit: Time,
) -> Option<(Variant, Predicted)> {
    let is_limited = limit < Time::MAX && instance.size() > FEW_RANKS;
    let [short, long] = planners.each_ref().map(auto::least);
    if is_limited && (short + long).as_secs_f64() > PROMISING * limit.as_secs_f64() {
        return None;
    }
    let left = |other: Span| {
        let both = Span::from_secs_f64(limit.as_secs_f64() * OVERLAP);
        match is_limited {
            true => (other < both).then(|| Time::ZERO + (both - other)),
            false => Some(Time::MAX),
        }
    };
    let (of_long, long) = auto::whole(&planners[1], left(short)?).ok()?;
    let (of_short, short) = auto::whole(&planners[0], left(long.prediction.modeled.since_start())?).ok()?;
    in_a_row(instance, place, [of_short, of_long], [short, long], limit)
}

/// Both parts one after the other, in the way that is the fastest, if that ends by the limit.
fn in_a_row(
    instance: &Instance,
    place: u64,
    variants: [Variant; 2],
    parts: [Predicted; 2],
    mut limit: Time,
) -> Option<(Variant, Predicted)> {
    let mut fastest = None;
    for is_long_first in [false, true] {
        let [first, second] = if is_long_first { [&parts[1], &parts[0]] } else { [&parts[0], &parts[1]] };
        let (before, after) = (plan::Draft::schedule(&first.draft)?, plan::Draft::schedule(&second.draft)?);
        for pauses in [without_pauses(instance.size()), in_step(&first.prediction)] {
            let all = one_after_the_other(&one_after_the_other(before, &pauses), after);
            let prediction = predict_among(instance.machine(), instance.members(), &all, limit);
            if let Some(prediction) = prediction.filter(|prediction| prediction.modeled <= limit) {
                limit = prediction.modeled - Span::from_picos(1);
                fastest = Some((is_long_first, pauses, prediction));
            }
        }
    }
    let (is_long_first, pauses, prediction) = fastest?;
    let way = Way { place, is_long_first, pauses };
    let name = way.name(&variants);
    let found = Predicted { draft: way.joined(parts.map(|part| part.draft)), prediction };
    let variant = Variant::new(name, move |instance| {
        let [short, long] = instances(instance, way.place);
        Ok(way.joined([variants[0].draft(&short)?, variants[1].draft(&long)?]))
    });
    Some((variant.by(Algorithm::APART), found))
}

/// The pauses after which all nodes go on at the same instant.
fn in_step(prediction: &Prediction) -> Schedule {
    let spans: Vec<Span> = prediction.finished.iter().map(|&at| prediction.modeled.since(at)).collect();
    pauses(&spans)
}

/// Both parts one after the other.
struct Way {
    /// The length of the longest short message.
    place: u64,
    is_long_first: bool,
    /// The pauses of nodes in between.
    pauses: Schedule,
}

impl Way {
    fn joined(&self, drafts: [Draft; 2]) -> Draft {
        let parts = drafts.map(|draft| draft.procedure);
        Draft::by(Parted::new(self.place, self.is_long_first, self.pauses.clone(), parts))
    }

    fn name(&self, variants: &[Variant; 2]) -> String {
        let part = |which: &str, variant: &Variant| {
            let algorithm = variant.algorithm().map(Algorithm::to_string).unwrap_or_default();
            format!("{which} {} B by {}", self.place, Instance::plan_name(algorithm, variant.name()))
        };
        let [short, long] = [part("up to", &variants[0]), part("over", &variants[1])];
        let [first, second] = if self.is_long_first { [long, short] } else { [short, long] };
        let in_step = if self.pauses.iterations() > 0 { " in step" } else { "" };
        format!("apart: {first}, then{in_step} {second}")
    }
}

fn lengths(instance: &Instance) -> Vec<u64> {
    parts(instance.matrix()).map(|part| part.bytes).collect()
}
