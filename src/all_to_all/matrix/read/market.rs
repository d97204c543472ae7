//! MatrixMarket files (Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996).

use super::{Invalid, MAX_LISTED_NODES, MatrixError, Value, summed};
use crate::{rank::Rank, text::shown};

const BANNER: &str = "%%MatrixMarket";

pub(super) fn is_market(text: &str) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Returns the number of nodes and the entries, row by row.
pub(super) fn read<V: Value>(text: &str) -> Result<(usize, Vec<V>), MatrixError> {
    let problem = |line: usize, problem: String| MatrixError::Market { line, problem };
    let mut lines = (1..).zip(text.lines());
    let banner = lines.next().map_or("", |(_, line)| line).to_lowercase();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let (is_sparse, field, is_symmetric) = match words[..] {
        [
            _,
            "matrix",
            form @ ("coordinate" | "array"),
            field @ ("integer" | "real" | "pattern"),
            symmetry @ ("general" | "symmetric"),
        ] => (form == "coordinate", field, symmetry == "symmetric"),
        _ => {
            let given = shown(&words[1..].join(" "));
            let allowed =
                "`matrix`, `coordinate` or `array`, `integer`, `real` or `pattern`, `general` or `symmetric`";
            return Err(problem(1, format!("the banner says `{given}`; allowed are {allowed}")));
        }
    };
    let mut lines = lines.filter(|(_, line)| !line.starts_with('%') && !line.trim().is_empty());
    let (size_line, size) = lines.next().unwrap_or((1, ""));
    let extents: Option<Vec<usize>> = size.split_whitespace().map(|word| word.parse().ok()).collect();
    let (nodes, entries) = match extents.as_deref() {
        Some(&[rows, columns, entries]) if is_sparse && rows == columns => (rows, entries),
        Some(&[rows, columns]) if !is_sparse && rows == columns => (rows, usize::MAX),
        Some(&[rows, columns, ..]) if rows != columns => {
            let given = format!("the matrix has {rows} rows and {columns} columns");
            return Err(problem(
                size_line,
                format!("{given}; a communication matrix has as many rows as columns"),
            ));
        }
        _ => {
            let allowed = if is_sparse { "rows, columns and entries" } else { "rows and columns" };
            let given = shown(size.trim());
            return Err(problem(
                size_line,
                format!("the size line is `{given}`; allowed are the numbers of {allowed}"),
            ));
        }
    };
    if nodes > MAX_LISTED_NODES {
        return Err(problem(
            size_line,
            format!("{nodes} rows are too many; the maximum is {MAX_LISTED_NODES}"),
        ));
    }
    // An array lists the columns one after the other, of a symmetric matrix from the diagonal down.
    let mut places =
        (0..nodes).flat_map(|to| (if is_symmetric { to } else { 0 }..nodes).map(move |from| (from, to)));
    let expected = if is_sparse {
        entries
    } else if is_symmetric {
        nodes * (nodes + 1) / 2
    } else {
        nodes * nodes
    };
    let mut messages = Vec::new();
    let mut given = 0;
    let mut last = size_line;
    for (line, text) in lines {
        (given, last) = (given + 1, line);
        let mut words = text.split_whitespace();
        let (from, to) = if is_sparse {
            let mut node = || {
                let word = words.next().unwrap_or_default();
                let node = word.parse().ok().filter(|node: &Rank| (1..=nodes).contains(node));
                node.map(|node| node - 1).ok_or_else(|| {
                    problem(
                        line,
                        format!("`{}` is not a row or a column; allowed are 1 to {nodes}", shown(word)),
                    )
                })
            };
            (node()?, node()?)
        } else {
            places.next().ok_or_else(|| {
                problem(line, format!("there are more than the {expected} entries of the size line"))
            })?
        };
        let word = if field == "pattern" { "1" } else { words.next().unwrap_or_default() };
        let value = match V::parse(word) {
            Ok(_) if word.is_empty() => return Err(problem(line, "the value is missing".to_owned())),
            Ok(value) => value,
            Err(Invalid::Fraction) => {
                return Err(MatrixError::Fraction {
                    line,
                    field: if is_sparse { 3 } else { 1 },
                    given: shown(word),
                });
            }
            Err(_) => {
                return Err(problem(
                    line,
                    format!(
                        "`{}` is not a number of bytes; allowed are numbers from 0, separated by blanks",
                        shown(word)
                    ),
                ));
            }
        };
        if let Some(word) = words.next() {
            return Err(problem(
                line,
                format!("`{}` follows the entry; allowed is one entry a line", shown(word)),
            ));
        }
        messages.push((from, to, value));
        if is_symmetric && from != to {
            messages.push((to, from, value));
        }
    }
    if given != expected {
        return Err(problem(
            last,
            format!("the size line promises {expected} entries, and the file has {given}"),
        ));
    }
    Ok((nodes, summed(nodes, messages)))
}
