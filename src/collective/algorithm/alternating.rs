//! *Alternating*: hybrids whose dimensions alternate between the two directions of the mesh.
//!
//! **What it does.** Works as [*Hybrid*](super::hybrid), but the first dimension divides the rows, the second one the columns, the third
//! one the rows again, and so on, or the columns first: these strategies end in `,rows-columns` and `,columns-rows`. The vector gets
//! shorter in every dimension, while messages share links only with earlier dimensions of the same direction. When many groups of a
//! dimension share the links of a row, their data has already been cut in the columns too.
//!
//! **Restrictions.** The members form a rectangle that can be divided in both directions alternately: both sides are at least 2, and one
//! side is at least 4 and not prime. A commutative operator.
//!
//! **Cost.** The formula of [*Hybrid*](super::hybrid), in which `h_i` counts only the factors of `g_i` in the same direction. With
//! all sides 2 and `k = 1` an all-gather of `n` bytes on `q x q` nodes, `p = q^2`, takes
//!
//! ```text
//! one direction after the other:  log2 p alpha + (log2 q)/2 (1 + 1/q) n beta
//! alternating:                    log2 p alpha + 3/2 (1 - 1/q) n beta
//! ```
//!
//! so that the factor no longer grows with the logarithm, and is smaller from `q = 4` on. Excess bandwidth of links reduces the gain. Rings
//! over whole rows and columns have no contention, but need `2 (q - 1) alpha`.
//!
//! **Source.** Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 7.1: "the use of
//! long vector primitives can be enhanced by alternating directions within the mesh", with a reference to Barnett,
//! Littlefield, Payne, van de Geijn, "Global combine on mesh architectures with wormhole routing", IPPS 1993. The paper gives no details;
//! alternating the dimensions is our interpretation. Sending parts of a vector in both directions of a ring at the same time would gain
//! nothing on nodes with one port.

use super::{
    super::{
        Strategy, Task,
        draft::Tuning,
        strategy::{AllGatherKind, Tree},
    },
    Algorithm, Entry, MAX_SIDES, is_no_scan, of,
    strategies::{IN_ORDER, variants},
};
use crate::{plan::Restriction, text::count};

impl Algorithm {
    /// The fastest of the paper's hybrids whose dimensions alternate between rows and columns.
    pub const ALTERNATING: Algorithm = of(&ALTERNATING);
}

static ALTERNATING: Entry = Entry::new("alternating", |planning| {
    let task = planning.problem;
    variants(task, all(task), &[Tuning::PLAIN])
})
.about("InterCom: hybrids that alternate between rows and columns")
.source("Barnett et al. 1994, section 7.1")
.cost("the least of its strategies, as `hybrid`; all-gather on `q` rows and `q` columns with sides of 2: `log2 p alpha + 3/2 (1 - 1/q) n beta`")
.kinds(is_no_scan)
.only_if(&[
    Restriction { text: IN_ORDER, is_met: |task, _| !task.is_in_order(), found: |_, _| String::new() },
    Restriction {
        text: "at least 2 rows and 2 columns of ranks, and a number of rows or of columns that is not prime",
        is_met: |task, _| {
            let grid = task.layout().grid;
            let can_be_divided = |side: usize| (2..side).any(|divisor| side.is_multiple_of(divisor));
            grid.rows > 1 && grid.columns > 1 && (can_be_divided(grid.rows) || can_be_divided(grid.columns))
        },
        found: |task, _| {
            let grid = task.layout().grid;
            format!("{} of {}", count(grid.rows as u64, "row"), count(grid.columns as u64, "rank"))
        },
    },
]);

fn all(task: &Task) -> Vec<Strategy> {
    Strategy::all_alternating(task.layout().grid, AllGatherKind::Ring, Tree::Halves, MAX_SIDES)
}
