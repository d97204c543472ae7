//! The events of a run with their causal order (happened-before), and the alternatives of its decisions.
//!
//! Events are the steps of the ranks, and one *match* for each receive or probe that has taken something, or that has ended without a
//! message. A match follows the posting of its receive and the send of its message. By the rule that messages of one sender do not overtake
//! each other, it also follows
//!
//! * the matches of the receives that were posted before it on this rank and that accept its message, and
//! * the matches of the earlier messages of the same sender that its receive accepts.
//!
//! The program sees a match only at a later step: where a blocking receive returns, or a wait or a test of the request. An execution is
//! defined by its decisions: what every match takes, and which request every pick returns. The same decisions give the same events.

mod timings;

use std::collections::BTreeMap;

pub(super) use self::timings::End;
use super::{
    latest::{ByLabel, Posted, earlier},
    log::{Decision, Entry, Open, Pick, RankLog, Receive, Took},
};
use crate::wire::{Label, MessageId, NodeId};

/// The name of an event, the same in all runs with the same decisions before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventId {
    /// The step of a rank with this number.
    Step(NodeId, u32),
    /// The match of the receive with this number.
    Match(NodeId, u32),
}

/// A set of events.
#[derive(Clone, Debug)]
pub(super) struct Events(Vec<u64>);

impl Events {
    pub(super) fn none(size: usize) -> Events {
        Events(vec![0; size.div_ceil(64)])
    }

    pub(super) fn has(&self, event: usize) -> bool {
        self.0[event / 64] >> (event % 64) & 1 == 1
    }

    pub(super) fn add(&mut self, event: usize) {
        self.0[event / 64] |= 1 << (event % 64);
    }

    pub(super) fn add_all(&mut self, others: &Events) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word |= other);
    }
}

/// The events of a run; see the [module](self). Events have numbers, valid in this run.
#[derive(Debug)]
pub(super) struct Graph<'r> {
    pub(super) ranks: &'r [RankLog],
    pub(super) ids: Vec<EventId>,
    pub(super) numbers: BTreeMap<EventId, usize>,
    /// The events that each event follows directly.
    pub(super) follows: Vec<Vec<usize>>,
    /// The matches and picks that follow each event directly.
    users: Vec<Vec<usize>>,
    /// All events that each event follows; empty until they are [needed](Graph::find_past).
    pub(super) past: Vec<Events>,
    /// The messages from one rank to another, in the order of sending.
    channels: BTreeMap<(NodeId, NodeId), Vec<Sent>>,
    /// The match that takes a message.
    takers: BTreeMap<MessageId, usize>,
    /// The message of each match.
    messages: BTreeMap<usize, MessageId>,
    senders: BTreeMap<MessageId, usize>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    id: MessageId,
    event: usize,
    label: Label,
}

/// An alternative of a decision: the decision, and the event that makes it possible, if any.
pub(super) type Choice = (Decision, Option<usize>);

