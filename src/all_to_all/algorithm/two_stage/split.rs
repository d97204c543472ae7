//! Division of messages into parts, and the format of the messages of both stages.

use super::super::super::{Matrix, MatrixError};
use crate::{
    payload::{Payload, PayloadError},
    random::RandomNumbers,
    rank::Rank,
};

/// Bytes of a word of a header.
///
/// A header gives the length of each part that follows. The dense form has a length for every rank. The sparse form, used if it is
/// shorter, has a rank and a length for each part that is not empty. If parts are shuffled, the number of the part follows each length.
/// All words have four bytes, little-endian. The first word is the number of entries of the sparse form, or `u32::MAX` for the dense
/// form.
const WORD: u64 = 4;

/// The division of all messages into parts. Each part of a message goes through one intermediary.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    nodes: usize,
    /// The matrix, and for each message the first of the parts that are one byte longer than the others.
    bytes: Matrix,
    next: Vec<usize>,
    /// The receivers of each source, and the senders to each destination.
    receivers: Vec<Vec<Rank>>,
    senders: Vec<Vec<Rank>>,
    /// For each source, the intermediary of each part number, and the part number of each intermediary.
    via: Vec<Vec<Rank>>,
    number: Vec<Vec<usize>>,
    is_shuffled: bool,
}

impl Split {
    /// Cuts every message into `p` parts that differ by at most one byte. The remainders of all messages of a source are distributed over
    /// the part numbers round-robin, from the source's rank on. With a seed, part numbers of equal total length are shuffled among the
    /// intermediaries.
    pub(crate) fn new(matrix: &Matrix, seed: Option<u64>) -> Split {
        let nodes = matrix.nodes();
        let mut random = RandomNumbers::new(seed.unwrap_or(0));
        let mut split = Split {
            nodes,
            bytes: matrix.clone(),
            next: Vec::with_capacity(nodes * nodes),
            receivers: vec![Vec::new(); nodes],
            senders: vec![Vec::new(); nodes],
            via: Vec::with_capacity(nodes),
            number: Vec::with_capacity(nodes),
            is_shuffled: seed.is_some(),
        };
        for from in 0..nodes {
            let mut next = from;
            let mut lengths = vec![0_u64; nodes];
            for (to, &bytes) in matrix.row(from).iter().enumerate() {
                split.next.push(next);
                if bytes == 0 {
                    continue;
                }
                split.receivers[from].push(to);
                split.senders[to].push(from);
                for (number, length) in lengths.iter_mut().enumerate() {
                    let part = split.cut(from, to, number);
                    *length += part.end - part.start;
                }
                next = (next + (bytes % nodes as u64) as usize) % nodes;
            }
            let mut via: Vec<Rank> = (0..nodes).collect();
            if seed.is_some() {
                shuffle_alike(&mut via, &lengths, &mut random);
            }
            let mut number = vec![0; nodes];
            via.iter().enumerate().for_each(|(part, &via)| number[via] = part);
            split.via.push(via);
            split.number.push(number);
        }
        split
    }

    /// Returns the byte range of a part of the message from `from` to `to`.
    fn cut(&self, from: Rank, to: Rank, number: usize) -> std::ops::Range<u64> {
        let (nodes, bytes) = (self.nodes, self.bytes.get(from, to));
        let (each, left) = (bytes / nodes as u64, (bytes % nodes as u64) as usize);
        // Parts `next`, .., `next + left - 1`, modulo the number of nodes, have one more byte.
        let next = self.next[from * nodes + to];
        let more = |number: usize| {
            let around = (next + left).saturating_sub(nodes).min(number);
            (around + (next + left).min(number).saturating_sub(next)) as u64
        };
        each * number as u64 + more(number)..each * (number as u64 + 1) + more(number + 1)
    }

    /// Returns the byte range of the part of the message from `from` to `to` that goes through `via`.
    pub(crate) fn part(&self, from: Rank, to: Rank, via: Rank) -> std::ops::Range<u64> {
        self.cut(from, to, self.number[from][via])
    }

    pub(crate) fn length(&self, from: Rank, to: Rank, via: Rank) -> u64 {
        let part = self.part(from, to, via);
        part.end - part.start
    }

