//! Lists as `s-to-p` reads them: algorithms, distributions, numbers of sources, ranks.

use std::iter;

use multicomputer::{
    Rank,
    s_to_p::{Algorithm, Distribution},
};

use super::super::lists::{List, items};

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
        "The algorithms, or a list of such: paper for those of the papers ({}), beyond for others ({}, {}), {} for the \
         fastest of these on the machine, or all; what does not work is left out. {} is for messages that leave some nodes with more \
         bytes than others, {} for long messages on \
         networks that are no grid or between nodes with several ports, {} for long messages from few sources, {} has the algorithms for \
         an all-gather or, of one source, a broadcast, and {} treats long and short messages apart, each by one of these",
        names(Algorithm::PAPER),
        names(Algorithm::BEYOND),
        names(Algorithm::FOR_SOME),
        Algorithm::AUTO,
        Algorithm::LEVEL,
        Algorithm::FOREST,
        Algorithm::PIPELINE,
        Algorithm::COLLECTIVE,
        Algorithm::APART
    )
}

/// Reads algorithms: each once, in their order in tables.
pub(super) fn algorithms(text: &str) -> Result<List<Algorithm>, String> {
    let mut asked = Vec::new();
    for item in items(text) {
        match item {
            "all" => asked.extend(known()),
            "paper" => asked.extend_from_slice(Algorithm::PAPER),
            "beyond" => asked.extend(beyond()),
            name => asked.push(
                name.parse().map_err(|cause| format!("{cause}; all, paper and beyond stand for several"))?,
            ),
        }
    }
    Ok(List::of(known().filter(|algorithm| asked.contains(algorithm))))
}

/// All algorithms that can be asked for, in their order in tables, *Auto* last.
pub(super) fn known() -> impl Iterator<Item = Algorithm> {
    Algorithm::PAPER.iter().cloned().chain(beyond()).chain([Algorithm::AUTO])
}

/// Those that the papers do not have, also those for some problems only.
fn beyond() -> impl Iterator<Item = Algorithm> {
    Algorithm::BEYOND.iter().chain(Algorithm::FOR_SOME).cloned()
}

/// Reads distributions: each once, in the order given.
pub(super) fn distributions(text: &str) -> Result<List<Distribution>, String> {
    let read = |item: &str| match item {
        "all" => Ok(Distribution::ALL.to_vec()),
        name => match name.parse() {
            Ok(distribution) => Ok(vec![distribution]),
            Err(cause) => Err(format!("{cause}; all stands for those up to band")),
        },
    };
    Ok(List::read(text, read)?.each_once())
}

/// Reads numbers of sources, in the order given: a list of numbers and ranges. `1..64` doubles, as in lists of sizes,
/// and `10..100+10` goes in steps. The upper end of a range always belongs to it.
pub(super) fn counts(text: &str) -> Result<List<usize>, String> {
    List::read(text, |item| {
        let number = |text: &str| {
            text.trim().parse::<usize>().map_err(|_| {
                format!(
                    "`{item}` is no number of sources: allowed are a number such as 30, a range that doubles such as \
                     1..64, one in steps such as 10..100+10, and lists of these"
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
        match range.len() {
            0..=LONGEST_RANGE => Ok(range),
            _ => Err(format!("`{item}` stands for more than {LONGEST_RANGE} numbers")),
        }
    })
}

/// Reads ranks, in the order given.
pub(super) fn ranks(text: &str) -> Result<List<Rank>, String> {
    List::read(text, |item| match item.parse() {
        Ok(rank) => Ok([rank]),
        Err(_) => Err(format!("`{item}` is no rank: allowed are whole numbers from 0, such as 0,5,17")),
    })
}
