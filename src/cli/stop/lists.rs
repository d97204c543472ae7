//! Lists as `stop` reads them: algorithms, distributions, numbers of sources, ranks.

use std::iter;

use multicomputer::{
    Rank,
    stop::{Algorithm, Distribution},
};

use super::super::lists::{List, items};

/// An algorithm that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) algorithm: Algorithm,
    /// By its own name, not only as one of several. Then it is not left out where it does not work.
    pub(super) by_name: bool,
}

/// The most numbers that a range may stand for.
const LONGEST_RANGE: usize = 10_000;

/// The help of `--distribution`.
pub(super) fn distribution_help() -> String {
    format!(
        "Where the sources are, or a list of such: {}; all stands for those up to band",
        Distribution::spellings()
    )
}

/// The help of `--algorithm`.
pub(super) fn algorithm_help() -> String {
    let names = |algorithms: &[Algorithm]| {
        algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "The algorithms, or a list of such: paper for those of the papers ({}), beyond for others ({}), {} for the \
         fastest of these on the machine, or all; paper, beyond and all leave out what does not work",
        names(Algorithm::PAPER),
        names(Algorithm::BEYOND),
        Algorithm::AUTO
    )
}

/// Reads algorithms: each once, in the order of the registry.
pub(super) fn algorithms(text: &str) -> Result<List<Choice>, String> {
    let (mut named, mut several) = (Vec::new(), Vec::new());
    for item in items(text) {
        match item {
            "all" => several.extend(Algorithm::all()),
            "paper" => several.extend_from_slice(Algorithm::PAPER),
            "beyond" => several.extend_from_slice(Algorithm::BEYOND),
            name => named.push(
                name.parse().map_err(|cause| format!("{cause}; all, paper and beyond stand for several"))?,
            ),
        }
    }
    let choice = |algorithm: Algorithm| {
        let by_name = named.contains(&algorithm);
        (by_name || several.contains(&algorithm)).then_some(Choice { algorithm, by_name })
    };
    Ok(List::of(Algorithm::all().filter_map(choice)))
}

/// Reads distributions: each once, in the order given.
pub(super) fn distributions(text: &str) -> Result<List<Distribution>, String> {
    let mut asked = Vec::new();
    for item in items(text) {
        match item {
            "all" => asked.extend(Distribution::ALL),
            name => {
                asked.push(name.parse().map_err(|cause| format!("{cause}; all stands for those up to band"))?)
            }
        }
    }
    Ok(List::each_once(asked))
}

/// Reads numbers of sources, in the order given: a list of numbers and ranges. `1..64` doubles, as in lists of sizes,
/// and `10..100+10` goes in steps. The upper end of a range always belongs to it.
pub(super) fn counts(text: &str) -> Result<List<usize>, String> {
    let mut counts = Vec::new();
    for item in items(text) {
        let number = |text: &str| {
            text.trim().parse::<usize>().map_err(|_| {
                format!(
                    "`{item}` is no number of sources: allowed are a number such as 30, a range that doubles such as \
                     1..64, one in steps such as 10..100+10, and lists of these"
                )
            })
        };
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
            return Err(format!(
                "`{item}` goes down; allowed is a range from the smaller to the larger number"
            ));
        }
        if step == Some(0) {
            return Err(format!("`{item}` goes in steps of 0; allowed are steps of 1 and more"));
        }
        let after = |&count: &usize| match step {
            Some(step) => count.saturating_add(step).min(high),
            None => count.saturating_mul(2).clamp(1, high),
        };
        let range = iter::successors(Some(low), |count| (*count < high).then(|| after(count)));
        let range: Vec<usize> = range.take(LONGEST_RANGE + 1).collect();
        if range.len() > LONGEST_RANGE {
            return Err(format!("`{item}` stands for more than {LONGEST_RANGE} numbers"));
        }
        counts.extend(range);
    }
    Ok(List::of(counts))
}

/// Reads ranks, in the order given.
pub(super) fn ranks(text: &str) -> Result<List<Rank>, String> {
    let rank = |item: &str| {
        let no_rank = |_| format!("`{item}` is no rank: allowed are whole numbers from 0, such as 0,5,17");
        item.trim().parse().map_err(no_rank)
    };
    Ok(List::of(text.split(',').map(rank).collect::<Result<Vec<_>, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_come_in_the_order_of_the_registry() {
        let asked = |text: &str| -> Vec<(Algorithm, bool)> {
            let choices = algorithms(text).unwrap();
            choices.iter().map(|choice| (choice.algorithm, choice.by_name)).collect()
        };
        assert_eq!(
            asked("auto, 2-step,br-lin,auto"),
            [(Algorithm::BR_LIN, true), (Algorithm::TWO_STEP, true), (Algorithm::AUTO, true)]
        );
        assert_eq!(asked("all").len(), Algorithm::all().count());
        assert_eq!(asked("paper").len(), Algorithm::PAPER.len());
        let beyond = asked("split,beyond");
        assert_eq!(beyond.len(), Algorithm::BEYOND.len());
        assert!(beyond.iter().all(|(algorithm, by_name)| *by_name == (*algorithm == Algorithm::SPLIT)));
        assert!(algorithms("").is_err());
    }

    #[test]
    fn distributions_come_in_the_order_given() {
        let row_last = distributions("square-block,row,square-block").unwrap();
        assert_eq!(row_last[..], [Distribution::SquareBlock, Distribution::Row]);
        assert_eq!(distributions("row,all").unwrap()[..], Distribution::ALL);
        assert!(distributions("row,").is_err());
    }

    #[test]
    fn counts_are_numbers_and_ranges() {
        for (text, expected) in [
            ("30", &[30][..]),
            ("5, 1,10", &[5, 1, 10]),
            ("1..10", &[1, 2, 4, 8, 10]),
            ("10..50+20", &[10, 30, 50]),
            ("1..10+4", &[1, 5, 9, 10]),
            ("7..7,3..3+2", &[7, 3]),
            // Whether 0 can be placed is found out when it is.
            ("0..2", &[0, 1, 2]),
        ] {
            assert_eq!(counts(text).unwrap()[..], *expected, "{text}");
        }
        assert_eq!(counts("1..18446744073709551615").unwrap().len(), 65);
        for text in ["", "1,,2", "-1", "1..", "..4", "1..4+", "1...4", "many", "1.5", "1+2"] {
            assert!(counts(text).unwrap_err().contains("is no number of sources"), "{text}");
        }
        for (text, cause) in [("1,9..8", "goes down"), ("1..8+0", "steps of 0"), ("1..20000+1", "more than")]
        {
            assert!(counts(text).unwrap_err().contains(cause), "{text}");
        }
    }

    #[test]
    fn ranks_are_a_list() {
        assert_eq!(ranks("0, 5,17").unwrap()[..], [0, 5, 17]);
        assert!(ranks("3,x").unwrap_err().starts_with("`x` is no rank"));
        assert!(ranks("").is_err());
    }
}
