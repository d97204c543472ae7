//! Cutting of messages into pieces: the same number for each message, or more pieces for longer messages.

use super::{Instance, Piece};

/// Rule for the number of pieces of each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Every message is cut into the same number of pieces.
    Alike,
    /// Every message is cut into pieces of about the same length.
    ByLength,
}

impl Cut {
    /// Returns the number of pieces of each message, if the longest message is cut into `pieces` pieces.
    pub(super) fn counts(self, lengths: &[u64], pieces: usize) -> Vec<usize> {
        let longest = u128::from(lengths.iter().copied().max().unwrap_or(0)).max(1);
        let count = |&length: &u64| match self {
            Cut::Alike => pieces,
            Cut::ByLength => ((u128::from(length) * pieces as u128).div_ceil(longest) as usize).max(1),
        };
        lengths.iter().map(count).collect()
    }
}

/// Returns whether all messages have the same length, so that both kinds of `Cut` give the same pieces.
pub(super) fn are_similar(lengths: &[u64]) -> bool {
    lengths.windows(2).all(|pair| pair[0] == pair[1])
}

/// Cuts message `k` into `counts[k]` pieces whose lengths differ by at most one element.
pub(super) fn cut(instance: &Instance, counts: &[usize]) -> Vec<Piece> {
    let element = instance.element_bytes();
    let piece = |(source, (&length, &count)): (usize, (&u64, &usize))| {
        let at = move |piece: usize| {
            (u128::from(length / element) * piece as u128 / count as u128) as u64 * element
        };
        (0..count).map(move |piece| Piece { source, start: at(piece), bytes: at(piece + 1) - at(piece) })
    };
    instance.lengths().iter().zip(counts).enumerate().flat_map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MachineSpec;

    #[test]
    fn pieces_add_up_and_differ_by_one_byte_at_most() {
        for length in [0, 1, 5, 16, 17, 2048, (1 << 30) - 8, (1 << 30) - 7] {
            for pieces in 1..=64 {
                let machine: MachineSpec = "line:2".parse().unwrap();
                let instance = Instance::new(&machine, &[0, 1], &[7, length]).unwrap();
                let cut = cut(&instance, &[pieces, pieces]);
                assert_eq!(cut.len(), 2 * pieces);
                for (source, length) in [7, length].into_iter().enumerate() {
                    let own = &cut[source * pieces..(source + 1) * pieces];
                    let mut start = 0;
                    for piece in own {
                        assert_eq!((piece.source, piece.start), (source, start), "side by side, in order");
                        start += piece.bytes;
                        let even = length / pieces as u64;
                        assert!(matches!(piece.bytes - even, 0 | 1), "{length} in {pieces}");
                    }
                    assert_eq!(start, length);
                }
            }
        }
    }
}