    /// Returns the matrix of the first stage, from sources to intermediaries, headers included.
    pub(crate) fn first(&self) -> Result<Matrix, MatrixError> {
        Matrix::of(self.nodes, |from, via| {
            self.bytes(self.receivers[from].iter().map(|&to| self.length(from, to, via)))
        })
    }

    /// Returns the matrix of the second stage, from intermediaries to destinations, headers included.
    pub(crate) fn second(&self) -> Result<Matrix, MatrixError> {
        Matrix::of(self.nodes, |via, to| {
            self.bytes(self.senders[to].iter().map(|&from| self.length(from, to, via)))
        })
    }

    /// Returns the length of a message with parts of these lengths, header included.
    fn bytes(&self, lengths: impl Iterator<Item = u64>) -> u64 {
        let (mut parts, mut sum) = (0, 0);
        for length in lengths.filter(|&length| length > 0) {
            (parts, sum) = (parts + 1, sum + length);
        }
        if parts == 0 { 0 } else { sum + self.header(parts) }
    }

    /// Returns the length of a header for `parts` parts that are not empty.
    fn header(&self, parts: u64) -> u64 {
        let columns = 1 + u64::from(self.is_shuffled);
        let entries = (parts * (1 + columns)).min(self.nodes as u64 * columns);
        WORD * (1 + entries)
    }

    /// Returns the messages of a source to the intermediaries.
    pub(crate) fn first_stage_messages(
        &self,
        rank: Rank,
        outgoing: &[Payload],
    ) -> Result<Vec<Payload>, PayloadError> {
        let message = |via: Rank| {
            let parts = (0..self.nodes).map(|to| {
                let part = outgoing[to].slice(self.part(rank, to, via))?;
                Ok((self.number[rank][via], part))
            });
            Ok(self.packed(parts.collect::<Result<Vec<_>, _>>()?))
        };
        (0..self.nodes).map(message).collect()
    }

    /// Returns the messages of an intermediary to the destinations, made from the message of each source.
    pub(crate) fn second_stage_messages(&self, incoming: &[Payload]) -> Result<Vec<Payload>, PayloadError> {
        let mut parts: Vec<Vec<(usize, Payload)>> = vec![Vec::with_capacity(self.nodes); self.nodes];
        for message in incoming {
            for (to, part) in self.unpacked(message)?.into_iter().enumerate() {
                parts[to].push(part);
            }
        }
        Ok(parts.into_iter().map(|parts| self.packed(parts)).collect())
    }

    /// Returns the message of each source to this destination, made from the message of each intermediary.
    pub(crate) fn assemble(&self, incoming: &[Payload]) -> Result<Vec<Payload>, PayloadError> {
        let mut parts: Vec<Vec<(usize, Payload)>> = vec![Vec::with_capacity(self.nodes); self.nodes];
        for (via, message) in incoming.iter().enumerate() {
            for (from, (number, part)) in self.unpacked(message)?.into_iter().enumerate() {
                // Without a shuffle the part number equals the intermediary's rank, and is not sent.
                parts[from].push((if self.is_shuffled { number } else { via }, part));
            }
        }
        Ok(parts
            .into_iter()
            .map(|mut parts| {
                parts.sort_by_key(|&(number, _)| number);
                Payload::concat(parts.into_iter().map(|(_, part)| part))
            })
            .collect())
    }

