//! Modeled time: messages take the times of the timing model, in virtual or in real time.
//!
//! The [kernel](crate::kernel) defines the effect of every call in modeled time; this module connects it to threads. A [`NodeThread`] makes
//! the calls of one node, and receives messages and the kernel's replies through one crossbeam channel. Node threads [drive](driving) the
//! kernel, ahead of the programs' clocks as far as their calls are known. In real time the run is [paced](pacing): replies are held back
//! until they are due on the wall clock, and the [pacer] wakes the threads that wait for them.

mod compute_meter;
mod driving;
mod lateness;
mod node;
mod outbox;
mod pacer;
mod pacing;
mod timers;
mod world;

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

pub use self::lateness::Lateness;
pub(crate) use self::lateness::LatenessStats;
use self::{
    node::NodeThread,
    pacing::Pacing,
    timers::PreciseTimers,
    world::{Delivery, Modeled, Outboxes},
};
use super::{
    Ended, Settings, by_sender,
    run_state::RunState,
    threads::{Program, World, run_threads},
};
use crate::{
    error::RunError,
    kernel::{BlockedNode, Kernel, NoCalls},
    model::MachineSpec,
    rank::Rank,
    time::Time,
    wire::{NodeId, Parcel},
};

/// The relation of modeled time to the wall clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Virtual time: as fast as the host allows.
    Virtual,
    /// Real time: the number of wall-clock seconds per modeled second.
    Real(f64),
}

/// Runs `program` on every node of `machine`. However the run ends, `observe` gets the kernel in its last state.
pub(crate) fn run(
    machine: &MachineSpec,
    pace: Pace,
    settings: &Settings,
    program: &Program<'_>,
    observe: impl FnOnce(&Kernel),
) -> Result<Ended, RunError> {
    let began = Instant::now();
    let (world, inboxes) = Modeled::new(machine, pace, settings);
    let ended = {
        let _timers = world.pacing.is_some().then(PreciseTimers::set);
        run_threads(&world, inboxes, settings, program)
    };
    let (survived, nodes, last) = match ended {
        Ok(ended) => ended,
        Err(error) => {
            observe(&world.kernel.into_inner());
            return Err(error);
        }
    };
    let wall = match world.pacing.as_ref().and_then(Pacing::epoch) {
        Some(epoch) => last.map_or(Duration::ZERO, |last| last.saturating_duration_since(epoch)),
        None => began.elapsed(),
    };
    let Modeled { kernel, run_state, .. } = world;
    let mut kernel = kernel.into_inner();
    // Delivers the messages still in the network, so that the outcomes list them as not received.
    kernel.advance(Time::MAX, &mut NoCalls);
    observe(&kernel);
    Ok(Ended {
        survived,
        outcomes: kernel.outcomes(),
        wall,
        lateness: nodes
            .iter()
            .map(|(lateness, _)| *lateness)
            .fold(LatenessStats::default(), LatenessStats::merge),
        unwaited: by_sender(nodes.into_iter().map(|(_, unwaited)| unwaited)),
        contexts: run_state.contexts.into_inner(),
    })
}

impl World for Modeled {
    type Inbox = Receiver<Delivery>;
    type Endpoint<'w> = NodeThread<'w>;
    /// The lateness of replies, and the sends never waited for.
    type Outcome = (LatenessStats, Vec<Parcel>);

    fn run_state(&self) -> &RunState {
        &self.run_state
    }

    fn begin(&self, node: NodeId, inbox: Receiver<Delivery>) -> NodeThread<'_> {
        if self.pacing.is_some() {
            PreciseTimers::set_permanently();
        }
        if let Some(shared_core) = &self.shared_core {
            shared_core.join();
        }
        NodeThread::new(node, self, inbox)
    }

    fn end(&self, node: NodeThread<'_>, failed: bool) -> (LatenessStats, Vec<Parcel>) {
        node.end(failed);
        (node.lateness(), node.unwaited())
    }

    fn waits_for_all_threads(&self) -> bool {
        self.pacing.is_some()
    }

    fn tick(&self) -> Option<Instant> {
        self.pacing.as_ref().map(|pacing| self.pace(pacing))
    }

    fn frontier(&self) -> (Time, Rank) {
        // The kernel is driven only when a program needs it, and is then behind the programs.
        self.drive(false);
        let (at, node) = self.kernel.lock().frontier();
        (at, node as Rank)
    }

    fn blocked(&self) -> Vec<BlockedNode> {
        let mut kernel = self.kernel.lock();
        // The calls on which sleeping nodes depend may still be in outboxes.
        kernel.advance(Time::MAX, &mut Outboxes(&self.mailboxes));
        self.blocked_in(&kernel)
    }
}

#[cfg(test)]
mod order_tests;
