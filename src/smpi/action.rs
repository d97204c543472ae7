//! The actions of a trace, and how they are read.

use super::error::{Problem, ReadError};
use crate::{collective::Operation, rank::Rank, text::shown, topology::MAX_NODES, wire::MAX_MESSAGE};

/// The numbers that SMPI writes for any source, any tag and the null process.
const ANY_SOURCE: i64 = -555;
const ANY_TAG: i64 = -444;
const NULL_PROCESS: i64 = -666;

/// The tag of the messages of collective operations, which no action may have.
pub(super) const COLLECTIVE_TAG: u32 = u32::MAX - 1;

/// The bytes of SMPI's datatypes by their numbers.
const TYPES: [u64; 60] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 16,
    8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0, 1, 8, 8,
];

const KNOWN: &str = "init, finalize, compute, sleep, send, isend, recv, irecv, sendRecv, test, wait, waitall, barrier, bcast, reduce, \
     allreduce, gather, gatherv, allgather, allgatherv, scatter, scatterv, reducescatter, scan, alltoall, alltoallv, comm_size, comm_split, comm_dup and location";

/// A time-independent trace: the actions of each rank.
///
/// ```
/// use multicomputer::{goal::{self, Sends}, smpi::Trace};
///
/// let trace = Trace::read(&["0 send 1 0 1000\n1 recv 0 0 1000\n0 compute 5e6\n"])?;
/// let machine = "hockney:1x2".parse()?;
/// let program = trace.program(&machine, Some(1e9))?;
/// // A message of 1000 bytes leaves after 115 us, and the computation takes 5 ms.
/// let predicted = goal::predict(&machine, &program, Sends::Blocking)?;
/// assert_eq!(predicted.finished[1].to_string(), "180 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    /// For each rank its actions and their lines.
    pub(super) ranks: Vec<Vec<(usize, Action)>>,
}

/// An action of a rank.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    Compute(f64),
    Sleep(f64),
    Send {
        to: u32,
        tag: u32,
        bytes: u32,
        is_blocking: bool,
    },
    /// A length of `None` is that of the message.
    Recv {
        from: Option<u32>,
        tag: Option<u32>,
        bytes: Option<u32>,
        is_blocking: bool,
    },
    /// A send and a receive; `None` is the null process.
    SendRecv {
        to: Option<(u32, u32)>,
        from: Option<(u32, u32)>,
    },
    Wait {
        from: i64,
        to: i64,
        tag: i64,
    },
    WaitAll,
    Barrier,
    Collective(Call),
}

/// The part of a rank in a collective operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// `None` is an all-to-all.
    pub(super) operation: Option<Operation>,
    pub(super) root: Rank,
    /// Bytes of an element.
    pub(super) element: u64,
    /// The bytes of the whole vector; of the rank's own block, if the operation has blocks; of all blocks in a reduce-scatter; for each
    /// receiver in an all-to-all.
    pub(super) bytes: Vec<u64>,
    /// The flops after the operation.
    pub(super) flops: f64,
}

impl Trace {
    /// Reads a trace from texts: one with the actions of all ranks, or several.
    ///
    /// # Errors
    /// [`ReadError`] with the text, the line, what was given and what is allowed.
    pub fn read<S: AsRef<str>>(texts: &[S]) -> Result<Trace, ReadError> {
        let mut ranks: Vec<Vec<(usize, usize, &str)>> = Vec::new();
        for (text, content) in texts.iter().enumerate() {
            for (line, content) in (1..).zip(content.as_ref().lines()) {
                let content = content.trim();
                let Some(first) = content.split_whitespace().next().filter(|first| !first.starts_with('#'))
                else {
                    continue;
                };
                let Some(rank) = first.parse().ok().filter(|&rank: &Rank| rank < MAX_NODES) else {
                    return Err(ReadError { text, line, problem: Problem::Rank { given: shown(first) } });
                };
                if ranks.len() <= rank {
                    ranks.resize(rank + 1, Vec::new());
                }
                ranks[rank].push((text, line, content));
            }
        }
        let size = ranks.len();
        let mut trace = Trace { ranks: Vec::new() };
        for lines in ranks {
            let mut actions = Vec::new();
            let mut default = 1;
            for (text, line, content) in lines {
                let words: Vec<&str> = content.split_whitespace().skip(1).collect();
                let mut reader = Words { words: &words, size, default };
                let action = reader.action().map_err(|problem| ReadError { text, line, problem })?;
                default = reader.default;
                actions.extend(action.map(|action| (line, action)));
            }
            trace.ranks.push(actions);
        }
        Ok(trace)
    }

