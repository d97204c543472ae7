//! Strategies of hybrid algorithms: the group as a logical mesh, and a building block for each dimension of the mesh.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::Operation;
use crate::topology::Grid;

mod alternating;

pub(super) use alternating::Direction;

/// A hybrid algorithm: a logical mesh `d1 x .. x dk` and a building block for each dimension.
///
/// Strategies are written as in table 2 of the paper: `2x3x5:SSMCC` is a broadcast that scatters in the first dimension, scatters in the
/// second, broadcasts in the third by a minimum spanning tree, collects in the second and collects in the first. The letters:
///
/// | letter | building block |
/// | --- | --- |
/// | `S` | scatter by recursive halving |
/// | `M` | minimum spanning tree by recursive halving: the short-vector form of the operation |
/// | `T` | the short-vector form with the fastest tree for the machine (LogGP) |
/// | `C` | ring all-gather in rings |
/// | `B` | all-gather on a circulant graph (Bruck) |
///
/// The template of figure 3 determines the letters of an operation: stage 1, the short-vector form in the last dimension, stage 2.
///
/// | operation | `2x3x5` in full | what the letters stand for |
/// | --- | --- | --- |
/// | broadcast | `SSMCC` | scatter, broadcast, all-gather |
/// | reduce | `SSMCC` | the dual of broadcast: reversed, combining on the way |
/// | scatter | `SSS` | scatter; `T` is allowed in the last place |
/// | gather | `SSS` | the dual of scatter |
/// | all-gather | `MCC` | gather and broadcast (`M`, `T`), all-gather |
/// | reduce-scatter | `MCC` | the dual of all-gather |
/// | all-reduce | `MCC` | the dual of broadcast and all-gather, and then broadcast and all-gather |
///
/// Without a short-vector form all dimensions are long: `SSSCCC`, `CCC`. The product of the numbers is the size of the group; the first
/// dimension connects the nearest nodes. On a rectangle the dimensions divide the rows first, with the suffix `,columns` the columns first,
/// and with `,compact` the halves that recursive bisection across the longer side produces. With `,rows-columns` or `,columns-rows` the
/// dimensions alternate between both directions, beginning with the rows or the columns; when one direction is fully divided, the remaining
/// dimensions divide the other direction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strategy {
    /// The long-vector dimensions, nearest nodes first.
    pub(super) long: Vec<(usize, AllGatherKind)>,
    /// The last dimension, if it is a short-vector dimension.
    pub(super) short: Option<(usize, Tree)>,
    /// The numbering of the nodes.
    pub(super) order: Order,
}

/// The all-gather algorithm of a long-vector dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum AllGatherKind {
    Ring,
    Circulant,
}

/// The tree of a short-vector dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Tree {
    Halves,
    Fastest,
}

/// The order in which the nodes of a rectangle are numbered before the dimensions divide them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Order {
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
    /// By recursive bisection across the longer side.
    Compact,
    /// The dimensions alternate between both directions, beginning with the given one.
    Alternating(Direction),
}

impl Strategy {
    /// Returns a strategy of one short-vector dimension.
    pub(super) fn short(nodes: usize, tree: Tree) -> Strategy {
        Strategy { long: Vec::new(), short: Some((nodes, tree)), order: Order::Rows }
    }

    /// Returns a strategy of long-vector dimensions only. Without dimensions it is the strategy of a single rank.
    pub(super) fn long(dimensions: impl IntoIterator<Item = (usize, AllGatherKind)>) -> Strategy {
        let long: Vec<(usize, AllGatherKind)> = dimensions.into_iter().collect();
        let short = long.is_empty().then_some((1, Tree::Halves));
        Strategy { long, short, order: Order::Rows }
    }

    /// The number of nodes of the logical mesh.
    pub fn nodes(&self) -> usize {
        self.dimensions().product()
    }

    /// The sides of the logical mesh.
    pub(super) fn dimensions(&self) -> impl Iterator<Item = usize> {
        self.long.iter().map(|&(size, _)| size).chain(self.short.map(|(size, _)| size))
    }

    /// The approximate number of messages that each rank sends.
    pub(super) fn messages(&self) -> usize {
        let steps = |&(side, kind): &(usize, AllGatherKind)| match kind {
            AllGatherKind::Ring => side,
            AllGatherKind::Circulant => side.next_power_of_two().ilog2() as usize + 1,
        };
        1 + self.long.iter().map(steps).sum::<usize>()
    }

