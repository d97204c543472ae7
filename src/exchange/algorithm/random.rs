//! *Random*: everybody sends when the receiver has time, which it is asked: distributed random scheduling.
//!
//! **What it does.** Every node has a lock that says whether it is receiving. Who has something to send asks one of its
//! receivers, chosen at random, by an active message that tests and sets the lock. If it was free the message is sent,
//! and its arrival frees the lock; if not, another receiver is asked. The paper's two improvements, each by itself or
//! both:
//!
//! - *measured*: a busy receiver says when it is worth asking again. It is left alone so long, and who gets that answer
//!   from all sleeps until the first of them is worth it.
//! - *early*: a receiver gives its go-ahead when the transfer under way is about to end, so that the bytes of the next
//!   message begin to move when its port is free. One go-ahead is given early, no more.
//!
//! When a transfer ends is estimated, from its go-ahead on: the answer's way, the start-up of the message, and its
//! bytes as fast as a port is. Where messages share links it takes longer. Nothing but time depends on the estimate: a
//! go-ahead that is too early makes two messages share a port, and a receiver whose transfer should have ended, but has
//! not, says that it cannot tell for how long it will be busy.
//!
//! **Asking again.** In the paper a node that is refused tries another receiver, and at once, so with one receiver left
//! it asks that one again and again. Here a receiver that does not say for how long it is busy is left alone for 1/32
//! of the time since the node last sent, at least a picosecond. At first this is less than a question takes, so there
//! is no pause; later a node finds its receiver free too late by at most some 3 % of its waiting, and it asks a number
//! of times that grows with the logarithm of the wait. So time always goes on, even where active messages cost nothing,
//! and the host has little work.
//!
//! **No deadlock.** A node waits for the answer to one question at a time and answers all others meanwhile, as it does
//! in all its waiting. It sends as soon as it has a go-ahead, so it holds the lock of one receiver at most and waits
//! for no other. Every lock is free again when the message has come, for which a receive is posted with the go-ahead;
//! so some message always moves or some lock is free. No question comes too early: all have told all others the lengths
//! by then.
//!
//! **Restrictions.** It needs active messages, and what it takes is only known from a run.
//!
//! **Cost.** At least two active messages and alpha for each message; with many messages a node little more than `t
//! beta` in all, with two about half as much again.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section
//! 5; J.-C. Wang, T.-H. Lin, S. Ranka, "Distributed scheduling of unstructured collective communication on the CM-5",
//! HICSS 1993.

mod lock;

use std::cell::{Cell, RefCell};

use self::lock::{Answer, Lock, Times};
use super::{
    super::{
        ExchangeError, Instance, Matrix, PlanError,
        planner::Variant,
        procedure::{Draft, Procedure, Transport},
        rounds::stage::Stage,
    },
    Algorithm, Entry, Planning, bruck, seeded,
};
use crate::{
    comm::{Active, ActiveMessage, Handling, Reactions, Waited},
    payload::Payload,
    random::RandomNumbers,
    rank::{Rank, Tag},
    time::{Span, Time},
    wire::RequestId,
};

static RANDOM: Entry = Entry::new("random", |planning| with(planning, false, false))
    .about("distributed random scheduling: whoever has time is asked, by active messages")
    .source("Ranka, Shankar, Alsabti 1995, section 5; Wang, Lin, Ranka 1993")
    .cost("about `h (alpha + 2 (a_s + a_r)) + t beta` at least")
    .unpredictable();

static MEASURED: Entry = Entry::new("measured", |planning| with(planning, true, false))
    .about("random, where busy nodes say for how long")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("that of `random`")
    .unpredictable();

static EARLY: Entry = Entry::new("early", |planning| with(planning, false, true))
    .about("random, where nodes give their go-ahead shortly before they are free")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("that of `random`")
    .unpredictable();

static IMPROVED: Entry = Entry::new("improved", |planning| with(planning, true, true))
    .about("random, where nodes do both")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("that of `random`")
    .unpredictable();