    /// Returns the number of ranks: the largest rank of an action plus 1.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// Returns the number of actions of all ranks that take part in the prediction.
    pub fn actions(&self) -> usize {
        self.ranks.iter().map(Vec::len).sum()
    }
}

/// The words of a line behind the rank.
struct Words<'t> {
    words: &'t [&'t str],
    /// The number of ranks.
    size: usize,
    /// The bytes of the default datatype.
    default: u64,
}

impl Words<'_> {
    fn action(&mut self) -> Result<Option<Action>, Problem> {
        let size = self.size;
        let name = self.words.first().copied().unwrap_or_default();
        Ok(Some(match name {
            "init" => {
                // The word after `init` is the sign of traces in doubles.
                self.default = if self.words.len() > 1 { 8 } else { 1 };
                return Ok(None);
            }
            "finalize" | "test" | "comm_size" | "comm_split" | "comm_dup" | "location" => return Ok(None),
            "compute" => Action::Compute(self.float(1)?),
            "sleep" => Action::Sleep(self.float(1)?),
            "send" | "isend" => {
                self.need(3)?;
                let peer = self.int(1)?;
                if peer == NULL_PROCESS {
                    return Ok(None);
                }
                let (to, bytes) = (self.rank(peer)?, self.message(3, 4)?);
                Action::Send { to, tag: self.tag(2)?, bytes, is_blocking: name == "send" }
            }
            "recv" | "irecv" => {
                self.need(3)?;
                let (peer, tag, count) = (self.int(1)?, self.int(2)?, self.int(3)?);
                if peer == NULL_PROCESS {
                    return Ok(None);
                }
                let from = if peer == ANY_SOURCE { None } else { Some(self.rank(peer)?) };
                let tag = if tag == ANY_TAG { None } else { Some(self.tag(2)?) };
                let bytes = if count < 0 { None } else { Some(self.message(3, 4)?) };
                Action::Recv { from, tag, bytes, is_blocking: name == "recv" }
            }
            "sendRecv" => {
                self.need(4)?;
                let side = |words: &Self, count: usize, peer: usize, kind: usize| match words.int(peer)? {
                    NULL_PROCESS => Ok(None),
                    rank => Ok(Some((words.rank(rank)?, words.message(count, kind)?))),
                };
                Action::SendRecv { to: side(self, 1, 2, 5)?, from: side(self, 3, 4, 6)? }
            }
            "wait" => {
                self.need(3)?;
                Action::Wait { from: self.int(1)?, to: self.int(2)?, tag: self.int(3)? }
            }
            "waitall" => Action::WaitAll,
            "barrier" => Action::Barrier,
            "bcast" => self.call(Some(Operation::Broadcast), [Some(2), None], 1..2, 3)?,
            "reduce" => self.call(Some(Operation::Reduce), [Some(3), Some(2)], 1..2, 4)?,
            "allreduce" => self.call(Some(Operation::AllReduce), [None, Some(2)], 1..2, 3)?,
            "scan" => self.call(Some(Operation::Scan), [None, Some(2)], 1..2, 3)?,
            "gather" => self.call(Some(Operation::Gather), [Some(3), None], 1..2, 4)?,
            "gatherv" => self.call(Some(Operation::Gather), [Some(2 + size), None], 1..2, 3 + size)?,
            "allgather" => self.call(Some(Operation::AllGather), [None, None], 1..2, 3)?,
            "allgatherv" => {
                // Displacements may stand in the place of the datatypes.
                let is_displaced = (5 + size..3 + 2 * size).contains(&self.words.len());
                let kind = if is_displaced { usize::MAX } else { 2 + size };
                self.call(Some(Operation::AllGather), [None, None], 1..2, kind)?
            }
            "scatter" => self.call(Some(Operation::Scatter), [Some(3), None], 2..3, 5)?,
            "scatterv" => {
                self.call(Some(Operation::Scatter), [Some(2 + size), None], 1 + size..2 + size, 4 + size)?
            }
            "reducescatter" => {
                self.call(Some(Operation::ReduceScatter), [None, Some(1 + size)], 1..1 + size, 2 + size)?
            }
            "alltoall" => {
                let Action::Collective(call) = self.call(None, [None, None], 1..2, 3)? else {
                    return Ok(None);
                };
                Action::Collective(Call { bytes: vec![call.bytes[0]; size], ..call })
            }
            "alltoallv" => {
                self.need(2 + 2 * size)?;
                self.call(None, [None, None], 2..2 + size, 3 + 2 * size)?
            }
            given => return Err(Problem::Action { given: shown(given), known: KNOWN }),
        }))
    }

    /// Reads a collective operation: the places of the root, of the flops, of the counts and of the datatype.
    fn call(
        &self,
        operation: Option<Operation>,
        [root, flops]: [Option<usize>; 2],
        counts: std::ops::Range<usize>,
        kind: usize,
    ) -> Result<Action, Problem> {
        self.need(counts.end - 1)?;
        let element = self.datatype(kind)?;
        let bytes =
            counts.map(|count| Ok(self.count(count)?.saturating_mul(element))).collect::<Result<_, _>>()?;
        let root = match root.filter(|&root| root < self.words.len()) {
            Some(root) => self.rank(self.int(root)?)? as Rank,
            None => 0,
        };
        let flops = flops.map_or(Ok(0.0), |flops| self.float(flops))?;
        Ok(Action::Collective(Call { operation, root, element, bytes, flops }))
    }

    fn need(&self, needs: usize) -> Result<(), Problem> {
        let given = self.words.len() - 1;
        if given < needs {
            Err(Problem::Words { action: shown(self.words[0]), needs, given })
        } else {
            Ok(())
        }
    }

    fn float(&self, at: usize) -> Result<f64, Problem> {
        self.need(at)?;
        let number = self.words[at].parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| Problem::Number { given: shown(self.words[at]), allowed: "a number from 0" })
    }

    /// Reads a whole number, which may be written as 1e6; a fraction is cut off, as by SMPI.
    fn int(&self, at: usize) -> Result<i64, Problem> {
        self.need(at)?;
        let number =
            self.words[at].parse().ok().map(f64::trunc).filter(|number| number.abs() < 2_f64.powi(53));
        let allowed = "a whole number";
        number
            .map(|number| number as i64)
            .ok_or_else(|| Problem::Number { given: shown(self.words[at]), allowed })
    }

    fn count(&self, at: usize) -> Result<u64, Problem> {
        let allowed = "a number of elements from 0";
        u64::try_from(self.int(at)?).map_err(|_| Problem::Number { given: shown(self.words[at]), allowed })
    }

    fn rank(&self, given: i64) -> Result<u32, Problem> {
        let rank = usize::try_from(given).ok().filter(|&rank| rank < self.size);
        rank.map(|rank| rank as u32).ok_or(Problem::NoSuchRank { given, ranks: self.size })
    }

    fn tag(&self, at: usize) -> Result<u32, Problem> {
        let tag = u32::try_from(self.int(at)?).ok().filter(|&tag| tag < COLLECTIVE_TAG);
        tag.ok_or_else(|| Problem::Number { given: shown(self.words[at]), allowed: "a tag from 0" })
    }

    /// Returns the bytes of the datatype whose number is at this place, or of the default.
    fn datatype(&self, at: usize) -> Result<u64, Problem> {
        let Some(&given) = self.words.get(at) else { return Ok(self.default) };
        let known = given.parse().ok().and_then(|kind: usize| TYPES.get(kind).copied());
        known.ok_or_else(|| Problem::Number { given: shown(given), allowed: "a datatype of SMPI, 0 to 59" })
    }

    /// Reads the bytes of a message: elements at a place, and the datatype at another.
    fn message(&self, count: usize, kind: usize) -> Result<u32, Problem> {
        let given = self.count(count)?.saturating_mul(self.datatype(kind)?);
        if given > MAX_MESSAGE { Err(Problem::LongMessage { given }) } else { Ok(given as u32) }
    }
}
