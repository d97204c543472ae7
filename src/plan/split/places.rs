//! Candidate thresholds for the partition of messages by length.

use std::cmp::Ordering;

/// Returns the candidate thresholds, in the order in which they are tried. Messages longer than a threshold form one
/// part. The thresholds are: below the widest gap between two lengths, as a ratio; below the longest messages with half
/// of all bytes; at the geometric mean of the shortest and the longest; and below the longest messages with other
/// fractions of all bytes. Empty if no message is more than twice as long as another one.
pub(crate) fn places(lengths: &[u64]) -> Vec<u64> {
    let mut sorted: Vec<u64> = lengths.iter().copied().filter(|&length| length > 0).collect();
    sorted.sort_unstable();
    let (Some(&shortest), Some(&longest)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    if longest.div_ceil(2) <= shortest {
        return Vec::new();
    }
    let steps = sorted.windows(2).filter(|pair| pair[0] < pair[1]);
    // On a tie the gap at the shorter length is taken, because more bytes lie above it.
    let widest = steps.max_by(|a, b| wider(a, b).then(b[0].cmp(&a[0]))).map(|pair| pair[0]);
    let all: u128 = sorted.iter().map(|&length| u128::from(length)).sum();
    let below = |bound: u64| sorted.iter().rev().copied().find(|&length| length < bound);
    // The threshold below the longest messages that make up this number of sixteenths of all bytes.
    let heavy = |sixteenths: u128| {
        let mut bytes = 0;
        let last = sorted.iter().rev().find(|&&length| {
            bytes += u128::from(length);
            bytes * 16 >= all * sixteenths
        });
        last.and_then(|&length| below(length))
    };
    let middle = (u128::from(shortest) * u128::from(longest)).isqrt() as u64;
    let mut places = Vec::new();
    for place in [widest, heavy(8), below(middle.saturating_add(1)), heavy(12), heavy(4), heavy(15)] {
        if let Some(place) = place.filter(|place| *place < longest && !places.contains(place)) {
            places.push(place);
        }
    }
    places
}

/// Compares the ratios of two pairs of lengths.
fn wider(one: &[u64], other: &[u64]) -> Ordering {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    product(one[1], other[0]).cmp(&product(other[1], one[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_lengths_are_not_split() {
        for lengths in [&[][..], &[0, 0], &[7], &[0, 1, 1], &[1, 2, 1], &[500, 999, 700]] {
            assert_eq!(places(lengths), [0_u64; 0], "{lengths:?}");
        }
    }

    #[test]
    fn thresholds_follow_from_gaps_bytes_and_extremes() {
        assert_eq!(places(&[32, 0, 65_536, 32]), [32]);
        // The widest gap is below 6400. 100,000 is half of the bytes, and with 50,000 more than 15/16. 400 is below the
        // square root of 16 x 100,000.
        assert_eq!(places(&[16, 50, 100, 400, 6400, 100_000, 50_000]), [400, 50_000, 6400]);
        // Of equally wide gaps the one at the shortest length is taken.
        assert_eq!(places(&[1, 2, 4, 8, 16, 32]), [1, 16, 4, 8, 2]);
        assert_eq!(places(&[u64::MAX, 1]), [1]);
    }
}
