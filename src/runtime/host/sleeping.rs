//! The wait of a node of the host: it looks for a moment, lets others run, and then sleeps.

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
        waiting::{Waiting, WhatFor},
    },
    time::Time,
};

/// The state of a thread's parker while it sleeps for any message; a state that is no such constant is the rank of the
/// node whose message it sleeps for.
pub(super) const ANY_MESSAGE: u32 = u32::MAX - 1;

/// The state of a thread's parker while it sleeps until all nodes have come to the barrier.
pub(super) const BARRIER: u32 = u32::MAX - 2;

/// The state of a thread's parker while it sleeps until a message of its own has been matched with a receive.
pub(super) const MEETING: u32 = u32::MAX - 3;

/// The time for which a waiting thread gives its core away to others before it sleeps, for each node that shares the core:
/// to sleep and to be woken costs several times what it costs to be passed over.
const TURN: Duration = Duration::from_micros(20);

/// The most of that time, however many nodes there are.
const LONGEST_LINGER: Duration = Duration::from_micros(200);

/// The time for which a thread gives its core away before it sleeps. Where every node could have a core it does so, too: the
/// host may have put two of them on one.
pub(super) fn linger(nodes: usize, cores: usize) -> Duration {
    LONGEST_LINGER.min(TURN * nodes.div_ceil(cores) as u32)
}

/// The source of messages that claims a thread that waits for an event.
fn claimed_by(what_for: &WhatFor) -> u32 {
    match what_for {
        WhatFor::Message(select) => select.source.unwrap_or(ANY_MESSAGE),
        WhatFor::Barrier => BARRIER,
        WhatFor::Receive(_) => MEETING,
        WhatFor::Any(_) | WhatFor::Departure => ANY_MESSAGE,
    }
}

impl HostNode<'_> {
    /// Sleeps until `take` finds what it wants among the messages that have come, or until `deadline`. `what_for`
    /// tells in reports what that is.
    pub(super) fn sleep_until<T>(
        &self,
        what_for: impl Fn(&Local) -> WhatFor,
        deadline: Time,
        mut take: impl FnMut(&mut Local) -> Option<T>,
    ) -> Result<Option<T>, CommError> {
        let (host, crew) = (self.host, &self.host.crew);
        let parker = &crew.seat(self.id).parker;
        let mut look = || {
            self.take_in_all();
            take(&mut self.local.borrow_mut())
        };
        if let Some(found) = look() {
            return Ok(Some(found));
        }
        let instant = host.instant(deadline);
        let what_for = || what_for(&self.local.borrow());
        let event = claimed_by(&what_for());
        loop {
            if crew.is_stopped() {
                return Err(crew.ended());
            }
            if deadline != Time::MAX && host.now() >= deadline {
                self.has_looked_in_vain();
                return Ok(None);
            }
            self.looked.set(false);
            if let Some(found) = self.linger(event, &mut look) {
                return Ok(Some(found));
            }
            let since = host.now();
            *host.waiting[self.id as usize].lock() = Some(Waiting { since, what_for: what_for() });
            parker.prepare(event);
            let found = look();
            if found.is_some() || crew.is_stopped() {
                if !parker.cancel() {
                    // Somebody has counted this thread as woken.
                    crew.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else if let Some(instant) = instant {
                // A thread with a deadline goes on by itself, so it is not counted out.
                if parker.sleep_until(instant) {
                    crew.awake.fetch_sub(1, Ordering::AcqRel);
                }
            } else {
                host.retire();
                parker.sleep();
            }
            *host.waiting[self.id as usize].lock() = None;
            self.local.borrow_mut().record.waiting += host.now().since(since);
            if let Some(found) = found.or_else(&mut look) {
                return Ok(Some(found));
            }
        }
    }

    /// Looks for a moment before the thread sleeps, as what is awaited may be about to come.
    fn linger<T>(&self, event: u32, look: &mut impl FnMut() -> Option<T>) -> Option<T> {
        // No message tells that all have come to a barrier.
        let may_be_there =
            || event == BARRIER || self.has_mail() || self.has_news() || self.host.crew.is_stopped();
        for _ in 0..self.host.looks {
            if may_be_there()
                && let Some(found) = look()
            {
                return Some(found);
            }
            spin_loop();
        }
        let began = Instant::now();
        while began.elapsed() < self.host.linger && !self.host.crew.is_stopped() {
            yield_now();
            if may_be_there()
                && let Some(found) = look()
            {
                return Some(found);
            }
        }
        None
    }

    /// The program has looked in vain. From the second time in a row on it gives its core away where others may lack it.
    pub(super) fn has_looked_in_vain(&self) {
        if self.host.is_crowded() && self.looked.replace(true) {
            yield_now();
        }
    }
}
