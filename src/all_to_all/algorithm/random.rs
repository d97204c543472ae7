//! *Random*: distributed random scheduling. A node queries a receiver and sends as soon as the receiver is free.
//!
//! **What it does.** Every node has a lock that shows whether it is receiving. A node with messages to send picks one of its receivers at
//! random and sends it an active message that tests and sets the lock. If the lock was free, the message is sent, and its arrival frees
//! the lock; if not, another receiver is queried. The paper's two improvements can be used separately or together:
//!
//! - *measured*: a busy receiver replies with the time to wait before the next query. No query is sent earlier. A node with such replies
//!   from all its receivers sleeps until the earliest of these instants.
//! - *early*: a receiver gives its go-ahead shortly before the current transfer ends, so that the bytes of the next message begin to move
//!   when its port is free. At most one go-ahead is given early.
//!
//! The end of a transfer is estimated from its go-ahead: the transit of the reply, the start-up of the message, and its bytes at port
//! speed. Messages that share links take longer. The estimate affects only the timing. If a go-ahead is too early, two messages share a
//! port. If a transfer has not ended at its estimated end, the receiver replies that the remaining time is unknown.
//!
//! **Repeated queries.** In the paper a refused node queries another receiver at once, so with one receiver left it queries this one
//! continuously. Here, if a receiver does not report its remaining time, the node does not query it again for 1/32 of the time since the
//! node last sent, at least a picosecond. At first this is less than the time of a query, so there is no pause. Later a node finds a free
//! receiver too late by at most some 3 % of its waiting time, and the number of queries grows with the logarithm of the wait. So time
//! always advances, even where active messages cost nothing, and the work of the host is small.
//!
//! **No deadlock.** A node waits for the reply to one query at a time, and answers all incoming queries while it waits. It sends as soon as
//! it has a go-ahead, so it holds the lock of at most one receiver and waits for no other lock. Every lock is freed when the message has
//! arrived, for which a receive is posted with the go-ahead. So some message is always in transit or some lock is free. No query comes too
//! early, because the lengths are exchanged first.
//!
//! **Restrictions.** Needs active messages. The steps depend on the run, so there is no prediction.
//!
//! **Cost.** At least two active messages and alpha for each message. The total is little more than `t beta` with many messages per node,
//! and about `1.5 t beta` with two.
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
    .aliases(&["distributed-random-scheduling"])
    .about("distributed random scheduling: senders query receivers, and send to one that is free")
    .source("Ranka, Shankar, Alsabti 1995, section 5; Wang, Lin, Ranka 1993")
    .cost("at least about `h (alpha + 2 (a_s + a_r)) + t beta`")
    .unpredictable();

static MEASURED: Entry = Entry::new("measured", |planning| with(planning, true, false))
    .about("`random`, where a busy node replies how long it will be busy")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("as `random`")
    .unpredictable();

static EARLY: Entry = Entry::new("early", |planning| with(planning, false, true))
    .about("`random`, where a node grants a transfer shortly before it is free")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("as `random`")
    .unpredictable();

static IMPROVED: Entry = Entry::new("improved", |planning| with(planning, true, true))
    .about("`random` with the changes of both `measured` and `early`")
    .source("Ranka, Shankar, Alsabti 1995, section 5")
    .cost("as `random`")
    .unpredictable();

impl Algorithm {
    /// Distributed random scheduling, with seed 1.
    pub const RANDOM: Algorithm = seeded(&RANDOM);
    /// Random scheduling in which a busy receiver reports its remaining time: the first improvement of the paper. With seed 1.
    pub const MEASURED: Algorithm = seeded(&MEASURED);
    /// Random scheduling in which a receiver gives its go-ahead before it is free: the second improvement. With seed 1.
    pub const EARLY: Algorithm = seeded(&EARLY);
    /// Random scheduling with both improvements, with seed 1.
    pub const IMPROVED: Algorithm = seeded(&IMPROVED);
}

/// Returns the variant with the given improvements.
fn with(planning: &Planning<'_>, measured: bool, early: bool) -> Result<Vec<Variant>, PlanError> {
    let (seed, improvements) = (planning.parameter.unwrap_or(0), Improvements { measured, early });
    let make = move |instance: &Instance| Ok(Draft::by(Random::new(instance.clone(), seed, improvements)));
    Ok(vec![Variant::new("", make)])
}

/// Which improvements of the paper are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Improvements {
    /// Whether receivers report how long they remain busy.
    pub(super) measured: bool,
    /// Whether receivers give their go-ahead early.
    pub(super) early: bool,
}

/// Random scheduling: an exchange of counts, followed by queries and messages.
#[derive(Debug)]
pub(super) struct Random {
    instance: Instance,
    counts: Stage,
    /// Seed of all random choices.
    seed: u64,
    improvements: Improvements,
}

impl Random {
    /// Creates the random scheduling of an instance's messages.
    pub(super) fn new(instance: Instance, seed: u64, improvements: Improvements) -> Random {
        let counts = bruck::counts(instance.size());
        Random { instance, counts, seed, improvements }
    }
}

const ASK: Tag = Tag::named(b"Asks");
const GO: Tag = Tag::named(b"Goes");
const BUSY: Tag = Tag::named(b"Busy");

/// Divisor of the time since the node last sent. The quotient is the pause before the next query to a receiver that does not report its
/// remaining time.
const PAUSE: u64 = 32;

/// Messages that this node expects and has received.
struct Incoming<'a> {
    matrix: &'a Matrix,
    rank: Rank,
    lock: &'a RefCell<Lock>,
    tag: Tag,
    /// The posted receive for each rank with a go-ahead, until its message has arrived. Receives are not posted earlier, because a
    /// receive that overlaps a send of its node may cost extra.
    posted: Vec<Option<RequestId>>,
    /// The number of messages still to arrive.
    missing: usize,
    came: Vec<Payload>,
}

impl Incoming<'_> {
    /// Waits for one event, at most until `deadline`. The departure of the message `sent` is an event, too.
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

/// The receivers that still need a message, and the earliest time of the next query to each.
struct Targets {
    left: Vec<Rank>,
    quiet: Vec<Time>,
    random: RandomNumbers,
    /// The instant at which the node last sent.
    since: Time,
}

impl Targets {
    /// Returns the index of a random receiver that may be queried now, or the earliest instant at which a receiver may be queried.
    fn choose(&mut self, now: Time) -> Result<usize, Time> {
        let ready: Vec<usize> =
            (0..self.left.len()).filter(|&place| self.quiet[self.left[place]] <= now).collect();
        match ready.len() {
            0 => Err(self.left.iter().map(|&to| self.quiet[to]).min().unwrap_or(now)),
            count => Ok(ready[self.random.below(count)]),
        }
    }

    /// Postpones queries to a receiver that was queried at `asked` and is busy: until `asked + rest` if it reports its remaining time
    /// `rest`.
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
        // The offset separates these random numbers from those of the matrix generator with the same seed.
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
