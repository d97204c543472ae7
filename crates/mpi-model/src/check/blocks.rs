//! Blocks of exchanges, each from one process to another: all-to-all with counts or datatypes, and neighbourhood operations. What one process
//! sends and the other one receives has the same basic types, and as many (MPI 5.0, sections 6.8 and 8.6).

use std::num::NonZeroU32;

use multicomputer::{Payload, Rank};

use super::{Finding, Kind, Site, collective::base};
use crate::{
    buffer::Buffer,
    datatype::signature::{Difference, Signature},
    process::Process,
};

/// A block that was sent.
#[derive(Clone, Debug)]
pub(crate) struct SentBlock {
    site: Site,
    signature: Signature,
    type_name: String,
}

impl<'n> Process<'n> {
    /// Copies a block out of the program's memory, and notes it.
    pub(crate) fn outgoing_block(&self, block: &Buffer) -> Payload {
        let data = block.load(self);
        let Some(checker) = &self.checker else { return data };
        let number: NonZeroU32 = checker.next();
        let sent = SentBlock {
            site: self.site(),
            signature: block.datatype.signature(block.count as u64),
            type_name: block.datatype.to_string(),
        };
        checker.check.ledger.lock().blocks.insert((checker.rank, number), sent);
        data.with_note(Some(number))
    }

    /// Compares a block of a process with the buffer for it, of the operation that was called at `site`.
    pub(crate) fn block_arrived(&self, source: Rank, data: &Payload, buffer: &Buffer, site: Site) {
        let Some(checker) = &self.checker else { return };
        let sent = data.note().and_then(|note| checker.check.ledger.lock().blocks.remove(&(source, note)));
        // Blocks of different calls do not belong together, which the comparison of the calls tells.
        let Some(sent) = sent.filter(|sent| base(sent.site.function) == base(site.function)) else { return };
        let received = buffer.datatype.signature(buffer.count as u64);
        let (kind, help) = match sent.signature.difference(&received) {
            None => return,
            Some(Difference::Type) => {
                (Kind::DatatypeMismatch, "give the same basic datatypes for a block on both sides")
            }
            Some(Difference::Count) => {
                (Kind::CountMismatch, "give the same amount of data for a block on both sides")
            }
        };
        let text = format!(
            "{} receives {received} ({}), and {} of rank {source} has sent {} ({})",
            site.function, buffer.datatype, sent.site.function, sent.signature, sent.type_name
        );
        checker.wrong.set(self.site.get());
        let other = checker.check.line(source, sent.site);
        checker.check.add(Finding::new(kind, text, checker.line(site)).with(vec![other]).help(help));
    }
}
