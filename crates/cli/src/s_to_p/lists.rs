//! Lists as option values of `s-to-p`: algorithms, distributions, numbers of sources, ranks.

use std::iter;

use multicomputer::{
    Rank, names,
    s_to_p::{Algorithm, Distribution},
};

use super::super::lists::{List, is_all, items};

/// Maximum number of values in a range.
const MAX_RANGE: usize = 10_000;

/// Returns the help text of `--distribution`.
pub(super) fn distribution_help() -> String {
    format!(
        "Place the sources, comma-separated: {}; all selects the distributions up to band",
        Distribution::spellings()
    )
}

/// Returns the help text of `--algorithm`.
pub(super) fn algorithm_help() -> String {
    let names = |algorithms: &[Algorithm]| {
        algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Compare these algorithms (listed below), comma-separated: names, paper for the algorithms of the papers ({}), beyond for the others \
         ({}, {}), or all; {} chooses the fastest. Algorithms that do not apply are skipped",
        names(Algorithm::PAPER),
        names(Algorithm::BEYOND),
        names(Algorithm::FOR_SOME),
        Algorithm::AUTO
    )
}

/// Parses algorithms: without duplicates, in table order.
pub(super) fn algorithms(text: &str) -> Result<List<Algorithm>, String> {
    let mut requested = Vec::new();
    for item in items(text) {
        match (&names::normalized(item)[..], item.parse::<Algorithm>()) {
            ("all", _) => requested.extend(known()),
            ("paper", _) => requested.extend_from_slice(Algorithm::PAPER),
            ("beyond", _) => requested.extend(beyond()),
            (_, Ok(algorithm)) => requested.push(algorithm),
            (_, Err(_)) => {
                let (algorithms, groups): (Vec<Algorithm>, _) =
                    (known().collect(), ["paper", "beyond", "all"]);
                let spellings = algorithms.iter().flat_map(Algorithm::spellings).chain(groups);
                let all = algorithms.iter().map(Algorithm::name).chain(groups).collect::<Vec<_>>();
                return Err(names::unknown(
                    "algorithm",
                    item,
                    names::nearest(item, spellings),
                    &all.join(", "),
                ));
            }
        }
    }
    Ok(List::of(known().filter(|algorithm| requested.contains(algorithm))))
}

/// Returns all algorithms in table order; *Auto* is last.
pub(super) fn known() -> impl Iterator<Item = Algorithm> {
    Algorithm::PAPER.iter().cloned().chain(beyond()).chain([Algorithm::AUTO])
}

/// Returns the algorithms that the papers do not have, including algorithms that apply only to some problems.
fn beyond() -> impl Iterator<Item = Algorithm> {
    Algorithm::BEYOND.iter().chain(Algorithm::FOR_SOME).cloned()
}

/// Parses distributions: without duplicates, in the order given.
pub(super) fn distributions(text: &str) -> Result<List<Distribution>, String> {
    let read = |item: &str| match item {
        all if is_all(all) => Ok(Distribution::ALL.to_vec()),
        name => match name.parse::<Distribution>() {
            Ok(distribution) => Ok(vec![distribution]),
            Err(cause) => Err(cause.to_string()),
        },
    };
    Ok(List::read(text, read)?.without_duplicates())
}

/// Parses numbers of sources, in the order given: a list of numbers and ranges. `1..64` doubles, as in lists of sizes,
/// and `10..100+10` has steps of 10. A range always includes its upper end.
pub(super) fn counts(text: &str) -> Result<List<usize>, String> {
    List::read(text, |item| {
        let number = |text: &str| {
            text.trim().parse::<usize>().map_err(|_| {
                format!(
                    "`{item}` is not a number of sources: write 30, a doubling range 1..64, a range in steps \
                     10..100+10, or a list of these"
                )
            })
        };
        let Some((low, high)) = item.split_once("..") else { return Ok(vec![number(item)?]) };
        let (high, step) = match high.split_once('+') {
            Some((high, step)) => (number(high)?, Some(number(step)?)),
            None => (number(high)?, None),
        };
        let low = number(low)?;
        if low > high {
            return Err(format!("`{item}` is descending; write the smaller number first"));
        }
        if step == Some(0) {
            return Err(format!("`{item}` goes in steps of 0: use steps of 1 or more"));
        }
        let after = |&count: &usize| match step {
            Some(step) => count.saturating_add(step).min(high),
            None => count.saturating_mul(2).clamp(1, high),
        };
        let range = iter::successors(Some(low), |count| (*count < high).then(|| after(count)));
        let range: Vec<usize> = range.take(MAX_RANGE + 1).collect();
        match range.len() {
            0..=MAX_RANGE => Ok(range),
            _ => Err(format!("`{item}` has more than {MAX_RANGE} numbers: use larger steps")),
        }
    })
}

/// Parses ranks, in the order given.
pub(super) fn ranks(text: &str) -> Result<List<Rank>, String> {
    List::read(text, |item| match item.parse() {
        Ok(rank) => Ok([rank]),
        Err(_) => Err(format!("`{item}` is not a rank: write whole numbers such as 0,5,17")),
    })
}
