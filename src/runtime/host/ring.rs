//! Single-producer rings for short messages between two nodes that each have a core, without locks, queues or allocation.
//!
//! Every ordered pair of nodes has a ring of slots of one cache line. A line crosses between the cores once: the receiver finds label and
//! data in the same line that announces the message. The sender reads the receiver's counter of taken messages only when the ring seems
//! full. Other messages go through the receiver's channel, and so do all messages where there are more nodes than cores, because receivers
//! sleep there.
//!
//! All fields are plain atomic words. A message carries its sequence number among all messages of its sender, so that the receiver can
//! merge ring and channel in the order of sending.

use std::{
    cell::RefCell,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::{
    payload::{ElementType, Payload},
    rank::Tag,
    wire::{Label, NodeId},
};

/// The number of slots of a ring.
const SLOTS: u64 = 8;

/// The number of words of data in a slot, and their size in bytes.
const WORDS: usize = 4;
const BYTES: usize = WORDS * size_of::<u64>();

/// The largest number of nodes with rings: the number of rings grows quadratically.
pub(super) const MAX_NODES: usize = 64;

/// A slot for one message.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Slot {
    /// The number of the message in this ring, plus one.
    turn: AtomicU64,
    /// The sequence number of the message among all messages of its sender.
    seq: AtomicU64,
    /// Context and tag.
    label: AtomicU64,
    /// Length and element type.
    kind: AtomicU64,
    data: [AtomicU64; WORDS],
}

/// A word on a separate cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct CacheLine(AtomicU64);

/// A ring buffer for the short messages from one node to another.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Ring {
    slots: [Slot; SLOTS as usize],
    /// The number of messages that the receiver has taken.
    taken: CacheLine,
}

/// The sender's state of a ring: the number of messages put.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    messages: u64,
    /// The number of messages known to have been taken.
    taken: u64,
}

/// A short message as plain words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub(super) seq: u64,
    label: u64,
    len: u32,
    element: u32,
    data: [u64; WORDS],
}

impl Ring {
    /// Adds a message to the ring unless the ring is full; returns whether the message was added.
    pub(super) fn put(&self, sent: &mut Sent, short: &Short) -> bool {
        if sent.messages - sent.taken == SLOTS {
            sent.taken = self.taken.0.load(Ordering::Acquire);
            if sent.messages - sent.taken == SLOTS {
                return false;
            }
        }
        let slot = &self.slots[(sent.messages % SLOTS) as usize];
        slot.seq.store(short.seq, Ordering::Relaxed);
        slot.label.store(short.label, Ordering::Relaxed);
        slot.kind.store(u64::from(short.len) << 32 | u64::from(short.element), Ordering::Relaxed);
        for (word, data) in slot.data.iter().zip(short.data) {
            word.store(data, Ordering::Relaxed);
        }
        sent.messages += 1;
        slot.turn.store(sent.messages, Ordering::Release);
        true
    }

    /// Whether the ring holds the message with index `taken`.
    pub(super) fn has(&self, taken: u64) -> bool {
        self.slots[(taken % SLOTS) as usize].turn.load(Ordering::Acquire) == taken + 1
    }

    /// The sequence number of the message with index `taken`, if it is in the ring.
    pub(super) fn seq(&self, taken: u64) -> Option<u64> {
        self.has(taken).then(|| self.slots[(taken % SLOTS) as usize].seq.load(Ordering::Relaxed))
    }

    /// The label of the message with index `taken`, if it is in the ring; all messages come from `source`.
    pub(super) fn label(&self, taken: u64, source: NodeId) -> Option<Label> {
        self.has(taken)
            .then(|| label_of(self.slots[(taken % SLOTS) as usize].label.load(Ordering::Relaxed), source))
    }

    /// Takes the message with index `taken`, which must be in the ring, and increments `taken`.
    pub(super) fn take(&self, taken: &mut u64) -> Short {
        let slot = &self.slots[(*taken % SLOTS) as usize];
        let kind = slot.kind.load(Ordering::Relaxed);
        let short = Short {
            seq: slot.seq.load(Ordering::Relaxed),
            label: slot.label.load(Ordering::Relaxed),
            len: (kind >> 32) as u32,
            element: kind as u32,
            data: slot.data.each_ref().map(|word| word.load(Ordering::Relaxed)),
        };
        *taken += 1;
        self.taken.0.store(*taken, Ordering::Release);
        short
    }
}

/// Decodes a label.
fn label_of(word: u64, source: NodeId) -> Label {
    Label { context: (word >> 32) as u32, source, tag: Tag(word as u32) }
}

