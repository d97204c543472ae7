//! Conversion of plans of collective operations to MSCCL schedules, and of MSCCL schedules to algorithms.

use super::{Algorithm, Draft, Operation, Piece, Plan, Role, Task, task::even_start};
use crate::{
    msccl::{Buffer, Collective, Holds, Lies, Outline, Placed, Program, WriteError, chunks},
    pattern::Origin,
    rank::Rank,
};

impl Plan {
    /// Returns the schedule as an equivalent MSCCL program. The program delivers the same results as the plan.
    ///
    /// The vector is cut into the smallest number of equal chunks for which every piece of the plan is a whole number of chunks. A message
    /// of pieces that are not adjacent becomes several messages, and the pauses of time-triggered schedules are dropped, so the program may
    /// take slightly longer than the plan.
    ///
    /// ```
    /// use multicomputer::{collective::{Algorithm, Operation, Task}, msccl::Program};
    ///
    /// let task = Task::builder(&"line:4".parse()?, Operation::AllGather).elements(1024).build()?;
    /// let program = Algorithm::LONG.plan(&task)?.msccl()?;
    /// assert_eq!((program.ranks(), program.chunks()), (4, 4));
    /// assert_eq!(Program::read(&program.to_string())?.to_string(), program.to_string());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WriteError`] for operations other than all-reduce, all-gather and reduce-scatter, for blocks of unequal lengths, for vectors
    /// that must be combined in rank order, and if there would be too many chunks.
    pub fn msccl(&self) -> Result<Program, WriteError> {
        let (task, pieces) = (self.task(), &self.draft.pieces);
        let collective = match task.operation() {
            Operation::AllReduce => Collective::AllReduce,
            Operation::AllGather => Collective::AllGather,
            Operation::ReduceScatter => Collective::ReduceScatter,
            other => return Err(WriteError::Operation { operation: other.to_string() }),
        };
        check(task)?;
        let own = if collective == Collective::AllReduce { task.bytes() } else { task.block(0).end };
        let ends = pieces.iter().flat_map(|piece| [piece.start, piece.bytes]);
        let chunks = chunks(task.bytes(), ends.chain([own]))?;
        // If no piece is only an operand, input and output are the same buffer.
        let is_in_place = !pieces.iter().any(|piece| piece.role == Role::Operand);
        let is_scattered =
            |piece: &Piece| piece.role == Role::Result && collective == Collective::ReduceScatter;
        let mut scratch = 0;
        let places: Vec<Lies> = pieces
            .iter()
            .map(|piece| {
                let (first, count) = (chunks.of(piece.start), chunks.of(piece.bytes));
                match (piece.role, collective) {
                    _ if piece.role == Role::Scratch || is_scattered(piece) => {
                        scratch += count;
                        Lies { buffer: Buffer::Scratch, first: scratch - count, count }
                    }
                    (Role::Result, _) | (_, Collective::AllGather) => {
                        Lies { buffer: Buffer::Output, first, count }
                    }
                    _ => Lies { buffer: Buffer::Input, first, count },
                }
            })
            .collect();
        // In a reduce-scatter the output buffer only has room for the rank's own block.
        let lies = |rank: Rank, block: u32| {
            let (piece, place) = (&pieces[block as usize], places[block as usize]);
            match is_scattered(piece) && task.owner(piece.start) == rank {
                true => {
                    let first = chunks.of(piece.start - task.block(rank).start);
                    Lies { buffer: Buffer::Output, first, ..place }
                }
                false => place,
            }
        };
        let outline = Outline {
            name: self.name(),
            collective,
            is_in_place,
            chunks: chunks.number,
            scratch,
            stays: &|_| None,
            lies: &lies,
        };
        Program::of(&outline, self.schedule())
    }
}

/// Turns an MSCCL program into an algorithm of the name that the program gives. The algorithm is for the program's operation and number of
/// ranks, and for vectors of any length. It runs with real data, and *Auto* may choose it.
///
/// A rank carries out the steps of all its thread blocks in one fixed order, and uses non-blocking sends if it has several thread blocks.
/// It may therefore take longer than [`Program::goal`] predicts, in which thread blocks interleave as messages arrive.
///
/// ```
/// use multicomputer::{collective::{Algorithm, Operation, Task}, msccl::Program};
///
/// let task = Task::builder(&"line:4".parse()?, Operation::AllGather).elements(1024).build()?;
/// let plan = Algorithm::LONG.plan(&task)?;
/// let again = Algorithm::from(Program::read(&plan.msccl()?.to_string())?).plan(&task)?;
/// assert_eq!(again.name(), plan.name());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl From<Program> for Algorithm {
    fn from(program: Program) -> Algorithm {
        let name = program.own_name();
        Algorithm::custom(name, move |task: &Task| drafted(&program, task).map_err(Into::into))
    }
}

/// Returns the draft of a task by an MSCCL program, or the reason why there is none.
fn drafted(program: &Program, task: &Task) -> Result<Draft, String> {
    let operation =
        operation(program.collective()).ok_or("the MSCCL schedule is an alltoall: use it with all-to-all")?;
    if operation != task.operation() {
        return Err(format!("the MSCCL schedule is for {operation}, not for {}", task.operation()));
    }
    program.check_ranks(task.size())?;
    if task.is_in_order() {
        return Err(
            "the MSCCL schedule combines in any order, but the operator is not commutative".to_owned()
        );
    }
    let (element, elements) = (task.element_bytes(), task.bytes() / task.element_bytes());
    let even = |rank: usize| even_start(elements, rank, task.size()) * element;
    if operation.has_blocks() && (0..task.size()).any(|rank| task.block(rank).start != even(rank)) {
        return Err("the MSCCL schedule needs blocks of equal length".to_owned());
    }
    let (blocks, schedule) = program.drafted(elements, element)?;
    let own = program.chunks() / program.ranks() as u32;
    let piece = |Placed { place, start, bytes }| {
        let of_rank = Origin::At((place.part / own.max(1)) as Rank);
        let (role, origin) = match place.holds {
            Holds::Both if operation == Operation::AllGather => (Role::Both, of_rank),
            Holds::Both => (Role::Both, Origin::Everywhere),
            Holds::Given => (Role::Operand, Origin::Everywhere),
            Holds::Result => (Role::Result, Origin::Nowhere),
            Holds::Between(_) => (Role::Scratch, Origin::Nowhere),
        };
        Piece { start, bytes, role, origin }
    };
    Ok(Draft::new(task, blocks.into_iter().map(piece).collect(), schedule))
}

/// The operation of the library; `None` for all-to-all.
fn operation(collective: Collective) -> Option<Operation> {
    match collective {
        Collective::AllReduce => Some(Operation::AllReduce),
        Collective::AllGather => Some(Operation::AllGather),
        Collective::ReduceScatter => Some(Operation::ReduceScatter),
        Collective::AllToAll => None,
    }
}

/// Checks that the task's blocks are of equal lengths and that its vectors may be combined in any order.
fn check(task: &Task) -> Result<(), WriteError> {
    if task.is_in_order() {
        return Err(WriteError::Order);
    }
    let (bytes, size) = (task.bytes(), task.size() as u64);
    let lengths = (0..task.size()).map(|rank| task.block(rank).end - task.block(rank).start);
    let has_blocks = task.operation().has_blocks();
    match lengths.enumerate().find(|&(_, given)| bytes == 0 || has_blocks && given * size != bytes) {
        Some((rank, given)) => Err(WriteError::Uneven { rank, given, bytes }),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "msccl_tests.rs"]
mod tests;
