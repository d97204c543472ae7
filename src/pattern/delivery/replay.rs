//! Execution of the steps of all ranks without data and time.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{
    super::{Action, Blocks, Message, Step},
    Delivery, DeliveryError, Misfit, Version,
};
use crate::rank::Rank;

/// The blocks that each rank holds, by block number.
pub(super) type Held = Vec<BTreeMap<u32, Arc<Version>>>;

/// The state of an execution.
pub(super) struct Replay<'a> {
    of: &'a Delivery<'a>,
    /// The steps of each rank in execution order.
    steps: Vec<Cow<'a, [Step]>>,
    held: Held,
    /// The progress of each rank.
    progress: Vec<Progress>,
    /// The messages in transit, by sender and receiver.
    channels: BTreeMap<(Rank, Rank), Channel>,
    /// The ranks that may be able to proceed.
    ready: VecDeque<Rank>,
    /// The ranks that wait at a barrier.
    waiting: Vec<Rank>,
}

/// The current step of a rank, and the progress within the step.
#[derive(Clone, Copy, Default)]
struct Progress {
    step: usize,
    /// The number of the message sent in this step, counted among the messages to its receiver.
    sent: Option<usize>,
    has_received: bool,
    is_waiting: bool,
}

/// The messages from one rank to another.
#[derive(Default)]
struct Channel {
    in_flight: VecDeque<Sent>,
    /// The number of messages sent, and the number received.
    counts: [usize; 2],
}

/// A message in transit with its contents.
struct Sent {
    step: usize,
    blocks: Blocks,
    bytes: u64,
    versions: Vec<Arc<Version>>,
}

