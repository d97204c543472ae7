//! The smallest dilation that this host can keep, from a short look at it.
//!
//! The pace of a host is seen in one run of a typical program at true speed: recursive halving from 32 nodes,
//! each of whose calls is held until it is due. If the host keeps that, it keeps true speed. If it falls behind, a second
//! run has as long as the first one took: what that is late is the time that the host needs to wake all threads at the end,
//! when they are due at one instant, and the dilation is chosen so that it is little of the whole. Where the machine is so
//! slow that any host has time enough between its messages, nothing has to be tried.
//!
//! A program may ask for more than that: the machine [learns](Experience) from its runs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use parking_lot::Mutex;
use tracing::debug;

use crate::{
    comm::{Phantoms, follow},
    error::RunError,
    model::Description,
    pattern::{Builder, Exchange, Schedule},
    plan::predict,
    rank::{Rank, Tag},
    report::{KEPT_ERROR, RealTimeReport},
    runtime::{Pace, Settings, modeled},
};

/// True speed: what is never gone below.
const SMALLEST: f64 = 1.0;
/// The factor that a host which fell behind is given beyond the time that it took.
const SPARE: f64 = 1.3;
/// A run that took so many times as long as it should, or more, waited for something else than for the host.
const MOST_MORE: f64 = 4.0;
/// The error aimed at: half of what a run may have that is kept.
const AIM: f64 = KEPT_ERROR / 2.0;
/// No host takes longer for a call, on one core.
const SLOWEST_CALL: Duration = Duration::from_micros(50);
/// The number of sources, at most: the more there are, the longer messages get, and the more time there is for each.
const MOST_SOURCES: usize = 32;
/// The length of a source's message.
const BYTES: u64 = 2048;

/// The dilation that a machine has learnt to need; zero before its first look.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    known: Mutex<Known>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// By the look at the host.
    found: f64,
    /// For the next run.
    next: f64,
}

impl Experience {
    /// The dilation for the next run on a machine.
    pub(crate) fn dilation(&self, machine: &Description, settings: &Settings) -> Result<f64, RunError> {
        let known = *self.known.lock();
        if known.next > 0.0 {
            return Ok(known.next);
        }
        let found = look(machine, settings)?;
        *self.known.lock() = Known { found, next: found };
        Ok(found)
    }

    /// A run has been kept, or not: then the next one is given more, and less again when it is kept with ease.
    pub(crate) fn learn(&self, run: &RealTimeReport) {
        let known = &mut *self.known.lock();
        known.next = if !run.is_kept() {
            known.next.max(run.dilation * (1.0 + run.error).clamp(1.0, MOST_MORE) * SPARE)
        } else if run.error < AIM {
            (known.next / SPARE).max(known.found)
        } else {
            known.next
        };
    }
}

/// Looks at this host with the threads of a run on `machine`.
fn look(machine: &Description, settings: &Settings) -> Result<f64, RunError> {
    let schedule = typical(machine.nodes());
    // Noise and faults belong to the machine, and the pace to the host.
    let machine = &machine.undisturbed();
    // A topology of the user's that panics is to do so in the run, which tells of it.
    let prediction = catch_unwind(AssertUnwindSafe(|| predict(machine, &schedule)));
    let Ok(Some(prediction)) = prediction else { return Ok(SMALLEST) };
    let calls: usize = (0..schedule.nodes()).map(|rank| schedule.steps(rank).len()).sum();
    if prediction.modeled.as_secs_f64() >= calls as f64 * SLOWEST_CALL.as_secs_f64() {
        return Ok(SMALLEST);
    }
    let pace_at = |dilation| -> Result<RealTimeReport, RunError> {
        let settings = Settings { traced: false, ..settings.clone() };
        let ended = modeled::run(machine, Pace::Real(dilation), &settings, &|node| {
            let mut requests = Vec::new();
            follow(node.world(), &schedule, Tag(0), &mut Phantoms, &mut requests)?;
            Ok(())
        })?;
        let pace = RealTimeReport::new(dilation, ended.wall, prediction.modeled, ended.slips);
        debug!(dilation, wall = ?ended.wall, error = pace.error, verdict = %pace.verdict, "looked at this host");
        Ok(pace)
    };
    let pace = pace_at(SMALLEST)?;
    if pace.is_kept() {
        return Ok(SMALLEST);
    }
    // As long as it took: then all calls can be made in time, and what is left is the time to wake the last ones.
    let enough = SMALLEST * (1.0 + pace.error.max(0.0)) * SPARE;
    let pace = pace_at(enough)?;
    Ok(enough * (pace.error / AIM).max(1.0))
}

/// Recursive halving on the line of all nodes.
fn typical(nodes: usize) -> Schedule {
    let sources: Vec<Rank> = (0..nodes).step_by(nodes.div_ceil(MOST_SOURCES)).collect();
    let mut builder = Builder::new(nodes, &sources, &vec![BYTES; sources.len()], Exchange::Together);
    builder.halve(&[(0..nodes).collect()]);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        runtime::Slips,
        time::{Span, Time},
    };

    /// A run of 10 ms at a dilation, with an error.
    fn run(dilation: f64, error: f64) -> RealTimeReport {
        let modeled = Time::ZERO + Span::from_millis(10);
        let wall = Duration::from_secs_f64(0.01 * dilation * (1.0 + error));
        RealTimeReport::new(dilation, wall, modeled, Slips::default())
    }

    #[test]
    fn a_machine_learns_from_runs_that_were_not_kept_and_forgets_again() {
        let experience = Experience { known: Mutex::new(Known { found: 2.0, next: 2.0 }) };
        let learns = |report: RealTimeReport, expected: f64| {
            experience.learn(&report);
            let next = experience.known.lock().next;
            assert!((next / expected - 1.0).abs() < 1e-9, "{next} {expected}");
        };
        // Never below what was found.
        learns(run(2.0, 0.0), 2.0);
        learns(run(2.0, 0.5), 3.9);
        // Kept with some effort, then with ease.
        learns(run(3.9, 0.015), 3.9);
        learns(run(3.9, 0.001), 3.0);
        // It waited for something else.
        learns(run(3.0, 1000.0), 3.0 * MOST_MORE * SPARE);
    }
}
