//! Strategies of hybrids: the group as a logical mesh, and what is done in each of its dimensions.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::Operation;
use crate::topology::Grid;

mod alternating;

pub(super) use alternating::Direction;

/// A hybrid algorithm: a logical mesh `d1 x .. x dk` and a building block for each dimension.
///
/// Written as in table 2 of the paper: `2x3x5:SSMCC` is a broadcast that scatters in the first dimension, scatters in
/// the second, broadcasts in the third by a minimum spanning tree, collects in the second and collects in the first.
/// The letters:
///
/// | letter | building block |
/// | --- | --- |
/// | `S` | scatter, by halves |
/// | `M` | minimum spanning tree, by halves: the short-vector form of the operation |
/// | `T` | the same with the fastest tree for the machine (LogGP) |
/// | `C` | bucket collect in rings |
/// | `B` | collect on a circulant graph (Bruck) |
///
/// Which of them an operation is written with follows from the template of figure 3: stage 1, the short-vector form in
/// the last dimension, stage 2.
///
/// | operation | `2x3x5` in full | what the letters stand for |
/// | --- | --- | --- |
/// | broadcast | `SSMCC` | scatter, broadcast, collect |
/// | combine-to-one | `SSMCC` | its dual: the same backwards, combining on the way |
/// | scatter | `SSS` | scatter; `T` may stand in the last place |
/// | gather | `SSS` | its dual |
/// | collect | `MCC` | gather and broadcast (`M`, `T`), collect |
/// | distributed combine | `MCC` | its dual |
/// | combine-to-all | `MCC` | the dual of broadcast and collect, and then broadcast and collect |
///
/// Without a short-vector form all dimensions are long: `SSSCCC`, `CCC`. The numbers multiply up to the size of the
/// group; the first dimension has the nearest nodes. On a rectangle the dimensions divide its rows first, or its
/// columns first if `,columns` stands at the end; on compact halves of it if `,compact` does. With `,rows-columns` or
/// `,columns-rows` they alternate between the two directions: one divides the rows, the next one the columns, or the
/// other way round, and when one of the two is divided up, the rest divide the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strategy {
    /// The long-vector dimensions, the nearest first.
    pub(super) long: Vec<(usize, Collect)>,
    /// The last dimension, if it is a short-vector one.
    pub(super) short: Option<(usize, Tree)>,
    /// The order of the nodes.
    pub(super) order: Order,
}

/// The collect of a long-vector dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Collect {
    Ring,
    Circulant,
}

/// The tree by which a short-vector dimension reaches all its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Tree {
    Halves,
    Fastest,
}

/// The order in which the nodes of a rectangle are numbered to be divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Order {
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
    /// Cut in halves across the longer side, again and again.
    Compact,
    /// The dimensions divide the two directions by turns, beginning with this one.
    Alternating(Direction),
}

impl Strategy {
    /// One dimension with the short-vector form.
    pub(super) fn short(nodes: usize, tree: Tree) -> Strategy {
        Strategy { long: Vec::new(), short: Some((nodes, tree)), order: Order::Rows }
    }

    /// Only long-vector dimensions; a single rank has none.
    pub(super) fn long(dimensions: impl IntoIterator<Item = (usize, Collect)>) -> Strategy {
        let long: Vec<(usize, Collect)> = dimensions.into_iter().collect();
        let short = long.is_empty().then_some((1, Tree::Halves));
        Strategy { long, short, order: Order::Rows }
    }

    /// The nodes of the logical mesh.
    pub fn nodes(&self) -> usize {
        self.dimensions().product()
    }

    /// The sides of the logical mesh.
    pub(super) fn dimensions(&self) -> impl Iterator<Item = usize> {
        self.long.iter().map(|&(size, _)| size).chain(self.short.map(|(size, _)| size))
    }

    /// About as many messages as each rank sends.
    pub(super) fn messages(&self) -> usize {
        let collect = |&(side, collect): &(usize, Collect)| match collect {
            Collect::Ring => side,
            Collect::Circulant => side.next_power_of_two().ilog2() as usize + 1,
        };
        1 + self.long.iter().map(collect).sum::<usize>()
    }

    /// The text for an operation.
    pub fn spelled(&self, operation: Operation) -> String {
        let dimensions: Vec<String> = self.dimensions().map(|size| size.to_string()).collect();
        let order = match self.order {
            Order::Rows => "",
            Order::Columns => ",columns",
            Order::Compact => ",compact",
            Order::Alternating(Direction::Row) => ",rows-columns",
            Order::Alternating(Direction::Column) => ",columns-rows",
        };
        format!("{}:{}{order}", dimensions.join("x"), self.letters(operation))
    }

