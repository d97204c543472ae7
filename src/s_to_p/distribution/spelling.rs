//! Text forms of distributions: `cross`, `block:3x10@2+4`, `random:7`, `list:0+5+17`.
//!
//! Numbers are joined by `+`, so that distributions can be elements of a comma-separated list.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::Distribution;
use crate::names;

/// The seed of `random` if none is given.
const DEFAULT_SEED: u64 = 1;

/// Error for a text that is not a [`Distribution`].
#[derive(Clone, PartialEq, Eq, Error)]
#[error(
    "unknown distribution `{given}`; {} are {}",
    names::allowed(given, known_names()),
    Distribution::spellings()
)]
pub struct ParseDistributionError {
    /// The text given.
    pub given: String,
}

crate::text::debug_as_text!(ParseDistributionError);

/// Returns all names, without arguments.
fn known_names() -> impl Iterator<Item = &'static str> {
    Distribution::ALL.iter().map(Distribution::name).chain(["block", "random", "list"])
}

impl Distribution {
    /// Returns the name without arguments: `row`, `block`, `list`.
    pub const fn name(&self) -> &'static str {
        match self {
            Distribution::Row => "row",
            Distribution::Column => "column",
            Distribution::RightDiagonal => "right-diagonal",
            Distribution::LeftDiagonal => "left-diagonal",
            Distribution::Equal => "equal",
            Distribution::Cross => "cross",
            Distribution::SquareBlock => "square-block",
            Distribution::Band => "band",
            Distribution::Block { .. } => "block",
            Distribution::Random { .. } => "random",
            Distribution::Listed(_) => "list",
        }
    }

    /// Describes the accepted text forms, for help texts and error messages: the names of [`Distribution::ALL`], then the forms with
    /// arguments.
    pub fn spellings() -> String {
        let names = Distribution::ALL.map(|distribution| distribution.name()).join(", ");
        format!(
            "{names}, block:ROWSxCOLUMNS or block:ROWSxCOLUMNS@TOP+LEFT (counted from 0), random:SEED (random is \
             random:{DEFAULT_SEED}), list:RANK+RANK+..."
        )
    }
}

/// Prints the form that is parsed. The corner of a block is omitted if it is the corner of the mesh.
impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Distribution::Block { rows, columns, top: 0, left: 0 } => {
                f.pad(&format!("{name}:{rows}x{columns}"))
            }
            Distribution::Block { rows, columns, top, left } => {
                f.pad(&format!("{name}:{rows}x{columns}@{top}+{left}"))
            }
            Distribution::Random { seed } => f.pad(&format!("{name}:{seed}")),
            Distribution::Listed(ranks) => {
                let ranks: Vec<String> = ranks.iter().map(ToString::to_string).collect();
                f.pad(&format!("{name}:{}", ranks.join("+")))
            }
            _ => f.pad(name),
        }
    }
}

/// Parses exactly the forms that [`Distribution::spellings`] lists. [`Distribution::place`] checks whether a block or a list fits on a
/// mesh.
impl FromStr for Distribution {
    type Err = ParseDistributionError;

    fn from_str(text: &str) -> Result<Distribution, ParseDistributionError> {
        let read = match text.split_once(':') {
            None if text == "random" => Some(Distribution::Random { seed: DEFAULT_SEED }),
            None => Distribution::ALL.into_iter().find(|distribution| distribution.name() == text),
            Some(("block", block)) => read_block(block),
            Some(("random", seed)) => number(seed).map(|seed| Distribution::Random { seed }),
            Some(("list", ranks)) => {
                ranks.split('+').map(number).collect::<Option<_>>().map(Distribution::Listed)
            }
            Some(_) => None,
        };
        read.ok_or_else(|| ParseDistributionError { given: text.to_owned() })
    }
}

/// Reads `3x10` or `3x10@2+4`.
fn read_block(text: &str) -> Option<Distribution> {
    let (shape, corner) = text.split_once('@').unwrap_or((text, "0+0"));
    let (rows, columns) = shape.split_once('x')?;
    let (top, left) = corner.split_once('+')?;
    Some(Distribution::Block {
        rows: number(rows)?,
        columns: number(columns)?,
        top: number(top)?,
        left: number(left)?,
    })
}

/// Parses decimal digits, without a sign.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_print() {
        for distribution in Distribution::ALL {
            assert_eq!(distribution.to_string(), distribution.name());
            assert_eq!(distribution.to_string().parse(), Ok(distribution));
        }
        let block = Distribution::Block { rows: 3, columns: 10, top: 2, left: 4 };
        let corner = Distribution::Block { rows: 3, columns: 10, top: 0, left: 0 };
        for (text, distribution) in [
            ("block:3x10@2+4", block),
            ("block:3x10", corner.clone()),
            ("random:7", Distribution::Random { seed: 7 }),
            ("random:18446744073709551615", Distribution::Random { seed: u64::MAX }),
            ("list:17+0+5", Distribution::Listed([17, 0, 5].into())),
            ("list:3", Distribution::Listed([3].into())),
        ] {
            assert_eq!(text.parse(), Ok(distribution.clone()));
            assert_eq!(distribution.to_string(), text);
        }
        assert_eq!("random".parse(), Ok(Distribution::Random { seed: 1 }));
        assert_eq!("block:3x10@0+0".parse(), Ok(corner));
        assert_eq!(
            format!("{:>6}|{:<9}|", Distribution::Row, Distribution::Random { seed: 7 }),
            "   row|random:7 |"
        );
    }

    #[test]
    fn unknown_distributions_are_refused_with_the_known_ones() {
        let refused = [
            "",
            "rows",
            "Row",
            " row",
            "row:",
            "row:3",
            "block",
            "block:",
            "block:3",
            "block:3x",
            "block:3x+4",
            "block:3x10@",
            "block:3x10@2",
            "block:3x10@2,4",
            "block:3x10@2+4+1",
            "random:",
            "random:-1",
            "random:18446744073709551616",
            "list",
            "list:",
            "list:0,5",
            "list:0++5",
            "list:0+5+",
            "list:a",
        ];
        for text in refused {
            let error = ParseDistributionError { given: text.to_owned() };
            assert_eq!(text.parse::<Distribution>(), Err(error));
        }
        let error = "rows".parse::<Distribution>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`rows` is no distribution; did you mean `row`? Allowed are row, column, right-diagonal, left-diagonal, equal, cross, \
             square-block, band, block:ROWSxCOLUMNS or block:ROWSxCOLUMNS@TOP+LEFT (counted from 0), random:SEED \
             (random is random:1), list:RANK+RANK+..."
        );
    }
}