    /// Returns the strategy as text, such as `2x3x5:SSMCC`. The letters depend on the operation.
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
        use Operation::{Broadcast, Gather, Reduce, Scatter};
        let short = self.short.map(|(_, tree)| match tree {
            Tree::Halves => 'M',
            Tree::Fastest => 'T',
        });
        let down = self.long.iter().map(|_| 'S');
        let up = self.long.iter().rev().map(|(_, kind)| match kind {
            AllGatherKind::Ring => 'C',
            AllGatherKind::Circulant => 'B',
        });
        match operation {
            Broadcast | Reduce => down.chain(short).chain(up).collect(),
            Scatter | Gather => {
                down.chain(short.map(|letter| if letter == 'M' { 'S' } else { letter })).collect()
            }
            _ => short.into_iter().chain(up).collect(),
        }
    }

    /// Reads the text that [`Strategy::spelled`] writes for the operation. `"6:C"` is an all-gather but not a broadcast; the broadcast is
    /// `6:SC`. As an [`Algorithm`](super::Algorithm), independent of an operation, a strategy is read and printed in the form for a
    /// broadcast.
    ///
    /// # Errors
    ///
    /// [`StrategyError`] if the text is not a strategy for the operation.
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
                let reason = "only `columns`, `compact`, `rows-columns` or `columns-rows` may follow a comma";
                return Err(refusal(reason));
            }
        };
        let sides: Result<Vec<usize>, _> = dimensions.split('x').map(usize::from_str).collect();
        let sides = sides.ok().filter(|sides| sides.iter().all(|&side| side > 0));
        let mut sides = sides.ok_or_else(|| refusal("the sides must be whole numbers above 0"))?;
        let product = sides.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        product.ok_or_else(|| refusal("the product of the sides is too large"))?;
        // The paper writes `30:M` as `1x30:M`.
        sides.retain(|&side| side > 1);
        if sides.is_empty() {
            sides.push(1);
        }
        let shorts = [None, Some(Tree::Halves), Some(Tree::Fastest)];
        let kinds = [AllGatherKind::Ring, AllGatherKind::Circulant];
        for short in shorts {
            let dimensions = sides.len() - usize::from(short.is_some());
            // The last letters are the all-gathers, in reverse order of the dimensions.
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

    /// The text for error messages that lists the letters of an operation for these sides.
    fn allowed(operation: Operation, sides: Vec<usize>) -> String {
        let count = sides.len();
        let of = if count == 1 { "one side".to_owned() } else { format!("{count} sides") };
        let (last, long) = (sides[count - 1], |sides: &[usize]| -> Vec<(usize, AllGatherKind)> {
            sides.iter().map(|&side| (side, AllGatherKind::Ring)).collect()
        });
        let all_long = Strategy { long: long(&sides), short: None, order: Order::Rows };
        let with_tree = |tree| {
            let long = long(&sides[..count - 1]);
            Strategy { long, short: Some((last, tree)), order: Order::Rows }.letters(operation)
        };
        let all_long = all_long.letters(operation);
        // The short form of a scatter has the same letters as its long form, unless its tree is the fastest tree.
        if with_tree(Tree::Halves) == all_long {
            return format!("the letters for {of} are `{all_long}` or `{}`", with_tree(Tree::Fastest));
        }
        format!(
            "the letters for {of} are `{all_long}` or `{}`, where `B` may stand for a `C` and `T` for the `M`",
            with_tree(Tree::Halves)
        )
    }

    /// Whether the dimensions divide a rectangle of this shape in the strategy's order. Alternating dimensions must divide the sides of the
    /// rectangle; for all other orders only the number of nodes matters.
    pub(super) fn fits(&self, grid: Grid) -> bool {
        self.nodes() == grid.nodes()
            && match self.order {
                Order::Alternating(first) => self.directions(grid, first).is_some(),
                Order::Rows | Order::Columns | Order::Compact => true,
            }
    }

    /// Returns all strategies on a rectangle, with at most `most` dimensions in each direction and the given choices of all-gathers and trees.
    pub(super) fn all(grid: Grid, kinds: &[AllGatherKind], trees: &[Tree], most: usize) -> Vec<Strategy> {
        // On a line, the loop below already includes the strategies whose only dimension is a short-vector one.
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
                    // A single node has exactly one strategy, written with side 1.
                    if sides.is_empty() {
                        all.push(Strategy::long([]));
                        continue;
                    }
                    for number in 0..kinds.len().pow(sides.len() as u32) {
                        let digit = |place: usize| number / kinds.len().pow(place as u32) % kinds.len();
                        // Between two nodes all all-gathers are the same exchange.
                        if sides.iter().enumerate().any(|(place, &side)| side == 2 && digit(place) > 0) {
                            continue;
                        }
                        let long: Vec<(usize, AllGatherKind)> = sides
                            .iter()
                            .enumerate()
                            .map(|(place, &side)| (side, kinds[digit(place)]))
                            .collect();
                        // Also makes the last dimension a short-vector one, once for all all-gathers of this dimension.
                        if let Some((&(last, AllGatherKind::Ring), rest)) = long.split_last() {
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

/// Returns all ordered factorizations of a number into at most `most` factors above 1; 1 is the empty product.
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

/// The error of a text that is not a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid strategy `{given}` for {operation}: {reason}")]
pub struct StrategyError {
    given: String,
    operation: Operation,
    reason: String,
}

impl fmt::Display for AllGatherKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AllGatherKind::Ring => "ring all-gather",
            AllGatherKind::Circulant => "circulant all-gather",
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
            (Operation::Reduce, "30:T"),
            (Operation::Reduce, "6x5:STB,columns"),
            (Operation::Scatter, "2x15:SS"),
            (Operation::Gather, "2x15:ST"),
            (Operation::AllGather, "2x3x5:MBC"),
            (Operation::AllReduce, "32x16:CB"),
            (Operation::ReduceScatter, "30:B,compact"),
            (Operation::Broadcast, "2x3x5:SSMCC,rows-columns"),
            (Operation::AllGather, "2x3x5:CCC,columns-rows"),
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
                Operation::Reduce,
                "6:C",
                "one side are `SC` or `M`, where `B` may stand for a `C` and `T` for the `M`",
            ),
            (Operation::Gather, "1x2x3:SC", "2 sides are `SS` or `ST`"),
            (
                Operation::AllReduce,
                "2x3x5:SMC",
                "3 sides are `CCC` or `MCC`, where `B` may stand for a `C` and `T` for the `M`",
            ),
        ] {
            let error = Strategy::parse(operation, text).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("invalid strategy `{text}` for {operation}: the letters for {letters}")
            );
        }
    }

    #[test]
    fn strategies_that_do_not_fit_are_refused() {
        for text in
            ["", "2x3", "2x3:", "2x3:SMCC", "2x3:SCM", "0x3:SMC", "2x-3:SMC", "2x3:SMC,rows", "2x3:smc"]
        {
            let error = Strategy::parse(Operation::Broadcast, text).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("invalid strategy `{text}` for broadcast: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn alternating_dimensions_divide_the_directions_by_turns() {
        let grid = Grid { rows: 4, columns: 6 };
        let parse = |text: &str| Strategy::parse(Operation::AllGather, text).unwrap();
        let by_rows = parse("3x2x2x2:CCCC,rows-columns");
        use Direction::{Column, Row};
        assert_eq!(by_rows.directions(grid, Row), Some(vec![Row, Column, Row, Column]));
        assert_eq!(by_rows.directions(grid, Column), None, "3 does not divide 4");
        let places = by_rows.alternating_places(grid, Row);
        assert_eq!(places[..12], [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11]);
        assert_eq!(places[12..], places[..12].iter().map(|place| place + 12).collect::<Vec<usize>>());
        // Lines that share links come from the earlier dimensions of the same direction.
        let lines = [1, 3, 6, 12].map(|stride| by_rows.alternating_lines(grid, Row, stride));
        assert_eq!(lines, [1, 1, 3, 2]);
        // The remaining dimensions divide the other direction.
        assert_eq!(parse("2x6x2:CCC,columns-rows").directions(grid, Column), Some(vec![Column, Row, Column]));
        assert_eq!(parse("4x2x3:CCC,columns-rows").directions(grid, Column), Some(vec![Column, Row, Row]));
        assert!(!parse("5x5:CC,rows-columns").fits(grid) && !parse("4x6:CC,rows-columns").fits(grid));
        assert!(parse("6x4:CC,rows-columns").fits(grid) && parse("4x6:CC").fits(grid));
    }

    /// Tests that no alternating strategy has row or column order, that all fit the grid, and that each occurs once.
    #[test]
    fn all_alternating_strategies_repeat_a_direction() {
        let all = |rows, columns| {
            let grid = Grid { rows, columns };
            let all = Strategy::all_alternating(grid, AllGatherKind::Ring, Tree::Halves, 3);
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
        // 4 x 4: 2x2 in both directions, or in one direction; each beginning with the row or the column, with or without a tree.
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
