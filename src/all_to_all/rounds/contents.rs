//! Contents of the messages of an exchange. A node stores only the data that it has to send or forward. Memory of a run is therefore
//! proportional to the messages and not to the pairs of nodes.

use std::collections::BTreeMap;

use crate::{
    comm::Cargo,
    pattern::{Message, Schedule},
    payload::{Payload, PayloadError},
};

/// Payloads of direct messages. Each message carries the next bytes from its sender to its receiver.
pub(crate) struct PartPayloads {
    /// The unsent data for each rank.
    outgoing: Vec<Payload>,
    incoming: Vec<Payload>,
}

impl PartPayloads {
    /// Creates the payloads from the data that this node has for each rank.
    pub(crate) fn new(outgoing: Vec<Payload>) -> PartPayloads {
        PartPayloads { incoming: vec![Payload::empty(); outgoing.len()], outgoing }
    }

    /// Returns the data received from each rank.
    pub(crate) fn incoming(self) -> Vec<Payload> {
        self.incoming
    }
}

impl Cargo for PartPayloads {
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        let left = &mut self.outgoing[message.peer];
        if left.len() == message.bytes {
            return Ok(std::mem::take(left));
        }
        let rest = left.split_off(message.bytes)?;
        Ok(std::mem::replace(left, rest))
    }

    fn take(&mut self, message: &Message, received: Payload) -> Result<(), PayloadError> {
        self.incoming[message.peer].append(received);
        Ok(())
    }
}

/// Payloads of messages that carry blocks.
pub(crate) struct BlockPayloads<'a> {
    sizes: &'a [u64],
    here: BTreeMap<u32, Payload>,
    /// Whether a node keeps a block after sending it. Otherwise each block is on one node at a time.
    is_kept: bool,
}

impl BlockPayloads<'_> {
    /// Creates the payloads from the blocks that this node holds initially.
    pub(crate) fn new(schedule: &Schedule, here: BTreeMap<u32, Payload>) -> BlockPayloads<'_> {
        BlockPayloads { sizes: schedule.sizes(), here, is_kept: false }
    }

    /// Keeps blocks after sending, so that a block may be sent to several ranks.
    pub(crate) fn kept_after_sending(self) -> Self {
        BlockPayloads { is_kept: true, ..self }
    }

    /// Removes and returns a block. Returns an empty payload if this node does not hold the block.
    pub(crate) fn remove(&mut self, block: u32) -> Payload {
        self.here.remove(&block).unwrap_or_default()
    }
}

impl Cargo for BlockPayloads<'_> {
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        let given =
            |block: &u32| if self.is_kept { self.here.get(block).cloned() } else { self.here.remove(block) };
        Ok(Payload::concat(message.blocks.iter().filter_map(given)))
    }

    fn take(&mut self, message: &Message, mut received: Payload) -> Result<(), PayloadError> {
        // Splits from the end, where splitting is cheap.
        for &block in message.blocks.iter().rev() {
            let start = received.len() - self.sizes[block as usize];
            self.here.insert(block, received.split_off(start)?);
        }
        Ok(())
    }
}
