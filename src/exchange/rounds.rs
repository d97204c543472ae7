//! Rounds in which every node sends at most one message and receives at most one: what most ways to carry an exchange
//! out in a single stage come to.

use std::sync::Arc;

use crate::{
    pattern::{Action, Exchange, Message, Schedule, Step},
    rank::Rank,
};

/// A part of a message, or all of it: the next so many bytes that `from` has for `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) from: Rank,
    pub(super) to: Rank,
    pub(super) bytes: u64,
}

/// Rounds, shared by all ways to carry them out.
pub(super) type Order = Arc<Vec<Vec<Part>>>;

/// What all nodes wait for after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Barrier {
    /// Nothing: each goes on when it is done.
    None,
    /// All others, by the barrier of the machine.
    Hardware,
    /// All others, by empty messages.
    Messages,
}

/// How a node gets on from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// It sends and receives what belongs to a round, so, and then goes on to the next one.
    Each(Exchange),
    /// Its sends are started so many messages ahead of its receives: then its out-port goes on while its processor
    /// takes in what has come, and the start-ups are hidden behind the bytes.
    Ahead(usize),
}

impl Style {
    /// What a plan's name has about it.
    pub(super) fn name(self) -> String {
        match self {
            Style::Each(Exchange::Together) => String::new(),
            Style::Each(Exchange::InTurn) => ", in turn".to_owned(),
            Style::Each(Exchange::Overlapped) => ", overlapped".to_owned(),
            Style::Ahead(usize::MAX) => ", all ahead".to_owned(),
            Style::Ahead(messages) => format!(", {messages} ahead"),
        }
    }
}

/// The rounds.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    pub(super) nodes: usize,
    pub(super) rounds: Order,
    pub(super) barrier: Barrier,
}

/// A node's messages one way, with their rounds.
type Line = Vec<(usize, Message)>;

impl Rounds {
    /// What every node does. The messages of the schedule have lengths alone: those from one node to another are its
    /// data in order. Empty messages are those of barriers.
    ///
    /// Nobody waits forever, since whatever comes before a receive on any node belongs to its round or an earlier one,
    /// or is a send, which waits for nobody.
    pub(super) fn schedule(&self, style: Style) -> Schedule {
        let nothing: Arc<[u32]> = [].into();
        let message =
            |peer: Rank, bytes: u64| Message { peer, blocks: nothing.clone(), bytes, combined: false };
        let mut sent: Vec<Line> = vec![Vec::new(); self.nodes];
        let mut received = sent.clone();
        for (round, parts) in self.rounds.iter().enumerate() {
            for part in parts {
                sent[part.from].push((round, message(part.to, part.bytes)));
                received[part.to].push((round, message(part.from, part.bytes)));
            }
        }
        let ranks = sent.into_iter().zip(received).enumerate();
        let steps = ranks.map(|(rank, (sent, received))| match style {
            Style::Each(exchange) => self.round_by_round(rank, sent, received, exchange, message),
            Style::Ahead(messages) => ahead(sent, received, messages),
        });
        Schedule::of_lengths(steps.collect())
    }

    fn round_by_round(
        &self,
        rank: Rank,
        sent: Line,
        received: Line,
        exchange: Exchange,
        message: impl Fn(Rank, u64) -> Message,
    ) -> Vec<Step> {
        let mut steps = Vec::with_capacity(sent.len() + received.len());
        let (mut sent, mut received) = (sent.into_iter().peekable(), received.into_iter().peekable());
        let mut next = 0;
        loop {
            let first = [sent.peek(), received.peek()].into_iter().flatten().map(|&(round, _)| round).min();
            next = match (self.barrier, first) {
                (Barrier::None, Some(first)) => first,
                (Barrier::None, None) => break,
                _ if next == self.rounds.len() => break,
                _ => next,
            };
            let iteration = next;
            let send = sent.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
            let recv = received.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
            steps.extend(actions(send, recv, exchange).map(|action| Step { iteration, action }));
            match self.barrier {
                Barrier::None => {}
                Barrier::Hardware => steps.push(Step { iteration, action: Action::Barrier }),
                Barrier::Messages => {
                    let mut distance = 1;
                    while distance < self.nodes {
                        let send = message((rank + distance) % self.nodes, 0);
                        let recv = message((rank + self.nodes - distance) % self.nodes, 0);
                        steps.push(Step { iteration, action: Action::Exchange { send, recv } });
                        distance *= 2;
                    }
                }
            }
            next += 1;
        }
        steps
    }
}

/// The sends up to a round, and so many more, before each receive of the round.
fn ahead(sent: Line, received: Line, messages: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::with_capacity(sent.len() + received.len());
    let mut iteration = 0;
    let mut step = |round: usize, action: Action| {
        iteration = iteration.max(round);
        steps.push(Step { iteration, action });
    };
    let rounds: Vec<usize> = sent.iter().map(|&(round, _)| round).collect();
    let mut sent = sent.into_iter();
    let (mut due, mut started) = (0, 0_usize);
    for (round, message) in received {
        while rounds.get(due).is_some_and(|&of| of <= round) {
            due += 1;
        }
        while started < due.saturating_add(messages)
            && let Some((round, message)) = sent.next()
        {
            step(round, Action::Start(message));
            started += 1;
        }
        step(round, Action::Recv(message));
    }
    sent.for_each(|(round, message)| step(round, Action::Start(message)));
    steps
}

fn actions(send: Option<Message>, recv: Option<Message>, exchange: Exchange) -> impl Iterator<Item = Action> {
    let (first, second) = match (send, recv, exchange) {
        (Some(send), Some(recv), Exchange::Together) => (Some(Action::Exchange { send, recv }), None),
        (send, recv, Exchange::Overlapped) => (send.map(Action::Start), recv.map(Action::Recv)),
        (send, recv, _) => (send.map(Action::Send), recv.map(Action::Recv)),
    };
    first.into_iter().chain(second)
}
