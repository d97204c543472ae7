//! Algorithm *Repos*: moves the messages to places that are ideal for another algorithm and then runs this algorithm.
//!
//! **What it does.** A permutation brings the messages to the [ideal](super::ideal) distribution of the algorithm for this mesh: the
//! message of the first source, by rank, to the first place, and so on. A node that both sends and receives a message does so as an
//! exchange. Then the algorithm runs as if the places were the sources. As in the papers, the messages are always moved, even if the
//! sources were well placed already.
//!
//! | algorithm | ideal distribution |
//! | --- | --- |
//! | *Br_Lin* | ideal places on its line; *with diagonals*, left diagonals |
//! | *Br_xy_source* | whole rows, or columns, in ideal places, whichever gives the shorter messages |
//! | *Br_xy_dim* | whole columns in ideal places if the rows come first, else rows |
//! | *Xor* | spread evenly: only link contention depends on the places |
//! | *2-Step* | the first nodes of the line: node 0 and nodes near it |
//!
//! **Left diagonals.** In the papers, left diagonals are the ideal distribution of *Br_Lin*: the report calls them least sensitive to the
//! size of the machine, and the conference version moves messages to them. On the snake of *Br_Lin* they are never better than ideal places
//! in the cases of `docs/s-to-p.md`; in row-major order they are about as good on powers of two. The default is therefore ideal places,
//! which follow from the halving itself. The papers' choice is available under separate names, for both orders.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `alpha + n beta`, with `o_x` and `2 / d` times the time of each byte for a node that exchanges, plus the cost of the algorithm
//! on its ideal distribution.
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
    .source("report, section 3")
    .cost("about `alpha + n beta`, plus the cost of `br-lin` from the new places");

static BR_LIN_DIAGONAL: Entry = Entry::new("repos-br-lin-diagonal", |_| {
    only(moved(|builder, grid, sources| on_diagonals(builder, grid, sources, line::snake(grid))))
})
.about("br-lin, after the messages have been moved to left diagonals")
.source("report, section 4; conference version, section 5.2")
.cost("about `alpha + n beta`, plus the cost of `br-lin` from the new places");

static BR_LIN_DIAGONAL_ROW_MAJOR: Entry = Entry::new("repos-br-lin-diagonal-row-major", |_| {
    only(moved(|builder, grid, sources| {
        on_diagonals(builder, grid, sources, (0..grid.nodes()).collect());
    }))
})
.about("br-lin-row-major, after the messages have been moved to left diagonals")
.source("report, section 4; conference version, section 5.2")
.cost("about `alpha + n beta`, plus the cost of `br-lin-row-major` from the new places");

static BR_XY_SOURCE: Entry = Entry::new("repos-br-xy-source", |_| {
    only(moved(|builder, grid, sources| in_dimensions(builder, grid, sources, None)))
})
.about("br-xy-source, after the messages have been moved to ideal places")
.source("report, section 3")
.cost("about `alpha + n beta`, plus the cost of `br-xy-source` from the new places");

static BR_XY_DIM: Entry = Entry::new("repos-br-xy-dim", |_| {
    only(moved(|builder, grid, sources| {
        in_dimensions(builder, grid, sources, Some(First::by_shape(grid)));
    }))
})
.about("br-xy-dim, after the messages have been moved to ideal places")
.source("report, section 3")
.cost("about `alpha + n beta`, plus the cost of `br-xy-dim` from the new places");

static XOR: Entry = Entry::new("repos-xor", |planning| {
    super::xor::variants(planning.problem, |instance| {
        moved(|builder, grid, sources| {
            let places = reposition(builder, sources, &ideal::evenly(grid, sources.len()));
            super::xor::broadcast(builder, grid.nodes(), &places);
        })(instance)
    })
})
.about("xor, after the messages have been spread evenly")
.source("report, section 3")
.cost("about `alpha + n beta`, plus the cost of `xor` from the new places");

static TWO_STEP: Entry = Entry::new("repos-2-step", |_| {
    only(moved(|builder, grid, sources| {
        let places = reposition(builder, sources, &line::snake(grid)[..sources.len()]);
        super::two_step::broadcast(builder, grid, &places);
    }))
})
.about("2-step, after the messages have been moved to the first nodes")
.source("report, section 3")
.cost("about `alpha + n beta`, plus the cost of `2-step` from the new places");

/// Returns a function that makes the schedule of whole messages which `build` moves and broadcasts.
fn moved(build: fn(&mut Builder, Grid, &[Rank])) -> impl Fn(&Instance) -> Draft + Send + Sync + 'static {
    move |instance| {
        Draft::whole(instance, Exchange::Together, |builder| {
            build(builder, instance.grid(), instance.sources());
        })
    }
}

/// Runs halving on the line of *Br_Lin*, from ideal places.
pub(super) fn on_line(builder: &mut Builder, grid: Grid, sources: &[Rank]) {
    let snake = line::snake(grid);
    reposition(builder, sources, &ideal::on_line(&snake, sources.len()));
    builder.halve(&[snake]);
}

/// Runs halving on a line, from left diagonals.
fn on_diagonals(builder: &mut Builder, grid: Grid, sources: &[Rank], line: Vec<Rank>) {
    // Placing never fails: the diagonals together cover all nodes.
    let places = Distribution::LeftDiagonal.place(grid, sources.len()).unwrap_or_default();
    reposition(builder, sources, &places);
    builder.halve(&[line]);
}

/// Runs halving in both dimensions, from ideal places; chooses the order of the dimensions if `first` is not given.
pub(super) fn in_dimensions(builder: &mut Builder, grid: Grid, sources: &[Rank], first: Option<First>) {
    let (places, first) = ideal::rows_or_columns(grid, sources.len(), first);
    reposition(builder, sources, &places);
    br_xy::broadcast(builder, first.lines(grid));
}

/// Moves the messages to the places in one iteration: the message of the first source, by rank, to the first place. Returns the new place
/// of each source's message.
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
