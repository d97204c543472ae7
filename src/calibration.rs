//! The smallest dilation that this host can keep, from one look at it.
//!
//! What a host can do a second is seen in one run of a typical program at true speed: recursive halving from 32 nodes,
//! each of whose calls is held until it is due. If the host keeps that, it keeps true speed; if it falls behind, it
//! needs as many times as long as it took, and something to spare. Where the machine is so slow that any host has time
//! enough between its messages, nothing has to be tried.
//!
//! A program may ask for more than that, or for less: the machine [learns](Experience) from its runs.

use std::time::Duration;

use parking_lot::Mutex;
use tracing::debug;

use crate::{
    comm::{Phantoms, follow},
    error::RunError,
    model::Description,
    pattern::{Builder, Exchange, Schedule},
    predict::predict,
    rank::{Rank, Tag},
    report::RealTimeReport,
    runtime::{Pace, Settings, run},
};

/// True speed: what is never gone below.
const SMALLEST: f64 = 1.0;
/// What a host that fell behind is given beyond the time that it took.
const SPARE: f64 = 1.3;
/// No host takes longer for a call, on one core.
const SLOWEST_CALL: Duration = Duration::from_micros(50);
/// How many nodes are sources, at most: the more there are, the longer messages get, and the more time there is for each.
const MOST_SOURCES: usize = 32;
/// The length of a source's message.
const BYTES: u64 = 2048;

/// The dilation that a machine has learnt to need; zero before its first look.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    dilation: Mutex<f64>,
}

impl Experience {
    /// The dilation for the next run on a machine.
    pub(crate) fn dilation(&self, machine: &Description, settings: &Settings) -> Result<f64, RunError> {
        let known = *self.dilation.lock();
        if known > 0.0 {
            return Ok(known);
        }
        let found = look(machine, settings)?;
        *self.dilation.lock() = found;
        Ok(found)
    }

    /// A run has been kept, or not: then the next one is given what this one would have needed.
    pub(crate) fn learn(&self, run: &RealTimeReport) {
        if !run.is_kept() {
            let mut dilation = self.dilation.lock();
            *dilation = dilation.max(run.dilation * (1.0 + run.error.max(0.0)) * SPARE);
        }
    }
}

/// Looks at this host with the threads of a run on `machine`.
fn look(machine: &Description, settings: &Settings) -> Result<f64, RunError> {
    let schedule = typical(machine.nodes());
    let Some(prediction) = predict(machine, &schedule) else { return Ok(SMALLEST) };
    let modeled = prediction.modeled.as_secs_f64();
    let calls: usize = (0..schedule.nodes()).map(|rank| schedule.steps(rank).len()).sum();
    if modeled >= calls as f64 * SLOWEST_CALL.as_secs_f64() {
        return Ok(SMALLEST);
    }
    let settings = Settings { pace: Pace::Real(SMALLEST), traced: false, ..settings.clone() };
    let ended = run(machine, &settings, |node| {
        let mut requests = Vec::new();
        follow(node.world(), &schedule, Tag(0), &mut Phantoms, &mut requests, || Ok(()))?;
        Ok(())
    })?;
    let report = RealTimeReport::new(SMALLEST, ended.wall, prediction.modeled, ended.slips);
    debug!(wall = ?ended.wall, modeled, verdict = %report.verdict, "looked at this host");
    Ok(if report.is_kept() { SMALLEST } else { SMALLEST * (1.0 + report.error.max(0.0)) * SPARE })
}

/// Recursive halving on the line of all nodes.
fn typical(nodes: usize) -> Schedule {
    let sources: Vec<Rank> = (0..nodes).step_by(nodes.div_ceil(MOST_SOURCES)).collect();
    let mut builder = Builder::new(nodes, &sources, &vec![BYTES; sources.len()], Exchange::Together);
    builder.halve(&[(0..nodes).collect()]);
    builder.finish()
}