    fn letters(&self, operation: Operation) -> String {
        use Operation::{Broadcast, CombineToOne, Gather, Scatter};
        let short = self.short.map(|(_, tree)| match tree {
            Tree::Halves => 'M',
            Tree::Fastest => 'T',
        });
        let down = self.long.iter().map(|_| 'S');
        let up = self.long.iter().rev().map(|(_, collect)| match collect {
            Collect::Ring => 'C',
            Collect::Circulant => 'B',
        });
        match operation {
            Broadcast | CombineToOne => down.chain(short).chain(up).collect(),
            Scatter | Gather => {
                down.chain(short.map(|letter| if letter == 'M' { 'S' } else { letter })).collect()
            }
            _ => short.into_iter().chain(up).collect(),
        }
    }

    /// Reads what [`Strategy::spelled`] writes for the operation. `"6:C"` is a collect, and no broadcast, which is `6:SC`; as an
    /// [`Algorithm`](super::Algorithm), which is for no operation in particular, a strategy is read and printed as for a
    /// broadcast.
    ///
    /// # Errors
    ///
    /// [`StrategyError`] if the text is no strategy for the operation.
    pub fn parse(operation: Operation, text: &str) -> Result<Strategy, StrategyError> {
        let refusal =
            |reason: &str| StrategyError { given: text.to_owned(), operation, reason: reason.to_owned() };
        let (dimensions, rest) =
            text.split_once(':').ok_or_else(|| refusal("a `:` between sides and letters is missing"))?;
        let (letters, order) = match rest.split_once(',') {
            None => (rest, Order::Rows),
            Some((letters, "columns")) => (letters, Order::Columns),
            Some((letters, "compact")) => (letters, Order::Compact),
            Some((letters, "rows-columns")) => (letters, Order::Alternating(Direction::Row)),
            Some((letters, "columns-rows")) => (letters, Order::Alternating(Direction::Column)),
            Some(_) => {
                let reason =
                    "after a comma only `columns`, `compact`, `rows-columns` or `columns-rows` may stand";
                return Err(refusal(reason));
            }
        };
        let sides: Result<Vec<usize>, _> = dimensions.split('x').map(usize::from_str).collect();
        let sides = sides.ok().filter(|sides| sides.iter().all(|&side| side > 0));
        let mut sides = sides.ok_or_else(|| refusal("the sides are whole numbers above 0"))?;
        let product = sides.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        product.ok_or_else(|| refusal("the sides multiply up to more than can be"))?;
        // `1x30:M` is how the paper writes `30:M`.
        sides.retain(|&side| side > 1);
        if sides.is_empty() {
            sides.push(1);
        }
        let shorts = [None, Some(Tree::Halves), Some(Tree::Fastest)];
        let kinds = [Collect::Ring, Collect::Circulant];
        for short in shorts {
            let dimensions = sides.len() - usize::from(short.is_some());
            // The collects are the last letters, those of the first dimension last.
            let own: Vec<char> = letters.chars().rev().take(dimensions).collect();
            let kind = |index: usize| kinds[usize::from(own.get(index) == Some(&'B'))];
            let strategy = Strategy {
                long: (0..dimensions).map(|index| (sides[index], kind(index))).collect(),
                short: short.map(|tree| (sides[dimensions], tree)),
                order,
            };
            if strategy.letters(operation) == letters {
                return Ok(strategy);
            }
        }
        Err(refusal(&Strategy::allowed(operation, sides)))
    }

    /// The letters that an operation has for some sides, for messages.
    fn allowed(operation: Operation, sides: Vec<usize>) -> String {
        let count = sides.len();
        let of = if count == 1 { "one side".to_owned() } else { format!("{count} sides") };
        let (last, long) = (sides[count - 1], |sides: &[usize]| -> Vec<(usize, Collect)> {
            sides.iter().map(|&side| (side, Collect::Ring)).collect()
        });
        let all_long = Strategy { long: long(&sides), short: None, order: Order::Rows };
        let with_tree = |tree| {
            let long = long(&sides[..count - 1]);
            Strategy { long, short: Some((last, tree)), order: Order::Rows }.letters(operation)
        };
        let all_long = all_long.letters(operation);
        // The short form of a scatter is a scatter, unless its tree is another one.
        if with_tree(Tree::Halves) == all_long {
            return format!("the letters for {of} are `{all_long}` or `{}`", with_tree(Tree::Fastest));
        }
        format!(
            "the letters for {of} are `{all_long}` or `{}`, where `B` may stand for a `C` and `T` for the `M`",
            with_tree(Tree::Halves)
        )
    }