    /// Returns a message with one part for each rank. The message is empty if all parts are empty.
    fn packed(&self, parts: Vec<(usize, Payload)>) -> Payload {
        let some = parts.iter().filter(|(_, part)| !part.is_empty()).count();
        if some == 0 {
            return Payload::empty();
        }
        let columns = 1 + usize::from(self.is_shuffled);
        let is_sparse = some * (1 + columns) < self.nodes * columns;
        let mut words: Vec<u32> = vec![if is_sparse { some as u32 } else { u32::MAX }];
        for (rank, (number, part)) in parts.iter().enumerate() {
            if is_sparse && part.is_empty() {
                continue;
            }
            words.extend(is_sparse.then_some(rank as u32));
            words.push(part.len() as u32);
            words.extend(self.is_shuffled.then_some(*number as u32));
        }
        let header = Payload::from(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
        Payload::concat(std::iter::once(header).chain(parts.into_iter().map(|(_, part)| part)))
    }

    /// Returns the part of each rank in a message, with its number.
    fn unpacked(&self, message: &Payload) -> Result<Vec<(usize, Payload)>, PayloadError> {
        let mut parts = vec![(0, Payload::empty()); self.nodes];
        if message.is_empty() {
            return Ok(parts);
        }
        let words = |range: std::ops::Range<u64>| -> Result<Vec<u32>, PayloadError> {
            let bytes = message.slice(range)?.to_bytes()?;
            Ok(bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect())
        };
        let first = words(0..WORD)?[0];
        let columns = 1 + usize::from(self.is_shuffled);
        let (entries, width) =
            if first == u32::MAX { (self.nodes, columns) } else { (first as usize, 1 + columns) };
        let mut start = WORD * (1 + entries * width) as u64;
        for (nth, entry) in words(WORD..start)?.chunks_exact(width).enumerate() {
            let (rank, entry) =
                if first == u32::MAX { (nth, entry) } else { (entry[0] as usize, &entry[1..]) };
            let length = u64::from(entry[0]);
            let number = entry.get(1).map_or(0, |&number| number as usize);
            parts[rank] = (number, message.slice(start..start + length)?);
            start += length;
        }
        Ok(parts)
    }
}

/// Shuffles the intermediaries of equally long parts.
fn shuffle_alike(via: &mut [Rank], lengths: &[u64], random: &mut RandomNumbers) {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&number| lengths[number]);
    for alike in order.chunk_by(|&one, &other| lengths[one] == lengths[other]) {
        for (place, choice) in random.permutation(alike.len()).into_iter().enumerate() {
            via[alike[place]] = alike[choice];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::all_to_all::tests::matrices;

    /// Checks the bounds of section 6 on the messages of both stages, headers excluded.
    fn check(matrix: &Matrix, split: &Split) {
        let nodes = matrix.nodes() as u64;
        let traffic = matrix.traffic();
        let is_equal =
            (0..matrix.nodes()).all(|node| matrix.sent(node) == traffic && matrix.received(node) == traffic);
        let all = || (0..matrix.nodes()).flat_map(|one| (0..matrix.nodes()).map(move |other| (one, other)));
        for (from, via) in all() {
            let bytes: u64 = (0..matrix.nodes()).map(|to| split.length(from, to, via)).sum();
            assert!(bytes <= traffic.div_ceil(nodes), "stage 1: {bytes}");
            assert!(!is_equal || bytes >= traffic / nodes, "stage 1: {bytes}");
            assert!(bytes == matrix.sent(from) / nodes || bytes == matrix.sent(from).div_ceil(nodes));
        }
        for (via, to) in all() {
            let bytes: u64 = (0..matrix.nodes()).map(|from| split.length(from, to, via)).sum();
            assert!(bytes <= traffic / nodes + nodes, "stage 2: {bytes}");
            assert!(!is_equal || bytes + nodes >= traffic / nodes, "stage 2: {bytes}");
        }
        for (from, to) in all() {
            let mut parts: Vec<_> = (0..matrix.nodes()).map(|via| split.part(from, to, via)).collect();
            parts.sort_by_key(|part| (part.start, part.end));
            let mut next = 0;
            for part in parts {
                assert_eq!(part.start, next, "without gaps");
                next = part.end;
            }
            assert_eq!(next, matrix.get(from, to), "up to the end");
        }
    }

    proptest! {
        #[test]
        fn keep_the_bounds_of_section_6(matrix in (1..20_usize).prop_flat_map(matrices), seed in any::<u64>()) {
            check(&matrix, &Split::new(&matrix, None));
            check(&matrix, &Split::new(&matrix, Some(seed)));
        }
    }

    /// In figure 1 each of eight nodes sends ten bytes, so it sends one or two bytes to each intermediary.
    #[test]
    fn cut_figure_1_into_ones_and_twos() {
        let matrix = Matrix::figure_1();
        check(&matrix, &Split::new(&matrix, None));
    }
}
