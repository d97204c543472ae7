//! The predictor: the time of a schedule on a machine, without running it.
//!
//! It passes the calls that [`walk`](crate::comm::walk) makes on the nodes to the same kernel that times them in a
//! run, on one thread and without data; where no message meets another one, it works out what the kernel would say (`clear`).
//! So a prediction *is* the modeled time of the run in virtual time, to the last picosecond, conflicts on the links
//! included, provided that all nodes start at the same instant and nothing else is under way.

mod clear;
mod rest;
mod script;
mod unhindered;

use std::iter;

use self::{rest::Rest, script::Script, unhindered::Unhindered};
use crate::{
    kernel::{Kernel, Progress},
    model::Description,
    pattern::Schedule,
    rank::Rank,
    time::{Span, Time},
    wire::NodeId,
};

/// The number of instants at which a prediction is given up if what is left takes longer than the limit.
const LOOKS: u64 = 32;

/// The predicted times of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prediction {
    /// The time at which the last node is done, if all start at time 0.
    pub modeled: Time,
    /// The time at which each node is done, in rank order.
    pub finished: Vec<Time>,
}

/// Predicts the time of a schedule on a machine, with its noise and its faults; `None` if the schedule has another number of
/// nodes than the machine, takes longer than the largest modeled time, or meets a fault that makes a call fail.
///
/// Costs the host one or two microseconds per message, and several in networks full of conflicts.
///
/// ```
/// use multicomputer::{model::Description, pattern::{Builder, Exchange, Transfer}, plan::predict};
///
/// let machine: Description = "hockney:1x4".parse()?;
/// let mut builder = Builder::new(4, &[0], &[1000], Exchange::Together);
/// builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
/// // o_s + n beta, and o_r more at the receiver.
/// let prediction = predict(&machine, &builder.finish()).unwrap();
/// assert_eq!(prediction.finished[0].to_string(), "115 us");
/// assert_eq!(prediction.modeled.to_string(), "180 us");
/// # Ok::<(), multicomputer::model::DescriptionError>(())
/// ```
pub fn predict(machine: &Description, schedule: &Schedule) -> Option<Prediction> {
    let everybody: Vec<Rank> = (0..machine.nodes()).collect();
    predict_as_is(machine, &everybody, schedule, Time::MAX)
}

/// Predicts, for a plan, a schedule among some nodes of the machine: rank `i` of the schedule is node `members[i]`. The
/// other nodes do nothing. Gives up, with `None`, when the schedule has not ended by `limit`, or cannot any more.
///
/// A plan does not know the future: the machine is taken without its noise and its faults.
pub(crate) fn predict_among(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    match machine.is_disturbed() {
        true => predict_as_is(&machine.undisturbed(), members, schedule, limit),
        false => predict_as_is(machine, members, schedule, limit),
    }
}

/// Predicts like [`predict_among`], on the machine with its noise and its faults.
fn predict_as_is(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    if members.len() != schedule.nodes() {
        return None;
    }
    debug_assert!(members.iter().all(|&node| node < machine.nodes()), "members of the machine");
    match predict_without_kernel(machine, members, schedule, limit)? {
        Some(prediction) => (prediction.modeled <= limit).then_some(prediction),
        None => predict_by_kernel(machine, members, schedule, limit),
    }
}

/// The prediction that follows if no message is in another one's way: `None` that a schedule cannot end by the limit, a prediction that the kernel says
/// the same; otherwise the kernel has to say.
fn predict_without_kernel(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Option<Prediction>> {
    let can_tell = clear::can_tell(machine, schedule);
    if limit == Time::MAX && !can_tell {
        return Some(None);
    }
    let Unhindered { finished, flights } = unhindered::follow(machine, members, schedule, limit, can_tell)?;
    let modeled = finished.iter().copied().max().unwrap_or_default();
    // Whether something ends with modeled time, or waits for ever, is the kernel's to say.
    let is_known = can_tell
        && !finished.is_empty()
        && modeled < Time::MAX
        && clear::is_clear(machine, members, &flights);
    Some(is_known.then_some(Prediction { modeled, finished }))
}

/// Predicts a schedule, which could end by the limit if no message met another one, by the kernel.
fn predict_by_kernel(
    machine: &Description,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    let rest = (limit < Time::MAX).then(|| Rest::of(machine, members, schedule));
    if rest.as_ref().is_some_and(|rest| Time::ZERO + rest.least(iter::empty()) > limit) {
        return None;
    }
    let looks = if rest.is_some() { LOOKS } else { 0 };
    let mut calls = Script::new(machine, members, schedule, rest)?;
    // The loads of links are counted only where what is left of them is looked at.
    let mut kernel = if looks > 0 { Kernel::new(machine, false) } else { Kernel::for_times(machine) };
    for look in 1..looks {
        let until = Time::ZERO + Span::from_picos(limit.since_start().as_picos() / LOOKS * look);
        let Progress::Until(_) = kernel.advance(until, &mut calls) else { break };
        if calls.rest().is_some_and(|rest| until + rest.least(kernel.carried()) > limit) {
            return None;
        }
    }
    match kernel.advance(limit, &mut calls) {
        Progress::Quiet if kernel.all_finished() && !kernel.has_failed() => {
            let finished: Vec<Time> = members.iter().map(|&node| kernel.finished(node as NodeId)).collect();
            let modeled = finished.iter().copied().max().unwrap_or_default();
            (modeled <= limit).then_some(Prediction { modeled, finished })
        }
        _ => None,
    }
}