impl<'a> Replay<'a> {
    pub(super) fn of(of: &'a Delivery<'a>) -> Replay<'a> {
        let nodes = of.schedule.nodes();
        let held = |rank: Rank| {
            let own = Version::of(rank, nodes);
            let blocks = 0..of.parts.len() as u32;
            blocks.filter(|&block| (of.given)(rank, block)).map(|block| (block, own.clone())).collect()
        };
        Replay {
            of,
            steps: (0..nodes).map(|rank| of.schedule.steps_under(rank, of.rendezvous)).collect(),
            held: (0..nodes).map(held).collect(),
            progress: vec![Progress::default(); nodes],
            channels: BTreeMap::new(),
            ready: (0..nodes).collect(),
            waiting: Vec::new(),
        }
    }

    /// Executes all steps and returns the blocks that each rank holds at the end.
    pub(super) fn run(mut self) -> Result<Held, DeliveryError> {
        let steps = std::mem::take(&mut self.steps);
        while let Some(rank) = self.ready.pop_front() {
            while let Some(step) = steps[rank].get(self.progress[rank].step) {
                if !self.is_done(rank, &step.action)? {
                    break;
                }
                let step = self.progress[rank].step + 1;
                self.progress[rank] = Progress { step, ..Progress::default() };
            }
        }
        // Ranks that wait for a message are reported first: other ranks may wait only because of them.
        let stuck = (0..steps.len()).filter_map(|rank| {
            let step = self.progress[rank].step;
            let action = &steps[rank].get(step)?.action;
            let (receives, peer) = match (action.received(), action.sent()) {
                (Some(message), _) if !self.progress[rank].has_received => (true, Some(message.peer)),
                (_, sent) => (false, sent.map(|message| message.peer)),
            };
            Some((!receives, DeliveryError::Stuck { rank, step, peer, receives }))
        });
        if let Some((_, error)) = stuck.min_by_key(|&(order, _)| order) {
            return Err(error);
        }
        let left = self
            .channels
            .iter()
            .find_map(|(&(rank, to), channel)| Some((rank, to, channel.in_flight.front()?)));
        match left {
            Some((rank, to, sent)) => Err(DeliveryError::Unreceived { rank, step: sent.step, to }),
            None => Ok(self.held),
        }
    }

    /// Performs as much as possible of the current step of a rank; returns whether the step is complete.
    fn is_done(&mut self, rank: Rank, action: &Action) -> Result<bool, DeliveryError> {
        if let Some(message) = action.sent() {
            self.send(rank, message)?;
        }
        if let Some(message) = action.received()
            && !self.receive(rank, message)?
        {
            return Ok(false);
        }
        match action {
            Action::Send(message) | Action::Exchange { send: message, .. } => {
                Ok(self.has_left(rank, message))
            }
            Action::WaitAll => Ok(self.have_left(rank)),
            Action::Barrier if !self.of.barriers => {
                Err(DeliveryError::NoBarrier { rank, step: self.progress[rank].step })
            }
            Action::Barrier => Ok(self.has_passed(rank)),
            Action::Merge { left, right, into } => {
                let (left, right, into) = (*left, *right, *into);
                let versions = (self.version(rank, left)?, self.version(rank, right)?);
                if [left, right].iter().any(|&block| self.part(block) != self.part(into)) {
                    let step = self.progress[rank].step;
                    return Err(DeliveryError::OtherParts { rank, step, left, right, into });
                }
                self.combine(rank, into, &versions.0, &versions.1)?;
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Sends the message of the current step, unless it has been sent.
    fn send(&mut self, rank: Rank, message: &Message) -> Result<(), DeliveryError> {
        if self.progress[rank].sent.is_some() {
            return Ok(());
        }
        self.check_peer(rank, message.peer)?;
        let versions =
            message.blocks.iter().map(|&block| self.version(rank, block)).collect::<Result<_, _>>()?;
        let (step, bytes) = (self.progress[rank].step, message.bytes);
        let sizes = self.of.schedule.sizes();
        let all = message.blocks.iter().map(|&block| sizes[block as usize]).fold(0, u64::saturating_add);
        if bytes != all {
            return Err(DeliveryError::Length { rank, step, given: bytes, expected: all });
        }
        let channel = self.channels.entry((rank, message.peer)).or_default();
        let sent = Sent { step, blocks: message.blocks.clone(), bytes, versions };
        channel.in_flight.push_back(sent);
        self.progress[rank].sent = Some(channel.counts[0]);
        channel.counts[0] += 1;
        self.ready.push_back(message.peer);
        Ok(())
    }

    /// Receives the message of the current step, if it has arrived; returns whether it has been received.
    fn receive(&mut self, rank: Rank, message: &Message) -> Result<bool, DeliveryError> {
        if self.progress[rank].has_received {
            return Ok(true);
        }
        let from = message.peer;
        self.check_peer(rank, from)?;
        let Some(channel) = self.channels.get_mut(&(from, rank)) else { return Ok(false) };
        let Some(sent) = channel.in_flight.pop_front() else { return Ok(false) };
        channel.counts[1] += 1;
        let is_same = |(one, other): (&u32, &u32)| self.part(*one) == self.part(*other);
        let are_as_many = sent.blocks.len() == message.blocks.len() && sent.bytes == message.bytes;
        if !are_as_many || !sent.blocks.iter().zip(&*message.blocks).all(is_same) {
            return Err(DeliveryError::OtherBlocks { rank, step: self.progress[rank].step, from });
        }
        for (&block, came) in message.blocks.iter().zip(sent.versions) {
            if !message.combined {
                self.held[rank].insert(block, came);
                continue;
            }
            // The version of the lower rank is the left operand.
            let own = self.version(rank, block)?;
            let (left, right) = if from < rank { (came, own) } else { (own, came) };
            self.combine(rank, block, &left, &right)?;
        }
        self.progress[rank].has_received = true;
        if self.of.rendezvous.is_some() {
            self.ready.push_back(from);
        }
        Ok(true)
    }

    /// Returns whether all sends of a rank are complete.
    fn have_left(&self, rank: Rank) -> bool {
        let Some(from_bytes) = self.of.rendezvous else { return true };
        let of_rank = self.channels.iter().filter(|((from, _), _)| *from == rank);
        of_rank.flat_map(|(_, channel)| &channel.in_flight).all(|sent| sent.bytes < from_bytes)
    }

    /// Returns whether the send of the current step of a rank is complete.
    fn has_left(&self, rank: Rank, message: &Message) -> bool {
        let waits = self.of.rendezvous.is_some_and(|from_bytes| message.bytes >= from_bytes);
        let received = self.channels.get(&(rank, message.peer)).map_or(0, |channel| channel.counts[1]);
        !waits || self.progress[rank].sent.is_none_or(|number| number < received)
    }

    /// Returns whether all ranks have reached the barrier at which a rank waits.
    fn has_passed(&mut self, rank: Rank) -> bool {
        if !std::mem::replace(&mut self.progress[rank].is_waiting, true) {
            self.waiting.push(rank);
        }
        if self.waiting.len() < self.progress.len() {
            return false;
        }
        for other in std::mem::take(&mut self.waiting).into_iter().filter(|&other| other != rank) {
            self.progress[other] = Progress { step: self.progress[other].step + 1, ..Progress::default() };
            self.ready.push_back(other);
        }
        true
    }

    /// Returns the part of the data that a block represents, and the block length; `None` if there is no such block.
    fn part(&self, block: u32) -> Option<(u32, u64)> {
        let sizes = self.of.schedule.sizes();
        Some((*self.of.parts.get(block as usize)?, *sizes.get(block as usize)?))
    }

    /// Returns the version of a block that a rank holds.
    fn version(&self, rank: Rank, block: u32) -> Result<Arc<Version>, DeliveryError> {
        let held = self.held[rank].get(&block).cloned();
        held.ok_or(DeliveryError::NotHeld { rank, step: self.progress[rank].step, block })
    }

    /// Stores the combination of two versions in a block of a rank.
    fn combine(
        &mut self,
        rank: Rank,
        block: u32,
        left: &Version,
        right: &Version,
    ) -> Result<(), DeliveryError> {
        let step = self.progress[rank].step;
        let combined = Version::combined(left, right, self.of.in_order).map_err(|misfit| match misfit {
            Misfit::Twice => DeliveryError::CombinedTwice { rank, step, block },
            Misfit::Order => DeliveryError::OutOfOrder { rank, step, block },
        })?;
        self.held[rank].insert(block, combined);
        Ok(())
    }

    /// Checks that a rank may be the peer of a message.
    fn check_peer(&self, rank: Rank, peer: Rank) -> Result<(), DeliveryError> {
        let ranks = self.progress.len();
        if peer < ranks && peer != rank {
            return Ok(());
        }
        Err(DeliveryError::Peer { rank, step: self.progress[rank].step, peer, ranks })
    }
}
