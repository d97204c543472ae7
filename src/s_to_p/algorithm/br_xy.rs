//! Algorithms *Br_xy_source* and *Br_xy_dim*: recursive halving within the rows and within the columns, one after the
//! other.
//!
//! **What they do.** In the first phase all lines of one dimension run [`Halving`](crate::pattern::Halving) at the same time, so that every
//! node of a line ends with all data of the line. In the second phase the lines of the other dimension do the same. The two algorithms
//! differ in which dimension comes first:
//!
//! * *Br_xy_source* decides by the sources: the rows come first if the fullest row has fewer sources than the fullest column, otherwise the
//!   columns. The messages of the second phase are then short.
//! * *Br_xy_dim* decides by the shape: the rows come first if there are at least as many rows as columns. (The report also calls this rule
//!   "along the longer dimension", which contradicts its own rule and its figure 5.)
//!
//! **Restrictions.** None.
//!
//! **Cost.** `ceil(log2 r) + ceil(log2 c)` iterations, each as in *Br_Lin*; only the links of one dimension are used at a time.
//!
//! **Source.** Report, section 2.

use super::{Algorithm, Draft, Entry, Instance, of, only};
use crate::{
    pattern::{Builder, Exchange, line},
    rank::Rank,
    topology::Grid,
};

impl Algorithm {
    /// Halving in rows and in columns, in `ceil(log2 r) + ceil(log2 c)` iterations; the rows come first if the fullest
    /// row has fewer sources than the fullest column. Report, section 2.
    pub const BR_XY_SOURCE: Algorithm = of(&BR_XY_SOURCE);

    /// Halving in rows and in columns; the rows come first if there are at least as many rows as columns. Report, section 2.
    pub const BR_XY_DIM: Algorithm = of(&BR_XY_DIM);
}

static BR_XY_SOURCE: Entry = Entry::new("br-xy-source", |_| only(by_source))
    .about("halving in rows and columns, first in the dimension with fewer sources per line")
    .source("report, section 2")
    .cost("as `br-lin`, with `ceil(log2 r) + ceil(log2 c)` iterations");

static BR_XY_DIM: Entry = Entry::new("br-xy-dim", |_| only(by_dim))
    .about("halving in rows and columns, first in the rows if there are at least as many rows as columns")
    .source("report, section 2")
    .cost("as `br-lin`, with `ceil(log2 r) + ceil(log2 c)` iterations");

/// The dimension in which an algorithm works first: in all rows at the same time, or in all columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Rows,
    Columns,
}

impl First {
    /// Returns both orders, or only one if the grid is a line, where both are equal.
    pub(super) fn orders(grid: Grid) -> &'static [First] {
        if grid.rows == 1 || grid.columns == 1 { &[First::Rows] } else { &[First::Rows, First::Columns] }
    }

    /// Returns the name for display.
    pub(super) fn name(self) -> &'static str {
        match self {
            First::Rows => "rows first",
            First::Columns => "columns first",
        }
    }

    /// Returns the order in which *Br_xy_source* handles the dimensions.
    pub(super) fn by_sources(grid: Grid, sources: &[Rank]) -> First {
        let (mut rows, mut columns) = (vec![0; grid.rows], vec![0; grid.columns]);
        for &rank in sources {
            let (row, column) = grid.coordinates(rank);
            rows[row] += 1;
            columns[column] += 1;
        }
        if rows.iter().max() < columns.iter().max() { First::Rows } else { First::Columns }
    }

    /// Returns the order in which *Br_xy_dim* handles the dimensions.
    pub(super) fn by_shape(grid: Grid) -> First {
        if grid.rows >= grid.columns { First::Rows } else { First::Columns }
    }

    /// Returns the lines of the mesh for each of the two phases.
    pub(super) fn lines(self, grid: Grid) -> [Vec<Vec<Rank>>; 2] {
        match self {
            First::Rows => [line::rows(grid), line::columns(grid)],
            First::Columns => [line::columns(grid), line::rows(grid)],
        }
    }
}

fn by_source(instance: &Instance) -> Draft {
    draft(instance, First::by_sources(instance.grid(), instance.sources()))
}

fn by_dim(instance: &Instance) -> Draft {
    draft(instance, First::by_shape(instance.grid()))
}

fn draft(instance: &Instance, first: First) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| broadcast(builder, first.lines(instance.grid())))
}

/// Runs halving in the lines of both phases, starting from the blocks that the nodes hold.
pub(super) fn broadcast(builder: &mut Builder, phases: [Vec<Vec<Rank>>; 2]) {
    phases.iter().for_each(|lines| builder.halve(lines));
}
