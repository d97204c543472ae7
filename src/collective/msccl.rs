//! Plans of collective operations as schedules of MSCCL.

use super::{Operation, Plan, Task, draft::Role};
use crate::msccl::{Buffer, Collective, Lies, MOST_CHUNKS, Outline, Program, WriteError};

impl Plan {
    /// The schedule as one of MSCCL, which does the same: read or timed again it delivers what the operation says.
    ///
    /// The vector is cut into as many chunks of equal length as let every piece of the plan be some of them. A message of pieces
    /// that do not lie side by side becomes several, and pauses of plans by the clock are left out; so it may take a little
    /// longer than the plan.
    ///
    /// ```
    /// use multicomputer::{collective::{Algorithm, Operation, Task}, msccl::Program};
    ///
    /// let task = Task::builder(&"line:4".parse()?, Operation::Collect).elements(1024).build()?;
    /// let program = Algorithm::LONG.plan(&task)?.msccl()?;
    /// assert_eq!((program.ranks(), program.chunks()), (4, 4));
    /// assert_eq!(Program::read(&program.to_string())?.to_string(), program.to_string());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WriteError`] for other operations than combine-to-all, collect and distributed combine, for blocks of unequal
    /// lengths, for vectors that are combined in rank order, and if there would be too many chunks.
    pub fn msccl(&self) -> Result<Program, WriteError> {
        let (task, pieces) = (self.task(), &self.draft.pieces);
        let collective = match task.operation() {
            Operation::CombineToAll => Collective::AllReduce,
            Operation::Collect => Collective::AllGather,
            Operation::DistributedCombine => Collective::ReduceScatter,
            other => return Err(WriteError::Operation { operation: other.to_string() }),
        };
        check(task)?;
        // The longest length of which all pieces, and what is before them, have a whole number.
        let own = if collective == Collective::AllReduce { task.bytes() } else { task.block(0).end };
        let chunk = pieces.iter().fold(own, |chunk, piece| gcd(gcd(chunk, piece.start), piece.bytes)).max(1);
        let given = task.bytes() / chunk;
        let chunks = u32::try_from(given).ok().filter(|chunks| (1..=MOST_CHUNKS).contains(chunks));
        let chunks = chunks.ok_or(WriteError::Chunks { given, allowed: MOST_CHUNKS })?;
        // What begins and ends in one place is where input and output are the same.
        let is_in_place = !pieces.iter().any(|piece| piece.role == Role::Operand);
        let mut scratch = 0;
        let lies: Vec<Lies> = pieces
            .iter()
            .map(|piece| {
                let (first, count) = ((piece.start / chunk) as u32, (piece.bytes / chunk) as u32);
                match (piece.role, collective) {
                    (Role::Scratch, _) => {
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
        let outline = Outline {
            name: self.name(),
            collective,
            is_in_place,
            chunks,
            scratch,
            stays: &|_| None,
            lies: &|_, block| lies[block as usize],
        };
        Program::of(&outline, self.schedule())
    }
}

/// Whether a task has blocks of equal lengths, and vectors that are combined in any order.
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

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
