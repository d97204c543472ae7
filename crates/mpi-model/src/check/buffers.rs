//! The buffers that the arguments of a call name: messages, collective operations of intracommunicators, neighbourhood operations.

use super::argument;
use crate::{
    abi,
    buffer::Buffer,
    function::Function,
    process::Process,
    word::{Address, Array, Handle},
};

/// The buffers of a call. What cannot be read is left out: the call refuses it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    /// Those that the call reads.
    pub(super) sent: Vec<Buffer>,
    /// Those that it writes.
    pub(super) received: Vec<Buffer>,
}

/// The arguments of the two sides of an operation: address, count, or counts and displacements, datatype or datatypes.
const SENT: [&str; 6] = ["sendbuf", "sendcount", "sendcounts", "sdispls", "sendtype", "sendtypes"];
const RECEIVED: [&str; 6] = ["recvbuf", "recvcount", "recvcounts", "rdispls", "recvtype", "recvtypes"];

/// Whether the counts and displacements of a function are large ones.
pub(super) fn is_large(function: &Function) -> bool {
    function.name.ends_with("_c")
}

/// Reads an array of counts or displacements, which are wide in functions with large counts.
pub(super) fn numbers(
    process: &Process<'_>,
    is_wide: bool,
    address: usize,
    length: usize,
) -> Option<Vec<i64>> {
    let address = Address(address);
    if is_wide {
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
}

/// The processes to which the blocks of a buffer belong: for each whether there is one, for neighbours may be null.
type Peers = Vec<bool>;

/// Returns the buffers of a call.
pub(super) fn buffers_of(process: &Process<'_>, function: &Function, words: &[usize]) -> Buffers {
    let of = |name: &str| argument(function, words, name);
    let comm = of("comm").and_then(|word| process.communicators.borrow().get(Handle(word)));
    let Some(comm) = comm.filter(|comm| comm.remote.is_none()) else { return Buffers::default() };
    let name = function.name;
    // Their single buffer is both.
    if name.contains("replace") {
        return Buffers::default();
    }
    let reader = Reader { process, function, words };
    if name.contains("eighbor") {
        let Some(topology) = comm.topology.get() else { return Buffers::default() };
        let (sources, destinations) = topology.neighbors(comm.group.rank());
        let peers = |ranks: Vec<i32>| ranks.into_iter().map(|rank| rank != abi::PROC_NULL).collect();
        return reader.read_of_neighbors(&peers(sources), &peers(destinations));
    }
    let is_root = of("root").is_none_or(|root| root as i32 == comm.rank());
    reader.read(name, is_root, comm.group.size())
}

impl Reader<'_, '_> {
    fn word(&self, name: &str) -> Option<usize> {
        argument(self.function, self.words, name)
    }

    /// The buffers of a neighbourhood operation.
    fn read_of_neighbors(&self, sources: &Peers, destinations: &Peers) -> Buffers {
        let sent = match self.function.name.contains("allgather") {
            // One block, which goes to all.
            true => vec![destinations.contains(&true)],
            false => destinations.clone(),
        };
        Buffers { sent: self.part(SENT, &sent), received: self.part(RECEIVED, sources) }
    }

    fn read(&self, name: &str, is_root: bool, size: usize) -> Buffers {
        let [all, scatter, gather] = ["ll", "catter", "ather"].map(|part| name.contains(part));
        let is_reduction = self.word("op").is_some();
        let mut buffers = Buffers::default();
        if !scatter || is_root {
            let blocks = if all && !gather || scatter { size } else { 1 };
            buffers.sent = self.part(SENT, &vec![true; blocks]);
        }
        if !gather || all || is_root {
            let blocks = if all || gather { size } else { 1 };
            buffers.received = self.part(RECEIVED, &vec![true; blocks]);
        }
        let Some(datatype) = self.word("datatype") else { return buffers };
        if is_reduction && self.word("recvbuf").is_some() {
            let count = self.word("count").or_else(|| self.word("recvcount"));
            // Of reduce-scatter with an array of counts, the whole is sent.
            let Some(count) = count else { return buffers };
            let times = if scatter { size as i64 } else { 1 };
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

    /// The blocks of one side of an operation: of one count, of an array of counts, or of arrays of counts and datatypes. Of an operation without such
    /// arguments there are none.
    fn part(&self, side: [&str; 6], peers: &Peers) -> Vec<Buffer> {
        let [address, count, counts, displacements, datatype, datatypes] = side;
        let with_peers = |blocks: Vec<Buffer>| {
            let blocks = blocks.into_iter().zip(peers).filter(|(_, is_there)| **is_there);
            blocks.map(|(block, _)| block).collect::<Vec<_>>()
        };
        let datatype = self.word(datatype);
        if let (Some(count), Some(datatype)) = (self.word(count), datatype) {
            let Some(first) = self.one(address, count as i64, datatype) else { return Vec::new() };
            if !peers.contains(&false) {
                let count = first.count.checked_mul(peers.len() as i64);
                return count.map(|count| first.at(0, count)).into_iter().collect();
            }
            let blocks = (0..peers.len() as i64).map(|block| first.at(block * first.count, first.count));
            return with_peers(blocks.collect());
        }
        let Some(counts) = self.word(counts) else { return Vec::new() };
        let Some(displacements) = self.word(displacements).or_else(|| self.word("displs")) else {
            return Vec::new();
        };
        let is_used = self.word(address).is_some_and(|address| Address(address) != Address::IN_PLACE);
        let read = |address, is_wide| {
            is_used
                .then(|| numbers(self.process, is_wide, address, peers.len()))
                .flatten()
                .unwrap_or_default()
        };
        let is_large = is_large(self.function);
        let counts: Vec<i64> = read(counts, is_large).into_iter().map(|count| count.max(0)).collect();
        if let Some(datatype) = datatype {
            let Some(base) = self.one(address, 0, datatype) else { return Vec::new() };
            let displacements = read(displacements, is_large);
            let blocks = counts.iter().zip(displacements).map(|(&count, at)| base.at(at, count));
            return with_peers(blocks.collect());
        }
        // Displacements in bytes; those of neighbourhood operations are addresses.
        let displacements = read(displacements, is_large || self.function.name.contains("eighbor"));
        let (Some(address), Some(datatypes)) = (self.word(address), self.word(datatypes)) else {
            return Vec::new();
        };
        let datatypes = Array::<Handle>::at(Address(datatypes)).read(self.process, counts.len());
        let blocks = counts.iter().zip(displacements).zip(datatypes.unwrap_or_default());
        let block = |((&count, at), datatype): ((&i64, i64), Handle)| {
            let datatype = self.process.datatype(datatype).ok()?;
            Buffer::new(Address(address).offset(at), count, datatype).ok()
        };
        let blocks: Option<Vec<Buffer>> = blocks.map(block).collect();
        with_peers(blocks.unwrap_or_default())
    }

    fn one(&self, address: &str, count: i64, datatype: usize) -> Option<Buffer> {
        let address = Address(self.word(address)?);
        let datatype = self.process.datatype(Handle(datatype)).ok()?;
        let is_data = address != Address::IN_PLACE && address != Address::BOTTOM;
        Buffer::new(address, count, datatype).ok().filter(|_| is_data)
    }
}
