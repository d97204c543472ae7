//! The smallest dilation that this host can keep.
//!
//! A node may lag behind its own clock by o_s of modeled time before a message of it enters the network late. How far
//! a host lags in wall-clock time depends on how many threads it has to wake within a short time, so it is tried out
//! with a typical program: an s-to-p broadcast from every third node. From true speed on, the dilation is raised until
//! a trial is kept with something to spare. A trial may be spoilt by something else that the host had to do, so each
//! dilation has a second chance.
//!
//! A program in which all nodes are woken at the very same instants, again and again, asks for several times as much.
//! Its report tells of late sends, and the machine [learns](Experience) from that for its next runs.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::debug;

use crate::{
    comm::Payload,
    error::RunError,
    kernel::Outcomes,
    model::Description,
    rank::Rank,
    runtime::{Pace, Settings, run},
    stop::{Algorithm, Instance, Plan},
};

/// True speed: what is never gone below.
const SMALLEST: f64 = 1.0;
/// From one dilation to the next, and where a trial was far from being kept.
const STEP: f64 = 1.15;
const LONG_STEP: f64 = 1.5;
const CHANCES: usize = 2;
/// The lag seen in a trial may be exceeded by so much in a run.
const SPARE: f64 = 1.4;
/// After this wall-clock time the next dilation is taken untried.
const BUDGET: Duration = Duration::from_millis(700);
/// One node in so many is a source of a trial.
const NODES_PER_SOURCE: usize = 3;
/// The length of a source's message.
const BYTES: u64 = 2048;

/// What a machine has learnt from its runs: the dilation below which sends were late.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    least: Mutex<f64>,
}

impl Experience {
    /// The least dilation for the next run.
    pub(crate) fn least(&self) -> f64 {
        *self.least.lock()
    }

    /// A run at this dilation had so many late sends.
    pub(crate) fn learn(&self, dilation: f64, late_sends: u64) {
        if late_sends > 0 {
            let mut least = self.least.lock();
            *least = least.max(dilation * LONG_STEP);
        }
    }
}

/// Measures this host with the threads of a run on `machine`.
pub(crate) fn smallest_dilation(machine: &Description, settings: &Settings) -> Result<f64, RunError> {
    let began = Instant::now();
    let slack = machine.parameters().send_overhead().as_secs_f64();
    let nodes = machine.nodes();
    let sources: Vec<Rank> = (0..nodes).step_by(NODES_PER_SOURCE).collect();
    let plan = Instance::new(machine, &sources, &vec![BYTES; sources.len()])
        .ok()
        .and_then(|instance| Algorithm::BrLin.plan(&instance).ok());
    let plan = match plan {
        // Without a send overhead nothing can be caught up with; alone a node is never late.
        Some(plan) if slack > 0.0 && nodes > 1 => plan,
        _ => return Ok(SMALLEST),
    };
    let virtually = Settings { pace: Pace::Virtual, ..settings.clone() };
    let modeled = trial(machine, &virtually, &plan)?.nodes.iter().map(|node| node.finished).max();
    let modeled = modeled.unwrap_or_default().as_secs_f64();
    let mut dilation = SMALLEST;
    // A machine so slow that a trial takes longer than the budget leaves a host time enough.
    while began.elapsed() < BUDGET && modeled * dilation < BUDGET.as_secs_f64() {
        let mut least = f64::INFINITY;
        for _ in 0..CHANCES {
            let lag = largest_lag(machine, settings, &plan, dilation)?;
            debug!(dilation, lag, slack, "trial");
            if lag * SPARE <= slack {
                return Ok(dilation);
            }
            least = least.min(lag);
        }
        dilation *= if least > 2.0 * slack { LONG_STEP } else { STEP };
    }
    Ok(dilation)
}

/// The largest lag of a send behind its node's clock in a trial, in modeled seconds.
fn largest_lag(
    machine: &Description,
    settings: &Settings,
    plan: &Plan,
    dilation: f64,
) -> Result<f64, RunError> {
    let settings = Settings { pace: Pace::Real(dilation), ..settings.clone() };
    let lags = trial(machine, &settings, plan)?.nodes.into_iter().map(|node| node.host_lag);
    Ok(lags.max().unwrap_or_default().as_secs_f64())
}

/// What a broadcast on the machine amounts to.
fn trial(machine: &Description, settings: &Settings, plan: &Plan) -> Result<Outcomes, RunError> {
    let settings = Settings { traced: false, ..settings.clone() };
    let ended = run(machine, &settings, |node| {
        let mine = plan.instance().sources().contains(&node.rank()).then(|| Payload::phantom(BYTES));
        plan.broadcast(node.world(), mine)?;
        Ok(())
    })?;
    Ok(ended.outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_learns_from_late_sends_alone() {
        let experience = Experience::default();
        experience.learn(4.0, 0);
        assert_eq!(experience.least(), 0.0);
        experience.learn(4.0, 3);
        experience.learn(2.0, 1);
        assert_eq!(experience.least(), 6.0);
    }
}
