//! Algorithm *Repos*: the sources send their messages to places that are ideal for an algorithm, and that broadcasts
//! them from there.
//!
//! **What it does.** A permutation brings the messages to the [ideal](super::ideal) distribution of the algorithm for
//! this mesh: that of the first source, in the order of their ranks, to the first place, and so on. A node that both
//! gives a message away and gets one does that as an exchange. Then the algorithm runs as if the places were the
//! sources. As in the papers nothing is checked: the messages are moved even if the sources were well placed.
//!
//! | algorithm | ideal distribution |
//! | --- | --- |
//! | *Br_Lin* | ideal places on its line; *with diagonals*, left diagonals |
//! | *Br_xy_source* | whole rows, or columns, in ideal places: those that make for the shorter messages |
//! | *Br_xy_dim* | whole columns in ideal places if the rows come first, else rows |
//! | *Xor* | spread evenly: only conflicts on the links depend on it |
//! | *2-Step* | the first nodes of the line: next to node 0, and node 0 is one of them |
//!
//! **Left diagonals.** The papers have left diagonals as the ideal distribution of *Br_Lin*: the report calls them least
//! sensitive to the size of the machine, the conference version moves messages to them. On the snake of *Br_Lin* they
//! are no better than ideal places in any of the cases of `docs/s-to-p.md`, and in row-major order about as good on powers
//! of two. So ideal places, which follow from the halving itself, are the rule here, and the papers' choice is beside it
//! under names of its own, for both orders.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `alpha + n beta`, with `o_x` and `2 / d` times the time of each byte where a node exchanges, and the
//! algorithm's own cost on its ideal distribution.
//!
//! **Source.** Report, section 3; left diagonals: report, section 4, conference version, section 5.2.

use super::{super::Distribution, Algorithm, Draft, Entry, Instance, br_xy, br_xy::First, ideal, of, only};
use crate::{
    pattern::{Builder, Exchange, Transfer, line},
    rank::Rank,
    topology::Grid,
};

impl Algorithm {
    /// *Br_Lin* from its ideal places, to which the messages are moved first, for `alpha + n beta`. Report, section 3.
    pub const REPOS_BR_LIN: Algorithm = of(&BR_LIN);

    /// *Br_Lin* from left diagonals, to which the messages are moved first. Conference version, section 5.2.
    pub const REPOS_BR_LIN_DIAGONAL: Algorithm = of(&BR_LIN_DIAGONAL);

    /// *Br_Lin in row-major order* from left diagonals.
    pub const REPOS_BR_LIN_DIAGONAL_ROW_MAJOR: Algorithm = of(&BR_LIN_DIAGONAL_ROW_MAJOR);

    /// *Br_xy_source* from its ideal places.
    pub const REPOS_BR_XY_SOURCE: Algorithm = of(&BR_XY_SOURCE);

    /// *Br_xy_dim* from its ideal places.
    pub const REPOS_BR_XY_DIM: Algorithm = of(&BR_XY_DIM);

    /// *Xor* from evenly spread places.
    pub const REPOS_XOR: Algorithm = of(&XOR);

    /// *2-Step* from the first places of its line.
    pub const REPOS_TWO_STEP: Algorithm = of(&TWO_STEP);
}

static BR_LIN: Entry = Entry::new("repos-br-lin", |_| only(moved(on_line)))
    .about("br-lin, after the messages have been moved to ideal places")
    .source("report, section 3");

static BR_LIN_DIAGONAL: Entry = Entry::new("repos-br-lin-diagonal", |_| {
    only(moved(|builder, grid, sources| on_diagonals(builder, grid, sources, line::snake(grid))))
})
.about("br-lin, after the messages have been moved to left diagonals")
.source("report, section 4; conference version, section 5.2");

static BR_LIN_DIAGONAL_ROW_MAJOR: Entry = Entry::new("repos-br-lin-diagonal-row-major", |_| {
    only(moved(|builder, grid, sources| {
        on_diagonals(builder, grid, sources, (0..grid.nodes()).collect());
    }))
})
.about("br-lin-row-major, after the messages have been moved to left diagonals")
.source("report, section 4; conference version, section 5.2");

static BR_XY_SOURCE: Entry = Entry::new("repos-br-xy-source", |_| {
    only(moved(|builder, grid, sources| in_dimensions(builder, grid, sources, None)))
})
.about("br-xy-source, after the messages have been moved to ideal places")
.source("report, section 3");

static BR_XY_DIM: Entry = Entry::new("repos-br-xy-dim", |_| {
    only(moved(|builder, grid, sources| {
        in_dimensions(builder, grid, sources, Some(First::by_shape(grid)));
    }))
})
.about("br-xy-dim, after the messages have been moved to ideal places")
.source("report, section 3");

static XOR: Entry = Entry::new("repos-xor", |planning| {
    super::xor::variants(planning.problem, |instance| {
        moved(|builder, grid, sources| {
            let places = reposition(builder, sources, &ideal::evenly(grid, sources.len()));
            super::xor::broadcast(builder, grid.nodes(), &places);
        })(instance)
    })
})
.about("xor, after the messages have been spread evenly")
.source("report, section 3");

static TWO_STEP: Entry = Entry::new("repos-2-step", |_| {
    only(moved(|builder, grid, sources| {
        let places = reposition(builder, sources, &line::snake(grid)[..sources.len()]);
        super::two_step::broadcast(builder, grid, &places);
    }))
})
.about("2-step, after the messages have been moved to the first nodes")
.source("report, section 3");

/// Makes the schedule of whole messages that `build` moves and broadcasts.
fn moved(build: fn(&mut Builder, Grid, &[Rank])) -> impl Fn(&Instance) -> Draft + Send + Sync + 'static {
    move |instance| {
        Draft::whole(instance, Exchange::Together, |builder| {
            build(builder, instance.grid(), instance.sources());
        })
    }
}

/// Halving on the line of *Br_Lin*, from ideal places.
pub(super) fn on_line(builder: &mut Builder, grid: Grid, sources: &[Rank]) {
    let snake = line::snake(grid);
    reposition(builder, sources, &ideal::on_line(&snake, sources.len()));
    builder.halve(&[snake]);
}

/// Halving on a line, from left diagonals.
fn on_diagonals(builder: &mut Builder, grid: Grid, sources: &[Rank], line: Vec<Rank>) {
    // There are always so many places on diagonals: they share out all nodes.
    let places = Distribution::LeftDiagonal.place(grid, sources.len()).unwrap_or_default();
    reposition(builder, sources, &places);
    builder.halve(&[line]);
}

/// Halving in both dimensions, from ideal places; where the first one is not given it is the better one.
pub(super) fn in_dimensions(builder: &mut Builder, grid: Grid, sources: &[Rank], first: Option<First>) {
    let (places, first) = ideal::rows_or_columns(grid, sources.len(), first);
    reposition(builder, sources, &places);
    br_xy::broadcast(builder, first.lines(grid));
}

/// Moves the messages to the places, in one iteration: that of the first source, by rank, to the first place. Returns
/// the new place of each source's message.
pub(super) fn reposition(builder: &mut Builder, sources: &[Rank], places: &[Rank]) -> Vec<Rank> {
    let mut order: Vec<(Rank, u32)> = sources.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut places = places.to_vec();
    places.sort_unstable();
    let mut place_of = sources.to_vec();
    let mut transfers = Vec::new();
    for ((from, block), to) in order.into_iter().zip(places) {
        place_of[block as usize] = to;
        if from != to {
            transfers.push(Transfer { from, to, blocks: [block].into() });
        }
    }
    builder.move_blocks(transfers);
    place_of
}
