//! The search for all executions: dynamic partial-order reduction over the decisions of runs.
//!
//! The algorithm is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: *Truly stateless, optimal dynamic partial order reduction*, POPL
//! 2022), in the form for messages of Must (Enea, Giannakopoulou, Kokologiannakis, Majumdar: *Model checking distributed protocols in Must*,
//! OOPSLA 2024). An execution is built event by event. Where a decision is added, every other choice that is there already is a *forward*
//! alternative. Where a message or a completed request is added, it becomes a choice of the decisions made before that it does not follow: a
//! *backward* alternative, in which the events since that decision are removed, unless the new event follows them. Many executions lead to
//! one and the same backward alternative; it is taken from the one in which all removed decisions are *default* ones. So every execution is
//! reached in exactly one way, and nothing needs to be remembered.
//!
//! Here one run of the program adds a whole sequence of events: those of the given decisions, then those of the decisions that modeled time
//! makes. The alternatives of the latter are the next runs.

use super::{
    graph::{End, EventId, Events, Graph},
    log::{Decision, Entry, Pick, RankLog, RankScript, Receive, Took, set},
    order::Waits,
};

/// A part of an execution: events in the order in which they were added, and all decisions among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix {
    order: Vec<EventId>,
    /// The decision that was made last: all others were the same in another run.
    changed: Option<EventId>,
    pub(super) script: Vec<RankScript>,
}

/// The program did not repeat what it did in another run with the same decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Differs {
    pub(super) rank: usize,
}

/// Returns all decisions of a run.
pub(super) fn decisions(ranks: &[RankLog]) -> Vec<RankScript> {
    let decided = |log: &RankLog| {
        let receives = log.receives.iter().map(|receive| match receive.took? {
            _ if receive.withdrawn => None,
            Took::Message(id) => Some(Decision::From(id.source)),
            Took::Saw(source) => Some(Decision::From(source)),
            Took::Nothing => Some(Decision::Nothing),
        });
        let picks = log.picks.iter().map(|pick| Some(pick.outcome));
        RankScript { receives: receives.collect(), picks: picks.collect() }
    };
    ranks.iter().map(decided).collect()
}

/// If a run would end in a deadlock if calls waited that need not wait, returns which calls, as few as possible, and the decisions up to there; `None`
/// otherwise. `may_wait` tells which calls may wait, `is_done` whether all ranks have ended.
pub(super) fn stuck_if_calls_wait(
    ranks: &[RankLog],
    may_wait: Waits,
    is_done: bool,
) -> Option<(Waits, Vec<RankScript>)> {
    let graph = Graph::of(ranks);
    let calls = may_wait.calls && graph.has_meetings();
    let all = Waits { sends: may_wait.sends, calls };
    if matches!(graph.end_if(all, is_done), End::Done) {
        // Then all ranks end if less calls wait, too.
        return None;
    }
    let only_sends = Waits { calls: false, ..all };
    let only_calls = Waits { sends: false, ..all };
    [only_sends, only_calls, all].into_iter().filter(|waits| *waits != Waits::default()).find_map(|waits| {
        let End::Stuck(there) = graph.end_if(waits, is_done) else { return None };
        let order: Vec<usize> = (0..graph.len()).filter(|&event| there.has(event)).collect();
        Some((waits, script(&graph, &order, None)))
    })
}

/// The decisions among some events, one of them replaced.
fn script(graph: &Graph<'_>, order: &[usize], changed: Option<(usize, Decision)>) -> Vec<RankScript> {
    let mut script = vec![RankScript::default(); graph.ranks.len()];
    for &event in order {
        let changed = changed.filter(|&(other, _)| other == event).map(|(_, decision)| decision);
        let Some(made) = changed.or_else(|| graph.decision(event)) else { continue };
        if let Some((rank, number, _)) = graph.pick(event) {
            set(&mut script[rank as usize].picks, number, made);
        } else if let Some((rank, number, _)) = graph.receive(event) {
            set(&mut script[rank as usize].receives, number, made);
        }
    }
    script
}

/// The largest number of events of a run whose alternatives are searched: the memory grows with its square.
const MAX_EVENTS: usize = 1 << 16;

/// The alternatives of a run.
#[derive(Debug, Default)]
pub(super) struct Alternatives {
    pub(super) prefixes: Vec<Prefix>,
    /// The number of others that are known, and dropped because there is no room for them.
    pub(super) dropped: u64,
    room: usize,
}

impl Alternatives {
    fn push(&mut self, prefix: Prefix) {
        match self.room.checked_sub(prefix.events()) {
            Some(room) => {
                self.room = room;
                self.prefixes.push(prefix);
            }
            None => self.dropped += 1,
        }
    }
}

impl Prefix {
    /// The number of events, in which its memory is measured.
    pub(super) fn events(&self) -> usize {
        self.order.len()
    }
}

