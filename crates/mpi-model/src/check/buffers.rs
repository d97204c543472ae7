//! The buffers that the arguments of a call name: messages and collective operations of intracommunicators.

use super::argument;
use crate::{
    buffer::Buffer,
    function::Function,
    process::Process,
    word::{Address, Array, Handle},
};

/// The buffers of a call. What cannot be read is left out: the call refuses it.
#[derive(Default)]
pub(super) struct Buffers {
    /// Those that the call reads.
    pub(super) sent: Vec<Buffer>,
    /// Those that it writes.
    pub(super) received: Vec<Buffer>,
}

/// Reads an array of counts or displacements, which are larger in functions with `_c`.
pub(super) fn numbers(
    process: &Process<'_>,
    function: &Function,
    address: usize,
    length: usize,
) -> Option<Vec<i64>> {
    let address = Address(address);
    if function.name.ends_with("_c") {
        return Array::<i64>::at(address).read(process, length).ok();
    }
    let numbers = Array::<i32>::at(address).read(process, length).ok()?;
    Some(numbers.into_iter().map(i64::from).collect())
}

/// A call whose arguments are read.
struct Reader<'c, 'n> {
    process: &'c Process<'n>,
    function: &'c Function,
    words: &'c [usize],
    /// The number of blocks where the counts are arrays.
    blocks: usize,
}

/// Returns the buffers of a call.
pub(super) fn buffers_of(process: &Process<'_>, function: &Function, words: &[usize]) -> Buffers {
    let of = |name: &str| argument(function, words, name);
    let comm = of("comm").and_then(|word| process.communicators.borrow().get(Handle(word)));
    let Some(comm) = comm.filter(|comm| comm.remote.is_none()) else { return Buffers::default() };
    let name = function.name;
    // Their single buffer is both, and neighbours may be null.
    if name.contains("replace") || name.contains("eighbor") {
        return Buffers::default();
    }
    let size = comm.group.size();
    let reader = Reader { process, function, words, blocks: size };
    let is_root = of("root").is_none_or(|root| root as i32 == comm.rank());
    reader.read(name, is_root, size as i64)
}

impl Reader<'_, '_> {
    fn word(&self, name: &str) -> Option<usize> {
        argument(self.function, self.words, name)
    }

    fn read(&self, name: &str, is_root: bool, size: i64) -> Buffers {
        let [all, scatter, gather] = ["ll", "catter", "ather"].map(|part| name.contains(part));
        let is_reduction = self.word("op").is_some();
        let mut buffers = Buffers::default();
        if let Some(datatype) = self.word("sendtype").or_else(|| self.word("sendtypes")) {
            let blocks = if all && !gather || scatter { size } else { 1 };
            if !scatter || is_root {
                buffers.sent = self.part("sendbuf", "sendcount", datatype, "sdispls", blocks);
            }
        }
        if let Some(datatype) = self.word("recvtype").or_else(|| self.word("recvtypes")) {
            let blocks = if all || gather { size } else { 1 };
            if !gather || all || is_root {
                buffers.received = self.part("recvbuf", "recvcount", datatype, "rdispls", blocks);
            }
        }
        let Some(datatype) = self.word("datatype") else { return buffers };
        if is_reduction && self.word("recvbuf").is_some() {
            let count = self.word("count").or_else(|| self.word("recvcount"));
            // Of reduce-scatter with an array of counts, the whole is sent.
            let Some(count) = count else { return buffers };
            let times = if scatter { size } else { 1 };
            buffers.sent.extend(self.one("sendbuf", count as i64 * times, datatype));
            if all || scatter || is_root {
                buffers.received.extend(self.one("recvbuf", count as i64, datatype));
            }
        } else if let (Some(count), true) = (self.word("count"), self.word("buffer").is_some()) {
            let buffer = self.one("buffer", count as i64, datatype);
            if is_root { buffers.sent.extend(buffer) } else { buffers.received.extend(buffer) }
        } else if let (Some(count), true) = (self.word("count"), self.word("source").is_some()) {
            buffers.received.extend(self.one("buf", count as i64, datatype));
        }
        buffers
    }

    /// A buffer with one count, or the blocks of one with an array of counts.
    fn part(
        &self,
        address: &str,
        count: &str,
        datatype: usize,
        displacements: &str,
        blocks: i64,
    ) -> Vec<Buffer> {
        if let Some(count) = self.word(count) {
            let count = (count as i64).checked_mul(blocks);
            return count.and_then(|count| self.one(address, count, datatype)).into_iter().collect();
        }
        let counts = self.word(&format!("{count}s"));
        let displacements = self.word(displacements).or_else(|| self.word("displs"));
        let (Some(counts), Some(displacements)) = (counts, displacements) else { return Vec::new() };
        // Arrays of datatypes are left out.
        let Some(base) = self.one(address, 0, datatype).filter(|_| !self.function.name.contains("lltoallw"))
        else {
            return Vec::new();
        };
        let read = |address| numbers(self.process, self.function, address, self.blocks).unwrap_or_default();
        let (counts, displacements) = (read(counts), read(displacements));
        counts.iter().zip(displacements).map(|(&count, at)| base.at(at, count.max(0))).collect()
    }

    fn one(&self, address: &str, count: i64, datatype: usize) -> Option<Buffer> {
        let address = Address(self.word(address)?);
        let datatype = self.process.datatype(Handle(datatype)).ok()?;
        let is_data = address != Address::IN_PLACE && address != Address::BOTTOM;
        Buffer::new(address, count, datatype).ok().filter(|_| is_data)
    }
}