impl<'r> Graph<'r> {
    pub(super) fn of(ranks: &'r [RankLog]) -> Graph<'r> {
        let mut ids = Vec::new();
        for (rank, log) in (0..).zip(ranks) {
            ids.extend((0..log.entries.len() as u32).map(|step| EventId::Step(rank, step)));
            let matched = (0..).zip(&log.receives);
            let matched = matched.filter(|(_, receive)| receive.took.is_some() && !receive.withdrawn);
            ids.extend(matched.map(|(number, _)| EventId::Match(rank, number)));
        }
        let numbers = ids.iter().enumerate().map(|(number, &id)| (id, number)).collect();
        let mut graph = Graph {
            ranks,
            follows: vec![Vec::new(); ids.len()],
            users: vec![Vec::new(); ids.len()],
            past: Vec::new(),
            ids,
            numbers,
            channels: BTreeMap::new(),
            takers: BTreeMap::new(),
            messages: BTreeMap::new(),
            senders: BTreeMap::new(),
        };
        graph.find_messages();
        graph.find_causes();
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    fn step(&self, rank: NodeId, step: usize) -> usize {
        self.numbers[&EventId::Step(rank, step as u32)]
    }

    fn match_of(&self, rank: NodeId, receive: usize) -> Option<usize> {
        self.numbers.get(&EventId::Match(rank, receive as u32)).copied()
    }

    pub(super) fn entry(&self, event: usize) -> Option<&'r Entry> {
        match self.ids[event] {
            EventId::Step(rank, step) => Some(&self.ranks[rank as usize].entries[step as usize]),
            EventId::Match(..) => None,
        }
    }

    /// The receive of a match, with its rank and number.
    pub(super) fn receive(&self, event: usize) -> Option<(NodeId, usize, &'r Receive)> {
        match self.ids[event] {
            EventId::Match(rank, number) => {
                Some((rank, number as usize, &self.ranks[rank as usize].receives[number as usize]))
            }
            EventId::Step(..) => None,
        }
    }

    /// The pick of a step, with its rank and number.
    pub(super) fn pick(&self, event: usize) -> Option<(NodeId, usize, &'r Pick)> {
        match (self.ids[event], self.entry(event)) {
            (EventId::Step(rank, _), Some(&Entry::Pick(number))) => {
                Some((rank, number, &self.ranks[rank as usize].picks[number]))
            }
            _ => None,
        }
    }

    /// The decision of a match or a pick.
    pub(super) fn decision(&self, event: usize) -> Option<Decision> {
        if let Some((.., pick)) = self.pick(event) {
            return Some(pick.outcome);
        }
        match self.receive(event)?.2.took? {
            Took::Message(id) => Some(Decision::From(id.source)),
            Took::Saw(source) => Some(Decision::From(source)),
            Took::Nothing => Some(Decision::Nothing),
        }
    }

    fn find_messages(&mut self) {
        for event in 0..self.len() {
            if let (EventId::Step(source, _), Some(&Entry::Send { seq, target, label, .. })) =
                (self.ids[event], self.entry(event))
            {
                let id = MessageId { source, seq };
                self.channels.entry((target, source)).or_default().push(Sent { id, event, label });
                self.senders.insert(id, event);
            }
            if let Some((.., Receive { took: Some(Took::Message(id)), .. })) = self.receive(event) {
                self.takers.insert(*id, event);
                self.messages.insert(event, *id);
            }
        }
        // A probe sees the first message of the source that no receive posted before it takes.
        for event in 0..self.len() {
            if let Some((rank, number, receive)) = self.receive(event)
                && let Some(Took::Saw(source)) = receive.took
            {
                let sent = self.channels.get(&(rank, source)).into_iter().flatten();
                let is_seen = |sent: &&Sent| {
                    receive.select.accepts(&sent.label) && !self.is_taken_before(sent.id, number, |_| true)
                };
                if let Some(seen) = sent.copied().find(|sent| is_seen(&sent)) {
                    self.messages.insert(event, seen.id);
                }
            }
        }
    }

    /// Whether a message is taken by a match in `among`, of a receive that was posted before the receive or probe `number` of the same rank,
    /// or, for a receive, by any other match.
    fn is_taken_before(&self, id: MessageId, number: usize, among: impl Fn(usize) -> bool) -> bool {
        let taker = self.takers.get(&id).filter(|&&taker| among(taker));
        taker.is_some_and(|&taker| {
            self.receive(taker).is_some_and(|(rank, other, _)| {
                other < number || (other > number && self.ranks[rank as usize].receives[number].consumes)
            })
        })
    }

    /// The matches of a rank that must precede that of the receive `number` if it takes a message: those of receives posted before it that accept the
    /// message. `None` for one that is still open.
    fn posted_before(
        &self,
        rank: NodeId,
        number: usize,
        label: Label,
    ) -> impl Iterator<Item = Option<usize>> {
        let before = self.ranks[rank as usize].receives[..number].iter().enumerate();
        let before = before.filter(move |(_, receive)| {
            receive.consumes && !receive.withdrawn && receive.select.accepts(&label)
        });
        before.map(move |(other, _)| self.match_of(rank, other))
    }

    fn find_causes(&mut self) {
        let mut follows = std::mem::take(&mut self.follows);
        let mut barriers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for event in 0..self.len() {
            if let (&EventId::Step(..), Some(&Entry::Enter(number))) = (&self.ids[event], self.entry(event)) {
                barriers.entry(number).or_default().push(event);
            }
        }
        let posted_of = |(rank, log)| Posted::of(log, |number| self.match_of(rank, number));
        let posted: Vec<Posted> = (0..).zip(self.ranks).map(posted_of).collect();
        let labels = self.messages_by_label();
        for (event, follows) in follows.iter_mut().enumerate() {
            match self.ids[event] {
                EventId::Match(rank, number) => {
                    let receive = &self.ranks[rank as usize].receives[number as usize];
                    follows.push(self.step(rank, receive.posted));
                    let Some(&id) = self.messages.get(&event) else { continue };
                    let Some(&sent) = self.senders.get(&id) else { continue };
                    follows.push(sent);
                    let Some(Entry::Send { label, .. }) = self.entry(sent) else { continue };
                    follows.extend(posted[rank as usize].before(number as usize, *label));
                    let earlier = earlier(&labels[&(rank, id.source)], &receive.select, *label, id);
                    follows.extend(earlier.filter_map(|id| self.takers.get(&id)));
                }
                EventId::Step(rank, step) => {
                    if let Some(before) = step.checked_sub(1) {
                        follows.push(self.step(rank, before as usize));
                    }
                    let log = &self.ranks[rank as usize];
                    match log.entries[step as usize] {
                        Entry::Taken(number) => follows.extend(self.match_of(rank, number)),
                        Entry::Sent { seq, waits: true } => {
                            follows.extend(self.meeting(MessageId { source: rank, seq }));
                        }
                        Entry::Pick(number) => {
                            let pick = &log.picks[number];
                            if let Decision::From(index) = pick.outcome {
                                follows
                                    .extend(self.completion(rank, pick.requests[index as usize]).flatten());
                            }
                        }
                        Entry::Leave(number) => {
                            follows.extend(barriers.get(&number).into_iter().flatten());
                        }
                        Entry::Send { .. }
                        | Entry::Sent { .. }
                        | Entry::Post
                        | Entry::Claimed
                        | Entry::Enter(_)
                        | Entry::Meet(_)
                        | Entry::Met(_) => {}
                    }
                }
            }
            follows.retain(|&other| other != event);
        }
        for (event, follows) in follows.iter().enumerate() {
            if self.decision(event).is_some() {
                follows.iter().for_each(|&before| self.users[before].push(event));
            }
        }
        self.follows = follows;
    }

    fn messages_by_label(&self) -> BTreeMap<(NodeId, NodeId), ByLabel> {
        let by_label = |sent: &Vec<Sent>| {
            let mut labels = ByLabel::new();
            for Sent { id, label, .. } in sent {
                labels.entry((label.context, label.tag)).or_default().push((id.seq, *id));
            }
            labels
        };
        self.channels.iter().map(|(channel, sent)| (*channel, by_label(sent))).collect()
    }

    /// The event at which a message meets its receive.
    fn meeting(&self, id: MessageId) -> Option<usize> {
        let taker = *self.takers.get(&id)?;
        match self.receive(taker)? {
            (rank, _, Receive { claimed: Some(claimed), .. }) => Some(self.step(rank, *claimed)),
            _ => Some(taker),
        }
    }

    /// The event that completes an open request: `Some(None)` if it needs none, `None` if it does not complete in this run.
    fn completion(&self, rank: NodeId, request: Open) -> Option<Option<usize>> {
        match request {
            Open::Done | Open::Send { waits: false, .. } => Some(None),
            Open::Receive(number) => self.match_of(rank, number).map(Some),
            Open::Send { seq, waits: true } => self.meeting(MessageId { source: rank, seq }).map(Some),
        }
    }

    /// Finds all events that each event follows; their number grows with the square of the number of events.
    pub(super) fn find_past(&mut self) {
        let order = self.causal_order(&[], |_| true);
        let mut past = vec![Events::none(self.len()); self.len()];
        for event in order {
            let mut all = Events::none(self.len());
            for &before in &self.follows[event] {
                all.add_all(&past[before]);
                all.add(before);
            }
            past[event] = all;
        }
        self.past = past;
    }

    /// Extends `first` to an order of all `wanted` events in which each comes after those that it follows. It depends on the run's decisions
    /// only.
    pub(super) fn causal_order(&self, first: &[usize], wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut order = first.to_vec();
        let mut done = Events::none(self.len());
        first.iter().for_each(|&event| done.add(event));
        let mut missing: Vec<usize> = vec![0; self.len()];
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for event in (0..self.len()).filter(|&event| !done.has(event)) {
            for &before in self.follows[event].iter().filter(|&&before| !done.has(before)) {
                missing[event] += 1;
                followers[before].push(event);
            }
        }
        let is_ready = |event: &usize| !done.has(*event) && missing[*event] == 0;
        let mut ready: std::collections::BTreeSet<usize> = (0..self.len()).filter(is_ready).collect();
        while let Some(event) = ready.pop_first() {
            if wanted(event) {
                order.push(event);
            }
            for &follower in &followers[event] {
                missing[follower] -= 1;
                if missing[follower] == 0 {
                    ready.insert(follower);
                }
            }
        }
        order
    }

    /// The choices of a match or a pick among the events in `set`, without itself; the first one is its *default*.
    pub(super) fn choices(&self, event: usize, set: impl Fn(usize) -> bool) -> Vec<Choice> {
        let set = |other: usize| other != event && set(other);
        let mut choices = Vec::new();
        if let Some((rank, _, pick)) = self.pick(event) {
            choices.extend(pick.may_fail.then_some((Decision::Nothing, None)));
            for (index, &request) in (0..).zip(&pick.requests) {
                if let Some(completion) = self.completion(rank, request)
                    && completion.is_none_or(&set)
                {
                    choices.push((Decision::From(index), completion));
                }
            }
        } else if let Some((rank, number, _)) = self.receive(event) {
            choices = self.choices_of(rank, number, set);
        }
        choices
    }

    /// The choices of a receive or a probe among the events in `set`.
    fn choices_of(&self, rank: NodeId, number: usize, set: impl Fn(usize) -> bool) -> Vec<Choice> {
        let receive = &self.ranks[rank as usize].receives[number];
        let mut choices = Vec::new();
        choices.extend(receive.may_fail.then_some((Decision::Nothing, None)));
        for (&(_, source), sent) in self.channels.range((rank, 0)..=(rank, NodeId::MAX)) {
            let sent = sent.iter().take_while(|sent| set(sent.event));
            let mut wanted = sent.filter(|sent| receive.select.accepts(&sent.label));
            let first = wanted.find(|sent| !self.is_taken_before(sent.id, number, &set));
            if let Some(first) = first
                && self.posted_before(rank, number, first.label).all(|before| before.is_some_and(&set))
            {
                choices.push((Decision::From(source), Some(first.event)));
            }
        }
        choices
    }

    /// Whether other decisions are tried for an event.
    pub(super) fn is_open(&self, event: usize) -> bool {
        self.pick(event).is_some_and(|(.., pick)| pick.is_open())
            || self.receive(event).is_some_and(|(.., receive)| receive.is_open())
    }

    /// The choices of a match or a pick that an event makes possible together with other events that are in the run: for each, the decision and
    /// the events that it needs.
    pub(super) fn choices_because_of(&self, new: usize, event: usize) -> Vec<(Decision, Vec<usize>)> {
        if let Some((rank, _, pick)) = self.pick(event) {
            let requests = (0..).zip(&pick.requests);
            let completed =
                requests.filter(|&(_, &request)| self.completion(rank, request) == Some(Some(new)));
            return completed.map(|(index, _)| (Decision::From(index), vec![new])).collect();
        }
        let Some((rank, number, receive)) = self.receive(event) else { return Vec::new() };
        let mut choices = Vec::new();
        for (&(_, source), sent) in self.channels.range((rank, 0)..=(rank, NodeId::MAX)) {
            let mut earlier = Vec::new();
            for sent in sent.iter().filter(|sent| receive.select.accepts(&sent.label)) {
                let before: Option<Vec<usize>> = self.posted_before(rank, number, sent.label).collect();
                if let Some(before) = before {
                    let mut needed = vec![sent.event];
                    needed.extend(before.iter().chain(&earlier));
                    if needed.contains(&new) && !needed.contains(&event) {
                        choices.push((Decision::From(source), needed));
                    }
                }
                match self.takers.get(&sent.id) {
                    Some(&taker) if taker != event => earlier.push(taker),
                    _ => break,
                }
            }
        }
        choices
    }

    /// Whether a match or a pick in `set` needs an event for its decision.
    pub(super) fn is_used(&self, event: usize, set: impl Fn(usize) -> bool) -> bool {
        self.users[event].iter().any(|&user| set(user))
    }
}
