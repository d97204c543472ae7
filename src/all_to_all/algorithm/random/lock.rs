//! The lock of a receiver, and its estimate of the time at which it is free.

use super::Improvements;
use crate::{
    all_to_all::Instance,
    rank::Rank,
    time::{Span, Time},
};

/// Reply of a receiver to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Go-ahead: the message can be sent.
    Go,
    /// Refusal, with the time to wait before the next query, if known.
    Busy(Option<Span>),
}

/// A go-ahead, and the estimated end of its transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grant {
    from: Rank,
    /// Estimated instant at which the last byte has moved.
    ends: Time,
}

/// The lock of a node, held while the node is receiving.
#[derive(Debug, Default)]
pub(super) struct Lock {
    held: Option<Grant>,
    /// The early go-ahead, given while the lock is held.
    next: Option<Grant>,
}

impl Lock {
    /// Tests and sets the lock for a message of `bytes` bytes.
    pub(super) fn ask(&mut self, now: Time, from: Rank, bytes: u64, times: &Times) -> Answer {
        // Estimated instant at which the first byte begins to move.
        let begins = now + times.start[from];
        let grant = |begins: Time| Some(Grant { from, ends: begins + times.transfer(bytes) });
        let Improvements { measured, early } = times.improvements;
        let Some(held) = self.held else {
            self.held = grant(begins);
            return Answer::Go;
        };
        // If the current transfer is overdue, the pending transfer is not about to end, whatever its estimate. So at most one early
        // go-ahead is pending.
        if early && self.next.is_none() && held.ends <= begins {
            self.next = grant(begins);
            return Answer::Go;
        }
        let last = self.next.unwrap_or(held);
        let free_at = match early {
            true => last.ends - times.start[from],
            false => last.ends + times.end[last.from],
        };
        Answer::Busy(Some(free_at.since(now)).filter(|rest| measured && !rest.is_zero()))
    }

    /// Frees the lock after the message of `from` has arrived. This message may have overtaken the message with the earlier go-ahead.
    pub(super) fn release(&mut self, from: Rank) {
        if self.held.is_some_and(|grant| grant.from == from) {
            self.held = self.next.take();
        } else if self.next.is_some_and(|grant| grant.from == from) {
            self.next = None;
        }
    }

    /// Returns the senders with a go-ahead.
    pub(super) fn senders(&self) -> impl Iterator<Item = Rank> + use<> {
        self.held.into_iter().chain(self.next).map(|grant| grant.from)
    }
}

/// Times of replies and transfers without contention.
#[derive(Debug)]
pub(super) struct Times {
    improvements: Improvements,
    /// Time from the reply to each rank until the bytes of this rank begin to move.
    start: Vec<Span>,
    /// Time from the departure of the last byte at each rank until its message has been received.
    end: Vec<Span>,
    beta: f64,
}

impl Times {
    /// Computes the times for queries to `rank`.
    pub(super) fn new(instance: &Instance, rank: Rank, improvements: Improvements) -> Times {
        let (parameters, members) = (instance.parameters(), instance.members());
        let topology = instance.machine().topology();
        let mut route = Vec::new();
        let mut links = |from: Rank, to: Rank| {
            route.clear();
            topology.route(members[from], members[to], &mut route);
            route.len()
        };
        let mut start = Vec::new();
        let mut end = Vec::new();
        for other in 0..instance.size() {
            start.push(parameters.active_trip(links(rank, other)) + parameters.send_overhead());
            let way = parameters.latency() + parameters.hop().times(links(other, rank) as u64);
            end.push(way + parameters.receive_overhead());
        }
        Times { improvements, start, end, beta: parameters.beta() }
    }

    fn transfer(&self, bytes: u64) -> Span {
        Span::from_secs_f64(bytes as f64 * self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Span = Span::from_micros;

    /// Times of 10 us from a reply to the first byte, 5 us from the last byte to the end of the receive, and 1 us per byte.
    fn times(measured: bool, early: bool) -> Times {
        let improvements = Improvements { measured, early };
        Times { improvements, start: vec![US(10); 4], end: vec![US(5); 4], beta: 1e-6 }
    }

    fn at(micros: u64) -> Time {
        Time::ZERO + US(micros)
    }

    fn busy(micros: u64) -> Answer {
        Answer::Busy(Some(US(micros)))
    }

    #[test]
    fn a_lock_is_taken_by_one_and_freed_by_its_message() {
        let (mut lock, times) = (Lock::default(), times(false, false));
        assert_eq!(lock.ask(at(0), 1, 100, &times), Answer::Go);
        assert_eq!(lock.ask(at(109), 2, 100, &times), Answer::Busy(None));
        assert_eq!(lock.ask(at(500), 2, 100, &times), Answer::Busy(None));
        lock.release(1);
        assert_eq!(lock.ask(at(501), 3, 100, &times), Answer::Go);
    }

    #[test]
    fn a_busy_receiver_answers_with_its_estimated_remaining_time() {
        let (mut lock, times) = (Lock::default(), times(true, false));
        assert_eq!(lock.ask(at(0), 1, 100, &times), Answer::Go);
        assert_eq!(lock.ask(at(40), 2, 100, &times), busy(75));
        assert_eq!(lock.ask(at(114), 2, 100, &times), busy(1));
        assert_eq!(lock.ask(at(115), 2, 100, &times), Answer::Busy(None));
    }

    #[test]
    fn one_go_ahead_is_given_when_the_transfer_is_about_to_end() {
        let (mut lock, times) = (Lock::default(), times(true, true));
        assert_eq!(lock.ask(at(0), 1, 100, &times), Answer::Go);
        assert_eq!(lock.ask(at(99), 2, 30, &times), busy(1));
        assert_eq!(lock.ask(at(100), 2, 30, &times), Answer::Go);
        assert_eq!(lock.ask(at(101), 3, 30, &times), busy(29));
        assert_eq!(lock.senders().collect::<Vec<_>>(), [1, 2]);
        lock.release(1);
        assert_eq!(lock.ask(at(130), 3, 30, &times), Answer::Go);
    }

    #[test]
    fn the_message_of_a_later_request_may_arrive_first() {
        let (mut lock, times) = (Lock::default(), times(true, true));
        assert_eq!(lock.ask(at(0), 1, 100, &times), Answer::Go);
        assert_eq!(lock.ask(at(100), 2, 1, &times), Answer::Go);
        lock.release(2);
        assert_eq!(lock.senders().collect::<Vec<_>>(), [1]);
        assert_eq!(lock.ask(at(150), 2, 1, &times), Answer::Go);
        lock.release(1);
        assert_eq!(lock.senders().collect::<Vec<_>>(), [2]);
    }
}
