//! The contents of the messages of an exchange. A node keeps only what it has to send or to pass on, so that the memory
//! of a run grows with the messages and not with the pairs of nodes.

use std::collections::BTreeMap;

use crate::{
    comm::Cargo,
    pattern::{Message, Schedule},
    payload::{Payload, PayloadError},
};

/// Messages that carry the next bytes that their sender has for their receiver.
pub(crate) struct Parts {
    /// The rest of the data for each rank.
    outgoing: Vec<Payload>,
    incoming: Vec<Payload>,
}

impl Parts {
    /// With the data that this node has for each rank.
    pub(crate) fn new(outgoing: Vec<Payload>) -> Parts {
        Parts { incoming: vec![Payload::empty(); outgoing.len()], outgoing }
    }

    /// The data that has come from each rank.
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
    /// Whether a block stays here when it has been sent; otherwise each is in one place at a time.
    stays: bool,
}

impl Blocks<'_> {
    /// With the blocks that this node has in the beginning.
    pub(crate) fn new(schedule: &Schedule, here: BTreeMap<u32, Payload>) -> Blocks<'_> {
        Blocks { sizes: schedule.sizes(), here, stays: false }
    }

    /// The same with blocks that may be sent to several others.
    pub(crate) fn staying(self) -> Self {
        Blocks { stays: true, ..self }
    }

    /// A block that has come here; an empty one if it is not here.
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
        // From the end, where a cut is cheap.
        for &block in message.blocks.iter().rev() {
            let start = came.len() - self.sizes[block as usize];
            self.here.insert(block, came.split_off(start)?);
        }
        Ok(())
    }
}