/// Returns the alternatives of the decisions that a run has made beyond those of its prefix, as many as have together no more events than there is
/// room for.
///
/// # Errors
/// [`Differs`] if the run does not begin with the prefix.
pub(super) fn alternatives(ranks: &[RankLog], prefix: &Prefix, room: usize) -> Result<Alternatives, Differs> {
    let is_open =
        |log: &RankLog| log.receives.iter().any(Receive::is_open) || log.picks.iter().any(Pick::is_open);
    if prefix.order.is_empty() && !ranks.iter().any(is_open) {
        return Ok(Alternatives::default());
    }
    let mut graph = Graph::of(ranks);
    if graph.len() > MAX_EVENTS {
        let open = (0..graph.len()).filter(|&event| graph.is_open(event)).count();
        return Ok(Alternatives { dropped: open as u64, ..Alternatives::default() });
    }
    graph.find_past();
    let graph = graph;
    let mut order = Vec::with_capacity(graph.len());
    for id in &prefix.order {
        let (EventId::Step(rank, _) | EventId::Match(rank, _)) = *id;
        let differs = Differs { rank: rank as usize };
        let event = *graph.numbers.get(id).ok_or(differs)?;
        if graph.decision(event) != forced(&graph, event, &prefix.script) {
            return Err(differs);
        }
        order.push(event);
    }
    let order = graph.causal_order(&order, |_| true);
    let mut place = vec![usize::MAX; graph.len()];
    order.iter().enumerate().for_each(|(at, &event)| place[event] = at);
    let open = order.iter().copied().filter(|&event| graph.is_open(event)).collect();
    let search = Search { graph: &graph, order: &order, place: &place, open };
    let mut found = Alternatives { room, ..Alternatives::default() };
    let begin = prefix.order.len();
    if let Some(changed) = prefix.changed.and_then(|id| graph.numbers.get(&id)) {
        // A match may be the reason for a pick.
        search.backward(*changed, begin, &mut found);
    }
    for (at, &event) in order.iter().enumerate().skip(begin) {
        search.forward(at, &mut found);
        search.backward(event, at, &mut found);
    }
    Ok(found)
}

/// The decision that a script prescribes for an event.
fn forced(graph: &Graph<'_>, event: usize, script: &[RankScript]) -> Option<Decision> {
    let of = |rank: u32| script.get(rank as usize);
    if let Some((rank, number, _)) = graph.pick(event) {
        return of(rank)?.picks.get(number).copied().flatten();
    }
    let (rank, number, _) = graph.receive(event)?;
    of(rank)?.receives.get(number).copied().flatten()
}

/// A run, and the order in which its events are added.
struct Search<'g> {
    graph: &'g Graph<'g>,
    order: &'g [usize],
    /// The place of each event in the order.
    place: &'g [usize],
    /// The events for which other decisions are tried, in this order.
    open: Vec<usize>,
}

impl Search<'_> {
    /// Adds the other choices of the decision at a place.
    fn forward(&self, at: usize, found: &mut Alternatives) {
        let event = self.order[at];
        if !self.graph.is_open(event) {
            return;
        }
        let made = self.graph.decision(event);
        for (decision, _) in self.graph.choices(event, |other| self.place[other] < at) {
            if made != Some(decision) {
                found.push(self.prefix(&self.order[..=at], event, decision));
            }
        }
    }

    /// Adds the earlier decisions for which an event makes a new choice possible. The events before a place have been added before it, or it was
    /// changed after them.
    fn backward(&self, new: usize, at: usize, found: &mut Alternatives) {
        let graph = self.graph;
        let concerned = match (graph.ids[new], graph.entry(new)) {
            (EventId::Step(..), Some(&Entry::Send { target, .. })) => target,
            (EventId::Match(rank, _) | EventId::Step(rank, _), _) => rank,
        };
        for &event in self.open.iter().take_while(|&&event| self.place[event] < at) {
            let (EventId::Match(rank, _) | EventId::Step(rank, _)) = graph.ids[event];
            let is_match_of_sender = graph.pick(event).is_some();
            if (rank != concerned && !is_match_of_sender) || event == new {
                continue;
            }
            if graph.past[new].has(event) {
                continue;
            }
            for (decision, needed) in graph.choices_because_of(new, event) {
                self.revisited(event, decision, &needed, new, at)
                    .into_iter()
                    .for_each(|prefix| found.push(prefix));
            }
        }
    }

    /// Returns the prefix in which an earlier decision takes a choice that needs some events, of which `new` was added last, if this is the run
    /// from which it is to be reached.
    fn revisited(
        &self,
        event: usize,
        decision: Decision,
        needed: &[usize],
        new: usize,
        at: usize,
    ) -> Option<Prefix> {
        let graph = self.graph;
        if needed.iter().any(|&other| other != new && self.place[other] >= at) {
            return None;
        }
        let mut past = Events::none(graph.len());
        for &other in needed {
            past.add(other);
            past.add_all(&graph.past[other]);
        }
        if past.has(event) {
            return None;
        }
        let is_default = |other: usize| {
            let previous =
                |known: usize| known != new && (self.place[known] <= self.place[other] || past.has(known));
            if graph.is_used(other, previous) {
                return false;
            }
            !graph.is_open(other)
                || graph.choices(other, previous).first().map(|choice| choice.0) == graph.decision(other)
        };
        let is_removed = |other: usize| self.place[other] > self.place[event] && !past.has(other);
        let added = &self.order[..at];
        if !is_default(event) || !added.iter().all(|&other| !is_removed(other) || is_default(other)) {
            return None;
        }
        let mut order: Vec<usize> = added.iter().copied().filter(|&other| !is_removed(other)).collect();
        if self.place[new] >= at {
            order.push(new);
        }
        let mut kept = Events::none(graph.len());
        order.iter().for_each(|&other| kept.add(other));
        let is_there = |choice: &(Decision, Option<usize>)| {
            choice.0 == decision && choice.1.is_none_or(|because| needed.contains(&because))
        };
        graph.choices(event, |other| kept.has(other)).iter().find(|choice| is_there(choice))?;
        Some(self.prefix(&order, event, decision))
    }

    /// The prefix of some events, with one decision replaced.
    fn prefix(&self, order: &[usize], changed: usize, decision: Decision) -> Prefix {
        let graph = self.graph;
        let script = script(graph, order, Some((changed, decision)));
        let order = order.iter().map(|&event| graph.ids[event]).collect();
        Prefix { order, changed: Some(graph.ids[changed]), script }
    }
}
