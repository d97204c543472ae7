//! The predictor: the time of a schedule on a machine, without a run.
//!
//! The predictor passes the calls that [`walk`](crate::comm::walk) makes on the nodes to the same discrete-event kernel
//! that times a run, on one thread and without data. A contention-free schedule is timed in closed form, with the
//! kernel's rules (`contention_free`). So a prediction *is* the modeled time of the run in virtual time, to the picosecond, link
//! contention included, provided that all nodes start at the same instant and no other traffic is present.

mod contention_free;
mod contention_free_bound;
mod remaining_work;
mod script;

use std::iter;

use self::{contention_free_bound::ContentionFreeTimes, remaining_work::RemainingWork, script::Script};
use crate::{
    kernel::{Kernel, Progress},
    model::MachineSpec,
    pattern::Schedule,
    rank::Rank,
    time::{Span, Time},
    wire::NodeId,
};

/// Number of checkpoints at which a prediction stops early if the remaining work exceeds the limit.
const CHECKPOINTS: u64 = 32;

/// The predicted times of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prediction {
    /// The finish time of the last node, if all nodes start at time 0.
    pub modeled: Time,
    /// The finish time of each node, in rank order.
    pub finished: Vec<Time>,
}

/// Predicts the time of a schedule on a machine, with its noise and faults. Returns `None` if the numbers of nodes of
/// schedule and machine differ, if the time exceeds the range of modeled time, or if a fault makes a call fail.
///
/// Costs one or two microseconds of host time per message, and several in networks with heavy contention.
///
/// ```
/// use multicomputer::{model::MachineSpec, pattern::{Builder, Exchange, Transfer}, plan::predict};
///
/// let machine: MachineSpec = "hockney:1x4".parse()?;
/// let mut builder = Builder::new(4, &[0], &[1000], Exchange::Together);
/// builder.iteration([Transfer { from: 0, to: 1, blocks: [0].into() }]);
/// // o_s + n beta, and o_r more at the receiver.
/// let prediction = predict(&machine, &builder.finish()).unwrap();
/// assert_eq!(prediction.finished[0].to_string(), "115 us");
/// assert_eq!(prediction.modeled.to_string(), "180 us");
/// # Ok::<(), multicomputer::model::MachineSpecError>(())
/// ```
pub fn predict(machine: &MachineSpec, schedule: &Schedule) -> Option<Prediction> {
    let all_nodes: Vec<Rank> = (0..machine.nodes()).collect();
    predict_as_is(machine, &all_nodes, schedule, Time::MAX)
}

/// Predicts a schedule among some nodes of the machine for a plan: rank `i` of the schedule is node `members[i]`. The
/// other nodes are idle. Returns `None` as soon as the schedule cannot end by `limit`.
///
/// Noise and faults of the machine are ignored, because a plan cannot foresee them.
pub(crate) fn predict_among(
    machine: &MachineSpec,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    match machine.is_disturbed() {
        true => predict_as_is(&machine.undisturbed(), members, schedule, limit),
        false => predict_as_is(machine, members, schedule, limit),
    }
}

/// Predicts like [`predict_among`], with the machine's noise and faults.
fn predict_as_is(
    machine: &MachineSpec,
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

/// Predicts a schedule in closed form, if it is contention-free. Returns `None` if it cannot end by the limit,
/// `Some(None)` if the kernel must decide, and otherwise the prediction, which equals the kernel's.
fn predict_without_kernel(
    machine: &MachineSpec,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Option<Prediction>> {
    let is_applicable = contention_free::applies_to(machine, schedule);
    if limit == Time::MAX && !is_applicable {
        return Some(None);
    }
    let ContentionFreeTimes { finished, flights } =
        contention_free_bound::contention_free_times(machine, members, schedule, limit, is_applicable)?;
    let modeled = finished.iter().copied().max().unwrap_or_default();
    // The kernel handles schedules that deadlock or exceed the range of modeled time.
    let is_known = is_applicable
        && !finished.is_empty()
        && modeled < Time::MAX
        && contention_free::is_contention_free(machine, members, &flights);
    Some(is_known.then_some(Prediction { modeled, finished }))
}

/// Predicts a schedule with the kernel. Its contention-free lower bound is within the limit.
fn predict_by_kernel(
    machine: &MachineSpec,
    members: &[Rank],
    schedule: &Schedule,
    limit: Time,
) -> Option<Prediction> {
    let remaining = (limit < Time::MAX).then(|| RemainingWork::of(machine, members, schedule));
    if remaining.as_ref().is_some_and(|remaining| Time::ZERO + remaining.lower_bound(iter::empty()) > limit) {
        return None;
    }
    let checkpoints = if remaining.is_some() { CHECKPOINTS } else { 0 };
    let mut calls = Script::new(machine, members, schedule, remaining)?;
    // Link loads are counted only if the remaining work is checked.
    let mut kernel = if checkpoints > 0 { Kernel::new(machine, false) } else { Kernel::for_times(machine) };
    for checkpoint in 1..checkpoints {
        let until = Time::ZERO + Span::from_picos(limit.since_start().as_picos() / CHECKPOINTS * checkpoint);
        let Progress::Until(_) = kernel.advance(until, &mut calls) else { break };
        if calls.remaining().is_some_and(|remaining| until + remaining.lower_bound(kernel.carried()) > limit)
        {
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
