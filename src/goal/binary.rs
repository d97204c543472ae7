//! Reading of binary GOAL, as `txt2bin` of LogGOPSim writes it (`Parser.hpp`, `Graph::serialize_mmap`).
//!
//! Numbers are little-endian and not aligned:
//!
//! | part | content |
//! | --- | --- |
//! | head | magic number 4223 (8 bytes), ranks (4), largest processor and network interface (1 each) |
//! | table | for each rank, begin and end of its section (8 each), counted from behind the magic number |
//! | section | operations (4), roots (4), the root operations (4 each), 39 bytes for each operation, the dependants (4 each) |
//! | operation | dependencies (4), kind (1: 1 send, 2 receive, 3 computation), peer (4), bytes or nanoseconds (8), tag (4), processor (1), network interface (1), then twice number (4) and index (4) of dependants: those on the end, those on the start |
//!
//! The sections are in the order of the ranks without gaps, so the file is read once, section by section.

use std::io::Read;

use super::{
    cycles::in_a_cycle,
    error::{Problem, ReadError},
    program::{MAX_OPERATIONS, Operation, Program, Waiter},
};
use crate::{rank::Tag, time::Span, topology::MAX_NODES, wire::MAX_MESSAGE};

/// The peer or the tag of a receive from any.
const ANY: u32 = u32::MAX;

/// The bytes of an operation.
const OPERATION: u64 = 39;

/// The kinds of operations.
const KIND: &str = "an operation of kind 1, 2 or 3";

/// Reads a program in binary GOAL; the magic number has been read.
pub(super) fn read(reader: impl Read) -> Result<Program, ReadError> {
    let mut bytes = Bytes { reader, at: 0 };
    let ranks = bytes.u32()?;
    if ranks == 0 || ranks as usize > MAX_NODES {
        return Err(bytes.error(Problem::Ranks { given: u64::from(ranks) }));
    }
    bytes.take::<2>()?;
    let mut sections = Vec::new();
    for _ in 0..ranks {
        sections.push((bytes.u64()?, bytes.u64()?));
    }
    let mut program = Program::new(ranks as usize);
    for (rank, (begin, end)) in (0..).zip(sections) {
        if begin != bytes.at {
            return Err(bytes.error(Problem::Section {
                rank: rank as usize,
                given: begin,
                expected: bytes.at,
            }));
        }
        section(&mut bytes, rank, end, &mut program)?;
    }
    Ok(program)
}

/// Reads the section of a rank, which ends at `end`.
fn section(
    bytes: &mut Bytes<impl Read>,
    rank: u32,
    end: u64,
    program: &mut Program,
) -> Result<(), ReadError> {
    let (count, roots) = (bytes.u32()?, bytes.u32()?);
    if count as usize > MAX_OPERATIONS {
        return Err(bytes.error(Problem::TooMany));
    }
    for _ in 0..roots {
        bytes.u32()?;
    }
    let first = bytes.at;
    let mut operations = Vec::new();
    // For each operation: its number of dependencies, and twice the number and the index of its dependants.
    let mut dependants = Vec::new();
    for _ in 0..count {
        let needs = bytes.u32()?;
        operations.push(operation(bytes, program)?);
        let groups = [(bytes.u32()?, bytes.u32()?), (bytes.u32()?, bytes.u32()?)];
        dependants.push((needs, groups));
    }
    let mut list = Vec::new();
    while bytes.at < end {
        list.push(bytes.u32()?);
    }
    let wrong_section = |bytes: &Bytes<_>| {
        bytes.error(Problem::Section { rank: rank as usize, given: end, expected: bytes.at })
    };
    if bytes.at != end {
        return Err(wrong_section(bytes));
    }
    let mut waits = Vec::new();
    let mut needed = vec![0_u32; count as usize];
    for (on, (_, groups)) in (0..).zip(&dependants) {
        for (&(number, index), for_start) in groups.iter().zip([false, true]) {
            let (index, number) = (index as usize, number as usize);
            let Some(group) = list.get(index..).and_then(|rest| rest.get(..number)) else {
                return Err(wrong_section(bytes));
            };
            for &waiter in group {
                let Some(needed) = needed.get_mut(waiter as usize) else {
                    return Err(bytes.error(Problem::NoOperation { given: waiter, operations: count }));
                };
                *needed += 1;
                waits.push((on, Waiter::new(waiter, for_start)));
            }
        }
    }
    let place = |operation: usize| first + operation as u64 * OPERATION;
    for (operation, (&needed, (given, _))) in needed.iter().zip(&dependants).enumerate() {
        if needed != *given {
            let problem = Problem::Dependencies { given: *given, expected: needed };
            return Err(bytes.error_at(place(operation), problem));
        }
    }
    if let Some(operation) = in_a_cycle(operations.len(), &waits) {
        return Err(bytes.error_at(place(operation), Problem::Cycle));
    }
    program.add(rank, &operations, &waits);
    Ok(())
}

