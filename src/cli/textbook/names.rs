//! What `textbook` reads: lists of algorithms and figures, of networks, of numbers of words.

use std::str::FromStr;

use multicomputer::{
    textbook::{BookFigure, FIGURES, Topic},
    topology::{self, TopologyError},
    units::{Sizes, UnitError, parse_bytes},
};
use thiserror::Error;

/// An algorithm, the example, or a figure that shows one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) topic: Topic,
    pub(super) figure: Option<&'static BookFigure>,
}

/// What is asked for, each once, in the order given: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Items(Vec<Item>);

/// Networks, each once, in the order given: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Topologies(Vec<String>);

/// Numbers of words, each once, in the order given: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words(Vec<u64>);

/// A name that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{given}` is not in the chapter; allowed are {all}", all = spellings())]
pub(super) struct NameError {
    given: String,
}

/// What is no list of numbers of words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum WordsError {
    #[error(
        "`{0}` is no number of words: allowed are whole numbers such as 1000 or 2K (K, M and G are powers of 1024), ranges \
         that double such as 8..64K, and lists of these"
    )]
    Unreadable(String),
    #[error(transparent)]
    Range(UnitError),
}

/// A length of a word that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum WordError {
    #[error(transparent)]
    Unit(#[from] UnitError),
    #[error("a word has at least 1 byte")]
    Zero,
}

/// Everything that can be asked for.
fn spellings() -> String {
    let topics = Topic::all().map(|topic| topic.name().to_owned());
    topics
        .chain(FIGURES.iter().map(BookFigure::name))
        .chain(["and all".to_owned()])
        .collect::<Vec<_>>()
        .join(", ")
}

/// What the argument is.
pub(super) fn help() -> String {
    format!(
        "An algorithm by its number in the book or its name, a figure, or a list of such: {}",
        spellings()
    )
}

/// Reads the length of a word.
pub(super) fn read_word(text: &str) -> Result<u64, WordError> {
    match parse_bytes(text)? {
        0 => Err(WordError::Zero),
        bytes => Ok(bytes),
    }
}

impl Item {
    fn of(topic: Topic) -> Item {
        Item { topic, figure: None }
    }

    /// As it is spelled.
    pub(super) fn name(&self) -> String {
        self.figure.map_or_else(|| self.topic.name().to_owned(), BookFigure::name)
    }
}

impl Items {
    pub(super) fn as_slice(&self) -> &[Item] {
        &self.0
    }
}

impl Topologies {
    pub(super) fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl Words {
    pub(super) fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

impl FromStr for Items {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Items, NameError> {
        let mut items = Vec::new();
        for name in text.split(',').map(str::trim) {
            let figure =
                || BookFigure::named(name).map(|figure| Item { topic: figure.topic, figure: Some(figure) });
            match Topic::named(name).map(Item::of).or_else(figure) {
                Some(item) => items.push(item),
                None if name == "all" => items.extend(Topic::all().map(Item::of)),
                None => return Err(NameError { given: name.to_owned() }),
            }
        }
        Ok(Items(each_once(items)))
    }
}

impl FromStr for Topologies {
    type Err = TopologyError;

    fn from_str(text: &str) -> Result<Topologies, TopologyError> {
        let mut names: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim) {
            // The bandwidths of a fat tree have commas of their own; no name begins with a digit.
            match names.last_mut() {
                Some(name) if part.starts_with(|first: char| first.is_ascii_digit()) => {
                    name.push(',');
                    name.push_str(part);
                }
                _ => names.push(part.to_owned()),
            }
        }
        names.iter().try_for_each(|name| topology::parse(name).map(drop))?;
        Ok(Topologies(each_once(names)))
    }
}

impl FromStr for Words {
    type Err = WordsError;

    /// Reads them as sizes are read: words are counted as bytes are.
    fn from_str(text: &str) -> Result<Words, WordsError> {
        let words: Sizes = text.parse().map_err(|cause| match cause {
            // These speak of bytes.
            UnitError::Unreadable { given, .. }
            | UnitError::Fraction { given }
            | UnitError::TooLarge { given, .. } => WordsError::Unreadable(given),
            cause => WordsError::Range(cause),
        })?;
        Ok(Words(each_once(words.into_iter().collect())))
    }
}

/// Leaves out what was there before.
fn each_once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.parse::<Items>().unwrap().as_slice().iter().map(Item::name).collect()
    }

    #[test]
    fn items_are_algorithms_figures_or_all() {
        assert_eq!(names("4.7, fig-4.12,4.7,example-4.1"), ["4.7", "fig-4.12", "example-4.1"]);
        assert_eq!(names("all").len(), 17);
        for name in ["4.9", "", "4.7,", "figure-4.9", "fig-4.8"] {
            let refusal = name.parse::<Items>().unwrap_err().to_string();
            assert!(refusal.contains("allowed are naive, nearest-first, 4.1, 4.2"), "{refusal}");
            assert!(refusal.ends_with("fig-4.11, fig-4.12, and all"), "{refusal}");
        }
    }

    #[test]
    fn fat_trees_keep_their_commas() {
        let topologies: Topologies = "ring:8,fat-tree:16:4:20,10,5, mesh:2x4,ring:8".parse().unwrap();
        assert_eq!(topologies.as_slice(), ["ring:8", "fat-tree:16:4:20,10,5", "mesh:2x4"]);
        for text in ["", "ring", "8", "hypercube:12", "ring:8,"] {
            assert!(text.parse::<Topologies>().is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_whole_numbers() {
        assert_eq!("10, 1000,0,10".parse::<Words>().unwrap().as_slice(), [10, 1000, 0]);
        assert_eq!("1..8,2K,4".parse::<Words>().unwrap().as_slice(), [1, 2, 4, 8, 2048]);
        assert!(["", "-1", "1,", "0.5", "8..4", "2Q"].iter().all(|text| text.parse::<Words>().is_err()));
        let error = "0.5".parse::<Words>().unwrap_err().to_string();
        assert!(error.starts_with("`0.5` is no number of words: allowed are whole numbers"), "{error}");
        assert_eq!([read_word("4"), read_word("0")], [Ok(4), Err(WordError::Zero)]);
    }
}
