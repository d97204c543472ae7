//! Telling each other how much is to come: the exchange of send vectors after which every node has its receive vector.
//!
//! **What it does.** A word of four bytes from everybody to everybody, by [Bruck's way](super::bruck).
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, figures 3
//! and 4 ("generate receive vector").

use super::{ExchangeError, Matrix, bruck};
use crate::{
    comm::{Group, Payload},
    pattern::{Exchange, Schedule},
    rank::Tag,
};

/// Bytes of a length.
const WORD: u64 = 4;

/// The words, which are the same whatever they say.
#[derive(Debug)]
pub(super) struct Words {
    matrix: Matrix,
    /// What every node does.
    pub(super) schedule: Schedule,
}

impl Words {
    pub(super) fn new(nodes: usize) -> Words {
        let four = |_, _| WORD;
        let matrix = Matrix::of(nodes, four).unwrap_or_else(|_| unreachable!("four bytes a node are few"));
        Words { schedule: bruck::schedule(&matrix, 2, Exchange::InTurn), matrix }
    }
}

/// Tells every other node how much is to come from this one, and checks what they tell.
pub(super) fn announce<'g>(
    group: &'g Group<'g>,
    words: &Words,
    tag: Tag,
    matrix: &Matrix,
) -> Result<(), ExchangeError> {
    let rank = group.rank();
    // No message is longer than fits into a word.
    let word = |to| Payload::from(u32::to_le_bytes(matrix.get(rank, to) as u32));
    // Nothing is started that would have to be waited for.
    let told = bruck::carry_out(group, &words.schedule, tag, &mut Vec::new(), &words.matrix, word)?;
    for (from, told) in told.into_iter().enumerate().filter(|&(from, _)| from != rank) {
        let given =
            told.to_vec::<u8>()?.try_into().map(u32::from_le_bytes).map(u64::from).unwrap_or(u64::MAX);
        let expected = matrix.get(from, rank);
        if given != expected {
            return Err(ExchangeError::Received { from, given, expected });
        }
    }
    Ok(())
}