/// Reads an operation, from its kind to its network interface.
fn operation(bytes: &mut Bytes<impl Read>, program: &mut Program) -> Result<Operation, ReadError> {
    let ranks = program.ranks();
    let [kind] = bytes.take::<1>()?;
    let (peer, size, tag) = (bytes.u32()?, bytes.u64()?, bytes.u32()?);
    let [cpu, nic] = bytes.take::<2>()?;
    let is_calc = kind == 3;
    if cpu > 0 || (nic > 0 && !is_calc) {
        program.count_foreign();
    }
    if is_calc {
        let picos = size.checked_mul(1000);
        return match picos {
            Some(picos) => Ok(Operation::Calc(Span::from_picos(picos))),
            None => Err(bytes.error(Problem::Unexpected {
                given: Some(size.to_string()),
                allowed: "a number of nanoseconds, of at most 213 days in all",
            })),
        };
    }
    let is_any = kind == 2 && peer == ANY;
    if peer as usize >= ranks && !is_any {
        return Err(bytes.error(Problem::NoSuchRank { given: u64::from(peer), ranks }));
    }
    if size > MAX_MESSAGE {
        return Err(bytes.error(Problem::LongMessage { given: size }));
    }
    match kind {
        1 => Ok(Operation::Send { to: peer, tag: Tag(tag), bytes: size as u32 }),
        2 => Ok(Operation::Recv {
            from: (!is_any).then_some(peer),
            tag: (tag != ANY).then_some(Tag(tag)),
            bytes: size as u32,
        }),
        kind => Err(bytes.error(Problem::Unexpected { given: Some(kind.to_string()), allowed: KIND })),
    }
}

/// The bytes behind the magic number.
struct Bytes<R> {
    reader: R,
    /// The number of bytes that have been read.
    at: u64,
}

