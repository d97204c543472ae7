//! The smallest dilation that this host can keep.
//!
//! A node may lag behind its own clock by o_s of modeled time before a message of it enters the network late. How far
//! the host lags in wall-clock time depends on how many threads it has to wake at one instant, so it is tried out: all
//! nodes of the machine exchange short messages in lock step, which wakes all of them at every step, and the lag of
//! every send is recorded. From the largest follows the dilation at which it is within o_s; the next trial is made
//! at that, because a host that is less pressed lags less, until one is found that is kept with something to spare.

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
/// The lag seen in a trial may be exceeded by so much in a run.
const SPARE: f64 = 1.5;
/// After this wall-clock time the next dilation is taken untried.
const BUDGET: Duration = Duration::from_millis(400);
/// A trial has so many exchanges of every node.
const EXCHANGES: usize = 40;
const BYTES: u64 = 1024;

/// Measures this host with the threads of a run on `machine`.
pub(crate) fn smallest_dilation(machine: &Description, settings: &Settings) -> Result<f64, RunError> {
    let began = Instant::now();
    let slack = machine.parameters().send_overhead().as_secs_f64();
    if slack == 0.0 || machine.nodes() == 1 {
        // Without a send overhead nothing can be caught up with; alone a node is never late.
        return Ok(SMALLEST);
    }
    let mut dilation = SMALLEST;
    loop {
        let lag = largest_lag(machine, settings, dilation)?;
        // In modeled time at this dilation; what counts is the wall-clock time behind it.
        let needed = (lag * dilation * SPARE / slack).clamp(SMALLEST, LARGEST);
        debug!(dilation, lag, needed, "trial");
        if needed <= dilation {
            return Ok(dilation);
        }
        dilation = needed;
        if began.elapsed() > BUDGET || dilation == LARGEST {
            return Ok(dilation);
        }
    }
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
            world.sendrecv(partner, Payload::phantom(BYTES), partner)?;
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