impl Algorithm {
    /// Distributed random scheduling, with seed 1.
    pub const RANDOM: Algorithm = seeded(&RANDOM);
    /// Random scheduling where a busy receiver says for how long: the first of the paper's improvements. With seed 1.
    pub const MEASURED: Algorithm = seeded(&MEASURED);
    /// Random scheduling where a receiver gives its go-ahead before it is free: the second improvement. With seed 1.
    pub const EARLY: Algorithm = seeded(&EARLY);
    /// Random scheduling with both improvements, with seed 1.
    pub const IMPROVED: Algorithm = seeded(&IMPROVED);
}

/// With some of the improvements.
fn with(planning: &Planning<'_>, measured: bool, early: bool) -> Result<Vec<Variant>, PlanError> {
    let (seed, improvements) = (planning.parameter.unwrap_or(0), Improvements { measured, early });
    let make = move |instance: &Instance| Ok(Draft::by(Random::new(instance.clone(), seed, improvements)));
    Ok(vec![Variant::new("", make)])
}

/// The improvements of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Improvements {
    /// Whether receivers say how long they are busy.
    pub(super) measured: bool,
    /// Whether they give their go-ahead early.
    pub(super) early: bool,
}

/// An exchange of counts, and then questions and messages.
#[derive(Debug)]
pub(super) struct Random {
    instance: Instance,
    counts: Stage,
    /// The seed of all choices.
    seed: u64,
    improvements: Improvements,
}

impl Random {
    /// The data of the instance, by random scheduling.
    pub(super) fn new(instance: Instance, seed: u64, improvements: Improvements) -> Random {
        let counts = bruck::counts(instance.size());
        Random { instance, counts, seed, improvements }
    }
}

const ASK: Tag = Tag::named(b"Asks");
const GO: Tag = Tag::named(b"Goes");
const BUSY: Tag = Tag::named(b"Busy");

/// The part of the time since the node last sent for which a receiver is left alone that does not say how long it is
/// busy.
const PAUSE: u64 = 32;

/// The messages that are to come, and those that have.
struct Incoming<'a> {
    matrix: &'a Matrix,
    rank: Rank,
    lock: &'a RefCell<Lock>,
    tag: Tag,
    /// The receive for the message of each rank that has a go-ahead, until that has come. It is not posted earlier: a
    /// receive that a send of its node overlaps may cost extra.
    posted: Vec<Option<RequestId>>,
    /// The number of messages that are still to come.
    missing: usize,
    came: Vec<Payload>,
}

impl Incoming<'_> {
    /// Waits for one thing to happen until a deadline, for a message sent to leave among others.
    fn wait(
        &mut self,
        active: &Active<'_, '_, impl FnMut(&mut Reactions, ActiveMessage)>,
        sent: Option<RequestId>,
        deadline: Time,
    ) -> Result<Waited, ExchangeError> {
        let expected: Vec<Rank> = self.lock.borrow().senders().collect();
        let mut receives: Vec<(Rank, RequestId)> = Vec::with_capacity(expected.len());
        for from in expected {
            let request = match self.posted[from] {
                Some(request) => request,
                None => active.post((from, self.tag))?,
            };
            self.posted[from] = Some(request);
            receives.push((from, request));
        }
        let requests: Vec<RequestId> = receives.iter().map(|&(_, request)| request).collect();
        let waited = active.first_of(&requests, sent, deadline)?;
        if let Waited::Received { index, message, .. } = &waited {
            let (from, _) = receives[*index];
            let (given, expected) = (message.len(), self.matrix.get(from, self.rank));
            if given != expected {
                return Err(ExchangeError::Received { from, given, expected });
            }
            self.posted[from] = None;
            self.missing -= 1;
            self.lock.borrow_mut().release(from);
            self.came[from] = message.payload.clone();
        }
        Ok(waited)
    }

    fn is_complete(&self) -> bool {
        self.missing == 0
    }
}

/// The receivers that are still to be sent something, and when each is worth asking.
struct Targets {
    left: Vec<Rank>,
    quiet: Vec<Time>,
    random: RandomNumbers,
    /// The instant at which the node last sent.
    since: Time,
}

