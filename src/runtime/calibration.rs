//! The smallest dilation that this host can keep.
//!
//! A node may lag behind its own clock by o_s of modeled time before a message of it enters the network late. How far
//! a host lags in wall-clock time depends on how many threads it has to wake at one instant, so it is tried out: all
//! nodes of the machine exchange short messages in lock step, which wakes all of them at every step. From true speed
//! on, the dilation is raised until such a trial is kept with something to spare. A trial may be spoilt by something
//! else that the host had to do, so each dilation has a second chance.

use std::time::{Duration, Instant};

use tracing::debug;

use super::{Pace, Pinning, Settings, run};
use crate::{
    comm::{Payload, PointToPoint},
    error::RunError,
    model::Description,
    rank::Rank,
};

/// True speed: what is never gone below.
const SMALLEST: f64 = 1.0;
/// Given up at this one; the report of a run will tell of late sends.
const LARGEST: f64 = 1e4;
/// From one dilation to the next.
const STEP: f64 = 1.4;
const CHANCES: usize = 2;
/// The lag seen in a trial may be exceeded by so much in a run.
const SPARE: f64 = 1.25;
/// After this wall-clock time the next dilation is taken untried.
const BUDGET: Duration = Duration::from_millis(500);
/// A trial has so many exchanges of every node.
const EXCHANGES: usize = 16;

/// Measures this host with the threads of a run on `machine`.
pub(crate) fn smallest_dilation(machine: &Description, settings: &Settings) -> Result<f64, RunError> {
    let began = Instant::now();
    let slack = machine.parameters().send_overhead().as_secs_f64();
    if slack == 0.0 || machine.nodes() == 1 {
        // Without a send overhead nothing can be caught up with; alone a node is never late.
        return Ok(SMALLEST);
    }
    let mut dilation = SMALLEST;
    while dilation < LARGEST && began.elapsed() < BUDGET {
        for _ in 0..CHANCES {
            let lag = largest_lag(machine, settings, dilation)?;
            debug!(dilation, lag, "trial"); eprintln!("trial {dilation} lag {}", lag*1e6);
            if lag * SPARE <= slack {
                return Ok(dilation);
            }
        }
        dilation *= STEP;
    }
    Ok(dilation.min(LARGEST))
}

/// The largest lag of a send behind its node's clock in a trial, in modeled seconds.
fn largest_lag(machine: &Description, settings: &Settings, dilation: f64) -> Result<f64, RunError> {
    let settings = Settings { pace: Pace::Real(dilation), traced: false, ..settings.clone() };
    let exchange = |rank: Rank, step: usize, size: usize| {
        // Partners at growing distances, as in a recursive halving; nobody is left out but the last of an odd number.
        let partner = rank ^ (1 << (step % size.ilog2() as usize));
        if partner < size { partner } else { rank }
    };
    let ended = run(machine, &settings, |node| {
        let world = node.world();
        for step in 0..EXCHANGES {
            let partner = exchange(world.rank(), step, world.size());
            world.sendrecv(partner, Payload::empty(), partner)?;
        }
        Ok(())
    })?;
    let lags = ended.outcomes.nodes.iter().map(|node| node.host_lag);
    Ok(lags.max().unwrap_or_default().as_secs_f64())
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            pace: Pace::Virtual,
            stack_size: 256 << 10,
            pinning: Pinning::None,
            wall_limit: None,
            traced: false,
        }
    }
}
