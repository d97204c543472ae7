//! Strategies whose dimensions alternate between the two directions of a rectangle.

use super::{AllGatherKind, Order, Strategy, Tree, factorizations};
use crate::topology::Grid;

/// One of the two directions of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::collective) enum Direction {
    /// Within a row, from column to column.
    Row,
    /// Within a column, from row to row.
    Column,
}

impl Direction {
    fn other(self) -> Direction {
        match self {
            Direction::Row => Direction::Column,
            Direction::Column => Direction::Row,
        }
    }
}

impl Strategy {
    /// The direction of each dimension of an alternating strategy; `None` if the dimensions do not divide the sides of the rectangle.
    pub(super) fn directions(&self, grid: Grid, first: Direction) -> Option<Vec<Direction>> {
        let (mut columns, mut rows) = (grid.columns, grid.rows);
        let mut turn = first;
        let mut directions = Vec::new();
        for side in self.dimensions() {
            let is_divided_up = match turn {
                Direction::Row => columns == 1,
                Direction::Column => rows == 1,
            };
            let direction = if is_divided_up { turn.other() } else { turn };
            let left = match direction {
                Direction::Row => &mut columns,
                Direction::Column => &mut rows,
            };
            if !left.is_multiple_of(side) {
                return None;
            }
            *left /= side;
            directions.push(direction);
            turn = direction.other();
        }
        (columns == 1 && rows == 1).then_some(directions)
    }

    /// The places of a rectangle, counted row by row, in the numbering of an alternating strategy: the first dimension varies fastest.
    pub(in crate::collective) fn alternating_places(&self, grid: Grid, first: Direction) -> Vec<usize> {
        let mut places = vec![0];
        let (mut column, mut row) = (1, grid.columns);
        for (side, direction) in self.dimensions().zip(self.directions(grid, first).unwrap_or_default()) {
            let stride = match direction {
                Direction::Row => &mut column,
                Direction::Column => &mut row,
            };
            places = (0..side)
                .flat_map(|digit| places.iter().map(move |&place| (digit, place)))
                .map(|(digit, place)| place + digit * *stride)
                .collect();
            *stride *= side;
        }
        places
    }

    /// Number of lines of the dimension with this stride that are interleaved on the same links, if dimensions alternate: the product of
    /// the earlier dimensions of the same direction.
    pub(in crate::collective) fn alternating_lines(
        &self,
        grid: Grid,
        first: Direction,
        stride: usize,
    ) -> usize {
        let directions = self.directions(grid, first).unwrap_or_default();
        let (mut product, mut lines) = (1, [1, 1]);
        for (side, direction) in self.dimensions().zip(directions) {
            if product == stride {
                return lines[direction as usize];
            }
            product *= side;
            lines[direction as usize] *= side;
        }
        1
    }

    /// Returns all alternating strategies of a rectangle with at most `most` dimensions in each direction; the last dimension is long or
    /// short. Only strategies in which some direction occurs twice are included, with the other direction in between.
    pub(in crate::collective) fn all_alternating(
        grid: Grid,
        kind: AllGatherKind,
        tree: Tree,
        most: usize,
    ) -> Vec<Strategy> {
        let mut all = Vec::new();
        for (first, starts, follows) in
            [(Direction::Row, grid.columns, grid.rows), (Direction::Column, grid.rows, grid.columns)]
        {
            let followers = factorizations(follows, most);
            for leaders in factorizations(starts, most) {
                for followers in &followers {
                    // Strategies that finish one direction before the other are in row or column order.
                    if leaders.len() < 2 || followers.is_empty() {
                        continue;
                    }
                    let sides = by_turns(&leaders, followers);
                    let order = Order::Alternating(first);
                    let long: Vec<(usize, AllGatherKind)> =
                        sides.into_iter().map(|side| (side, kind)).collect();
                    if let Some((&(last, _), rest)) = long.split_last() {
                        all.push(Strategy { long: rest.to_vec(), short: Some((last, tree)), order });
                    }
                    all.push(Strategy { long, short: None, order });
                }
            }
        }
        all
    }
}

/// Interleaves both lists, beginning with the first; the rest of the longer list comes last.
fn by_turns(first: &[usize], second: &[usize]) -> Vec<usize> {
    let common = first.len().min(second.len());
    let pairs = first.iter().zip(second).flat_map(|(&one, &other)| [one, other]);
    pairs.chain(first[common..].iter().copied()).chain(second[common..].iter().copied()).collect()
}
