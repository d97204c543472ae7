//! Schedules of nodes that go from round to round.

use super::Part;
use crate::{
    pattern::{Action, Blocks, Exchange, Message, Schedule, Step},
    rank::Rank,
};

/// Order of a node's sends and receives in a sequence of rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A node sends and receives the messages of a round by this kind of exchange, then goes on to the next round.
    Each(Exchange),
    /// A node sends and receives the messages of a round simultaneously, then waits at a barrier.
    Synchronized(Barrier),
    /// A node starts its sends this many messages ahead of its receives. Its out-port is busy while its processor receives, and start-ups
    /// overlap with the transfer of bytes.
    Ahead(usize),
}

/// Barrier of all nodes after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// The hardware barrier of the machine.
    Hardware,
    /// A barrier of empty messages.
    Messages,
}

impl Style {
    /// All styles without barriers. Styles that are more often the fastest come first.
    pub(crate) const ALL: [Style; 6] = [
        Style::Ahead(1),
        Style::Each(Exchange::InTurn),
        Style::Ahead(4),
        Style::Each(Exchange::Together),
        Style::Ahead(usize::MAX),
        Style::Each(Exchange::Overlapped),
    ];

    /// Returns the suffix of a plan's name for this style.
    pub(crate) fn name(self) -> String {
        match self {
            Style::Each(Exchange::Together) | Style::Synchronized(_) => String::new(),
            Style::Each(Exchange::InTurn) => ", in turn".to_owned(),
            Style::Each(Exchange::Overlapped) => ", overlapped".to_owned(),
            Style::Ahead(usize::MAX) => ", all ahead".to_owned(),
            Style::Ahead(messages) => format!(", {messages} ahead"),
        }
    }

    /// Returns the steps of all nodes. Messages of the schedule have lengths only. Messages from one node to another carry its data in
    /// order; empty messages belong to barriers.
    ///
    /// The schedule is free of deadlock: all steps before a receive, on any node, belong to the same round or an earlier one, or are
    /// sends, which never block.
    pub(crate) fn schedule(self, nodes: usize, rounds: &[Vec<Part>]) -> Schedule {
        let mut sent: Vec<Line> = vec![Vec::new(); nodes];
        let mut received = sent.clone();
        let nothing = Blocks::default();
        let message = |peer, bytes| Message { peer, blocks: nothing.clone(), bytes, combined: false };
        for (round, parts) in rounds.iter().enumerate() {
            for part in parts {
                sent[part.from].push((round, message(part.to, part.bytes)));
                received[part.to].push((round, message(part.from, part.bytes)));
            }
        }
        let ranks = sent.into_iter().zip(received).enumerate();
        let steps = ranks.map(|(rank, (sent, received))| match self {
            Style::Each(exchange) => each(sent, received, exchange),
            Style::Ahead(messages) => ahead(sent, received, messages),
            Style::Synchronized(barrier) => {
                let waiting = || barrier.actions(rank, nodes, message);
                synchronized(sent, received, rounds.len(), waiting)
            }
        });
        Schedule::of_lengths(steps.collect())
    }
}

impl Barrier {
    /// Returns the barrier calls of a node.
    fn actions(self, rank: Rank, nodes: usize, message: impl Fn(Rank, u64) -> Message) -> Vec<Action> {
        let distances = || std::iter::successors(Some(1), |distance| Some(2 * distance));
        let exchange = |distance: usize| Action::Exchange {
            send: message((rank + distance) % nodes, 0),
            recv: message((rank + nodes - distance) % nodes, 0),
        };
        match self {
            Barrier::Hardware => vec![Action::Barrier],
            Barrier::Messages => distances().take_while(|&distance| distance < nodes).map(exchange).collect(),
        }
    }
}

/// A node's messages in one direction, with their rounds.
type Line = Vec<(usize, Message)>;

/// Returns the steps of a node round by round, without rounds in which it has no message.
fn each(sent: Line, received: Line, exchange: Exchange) -> Vec<Step> {
    let mut steps = Vec::with_capacity(sent.len() + received.len());
    let (mut sent, mut received) = (sent.into_iter().peekable(), received.into_iter().peekable());
    while let Some(iteration) =
        [sent.peek(), received.peek()].into_iter().flatten().map(|&(round, _)| round).min()
    {
        let send = sent.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
        let recv = received.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
        steps.extend(actions(send, recv, exchange).map(|action| Step { iteration, action }));
    }
    steps
}

/// Returns the steps of a node in all rounds, with the calls of `barrier` after each round.
fn synchronized(sent: Line, received: Line, rounds: usize, barrier: impl Fn() -> Vec<Action>) -> Vec<Step> {
    let mut steps = Vec::with_capacity(sent.len() + received.len() + rounds);
    let (mut sent, mut received) = (sent.into_iter().peekable(), received.into_iter().peekable());
    for iteration in 0..rounds {
        let send = sent.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
        let recv = received.next_if(|&(round, _)| round == iteration).map(|(_, message)| message);
        let moves = actions(send, recv, Exchange::Together);
        steps.extend(moves.chain(barrier()).map(|action| Step { iteration, action }));
    }
    steps
}

/// Returns the steps of a node. Before each receive come the sends up to its round, and `messages` more.
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

/// Returns the calls of a node in a round.
fn actions(send: Option<Message>, recv: Option<Message>, exchange: Exchange) -> impl Iterator<Item = Action> {
    let (first, second) = match (send, recv, exchange) {
        (Some(send), Some(recv), Exchange::Together) => (Some(Action::Exchange { send, recv }), None),
        (send, recv, Exchange::Overlapped) => (send.map(Action::Start), recv.map(Action::Recv)),
        (send, recv, _) => (send.map(Action::Send), recv.map(Action::Recv)),
    };
    first.into_iter().chain(second)
}