impl<R: Read> Bytes<R> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::UnexpectedEof => self.error(Problem::Truncated),
            _ => ReadError::Io(cause),
        })?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, ReadError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, ReadError> {
        self.take().map(u64::from_le_bytes)
    }

    fn error(&self, problem: Problem) -> ReadError {
        self.error_at(self.at, problem)
    }

    /// Creates an error at a position behind the magic number.
    fn error_at(&self, at: u64, problem: Problem) -> ReadError {
        ReadError::Binary { byte: at + crate::input::GOAL.len() as u64, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::GOAL;

    /// An operation: kind, peer, size, tag, processor, operations that wait for its end, those that wait for its start.
    type Written<'a> = (u8, u32, u64, u32, u8, &'a [u32], &'a [u32]);

    /// Writes binary GOAL from its description.
    fn written(ranks: &[&[Written<'_>]]) -> Vec<u8> {
        let mut table = Vec::new();
        let mut sections = Vec::new();
        let head = 6 + 16 * ranks.len();
        for operations in ranks {
            let begin = head + sections.len();
            let needs = |operation: usize| {
                let waits = operations.iter().flat_map(|(.., ends, starts)| ends.iter().chain(*starts));
                waits.filter(|&&waiter| waiter as usize == operation).count() as u32
            };
            let roots: Vec<u32> =
                (0..operations.len()).filter(|&at| needs(at) == 0).map(|at| at as u32).collect();
            for number in [operations.len() as u32, roots.len() as u32].iter().chain(&roots) {
                sections.extend(number.to_le_bytes());
            }
            let mut list: Vec<u32> = Vec::new();
            for (at, &(kind, peer, size, tag, cpu, ends, starts)) in operations.iter().enumerate() {
                sections.extend(needs(at).to_le_bytes());
                sections.push(kind);
                sections.extend(peer.to_le_bytes());
                sections.extend(size.to_le_bytes());
                sections.extend(tag.to_le_bytes());
                sections.extend([cpu, 0]);
                for waits in [ends, starts] {
                    sections.extend((waits.len() as u32).to_le_bytes());
                    sections.extend((list.len() as u32).to_le_bytes());
                    list.extend(waits);
                }
            }
            list.iter().for_each(|waiter| sections.extend(waiter.to_le_bytes()));
            table.extend((begin as u64).to_le_bytes());
            table.extend(((head + sections.len()) as u64).to_le_bytes());
        }
        let ranks = (ranks.len() as u32).to_le_bytes();
        [GOAL, &ranks, &[0, 0], &table, &sections].concat()
    }

    fn error(bytes: &[u8]) -> String {
        Program::read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn binary_and_text_are_the_same_program() {
        let text = "num_ranks 2
            rank 0 { a: calc 5\n b: send 8b to 1 tag 7\n c: calc 9 cpu 1\n b requires a\n c irequires b\n }
            rank 1 { recv 8b from -1 tag -1\n recv 4b from 0 }";
        let bytes = written(&[
            &[(3, 0, 5, 0, 0, &[1], &[]), (1, 1, 8, 7, 0, &[], &[2]), (3, 0, 9, 0, 1, &[], &[])],
            &[(2, ANY, 8, ANY, 0, &[], &[]), (2, 0, 4, 0, 0, &[], &[])],
        ]);
        let (binary, text) = (Program::read(&bytes[..]).unwrap(), Program::read(text.as_bytes()).unwrap());
        assert_eq!(format!("{binary:?}"), format!("{text:?}"));
    }

    #[test]
    fn wrong_files_are_refused_at_a_byte() {
        let send: Written<'_> = (1, 1, 8, 0, 0, &[], &[]);
        let good = written(&[&[send], &[(2, 0, 8, 0, 0, &[], &[])]]);
        assert!(Program::read(&good[..]).is_ok());
        assert_eq!(
            error(&good[..good.len() - 1]),
            format!("byte {}: the file ends here, within a number", good.len() - 4)
        );
        assert_eq!(error(GOAL), "byte 8: the file ends here, within a number");
        assert!(error(&written(&[&[send]])).ends_with("rank 1 does not exist: ranks are 0 to 0"));
        assert!(
            error(&written(&[&[(4, 0, 8, 0, 0, &[], &[])]]))
                .ends_with("found `4`, expected an operation of kind 1, 2 or 3")
        );
        assert!(
            error(&written(&[&[(1, 0, 1 << 31, 0, 0, &[], &[])]]))
                .contains("a message of 2147483648 bytes is too long")
        );
        assert!(
            error(&written(&[&[(3, 0, 1, 0, 0, &[5], &[])]]))
                .ends_with("operation 5 does not exist: the rank has 1")
        );
        let cycle = written(&[&[(3, 0, 1, 0, 0, &[1], &[]), (3, 0, 1, 0, 0, &[0], &[])]]);
        assert_eq!(
            error(&cycle),
            "byte 38: cyclic dependency: this operation requires itself, directly or indirectly"
        );
        let mut moved = good.clone();
        moved[14] += 1;
        assert_eq!(error(&moved), "byte 46: the section of rank 0 has 39 as its begin or end, expected 38");
        let mut needs = good;
        let first = 8 + 6 + 32 + 8 + 4;
        needs[first] = 1;
        assert_eq!(
            error(&needs),
            format!("byte {first}: the operation has 1 as its number of dependencies, and 0 name it")
        );
    }
}
