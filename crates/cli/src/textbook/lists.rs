//! Lists as option values of `textbook`: algorithms and figures, networks, numbers of words.

use std::fmt;

use multicomputer::{
    names,
    textbook::{BookFigure, FIGURES, Topic},
    topology,
    units::{Sizes, UnitError, parse_bytes},
};

use multicomputer_study::Axis;

use super::super::lists::{List, is_all};

/// An algorithm, the example, or a figure that shows one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) topic: Topic,
    pub(super) figure: Option<&'static BookFigure>,
}

impl Item {
    fn of(topic: Topic) -> Item {
        Item { topic, figure: None }
    }
}

/// Displays the name.
impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.figure {
            Some(figure) => f.write_str(&figure.name()),
            None => f.write_str(self.topic.name()),
        }
    }
}

/// Returns the accepted values of the argument, comma-separated: algorithms, figures and `all`.
fn spellings() -> String {
    let topics = Topic::all().map(|topic| topic.name().to_owned());
    let names = topics.chain(FIGURES.iter().map(BookFigure::name)).chain(["all".to_owned()]);
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the help text of the argument.
pub(super) fn help() -> String {
    format!(
        "Show these algorithms (number in the book or name) and figures, comma-separated: {}",
        spellings()
    )
}

/// Parses algorithms and figures: without duplicates, in the order given.
pub(super) fn read_items(text: &str) -> Result<List<Item>, String> {
    let read = |name: &str| match (Topic::named(name), BookFigure::named(name)) {
        (Some(topic), _) => Ok(vec![Item::of(topic)]),
        (None, Some(figure)) => Ok(vec![Item { topic: figure.topic, figure: Some(figure) }]),
        (None, None) if is_all(name) => Ok(Topic::all().map(Item::of).collect()),
        (None, None) => {
            let topics = Topic::all().flat_map(Topic::spellings).map(str::to_owned);
            let known = topics.chain(FIGURES.iter().map(BookFigure::name)).chain(["all".to_owned()]);
            Err(names::unknown("algorithm or figure", name, names::nearest(name, known), &spellings()))
        }
    };
    Ok(List::read(text, read)?.without_duplicates())
}

/// Parses networks: without duplicates, in the order given. Names of fat trees and others contain commas.
pub(super) fn read_topologies(text: &str) -> Result<List<String>, String> {
    let names = Axis::Machine.expand(text)?;
    let check = |name: &String| topology::parse(name).map(drop).map_err(|cause| cause.to_string());
    names.iter().try_for_each(check)?;
    Ok(List::of(names))
}

/// Parses numbers of words in the format of sizes: without duplicates, in the order given.
pub(super) fn read_words(text: &str) -> Result<List<u64>, String> {
    let words: Sizes = text.parse().map_err(|cause| match cause {
        // The texts of these errors mention bytes.
        UnitError::Unreadable { given, .. }
        | UnitError::Fraction { given }
        | UnitError::TooLarge { given, .. } => format!(
            "`{given}` is not a number of words: write 1000 or 2K (K, M and G are powers of 1024), a doubling \
             range 8..64K, or a list of these"
        ),
        cause => cause.to_string(),
    })?;
    Ok(List::of(&words).without_duplicates())
}

/// Parses the length of a word, in bytes.
pub(super) fn read_word(text: &str) -> Result<u64, String> {
    match parse_bytes(text).map_err(|cause| cause.to_string())? {
        0 => Err("a word has at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}
