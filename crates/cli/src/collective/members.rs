//! Option `--members`: `all`, `row:3`, `column:0`, `block:4x4@2+0`, `0,5,8-15`.

use multicomputer::{Rank, model::MachineSpec, names, s_to_p::Distribution};

use super::super::count::counted;

/// Members, and the text from which they were parsed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Members {
    pub(super) spelled: String,
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

/// Parses members.
pub(super) fn read(text: &str) -> Result<Members, String> {
    let unreadable = || {
        let known = "all, row:3, column:0, block:4x4@2+0, nodes and ascending ranges such as 0,5,8-15";
        names::unknown("members", text, names::nearest(text, ["all", "row", "column", "block"]), known)
    };
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| unreadable());
    let (name, place) = text.split_once(':').map_or((text, None), |(name, place)| (name, Some(place)));
    let nodes = match (&names::normalized(name)[..], place) {
        ("all", None) => Nodes::All,
        ("row", Some(row)) => Nodes::Row(number(row)?),
        ("column", Some(column)) => Nodes::Column(number(column)?),
        ("block", Some(_)) => {
            let block: Result<Distribution, _> = text.parse();
            Nodes::Block(block.map_err(|cause| cause.to_string())?)
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

impl Members {
    /// Returns the members on `machine` in rank order; `None` for all nodes.
    pub(super) fn on(&self, machine: &MachineSpec) -> Result<Option<Vec<Rank>>, String> {
        let given = &self.spelled;
        let grid = || {
            let name = machine.name();
            machine.topology().grid().ok_or_else(|| {
                format!(
                    "`{given}`: {name} has no rows and columns; list the nodes by number, such as 0,5,8-15"
                )
            })
        };
        let outside = || {
            let (rows, columns) = grid().map_or((0, 0), |grid| (grid.rows, grid.columns));
            let (rows, columns) = (counted(rows, "row"), counted(columns, "column"));
            format!("`{given}` is outside the machine: it has {rows} and {columns}, numbered from 0")
        };
        Ok(Some(match &self.nodes {
            Nodes::All => return Ok(None),
            &Nodes::Row(row) => match grid()? {
                grid if row < grid.rows => (0..grid.columns).map(|column| grid.rank(row, column)).collect(),
                _ => return Err(outside()),
            },
            &Nodes::Column(column) => match grid()? {
                grid if column < grid.columns => (0..grid.rows).map(|row| grid.rank(row, column)).collect(),
                _ => return Err(outside()),
            },
            Nodes::Block(block) => {
                block.place(grid()?, block.sources().unwrap_or(0)).map_err(|cause| cause.to_string())?
            }
            Nodes::Ranges(ranges) => {
                let nodes = machine.nodes();
                if let Some(given) = ranges.iter().map(|&(_, last)| last).find(|&last| last >= nodes) {
                    let last = nodes - 1;
                    return Err(format!(
                        "member {given} is no node of the machine: its nodes are 0 to {last}"
                    ));
                }
                ranges.iter().flat_map(|&(first, last)| first..=last).collect()
            }
        }))
    }
}
