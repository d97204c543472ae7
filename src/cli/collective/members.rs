//! Which nodes take part: `all`, `row:3`, `column:0`, `block:4x4@2+0`, `0,5,8-15`.

use std::{fmt, iter, str::FromStr};

use multicomputer::{Rank, model::Description, stop::Distribution, topology::Grid};
use thiserror::Error;

use super::super::count::counted;

/// The members as they are spelled.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Members {
    spelled: String,
    nodes: Nodes,
}

#[derive(Clone, Debug, PartialEq)]
enum Nodes {
    All,
    Row(usize),
    Column(usize),
    Block(Distribution),
    /// First and last node of each range.
    Ranges(Vec<(Rank, Rank)>),
}

/// Members that are none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum MembersError {
    /// They cannot be read.
    #[error(
        "`{0}` names no nodes: allowed are all, row:3, column:0, block:4x4@2+0, and lists of nodes and of ranges from \
         the smaller to the larger one, such as 0,5,8-15"
    )]
    Unreadable(String),
    /// The machine has no rows and columns.
    #[error("{machine} has no rows and columns: name the members by their numbers instead of `{given}`")]
    NoGrid {
        /// The machine.
        machine: String,
        /// What was asked for.
        given: String,
    },
    /// A row or column outside the mesh.
    #[error("`{given}` is not there: the machine has {} and {}, numbered from 0", counted(grid.rows, "row"), counted(grid.columns, "column"))]
    Outside {
        /// What was asked for.
        given: String,
        /// The machine's.
        grid: Grid,
    },
    /// A block that does not fit.
    #[error("{0}")]
    Block(String),
    /// A node that the machine does not have.
    #[error("node {given} is given as a member: the machine has nodes 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The node.
        given: Rank,
        /// Nodes of the machine.
        nodes: usize,
    },
}

impl Members {
    /// The nodes in rank order; `None` for all of them.
    pub(super) fn on(&self, machine: &Description) -> Result<Option<Vec<Rank>>, MembersError> {
        let given = || self.spelled.clone();
        let grid = || {
            let no_grid = || MembersError::NoGrid { machine: machine.name().to_owned(), given: given() };
            machine.topology().grid().ok_or_else(no_grid)
        };
        Ok(Some(match &self.nodes {
            Nodes::All => return Ok(None),
            &Nodes::Row(row) => {
                let grid = grid().and_then(|grid| match row < grid.rows {
                    true => Ok(grid),
                    false => Err(MembersError::Outside { given: given(), grid }),
                })?;
                (0..grid.columns).map(|column| grid.rank(row, column)).collect()
            }
            &Nodes::Column(column) => {
                let grid = grid().and_then(|grid| match column < grid.columns {
                    true => Ok(grid),
                    false => Err(MembersError::Outside { given: given(), grid }),
                })?;
                (0..grid.rows).map(|row| grid.rank(row, column)).collect()
            }
            Nodes::Block(block) => {
                let placed = block.place(grid()?, block.sources().unwrap_or(0));
                placed.map_err(|cause| MembersError::Block(cause.to_string()))?
            }
            Nodes::Ranges(ranges) => {
                let nodes = machine.nodes();
                if let Some(given) = ranges.iter().map(|&(_, last)| last).find(|&last| last >= nodes) {
                    return Err(MembersError::NoSuchNode { given, nodes });
                }
                ranges.iter().flat_map(|&(first, last)| first..=last).collect()
            }
        }))
    }
}

impl FromStr for Members {
    type Err = MembersError;

    fn from_str(text: &str) -> Result<Members, MembersError> {
        let unreadable = || MembersError::Unreadable(text.to_owned());
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| unreadable());
        let nodes = match text.split_once(':') {
            None if text == "all" => Nodes::All,
            Some(("row", row)) => Nodes::Row(number(row)?),
            Some(("column", column)) => Nodes::Column(number(column)?),
            Some(("block", _)) => {
                Nodes::Block(text.parse().map_err(|cause: <Distribution as FromStr>::Err| {
                    MembersError::Block(cause.to_string())
                })?)
            }
            _ => {
                let range = |item: &str| match item.split_once('-') {
                    None => number(item).map(|node| (node, node)),
                    Some((first, last)) => match (number(first)?, number(last)?) {
                        (first, last) if first <= last => Ok((first, last)),
                        _ => Err(unreadable()),
                    },
                };
                Nodes::Ranges(text.split(',').map(range).collect::<Result<_, _>>()?)
            }
        };
        Ok(Members { spelled: text.to_owned(), nodes })
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled)
    }
}

/// For each node of the machine its rank among the members, if it is one.
pub(super) fn ranks(members: &[Rank], nodes: usize) -> Vec<Option<Rank>> {
    let mut ranks: Vec<Option<Rank>> = iter::repeat_n(None, nodes).collect();
    for (rank, &node) in members.iter().enumerate() {
        ranks[node] = Some(rank);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(machine: &str, text: &str) -> Result<Option<Vec<Rank>>, MembersError> {
        text.parse::<Members>()?.on(&machine.parse().unwrap())
    }

    #[test]
    fn members_are_named_by_place_or_number() {
        assert_eq!(members("3x4", "all"), Ok(None));
        assert_eq!(members("3x4", "row:1"), Ok(Some(vec![4, 5, 6, 7])));
        assert_eq!(members("3x4", "column:3"), Ok(Some(vec![3, 7, 11])));
        assert_eq!(members("3x4", "block:2x2@1+2"), Ok(Some(vec![6, 7, 10, 11])));
        assert_eq!(members("line:9", "7, 2-4,0"), Ok(Some(vec![7, 2, 3, 4, 0])));
    }

    #[test]
    fn what_names_no_nodes_is_refused() {
        for text in ["", "row", "row:", "row:x", "1-", "4-2", "1,,2", "-1", "1..4", "diagonal:1"] {
            assert_eq!(members("3x4", text), Err(MembersError::Unreadable(text.to_owned())), "{text}");
        }
        assert!(matches!(members("3x4", "row:3"), Err(MembersError::Outside { .. })));
        assert!(matches!(members("3x4", "column:4"), Err(MembersError::Outside { .. })));
        assert!(matches!(members("3x4", "block:2x2@2+0"), Err(MembersError::Block(_))));
        assert_eq!(members("3x4", "3-12"), Err(MembersError::NoSuchNode { given: 12, nodes: 12 }));
    }
}
