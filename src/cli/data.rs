//! What is sent: bytes that look random and can be made again to check what has arrived, or lengths alone.

use multicomputer::Payload;

/// What the messages of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Bytes that follow from a seed.
    Random {
        /// The seed.
        seed: u64,
    },
    /// Lengths without bytes.
    Phantom,
}

impl Content {
    /// The message of a source.
    pub(super) fn message(self, source: usize, length: u64) -> Payload {
        match self {
            Content::Random { seed } => message(seed, source, length).into(),
            Content::Phantom => Payload::phantom(length),
        }
    }

    /// What is wrong with what has arrived, if anything has; nothing if it is as it should be.
    pub(super) fn fault(self, received: Option<&Payload>, expected: &Payload) -> Option<&'static str> {
        let Some(received) = received else { return Some("nothing") };
        match self {
            _ if received.len() != expected.len() => Some("another length"),
            // Neither has bytes to compare.
            Content::Phantom => None,
            Content::Random { .. } => {
                let is_equal = matches!((received.to_bytes(), expected.to_bytes()), (Ok(r), Ok(e)) if r == e);
                (!is_equal).then_some("other bytes")
            }
        }
    }
}

/// The message of one source: `length` bytes that follow from the seed and the source alone (the generator SplitMix64
/// of Steele, Lea and Flood, 2014).
pub(super) fn message(seed: u64, source: usize, length: u64) -> Vec<u8> {
    let mut state = mix(seed.wrapping_add(mix(source as u64)));
    let mut bytes = Vec::with_capacity(length as usize);
    let mut rest = length as usize;
    while rest > 0 {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let word = mix(state).to_le_bytes();
        let part = rest.min(word.len());
        bytes.extend_from_slice(&word[..part]);
        rest -= part;
    }
    bytes
}

/// Spreads every bit of a number over all of them.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_differ_by_seed_and_source_and_are_the_same_again() {
        let first = message(1, 0, 1000);
        assert_eq!(first, message(1, 0, 1000));
        assert_ne!(first, message(2, 0, 1000));
        assert_ne!(first, message(1, 1, 1000));
    }

    #[test]
    fn a_message_has_its_length() {
        for length in [0, 1, 7, 8, 9, 2048] {
            assert_eq!(message(1, 2, length).len() as u64, length);
        }
    }

    /// The published first outputs of the generator with state 1234567.
    #[test]
    fn the_generator_is_the_published_one() {
        let step = 0x9E37_79B9_7F4A_7C15_u64;
        let outputs = [1, 2, 3].map(|count: u64| mix(step.wrapping_mul(count).wrapping_add(1_234_567)));
        assert_eq!(
            outputs,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_message_must_arrive_as_it_was() {
        let content = Content::Random { seed: 1 };
        let expected = content.message(3, 100);
        let fault = |received: &Payload| content.fault(Some(received), &expected);
        assert_eq!(fault(&content.message(3, 100)), None);
        assert_eq!(fault(&content.message(4, 100)), Some("other bytes"));
        assert_eq!(fault(&content.message(3, 99)), Some("another length"));
        assert_eq!(fault(&Payload::phantom(100)), Some("other bytes"));
        assert_eq!(content.fault(None, &expected), Some("nothing"));
    }

    #[test]
    fn of_a_phantom_the_length_is_compared() {
        let expected = Content::Phantom.message(0, 1 << 40);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1 << 40)), &expected), None);
        assert_eq!(Content::Phantom.fault(Some(&Payload::phantom(1)), &expected), Some("another length"));
    }
}