    /// Whether the dimensions divide a rectangle of this shape as their order says. Those that alternate may not; of all
    /// others only the number of nodes counts.
    pub(super) fn fits(&self, grid: Grid) -> bool {
        self.nodes() == grid.nodes()
            && match self.order {
                Order::Alternating(first) => self.directions(grid, first).is_some(),
                Order::Rows | Order::Columns | Order::Compact => true,
            }
    }

    /// All of them on a rectangle with at most so many dimensions in each of its sides, for operations with these
    /// choices.
    pub(super) fn all(grid: Grid, collects: &[Collect], trees: &[Tree], most: usize) -> Vec<Strategy> {
        // On a line the trees of all nodes are among those of one dimension.
        let is_line = grid.rows == 1 || grid.columns == 1;
        let whole = trees.iter().filter(|_| !is_line).map(|&tree| Strategy::short(grid.nodes(), tree));
        let mut all: Vec<Strategy> = whole.collect();
        for (order, first, second) in
            [(Order::Rows, grid.columns, grid.rows), (Order::Columns, grid.rows, grid.columns)]
        {
            if order == Order::Columns && is_line {
                continue;
            }
            for inner in factorizations(first, most) {
                for outer in factorizations(second, most) {
                    let sides: Vec<usize> = inner.iter().chain(&outer).copied().collect();
                    // Of one node there is one strategy, whose side is written.
                    if sides.is_empty() {
                        all.push(Strategy::long([]));
                        continue;
                    }
                    for number in 0..collects.len().pow(sides.len() as u32) {
                        let digit = |place: usize| number / collects.len().pow(place as u32) % collects.len();
                        // Between two nodes all collects are the same exchange.
                        if sides.iter().enumerate().any(|(place, &side)| side == 2 && digit(place) > 0) {
                            continue;
                        }
                        let long: Vec<(usize, Collect)> = sides
                            .iter()
                            .enumerate()
                            .map(|(place, &side)| (side, collects[digit(place)]))
                            .collect();
                        // The last dimension once as a short-vector one, whatever its letter is.
                        if let Some((&(last, Collect::Ring), rest)) = long.split_last() {
                            for &tree in trees {
                                all.push(Strategy { long: rest.to_vec(), short: Some((last, tree)), order });
                            }
                        }
                        all.push(Strategy { long, short: None, order });
                    }
                }
            }
        }
        all
    }
}

/// All ways to write a number as an ordered product of at most `most` factors above 1; 1 is the empty product.
pub(super) fn factorizations(number: usize, most: usize) -> Vec<Vec<usize>> {
    if number == 1 {
        return vec![Vec::new()];
    }
    if most == 0 {
        return Vec::new();
    }
    let divisors = (2..=number).filter(|divisor| number.is_multiple_of(*divisor));
    divisors
        .flat_map(|divisor| {
            let rest = factorizations(number / divisor, most - 1);
            rest.into_iter().map(move |mut factors| {
                factors.insert(0, divisor);
                factors
            })
        })
        .collect()
}

/// A text that is no strategy.
#[derive(Clone, PartialEq, Eq, Error)]
#[error("`{given}` is no hybrid for {operation}: {reason}")]
pub struct StrategyError {
    given: String,
    operation: Operation,
    reason: String,
}

crate::text::debug_as_text!(StrategyError);

