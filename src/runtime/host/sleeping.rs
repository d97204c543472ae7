//! The wait of a node on the host: it polls, then yields its core, and then sleeps.

use std::{
    hint::spin_loop,
    thread::yield_now,
    time::{Duration, Instant},
};

use super::endpoint::HostNode;
use crate::{
    error::CommError,
    runtime::{
        local::Local,
        sync::Ordering,
        unreceived::{MAX_UNRECEIVED, unreceived},
        waiting::{AwaitedEvent, Waiting},
    },
    time::Time,
};

/// The parker state of a thread that sleeps for any message. A state other than these constants is the rank of the awaited sender.
pub(super) const ANY_MESSAGE: u32 = u32::MAX - 1;

/// The parker state of a thread that sleeps until all nodes have arrived at the barrier.
pub(super) const BARRIER: u32 = u32::MAX - 2;

/// The parker state of a thread that sleeps until a message it sent has been matched with a receive.
pub(super) const MATCH: u32 = u32::MAX - 3;

/// The time for which a waiting thread yields its core before it sleeps, for each node that shares the core. Sleeping and waking cost
/// several times as much as being skipped by the scheduler.
const YIELD_TIME_PER_NODE: Duration = Duration::from_micros(20);

/// The upper limit of the time for which a waiting thread yields its core.
const MAX_YIELD_TIME: Duration = Duration::from_micros(200);

/// The time for which a thread yields its core before it sleeps. It is not zero even where every node could have a core, because the host
/// may have placed two threads on one core.
pub(super) fn linger(nodes: usize, cores: usize) -> Duration {
    MAX_YIELD_TIME.min(YIELD_TIME_PER_NODE * nodes.div_ceil(cores) as u32)
}

/// The parker state in which a thread waits for an event.
fn parker_event(awaited_event: &AwaitedEvent) -> u32 {
    match awaited_event {
        AwaitedEvent::Message(select) => select.source.unwrap_or(ANY_MESSAGE),
        AwaitedEvent::Barrier => BARRIER,
        AwaitedEvent::Receive(_) => MATCH,
        AwaitedEvent::Any(_) | AwaitedEvent::Departure => ANY_MESSAGE,
    }
}

impl HostNode<'_> {
    /// Waits until `take` finds a result among the arrived messages, or until `deadline`. `awaited_event` describes the event in
    /// reports.
    pub(super) fn sleep_until<T>(
        &self,
        awaited_event: impl Fn(&Local) -> AwaitedEvent,
        deadline: Time,
        mut take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        let (host, run_state) = (self.host, &self.host.run_state);
        let parker = &run_state.slot(self.id).parker;
        let mut poll = || {
            self.take_in_all();
            take(&mut self.local.borrow_mut())
        };
        if let Some(found) = poll() {
            return Ok(Some(found));
        }
        let instant = host.instant(deadline);
        let awaited_event = || awaited_event(&self.local.borrow());
        let event = parker_event(&awaited_event());
        loop {
            if run_state.is_stopped() {
                return Err(run_state.ended());
            }
            if deadline != Time::MAX && host.now() >= deadline {
                self.yield_after_unsuccessful_poll();
                return Ok(None);
            }
            self.polled.set(false);
            if let Some(found) = self.linger(event, &mut poll) {
                return Ok(Some(found));
            }
            let since = host.now();
            let unreceived =
                self.local.borrow().matching.arrived().take(MAX_UNRECEIVED).map(unreceived).collect();
            let waiting = Waiting { since, awaited_event: awaited_event(), unreceived };
            *host.waiting[self.id as usize].lock() = Some(waiting);
            parker.prepare(event);
            let found = poll();
            if found.is_some() || run_state.is_stopped() {
                if !parker.cancel() {
                    // A claim has counted this thread as awake once more, although it has not slept.
                    run_state.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else if let Some(instant) = instant {
                // A thread with a deadline wakes up by itself, so it still counts as awake.
                if parker.sleep_until(instant) {
                    run_state.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else {
                host.retire();
                parker.sleep();
            }
            *host.waiting[self.id as usize].lock() = None;
            self.local.borrow_mut().record.waiting += host.now().since(since);
            if let Some(found) = found.or_else(&mut poll) {
                return Ok(Some(found));
            }
        }
    }

    /// Polls briefly before the thread sleeps, because the awaited event may be about to happen.
    fn linger<T>(&self, event: u32, poll: &mut impl FnMut() -> Option<T>) -> Option<T> {
        // The barrier delivers no message, so only a poll finds its end.
        let may_be_there = || {
            event == BARRIER || self.has_mail() || self.has_new_match() || self.host.run_state.is_stopped()
        };
        for _ in 0..self.host.polls {
            if may_be_there()
                && let Some(found) = poll()
            {
                return Some(found);
            }
            spin_loop();
        }
        let began = Instant::now();
        while began.elapsed() < self.host.linger && !self.host.run_state.is_stopped() {
            yield_now();
            if may_be_there()
                && let Some(found) = poll()
            {
                return Some(found);
            }
        }
        None
    }

    /// Yields the core after the second and each further consecutive unsuccessful poll of the program, if there are more nodes than cores.
    pub(super) fn yield_after_unsuccessful_poll(&self) {
        if self.host.is_oversubscribed() && self.polled.replace(true) {
            yield_now();
        }
    }
}
