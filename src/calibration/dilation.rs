//! Calibration of the smallest dilation that this host can sustain, by a short test.
//!
//! The test is one run of a typical program at dilation 1: recursive halving from 32 nodes, with each call returning when it is due. If
//! every call returns on time, the dilation is 1. Otherwise a second run is given the time that the first one took. Its lateness is the
//! time that the host needs to wake all threads at the end, when all are due at the same instant; the dilation is chosen so that this time
//! is a small fraction of the run. If even a slow host has enough time between the messages of the machine, no test is made.
//!
//! A program may need a larger dilation: the machine [learns](Experience) from its runs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use parking_lot::Mutex;
use tracing::debug;

use crate::{
    comm::{Node, Phantoms, follow},
    error::RunError,
    model::MachineSpec,
    pattern::{Builder, Exchange, Schedule},
    plan::predict,
    rank::{Rank, Tag},
    report::{KEPT_ERROR, RealTimeReport},
    runtime::{Pace, Settings, modeled},
};

/// Minimum dilation: the modeled time equals wall-clock time.
const SMALLEST: f64 = 1.0;
/// Safety factor on the wall-clock time of a run that was late.
const SPARE: f64 = 1.3;
/// Maximum ratio of wall-clock time to due time that is learnt. A larger ratio has other causes than the host's speed.
const MAX_LATENESS_RATIO: f64 = 4.0;
/// Target of the relative error: half of the maximum for [`Verdict::Kept`](crate::report::Verdict::Kept).
const AIM: f64 = KEPT_ERROR / 2.0;
/// Upper bound on the time of a call, even on a slow host with one core.
const SLOWEST_CALL: Duration = Duration::from_micros(50);
/// Maximum number of sources. More sources make messages longer and leave more time for each message.
const MAX_SOURCES: usize = 32;
/// The length of a source's message, in bytes.
const BYTES: u64 = 2048;

/// The dilation that a machine has learnt from its runs; zero before the first test.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    known: Mutex<Known>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The result of the host test.
    found: f64,
    /// The dilation for the next run.
    next: f64,
}

impl Experience {
    /// Returns the dilation for the next run on a machine. The first call tests the host.
    pub(crate) fn dilation(&self, machine: &MachineSpec, settings: &Settings) -> Result<f64, RunError> {
        let known = *self.known.lock();
        if known.next > 0.0 {
            return Ok(known.next);
        }
        let found = look(machine, settings)?;
        *self.known.lock() = Known { found, next: found };
        Ok(found)
    }

    /// Learns from a run: raises the next dilation if the run was late. If the error was small, lowers the next dilation, but not below the
    /// result of the test.
    pub(crate) fn learn(&self, run: &RealTimeReport) {
        let known = &mut *self.known.lock();
        known.next = if !run.is_kept() {
            known.next.max(run.dilation * (1.0 + run.error).clamp(1.0, MAX_LATENESS_RATIO) * SPARE)
        } else if run.error < AIM {
            (known.next / SPARE).max(known.found)
        } else {
            known.next
        };
    }
}

/// Returns the smallest dilation that this host can sustain with the nodes of `machine`, from at most two test runs.
fn look(machine: &MachineSpec, settings: &Settings) -> Result<f64, RunError> {
    let schedule = typical(machine.nodes());
    // Noise and faults would change the modeled times, not the host's speed.
    let machine = &machine.undisturbed();
    // If a user-defined topology panics here, it will also panic in the run, which reports the panic.
    let prediction = catch_unwind(AssertUnwindSafe(|| predict(machine, &schedule)));
    let Ok(Some(prediction)) = prediction else { return Ok(SMALLEST) };
    let calls: usize = (0..schedule.nodes()).map(|rank| schedule.steps(rank).len()).sum();
    if prediction.modeled.as_secs_f64() >= calls as f64 * SLOWEST_CALL.as_secs_f64() {
        return Ok(SMALLEST);
    }
    let pace_at = |dilation| -> Result<RealTimeReport, RunError> {
        let settings = Settings { traced: false, ..settings.clone() };
        let program = |node: &Node<'_>| {
            let mut requests = Vec::new();
            follow(node.world(), &schedule, Tag(0), &mut Phantoms, &mut requests)?;
            Ok(())
        };
        let ended = modeled::run(machine, Pace::Real(dilation), &settings, &program, |_| {})?;
        let pace = RealTimeReport::new(dilation, ended.wall, prediction.modeled, ended.lateness);
        debug!(dilation, wall = ?ended.wall, error = pace.error, verdict = %pace.verdict, "measured this host");
        Ok(pace)
    };
    let pace = pace_at(SMALLEST)?;
    if pace.is_kept() {
        return Ok(SMALLEST);
    }
    // With this dilation all calls can be on time; the remaining error is the time to wake the last threads.
    let enough = SMALLEST * (1.0 + pace.error.max(0.0)) * SPARE;
    let pace = pace_at(enough)?;
    Ok(enough * (pace.error / AIM).max(1.0))
}

/// Creates a schedule of recursive halving on the line of all nodes.
fn typical(nodes: usize) -> Schedule {
    let sources: Vec<Rank> = (0..nodes).step_by(nodes.div_ceil(MAX_SOURCES)).collect();
    let mut builder = Builder::new(nodes, &sources, &vec![BYTES; sources.len()], Exchange::Together);
    builder.halve(&[(0..nodes).collect()]);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        runtime::LatenessStats,
        time::{Span, Time},
    };

    /// Creates the report of a run of 10 ms of modeled time with this dilation and relative error.
    fn run(dilation: f64, error: f64) -> RealTimeReport {
        let modeled = Time::ZERO + Span::from_millis(10);
        let wall = Duration::from_secs_f64(0.01 * dilation * (1.0 + error));
        RealTimeReport::new(dilation, wall, modeled, LatenessStats::default())
    }

    #[test]
    fn a_machine_learns_from_runs_that_were_not_kept_and_forgets_again() {
        let experience = Experience { known: Mutex::new(Known { found: 2.0, next: 2.0 }) };
        let learns = |report: RealTimeReport, expected: f64| {
            experience.learn(&report);
            let next = experience.known.lock().next;
            assert!((next / expected - 1.0).abs() < 1e-9, "{next} {expected}");
        };
        // Never below the result of the test.
        learns(run(2.0, 0.0), 2.0);
        learns(run(2.0, 0.5), 3.9);
        // Kept with a larger error, then with a small one.
        learns(run(3.9, 0.015), 3.9);
        learns(run(3.9, 0.001), 3.0);
        // An error this large is limited to `MAX_LATENESS_RATIO`.
        learns(run(3.0, 1000.0), 3.0 * MAX_LATENESS_RATIO * SPARE);
    }
}
