//! Frames: MPI messages with a header, followed by short data.

use bytemuck::{Pod, Zeroable, bytes_of, pod_read_unaligned};
use smallvec::SmallVec;

/// The longest frame in bytes. The MPI libraries known to us send messages of this length eagerly.
pub(super) const LONGEST: usize = 4000;

/// The room for data in a frame; longer data is sent separately.
pub(crate) const ROOM: usize = LONGEST - size_of::<Header>();

/// The bit of an encoded [part](part) that has a length but no data.
const PHANTOM: u64 = 1 << 63;

/// The meaning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Kind {
    /// A message with its data.
    Short = 1,
    /// The beginning of a message whose data is sent separately; the frame holds the lengths of its parts.
    Long,
    /// Further lengths of the parts of the message begun by the previous frame.
    More,
    /// The description of an element type, sent before the first message with this type.
    Type,
    /// A query for the state of a rank, sent to all after a long wait.
    StateQuery,
    /// The reply to `StateQuery`.
    State,
    /// A query by a member of a group for the collective call that the receiver makes.
    CallQuery,
    /// The reply to `CallQuery`.
    Call,
    /// The sender's call of `split_by` in a group, for the next member.
    Split,
    /// A receive has taken a synchronous message of the receiver of this frame, which names the message by its sequence number.
    Matched,
    /// The run is over.
    End,
    /// No content: completes a posted receive that is no longer needed.
    Nothing,
}

impl Kind {
    const ALL: [Kind; 12] = [
        Kind::Short,
        Kind::Long,
        Kind::More,
        Kind::Type,
        Kind::StateQuery,
        Kind::State,
        Kind::CallQuery,
        Kind::Call,
        Kind::Split,
        Kind::Matched,
        Kind::End,
        Kind::Nothing,
    ];
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    /// The number of the [`Kind`].
    pub(super) code: u16,
    /// 1 if the sender of the message waits for its receive, and 0 otherwise.
    pub(super) synchronous: u16,
    pub(super) tag: u32,
    /// The digest of the group, equal on all ranks.
    pub(super) context: u64,
    /// The digest of the element type; 0 for plain bytes.
    pub(super) element: u64,
    /// The digest of the collective call to which the message belongs, and its number in the group; 0 if there is none.
    pub(super) call: u64,
    pub(super) nth: u64,
    /// The sequence number of the message among all messages of its sender.
    pub(super) seq: u64,
    /// The node on whose behalf the message is sent, plus one; 0 for the sender itself.
    pub(super) origin: u32,
    /// The number of parts of the message; 0 if the frame holds all data.
    pub(super) parts: u32,
}

impl Header {
    pub(super) fn new(kind: Kind) -> Header {
        Header { code: kind as u16, ..Header::default() }
    }

    pub(super) fn of_kind(self, kind: Kind) -> Header {
        Header { code: kind as u16, ..self }
    }

    /// The kind of the frame; `None` if the code is unknown.
    pub(super) fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| kind as u16 == self.code)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        bytes_of(self)
    }

    /// Splits a frame into header and data; `None` if it is too short.
    pub(super) fn read(frame: &[u8]) -> Option<(Header, &[u8])> {
        let (header, data) = frame.split_at_checked(size_of::<Header>())?;
        Some((pod_read_unaligned(header), data))
    }
}

/// A part of the data of a message: its length, and whether it has no data.
pub(super) type Part = (u64, bool);

/// Encodes parts as words.
pub(super) fn words(parts: &[Part]) -> SmallVec<[u64; 8]> {
    parts.iter().map(|&(bytes, is_phantom)| if is_phantom { bytes | PHANTOM } else { bytes }).collect()
}

/// Decodes parts from words.
pub(super) fn parts(words: &[u8]) -> impl Iterator<Item = Part> {
    let part = |word: &[u8]| {
        let word: u64 = pod_read_unaligned(word);
        (word & !PHANTOM, word & PHANTOM != 0)
    };
    words.chunks_exact(size_of::<u64>()).map(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        let header = Header { tag: 7, context: u64::MAX, parts: 2, ..Header::new(Kind::Long) };
        let list = [(3, false), (1 << 40, true)];
        let mut frame = header.bytes().to_vec();
        frame.extend_from_slice(bytemuck::cast_slice(&words(&list)));
        let (read, data) = Header::read(&frame).unwrap();
        assert_eq!((read, read.kind()), (header, Some(Kind::Long)));
        assert_eq!(parts(data).collect::<Vec<_>>(), list);
        assert!(Header::read(&frame[..20]).is_none());
        assert_eq!(Header::default().kind(), None);
    }
}
