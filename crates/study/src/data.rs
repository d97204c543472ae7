//! The data of runs: pseudo-random bytes, which can be made again to check what has arrived, or lengths without bytes.

use multicomputer::Payload;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

mod vectors;

pub use vectors::{adds_doubles, before_and_after};

/// Maximum number of bytes of data at the start of a run.
pub const MAX_DATA: u64 = 512 << 20;

/// The contents of the messages of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that follow from a seed.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Lengths without bytes.
    Phantom,
}

impl Content {
    /// Creates contents that are lengths without bytes (phantoms), or bytes.
    pub fn new(is_phantom: bool, seed: u64) -> Content {
        if is_phantom { Content::Phantom } else { Content::Random { seed } }
    }

    /// Returns the message of a source, in `length` bytes.
    pub fn message(self, source: usize, length: u64) -> Payload {
        match self {
            Content::Random { seed } => message(seed, source, length).into(),
            Content::Phantom => Payload::phantom(length),
        }
    }

    /// Returns what is wrong with a received message; `None` if it is as expected.
    pub fn fault(self, received: Option<&Payload>, expected: &Payload) -> Option<&'static str> {
        let Some(received) = received else { return Some("no message") };
        match self {
            _ if received.len() != expected.len() => Some("wrong length"),
            // Neither has bytes to compare.
            Content::Phantom => None,
            Content::Random { .. } => {
                let is_equal = matches!((received.to_bytes(), expected.to_bytes()), (Ok(r), Ok(e)) if r == e);
                (!is_equal).then_some("wrong bytes")
            }
        }
    }
}

/// The message of one source: `length` bytes, which depend on the seed and the source only.
pub fn message(seed: u64, source: usize, length: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(source as u64);
    let mut bytes = vec![0; length as usize];
    random.fill_bytes(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_must_arrive_as_it_was() {
        let content = Content::Random { seed: 1 };
        let expected = content.message(3, 100);
        let fault = |received: &Payload| content.fault(Some(received), &expected);
        assert_eq!(fault(&content.message(3, 100)), None);
        assert_eq!(fault(&content.message(4, 100)), Some("wrong bytes"));
        assert_eq!(fault(&content.message(3, 99)), Some("wrong length"));
        assert_eq!(fault(&Payload::phantom(100)), Some("wrong bytes"));
        assert_eq!(content.fault(None, &expected), Some("no message"));
    }

    #[test]
    fn of_a_phantom_the_length_is_compared() {
        let expected = Content::Phantom.message(0, 1 << 40);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1 << 40)), &expected), None);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1)), &expected), Some("wrong length"));
    }
}
