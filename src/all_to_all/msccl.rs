//! Conversion of plans of uniform exchanges to MSCCL schedules, and of MSCCL schedules to algorithms.

use super::{Algorithm, Draft, Instance, Piece, Plan};
use crate::{
    msccl::{Buffer, Collective, Lies, Outline, Placed, Program, WriteError, chunks},
    rank::Rank,
};

impl Plan {
    /// Returns the schedule as an equivalent MSCCL `alltoall` program. Forwarded data is stored in the scratch buffers of the intermediate
    /// ranks. Data of a rank for itself is copied.
    ///
    /// A message of non-contiguous pieces becomes several messages, and the pauses of time-triggered schedules are omitted. So the
    /// program may take a little longer than the plan.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if message lengths differ, if messages carry counts or other data besides pieces, if the plan has no schedule or
    /// uses hardware barriers, or if there would be too many chunks.
    pub fn msccl(&self) -> Result<Program, WriteError> {
        let each = uniform_block_bytes(self.instance())?;
        let unscheduled = || WriteError::Unscheduled { algorithm: self.name().to_owned() };
        let (pieces, schedule) = self.draft.procedure.moved().ok_or_else(unscheduled)?;
        let ranks = self.instance().size();
        let ends = pieces.iter().flat_map(|piece| [piece.start, piece.bytes]);
        let chunks = chunks(each * ranks as u64, ends.chain([each]))?;
        let own = chunks.of(each);
        let mut goes_by_others = vec![false; pieces.len()];
        for rank in 0..ranks {
            let received = schedule.steps(rank).iter().filter_map(|step| step.action.received());
            for &block in received.flat_map(|message| message.blocks.iter()) {
                goes_by_others[block as usize] |= pieces[block as usize].to != rank;
            }
        }
        let mut scratch = 0_u32;
        let on_the_way: Vec<u32> = pieces
            .iter()
            .zip(goes_by_others)
            .map(|(piece, goes_by_others)| {
                let first = scratch;
                let room = if goes_by_others { chunks.of(piece.bytes) } else { 0 };
                scratch = scratch.checked_add(room).ok_or(WriteError::Chunks {
                    given: u64::from(scratch) + u64::from(room),
                    allowed: u32::MAX,
                })?;
                Ok(first)
            })
            .collect::<Result<_, WriteError>>()?;
        let lies = |rank: usize, block: u32| {
            let piece = &pieces[block as usize];
            let (start, count) = (chunks.of(piece.start), chunks.of(piece.bytes));
            let (buffer, first) = match rank {
                rank if rank == piece.to => (Buffer::Output, piece.from as u32 * own + start),
                rank if rank == piece.from => (Buffer::Input, piece.to as u32 * own + start),
                _ => (Buffer::Scratch, on_the_way[block as usize]),
            };
            Lies { buffer, first, count }
        };
        let stays = |rank: usize| {
            let place = |buffer| Lies { buffer, first: rank as u32 * own, count: own };
            Some((place(Buffer::Input), place(Buffer::Output)))
        };
        let outline = Outline {
            name: self.name(),
            collective: Collective::AllToAll,
            is_in_place: false,
            chunks: chunks.number,
            scratch,
            stays: &stays,
            lies: &lies,
        };
        Program::of(&outline, &schedule)
    }
}

/// Converts an MSCCL `alltoall` program to a custom algorithm under the program's name, for uniform exchanges among the same number of
/// ranks. The algorithm moves real data and can be a candidate of *auto*.
///
/// A rank executes the steps of all its thread blocks in one fixed order, with non-blocking sends if it has several thread blocks. So it
/// may take longer than [`Program::goal`] gives, where thread blocks proceed as messages arrive.
impl From<Program> for Algorithm {
    fn from(program: Program) -> Algorithm {
        let name = program.own_name();
        Algorithm::custom(name, move |instance: &Instance| {
            draft_from_program(&program, instance).map_err(Into::into)
        })
    }
}

