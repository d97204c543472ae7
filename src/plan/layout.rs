//! Logical layout of a problem's members on the machine: a rectangle or a line.

use crate::{model::MachineSpec, rank::Rank, topology::Grid};

/// The members of a group as a rectangle, or as a line if they form no rectangle.
///
/// The members form a rectangle if they are exactly the nodes at the intersections of some rows and some columns of the machine, in any
/// rank order. All other groups are linear arrays in node order, as in InterCom (Barnett et al. 1994, section 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Rows and columns; a line is one row.
    pub(crate) grid: Grid,
    /// The rank at each position, row by row.
    pub(crate) ranks: Vec<Rank>,
}

impl Layout {
    /// Returns the layout of some members of a machine. With `is_in_order`, the ranks are laid out in rank order.
    pub(crate) fn of(machine: &MachineSpec, members: &[Rank], is_in_order: bool) -> Layout {
        let mut ranks: Vec<Rank> = (0..members.len()).collect();
        ranks.sort_unstable_by_key(|&rank| members[rank]);
        let in_rank_order = ranks.is_sorted();
        if is_in_order && !in_rank_order {
            return Layout {
                grid: Grid { rows: 1, columns: members.len() },
                ranks: (0..members.len()).collect(),
            };
        }
        let grid = machine.topology().grid().and_then(|grid| {
            let nodes: Vec<Rank> = ranks.iter().map(|&rank| members[rank]).collect();
            rectangle(grid, &nodes)
        });
        Layout { grid: grid.unwrap_or(Grid { rows: 1, columns: members.len() }), ranks }
    }

    /// Returns the number of members.
    pub(crate) fn size(&self) -> usize {
        self.ranks.len()
    }
}

/// Returns the rows and columns of these nodes, in ascending order, if they form a rectangle.
fn rectangle(grid: Grid, nodes: &[Rank]) -> Option<Grid> {
    let place = |index: usize| grid.coordinates(nodes[index]);
    let (first_row, _) = place(0);
    let columns = (0..nodes.len()).take_while(|&index| place(index).0 == first_row).count();
    let is_whole = nodes.len().is_multiple_of(columns)
        && (0..nodes.len()).all(|index| {
            let (row, column) = place(index);
            row == place(index - index % columns).0 && column == place(index % columns).1
        });
    is_whole.then(|| Grid { rows: nodes.len() / columns, columns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(machine: &str, members: &[Rank], is_in_order: bool) -> Layout {
        Layout::of(&machine.parse().unwrap(), members, is_in_order)
    }

    #[test]
    fn rectangles_are_recognised_in_any_order() {
        let grid = |rows, columns| Grid { rows, columns };
        assert_eq!(layout("mesh:4x5", &(0..20).collect::<Vec<Rank>>(), false).grid, grid(4, 5));
        // Rows 1 and 3, columns 0, 2 and 3.
        let scattered = layout("mesh:4x5", &[5, 17, 8, 18, 7, 15], false);
        assert_eq!(scattered, Layout { grid: grid(2, 3), ranks: vec![0, 4, 2, 5, 1, 3] });
        assert_eq!(layout("mesh:4x5", &[3, 8, 13], false).grid, grid(3, 1), "a column");
        assert_eq!(layout("mesh:4x5", &[0, 1, 2, 5, 6], false).grid, grid(1, 5), "no rectangle");
        assert_eq!(layout("mesh:4x5", &[0, 1, 6, 7], false).grid, grid(1, 4), "a parallelogram");
    }

    #[test]
    fn the_rank_order_is_kept_if_required() {
        assert_eq!(layout("mesh:4x5", &[5, 0, 6, 1], true).ranks, [0, 1, 2, 3]);
        assert_eq!(layout("mesh:4x5", &[5, 0, 6, 1], true).grid, Grid { rows: 1, columns: 4 });
        assert_eq!(layout("mesh:4x5", &[0, 1, 5, 6], true).grid, Grid { rows: 2, columns: 2 });
    }
}
