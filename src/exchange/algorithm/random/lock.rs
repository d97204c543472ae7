//! The lock of a receiver, and its estimate of when it will be free.

use super::Improvements;
use crate::{
    exchange::Instance,
    rank::Rank,
    time::{Span, Time},
};

/// Answer of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The message may come.
    Go,
    /// It may not; it is worth asking again this much later, if that can be told.
    Busy(Option<Span>),
}

/// A go-ahead that has been given, and for whose message the lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grant {
    from: Rank,
    /// The instant at which its last byte will have moved, by the estimate.
    ends: Time,
}

/// The lock of a node, which is held while it is receiving.
#[derive(Debug, Default)]
pub(super) struct Lock {
    held: Option<Grant>,
    /// The sender that has been given an early go-ahead.
    next: Option<Grant>,
}

impl Lock {
    /// Tests and sets the lock for a message of `bytes` bytes.
    pub(super) fn ask(&mut self, now: Time, from: Rank, bytes: u64, times: &Times) -> Answer {
        // When the first byte would begin to move, and the last have moved.
        let begins = now + times.start[from];
        let grant = |begins: Time| Some(Grant { from, ends: begins + times.transfer(bytes) });
        let Improvements { measured, early } = times.improvements;
        let Some(held) = self.held else {
            self.held = grant(begins);
            return Answer::Go;
        };
        // A transfer that should be over is not about to end if the one before it is still under way, too.
        if early && self.next.is_none() && held.ends <= begins {
            self.next = grant(begins);
            return Answer::Go;
        }
        let last = self.next.unwrap_or(held);
        let worth = match early {
            true => last.ends - times.start[from],
            false => last.ends + times.end[last.from],
        };
        Answer::Busy(Some(worth.since(now)).filter(|rest| measured && !rest.is_zero()))
    }

    /// Frees the lock, as the message of `from` has come. It may have overtaken that of who had its go-ahead earlier.
    pub(super) fn release(&mut self, from: Rank) {
        if self.held.is_some_and(|grant| grant.from == from) {
            self.held = self.next.take();
        } else if self.next.is_some_and(|grant| grant.from == from) {
            self.next = None;
        }
    }

    /// The senders that have a go-ahead.
    pub(super) fn senders(&self) -> impl Iterator<Item = Rank> + use<> {
        self.held.into_iter().chain(self.next).map(|grant| grant.from)
    }
}

/// Times of answers and transfers where nothing is in their way.
#[derive(Debug)]
pub(super) struct Times {
    improvements: Improvements,
    /// From the answer to a rank to when its bytes begin to move.
    start: Vec<Span>,
    /// From when the last byte of a rank has moved to when its message has been received.
    end: Vec<Span>,
    beta: f64,
}

impl Times {
    /// For questions to this rank.
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

    /// Ten microseconds from an answer to the first byte, five from the last byte to the end of the receive, one for a
    /// byte.
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
    fn a_busy_receiver_says_for_how_long_as_far_as_it_can_tell() {
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
    fn who_comes_later_may_be_there_first() {
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