/// Returns the draft that an MSCCL program makes for an exchange, or the reason why it makes none.
fn draft_from_program(program: &Program, instance: &Instance) -> Result<Draft, String> {
    let (collective, ranks) = (program.collective(), instance.size());
    if collective != Collective::AllToAll {
        return Err(format!("the MSCCL schedule is for {collective}, not for all-to-all"));
    }
    program.check_ranks(ranks)?;
    let each = uniform_block_bytes(instance)
        .map_err(|_| "the MSCCL schedule needs messages of the same length between all pairs of ranks")?;
    let (blocks, schedule) = program.drafted(each * ranks as u64, 1)?;
    let own = program.chunks() / ranks as u32;
    let piece = |Placed { place, start, bytes }| {
        let to = (place.part / own) as Rank;
        Piece { from: place.of.unwrap_or(0) as Rank, to, start: start - to as u64 * each, bytes }
    };
    Ok(Draft::new(blocks.into_iter().map(piece).collect(), schedule))
}

/// Returns the bytes that every rank has for each other rank, or an error if lengths differ.
fn uniform_block_bytes(instance: &Instance) -> Result<u64, WriteError> {
    let (ranks, matrix) = (instance.size(), instance.matrix());
    let pairs =
        || (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let each = pairs().next().map_or(0, |(from, to)| matrix.get(from, to));
    let bytes = pairs().map(|(from, to)| matrix.get(from, to)).fold(0, u64::saturating_add);
    match pairs().find(|&(from, to)| each == 0 || matrix.get(from, to) != each) {
        Some((from, to)) => Err(WriteError::Uneven { rank: from, given: matrix.get(from, to), bytes }),
        None if ranks < 2 => Err(WriteError::Uneven { rank: 0, given: 0, bytes }),
        None => Ok(each),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_to_all::{Algorithm, Matrix};

    fn instance(machine: &str, of_pair: impl Fn(usize, usize) -> u64) -> Instance {
        let machine: crate::model::MachineSpec = machine.parse().unwrap();
        let matrix = Matrix::of(machine.nodes(), of_pair).unwrap();
        Instance::new(&machine, matrix).unwrap()
    }

    #[test]
    fn exchanges_are_read_again_and_deliver() {
        for machine in ["line:2", "paragon:2x3", "hypercube:8"] {
            let instance = instance(machine, |from, to| if from == to { 0 } else { 240 });
            let mut written = Vec::new();
            for algorithm in Algorithm::ALL {
                let Ok(plan) = algorithm.plan(&instance) else { continue };
                match plan.msccl() {
                    Ok(program) => {
                        let again = Program::read(&program.to_string()).unwrap();
                        assert_eq!(again.to_string(), program.to_string());
                        let again = Algorithm::from(again).plan(&instance);
                        again.unwrap_or_else(|error| panic!("{algorithm} on {machine}: {error}"));
                        if ["linear", "pairwise"].contains(&algorithm.name()) {
                            assert!(program.to_string().contains("s_chunks=\"0\""), "{program}");
                        }
                        written.push(algorithm.name());
                    }
                    Err(WriteError::Unscheduled { .. } | WriteError::Barrier) => {}
                    Err(error) => panic!("{algorithm} on {machine}: {error}"),
                }
            }
            for known in ["auto", "linear", "pairwise", "colored"] {
                assert!(written.contains(&known), "{written:?} on {machine}");
            }
        }
    }

    #[test]
    fn uneven_exchanges_are_refused() {
        let uneven = instance("line:3", |from, to| (from + to) as u64);
        let error = Algorithm::MODIFIED.plan(&uneven).unwrap().msccl().unwrap_err();
        assert_eq!(
            error.to_string(),
            "MSCCL needs blocks of equal length of at least one byte, but rank 0 has 2 of 12 bytes in total"
        );
    }
}