/// The numbered element types of short messages, shared by all nodes. Number 0 means no type.
#[derive(Debug, Default)]
pub(super) struct ElementTypes(Mutex<Vec<ElementType>>);

/// A node's copy of the table of element types.
#[derive(Debug, Default)]
pub(super) struct KnownTypes(RefCell<Vec<ElementType>>);

impl KnownTypes {
    fn number(&self, all: &ElementTypes, element: Option<ElementType>) -> u32 {
        let Some(element) = element else { return 0 };
        let find = |known: &[ElementType]| known.iter().position(|&known| known == element);
        let known = find(&self.0.borrow());
        let index = known.unwrap_or_else(|| {
            let mut all = all.0.lock();
            let index = find(&all).unwrap_or_else(|| {
                all.push(element);
                all.len() - 1
            });
            self.0.replace(all.clone());
            index
        });
        index as u32 + 1
    }

    fn element(&self, all: &ElementTypes, number: u32) -> Option<ElementType> {
        let index = number.checked_sub(1)? as usize;
        if self.0.borrow().len() <= index {
            self.0.replace(all.0.lock().clone());
        }
        self.0.borrow().get(index).copied()
    }

    /// Encodes a message as words, if it is short enough.
    pub(super) fn short(
        &self,
        all: &ElementTypes,
        seq: u64,
        label: Label,
        payload: &Payload,
    ) -> Option<Short> {
        let bytes = payload.as_short(BYTES)?;
        let mut data = [0; WORDS];
        for (word, part) in data.iter_mut().zip(bytes.chunks(size_of::<u64>())) {
            let mut padded = [0; size_of::<u64>()];
            padded[..part.len()].copy_from_slice(part);
            *word = u64::from_le_bytes(padded);
        }
        Some(Short {
            seq,
            label: u64::from(label.context) << 32 | u64::from(label.tag.0),
            len: bytes.len() as u32,
            element: self.number(all, payload.element()),
            data,
        })
    }

    /// Decodes the label and the payload of a short message from node `source`.
    pub(super) fn long(&self, all: &ElementTypes, source: NodeId, short: &Short) -> (Label, Payload) {
        let label = label_of(short.label, source);
        let mut bytes = [0; BYTES];
        for (part, word) in bytes.chunks_mut(size_of::<u64>()).zip(short.data) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        let bytes = Bytes::copy_from_slice(&bytes[..short.len as usize]);
        (label, Payload::of_bytes(bytes, self.element(all, short.element)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_round_trip_until_the_ring_is_full() {
        let (all, known, other) = (ElementTypes::default(), KnownTypes::default(), KnownTypes::default());
        let (ring, mut sent, mut taken) = (Ring::default(), Sent::default(), 0);
        let label = Label { context: 7, source: 3, tag: Tag(u32::MAX) };
        let payloads = [
            Payload::from(&[1_u64, 2, 3, 4]),
            Payload::empty(),
            Payload::from("five!"),
            Payload::from(&[-1.5_f32]),
        ];
        for round in 0..20 {
            for (nth, payload) in payloads.iter().enumerate() {
                let short = known.short(&all, 10 * round + nth as u64, label, payload).unwrap();
                assert!(ring.put(&mut sent, &short));
            }
            for (nth, payload) in payloads.iter().enumerate() {
                assert_eq!(ring.seq(taken), Some(10 * round + nth as u64));
                let (came, got) = other.long(&all, 3, &ring.take(&mut taken));
                assert_eq!((came, got.element()), (label, payload.element()));
                assert_eq!(got.to_bytes().unwrap(), payload.to_bytes().unwrap());
            }
            assert!(!ring.has(taken));
        }
        let short = known.short(&all, 0, label, &payloads[0]).unwrap();
        assert_eq!((0..20).filter(|_| ring.put(&mut sent, &short)).count() as u64, SLOTS);
        ring.take(&mut taken);
        assert!(ring.put(&mut sent, &short) && !ring.put(&mut sent, &short));
    }

    #[test]
    fn long_and_phantom_payloads_do_not_fit_a_slot() {
        let (all, known) = (ElementTypes::default(), KnownTypes::default());
        let label = Label { context: 0, source: 0, tag: Tag(0) };
        let chained = Payload::concat([Payload::from("one"), Payload::phantom(2)]);
        for payload in [Payload::from(&[0_u8; BYTES + 1]), Payload::phantom(3), chained] {
            assert!(known.short(&all, 0, label, &payload).is_none(), "{payload:?}");
        }
    }
}