impl Targets {
    /// The place of one that is worth asking now; or the instant at which the first of them will be.
    fn choose(&mut self, now: Time) -> Result<usize, Time> {
        let worth: Vec<usize> =
            (0..self.left.len()).filter(|&place| self.quiet[self.left[place]] <= now).collect();
        match worth.len() {
            0 => Err(self.left.iter().map(|&to| self.quiet[to]).min().unwrap_or(now)),
            count => Ok(worth[self.random.below(count)]),
        }
    }

    /// Leaves a receiver alone that was asked at `asked` and is busy: until `rest` after that if it says so.
    fn busy(&mut self, to: Rank, asked: Time, rest: Option<Span>, now: Time) {
        let pause = Span::from_picos((now.since(self.since).as_picos() / PAUSE).max(1));
        let said = rest.map(|rest| asked + rest).filter(|&until| until > now);
        self.quiet[to] = said.unwrap_or(now + pause);
    }
}

impl Procedure for Random {
    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let matrix = self.instance.matrix();
        self.counts.exchange_counts(transport, matrix)?;
        let (group, tag) = (transport.group, transport.tag);
        let (rank, size) = (group.rank(), group.size());
        let times = Times::new(&self.instance, rank, self.improvements);
        let lock = RefCell::new(Lock::default());
        let answer = Cell::new(None);
        let handler = |reactions: &mut Reactions, message: ActiveMessage| {
            let [word, _] = message.words;
            match message.tag {
                ASK => {
                    let reply = lock.borrow_mut().ask(reactions.now(), message.source, word, &times);
                    let (tag, word) = match reply {
                        Answer::Go => (GO, 0),
                        Answer::Busy(rest) => (BUSY, rest.map_or(0, Span::as_picos)),
                    };
                    reactions.send((message.source, tag), [word, 0]);
                }
                GO => answer.set(Some(Answer::Go)),
                _ => answer
                    .set(Some(Answer::Busy(Some(Span::from_picos(word)).filter(|rest| !rest.is_zero())))),
            }
        };
        let active = Active::new(group, Handling::Polled, handler)?;
        let missing = (0..size).filter(|&from| from != rank && matrix.get(from, rank) > 0).count();
        let (posted, came) = (vec![None; size], vec![Payload::empty(); size]);
        let mut incoming = Incoming { matrix, rank, lock: &lock, tag, posted, missing, came };
        // Not the stream of the generator, should both have the same seed.
        let random = RandomNumbers::new(self.seed.wrapping_add((rank as u64 + 1) << 32));
        let left = (0..size).filter(|&to| to != rank && matrix.get(rank, to) > 0).collect();
        let mut targets = Targets { left, quiet: vec![Time::ZERO; size], random, since: Time::ZERO };
        let mut now = Time::ZERO;
        let mut has_asked = false;
        while !targets.left.is_empty() {
            let chosen = match targets.choose(now) {
                Ok(chosen) => chosen,
                Err(until) => {
                    now = incoming.wait(&active, None, until)?.at();
                    continue;
                }
            };
            let to = targets.left[chosen];
            let asked = active.send_at((to, ASK), [matrix.get(rank, to), 0])?;
            if !has_asked {
                (has_asked, targets.since) = (true, asked);
            }
            let reply = loop {
                if let Some(reply) = answer.take() {
                    break reply;
                }
                now = incoming.wait(&active, None, Time::MAX)?.at();
            };
            match reply {
                Answer::Go => {
                    targets.left.swap_remove(chosen);
                    let request = active.start_data((to, tag), outgoing[to].clone())?;
                    now = loop {
                        if let Waited::Sent { at } = incoming.wait(&active, Some(request), Time::MAX)? {
                            break at;
                        }
                    };
                    targets.since = now;
                }
                Answer::Busy(rest) => targets.busy(to, asked, rest, now),
            }
        }
        while !incoming.is_complete() {
            incoming.wait(&active, None, Time::MAX)?;
        }
        Ok(incoming.came)
    }
}
