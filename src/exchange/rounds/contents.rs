//! Contents of the messages of an exchange. A node stores only the data that it has to send or forward. Memory of a run is therefore
//! proportional to the messages and not to the pairs of nodes.

use std::collections::BTreeMap;

use crate::{
    comm::Cargo,
    pattern::{Message, Schedule},
    payload::{Payload, PayloadError},
};

/// Messages that carry the next bytes from their sender to their receiver.
pub(crate) struct Parts {
    /// The unsent data for each rank.
    outgoing: Vec<Payload>,
    incoming: Vec<Payload>,
}

impl Parts {
    /// Creates the contents from the data that this node has for each rank.
    pub(crate) fn new(outgoing: Vec<Payload>) -> Parts {
        Parts { incoming: vec![Payload::empty(); outgoing.len()], outgoing }
    }

    /// Returns the data received from each rank.
    pub(crate) fn incoming(self) -> Vec<Payload> {
        self.incoming
    }
}

impl Cargo for Parts {
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        let left = &mut self.outgoing[message.peer];
        if left.len() == message.bytes {
            return Ok(std::mem::take(left));
        }
        let rest = left.split_off(message.bytes)?;
        Ok(std::mem::replace(left, rest))
    }

    fn take(&mut self, message: &Message, came: Payload) -> Result<(), PayloadError> {
        self.incoming[message.peer].append(came);
        Ok(())
    }
}

/// Messages that carry blocks.
pub(crate) struct Blocks<'a> {
    sizes: &'a [u64],
    here: BTreeMap<u32, Payload>,
    /// Whether a block stays here after it has been sent. Otherwise each block is in one place at a time.
    stays: bool,
}

impl Blocks<'_> {
    /// Creates the contents from the blocks that this node holds initially.
    pub(crate) fn new(schedule: &Schedule, here: BTreeMap<u32, Payload>) -> Blocks<'_> {
        Blocks { sizes: schedule.sizes(), here, stays: false }
    }

    /// Keeps blocks after sending, so that a block may be sent to several ranks.
    pub(crate) fn staying(self) -> Self {
        Blocks { stays: true, ..self }
    }

    /// Removes and returns a block; an empty payload if the block is not here.
    pub(crate) fn remove(&mut self, block: u32) -> Payload {
        self.here.remove(&block).unwrap_or_default()
    }
}

impl Cargo for Blocks<'_> {
    fn give(&mut self, message: &Message) -> Result<Payload, PayloadError> {
        let given =
            |block: &u32| if self.stays { self.here.get(block).cloned() } else { self.here.remove(block) };
        Ok(Payload::concat(message.blocks.iter().filter_map(given)))
    }

    fn take(&mut self, message: &Message, mut came: Payload) -> Result<(), PayloadError> {
        // Splits from the end, where splitting is cheap.
        for &block in message.blocks.iter().rev() {
            let start = came.len() - self.sizes[block as usize];
            self.here.insert(block, came.split_off(start)?);
        }
        Ok(())
    }
}
