//! Schedules as lists of transfers: read as algorithms, and written.

use std::error::Error;

use multicomputer::{
    Rank,
    collective::{Algorithm, Draft, Operation, Piece, Task},
    pattern::{Exchange, Origin, Schedule, Transfer},
};

/// A transfer of Python: sender, receiver, blocks.
pub(crate) type Given = (Rank, Rank, Vec<u32>);

/// What the transfers spread is combined where they are taken backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dual {
    None,
    Backwards,
    BackAndForth,
}

/// Makes an algorithm of rounds of transfers. The blocks of an operation are those of [`blocks`].
///
/// # Errors
/// A text if an option is unknown.
pub(crate) fn algorithm(
    name: String,
    rounds: Vec<Vec<Given>>,
    pieces: Option<usize>,
    overlap: &str,
    dual: &str,
) -> Result<Algorithm, String> {
    let exchange = match overlap {
        "together" => Exchange::Together,
        "in-turn" => Exchange::InTurn,
        "overlapped" => Exchange::Overlapped,
        other => {
            return Err(format!(
                "unknown overlap `{other}`: use \"together\", \"in-turn\" or \"overlapped\""
            ));
        }
    };
    let dual = match dual {
        "none" => Dual::None,
        "backwards" => Dual::Backwards,
        "back-and-forth" => Dual::BackAndForth,
        other => {
            return Err(format!("unknown dual `{other}`: use \"none\", \"backwards\" or \"back-and-forth\""));
        }
    };
    Ok(Algorithm::custom(name, move |task: &Task| draft(task, &rounds, pieces, exchange, dual)))
}

/// The blocks of an operation with their owners: for all-gathers and reduce-scatters the blocks of the ranks, for gathers and scatters too;
/// for broadcasts, reduces and all-reduces, equal pieces of the vector.
fn blocks(task: &Task, pieces: Option<usize>, dual: Dual) -> Result<(Vec<Piece>, Vec<Rank>), String> {
    let by_rank = || (0..task.size()).map(|rank| (task.block(rank), rank));
    let cut = |at: &dyn Fn(usize) -> Rank, pieces: usize| -> Vec<_> {
        let (bytes, element) = (task.bytes(), task.element_bytes());
        let start = |piece: usize| bytes / element * piece as u64 / pieces as u64 * element;
        (0..pieces).map(|piece| (start(piece)..start(piece + 1), at(piece))).collect()
    };
    let wrong = |wanted: &str| Err(format!("transfers of a {} need dual=\"{wanted}\"", task.operation()));
    let listed: Vec<_> = match (task.operation(), dual) {
        (Operation::AllGather | Operation::Gather, Dual::None)
        | (Operation::ReduceScatter, Dual::Backwards) => by_rank().collect(),
        (Operation::Scatter, Dual::None) => by_rank().map(|(block, _)| (block, task.root())).collect(),
        (Operation::Broadcast, Dual::None) | (Operation::Reduce, Dual::Backwards) => {
            cut(&|_| task.root(), pieces.unwrap_or(1).max(1))
        }
        (Operation::AllReduce, Dual::BackAndForth) => {
            let pieces = pieces.unwrap_or(task.size()).max(1);
            cut(&|piece| piece % task.size(), pieces)
        }
        (Operation::AllReduce, _) => return wrong("back-and-forth"),
        (Operation::ReduceScatter | Operation::Reduce, _) => return wrong("backwards"),
        (Operation::Scan, _) => return Err("a scan cannot be given by transfers".to_owned()),
        _ => return wrong("none"),
    };
    let owners = listed.iter().map(|&(_, rank)| rank).collect();
    Ok((listed.into_iter().map(|(bytes, rank)| Piece::of(bytes, Origin::At(rank))).collect(), owners))
}

fn draft(
    task: &Task,
    rounds: &[Vec<Given>],
    pieces: Option<usize>,
    exchange: Exchange,
    dual: Dual,
) -> Result<Draft, Box<dyn Error + Send + Sync>> {
    let (pieces, owners) = blocks(task, pieces, dual)?;
    check(task.size(), &owners, rounds)?;
    let draft = Draft::moving(task, pieces, &owners, exchange, |builder| {
        for round in rounds {
            builder.iteration(round.iter().map(|(from, to, blocks)| Transfer {
                from: *from,
                to: *to,
                blocks: blocks.as_slice().into(),
            }));
        }
    });
    Ok(match dual {
        Dual::None => draft,
        Dual::Backwards => draft.combining(),
        Dual::BackAndForth => draft.combining_and_back(),
    })
}

/// Checks what the builder of schedules demands: ranks and blocks that exist, and senders that hold what they send.
fn check(size: usize, owners: &[Rank], rounds: &[Vec<Given>]) -> Result<(), String> {
    let mut held: Vec<Vec<bool>> = vec![vec![false; owners.len()]; size];
    for (block, &owner) in owners.iter().enumerate() {
        held[owner][block] = true;
    }
    for (nth, round) in rounds.iter().enumerate() {
        for (from, to, blocks) in round {
            let transfer = format!("round {nth}: the transfer from rank {from} to rank {to}");
            if *from >= size || *to >= size || from == to {
                return Err(format!("{transfer} is not between two of the ranks 0 to {}", size - 1));
            }
            if blocks.is_empty() {
                return Err(format!("{transfer} has no blocks: name at least one"));
            }
            for &block in blocks {
                match held[*from].get(block as usize) {
                    Some(true) => {}
                    Some(false) => {
                        return Err(format!(
                            "{transfer} sends block {block}, which rank {from} does not hold then"
                        ));
                    }
                    None => {
                        let last = owners.len() - 1;
                        return Err(format!("{transfer} sends block {block}: the blocks are 0 to {last}"));
                    }
                }
            }
        }
        for (_, to, blocks) in round {
            blocks.iter().for_each(|&block| held[*to][block as usize] = true);
        }
    }
    Ok(())
}

/// The messages of a schedule: iteration, sender, receiver, bytes, blocks; by iteration, then by sender.
pub(crate) fn transfers(schedule: &Schedule) -> Vec<(usize, Rank, Rank, u64, Vec<u32>)> {
    let mut all = Vec::new();
    for from in 0..schedule.nodes() {
        for step in schedule.steps(from) {
            if let Some(message) = step.action.sent() {
                let blocks = message.blocks.iter().copied().collect();
                all.push((step.iteration, from, message.peer, message.bytes, blocks));
            }
        }
    }
    all.sort_by_key(|&(iteration, from, ..)| (iteration, from));
    all
}