impl fmt::Display for Collect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Collect::Ring => "bucket collect",
            Collect::Circulant => "circulant collect",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_read_back() {
        for (operation, text) in [
            (Operation::Broadcast, "2x3x5:SSMCC"),
            (Operation::Broadcast, "2x3x5:SSSCBC"),
            (Operation::CombineToOne, "30:T"),
            (Operation::CombineToOne, "6x5:STB,columns"),
            (Operation::Scatter, "2x15:SS"),
            (Operation::Gather, "2x15:ST"),
            (Operation::Collect, "2x3x5:MBC"),
            (Operation::CombineToAll, "32x16:CB"),
            (Operation::DistributedCombine, "30:B,compact"),
            (Operation::Broadcast, "2x3x5:SSMCC,rows-columns"),
            (Operation::Collect, "2x3x5:CCC,columns-rows"),
            (Operation::Broadcast, "1:M"),
        ] {
            assert_eq!(Strategy::parse(operation, text).unwrap().spelled(operation), text);
        }
        assert_eq!(
            Strategy::parse(Operation::Broadcast, "1x30:SC").unwrap().spelled(Operation::Broadcast),
            "30:SC"
        );
    }

    #[test]
    fn refusals_name_the_letters_of_the_operation() {
        for (operation, text, letters) in [
            (
                Operation::Broadcast,
                "2x3:SC",
                "2 sides are `SSCC` or `SMC`, where `B` may stand for a `C` and `T` for the `M`",
            ),
            (
                Operation::CombineToOne,
                "6:C",
                "one side are `SC` or `M`, where `B` may stand for a `C` and `T` for the `M`",
            ),
            (Operation::Gather, "1x2x3:SC", "2 sides are `SS` or `ST`"),
            (
                Operation::CombineToAll,
                "2x3x5:SMC",
                "3 sides are `CCC` or `MCC`, where `B` may stand for a `C` and `T` for the `M`",
            ),
        ] {
            let error = Strategy::parse(operation, text).unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is no hybrid for {operation}: the letters for {letters}"));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in
            ["", "2x3", "2x3:", "2x3:SMCC", "2x3:SCM", "0x3:SMC", "2x-3:SMC", "2x3:SMC,rows", "2x3:smc"]
        {
            let error = Strategy::parse(Operation::Broadcast, text).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("`{text}` is no hybrid for broadcast: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn alternating_dimensions_divide_the_directions_by_turns() {
        let grid = Grid { rows: 4, columns: 6 };
        let parse = |text: &str| Strategy::parse(Operation::Collect, text).unwrap();
        let by_rows = parse("3x2x2x2:CCCC,rows-columns");
        use Direction::{Column, Row};
        assert_eq!(by_rows.directions(grid, Row), Some(vec![Row, Column, Row, Column]));
        assert_eq!(by_rows.directions(grid, Column), None, "3 does not divide 4");
        let places = by_rows.alternating_places(grid, Row);
        assert_eq!(places[..12], [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11]);
        assert_eq!(places[12..], places[..12].iter().map(|place| place + 12).collect::<Vec<usize>>());
        // Lines that share links: those of the earlier dimensions of the same direction.
        let lines = [1, 3, 6, 12].map(|stride| by_rows.alternating_lines(grid, Row, stride));
        assert_eq!(lines, [1, 1, 3, 2]);
        // The rest divides the other direction.
        assert_eq!(parse("2x6x2:CCC,columns-rows").directions(grid, Column), Some(vec![Column, Row, Column]));
        assert_eq!(parse("4x2x3:CCC,columns-rows").directions(grid, Column), Some(vec![Column, Row, Row]));
        assert!(!parse("5x5:CC,rows-columns").fits(grid) && !parse("4x6:CC,rows-columns").fits(grid));
        assert!(parse("6x4:CC,rows-columns").fits(grid) && parse("4x6:CC").fits(grid));
    }

    /// None of them is a strategy in rows or in columns, all fit, and each is there once.
    #[test]
    fn all_that_alternate_come_back_to_a_direction() {
        let all = |rows, columns| {
            let grid = Grid { rows, columns };
            let all = Strategy::all_alternating(grid, Collect::Ring, Tree::Halves, 3);
            let orders: Vec<(Vec<usize>, Option<Tree>, Vec<usize>)> = all
                .iter()
                .map(|strategy| {
                    let Order::Alternating(first) = strategy.order else { panic!("{strategy:?}") };
                    let directions = strategy.directions(grid, first).unwrap();
                    let changes = directions.windows(2).filter(|pair| pair[0] != pair[1]).count();
                    assert!(changes > 1, "{strategy:?}");
                    let places = strategy.alternating_places(grid, first);
                    assert_eq!(
                        places.iter().copied().collect::<std::collections::BTreeSet<_>>().len(),
                        grid.nodes()
                    );
                    (strategy.dimensions().collect(), strategy.short.map(|(_, tree)| tree), places)
                })
                .collect();
            let once: std::collections::BTreeSet<_> = orders.iter().cloned().collect();
            assert_eq!(once.len(), orders.len());
            orders.len()
        };
        assert_eq!([all(1, 12), all(12, 1), all(3, 5), all(1, 1)], [0; 4]);
        // 4 x 4: 2x2 in both directions, or in one of them; each beginning with the row or the column, long or not.
        assert_eq!(all(4, 4), 8);
        assert_eq!(all(2, 4), 2);
    }

    #[test]
    fn factorizations_keep_their_order() {
        assert_eq!(factorizations(12, 2), [vec![2, 6], vec![3, 4], vec![4, 3], vec![6, 2], vec![12]]);
        assert_eq!(factorizations(12, 3).len(), 8);
        assert_eq!(factorizations(1, 3), [Vec::<usize>::new()]);
        assert_eq!(factorizations(13, 3), [vec![13]]);
    }
}
