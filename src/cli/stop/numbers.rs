//! Lists of numbers as `stop` reads them: how many sources, and which ranks.

use std::{iter, str::FromStr};

use multicomputer::Rank;
use thiserror::Error;

/// So many numbers a range may stand for.
const LONGEST_RANGE: usize = 10_000;

/// The numbers of sources of a sweep, in the order given: at least one.
///
/// A list of numbers and ranges. `1..64` doubles, as in lists of sizes, and `10..100+10` goes in steps. The upper end
/// of a range always belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts(Vec<usize>);

/// The ranks of the sources, in the order given: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranks(Vec<Rank>);

/// What is no list of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NumbersError {
    /// Neither a number nor a range.
    #[error(
        "`{0}` is no number of sources: allowed are a number such as 30, a range that doubles such as 1..64, one in \
         steps such as 10..100+10, and lists of these"
    )]
    Count(String),
    /// A range whose lower end is above its upper one.
    #[error("`{0}` goes down; allowed is a range from the smaller to the larger number")]
    Descending(String),
    /// A range that stays where it is.
    #[error("`{0}` goes in steps of 0; allowed are steps of 1 and more")]
    NoStep(String),
    /// A range of more numbers than anybody wants.
    #[error("`{0}` stands for more than {LONGEST_RANGE} numbers")]
    TooMany(String),
    /// No rank.
    #[error("`{0}` is no rank: allowed are whole numbers from 0, such as 0,5,17")]
    Rank(String),
}

impl Counts {
    pub(super) fn as_slice(&self) -> &[usize] {
        &self.0
    }
}

impl Ranks {
    pub(super) fn as_slice(&self) -> &[Rank] {
        &self.0
    }
}

impl FromStr for Counts {
    type Err = NumbersError;

    fn from_str(text: &str) -> Result<Counts, NumbersError> {
        let mut counts = Vec::new();
        for item in text.split(',').map(str::trim) {
            let unreadable = || NumbersError::Count(item.to_owned());
            let number = |text: &str| text.trim().parse::<usize>().map_err(|_| unreadable());
            let Some((low, high)) = item.split_once("..") else {
                counts.push(number(item)?);
                continue;
            };
            let (high, step) = match high.split_once('+') {
                Some((high, step)) => (number(high)?, Some(number(step)?)),
                None => (number(high)?, None),
            };
            let low = number(low)?;
            if low > high {
                return Err(NumbersError::Descending(item.to_owned()));
            }
            if step == Some(0) {
                return Err(NumbersError::NoStep(item.to_owned()));
            }
            let after = |&count: &usize| match step {
                Some(step) => count.saturating_add(step).min(high),
                None => count.saturating_mul(2).clamp(1, high),
            };
            let range = iter::successors(Some(low), |count| (*count < high).then(|| after(count)));
            let range: Vec<usize> = range.take(LONGEST_RANGE + 1).collect();
            if range.len() > LONGEST_RANGE {
                return Err(NumbersError::TooMany(item.to_owned()));
            }
            counts.extend(range);
        }
        Ok(Counts(counts))
    }
}

impl FromStr for Ranks {
    type Err = NumbersError;

    fn from_str(text: &str) -> Result<Ranks, NumbersError> {
        let rank = |item: &str| item.trim().parse().map_err(|_| NumbersError::Rank(item.to_owned()));
        Ok(Ranks(text.split(',').map(rank).collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Vec<usize> {
        text.parse::<Counts>().unwrap().0
    }

    #[test]
    fn counts_are_numbers_and_ranges() {
        assert_eq!(counts("30"), [30]);
        assert_eq!(counts("5, 1,10"), [5, 1, 10]);
        assert_eq!(counts("1..10"), [1, 2, 4, 8, 10]);
        assert_eq!(counts("10..50+20"), [10, 30, 50]);
        assert_eq!(counts("1..10+4"), [1, 5, 9, 10]);
        assert_eq!(counts("7..7,3..3+2"), [7, 3]);
        assert_eq!(counts("0..2"), [0, 1, 2], "whether 0 can be placed is found out when it is");
        assert_eq!(counts("1..18446744073709551615").len(), 65);
    }

    #[test]
    fn what_is_no_list_of_counts_is_refused() {
        for text in ["", "1,,2", "-1", "1..", "..4", "1..4+", "1...4", "many", "1.5", "1+2"] {
            assert!(matches!(text.parse::<Counts>(), Err(NumbersError::Count(_))), "{text}");
        }
        assert_eq!("1,9..8".parse::<Counts>(), Err(NumbersError::Descending("9..8".to_owned())));
        assert_eq!("1..8+0".parse::<Counts>(), Err(NumbersError::NoStep("1..8+0".to_owned())));
        assert_eq!("1..20000+1".parse::<Counts>(), Err(NumbersError::TooMany("1..20000+1".to_owned())));
    }

    #[test]
    fn ranks_are_a_list() {
        assert_eq!("0, 5,17".parse(), Ok(Ranks(vec![0, 5, 17])));
        assert_eq!("3,x".parse::<Ranks>(), Err(NumbersError::Rank("x".to_owned())));
        assert!("".parse::<Ranks>().is_err());
    }
}
