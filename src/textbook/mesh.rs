//! Algorithm 4.6, *all-to-all broadcast* on a mesh, and *all-to-all reduction*, which is problem 4.4 of the book.
//!
//! **What it does.** An all-to-all broadcast in every row, as on a ring; then one in every column, in which the data of a whole row is one
//! message (figure 4.10). With three dimensions there is a third phase. A reduction is the reverse: first in the columns, with the blocks
//! of a whole row at a time, then in the rows.
//!
//! **Restrictions.** The reduction needs a commutative operator, like the reduction on a ring.
//!
//! **Cost.** Equation 4.3: `2 t_s (sqrt(p) - 1) + t_w m (p - 1)` on a square; with sides `c_1`, `c_2`, .. the sum of
//! `(c_i - 1) (t_s + c_1 .. c_(i-1) t_w m)`, which is `sum (c_i - 1) alpha + (p - 1) n beta`. A row is closed to a ring by the wraparound
//! link of a torus, or on a mesh by the links of the row in the other direction.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.2.2 and problem 4.4.

use super::{
    Algorithm,
    algorithm::{BOOK, COMMUTATIVE, Entry, all_blocks_draft},
    equation, ring,
    shape::Shape,
};
use crate::{collective::Operation, pattern::Builder, plan};

impl Algorithm {
    /// Algorithm 4.6: all-to-all broadcast on a mesh.
    pub const MESH_ALL_TO_ALL: Algorithm = Algorithm(&MESH_ALL_TO_ALL);

    /// Problem 4.4: all-to-all reduction on a mesh.
    pub const MESH_REDUCTION: Algorithm = Algorithm(&MESH_REDUCTION);
}

static MESH_ALL_TO_ALL: Entry = Entry {
    registered: plan::Entry::new("4.6", |planning| MESH_ALL_TO_ALL.variants(planning.problem))
        .about("all-to-all broadcast on a mesh")
        .title("algorithm 4.6")
        .aliases(&["mesh-all-to-all"])
        .source(BOOK)
        .kinds(|operation| operation == MESH_ALL_TO_ALL.operation),
    operation: Operation::AllGather,
    section: "4.2.2",
    formula: "t_s sum (c_i - 1) + t_w m (p - 1)",
    equation_number: Some("4.3"),
    equation: |task| equation::all_to_all(&Shape::mesh(task).extents, task.longest_block()),
    network: "mesh:4x4",
    draft: |task| all_blocks_draft(task, |builder| spread(builder, &Shape::mesh(task))),
};

static MESH_REDUCTION: Entry = Entry {
    registered: plan::Entry::new("mesh-reduction", |planning| MESH_REDUCTION.variants(planning.problem))
        .about("all-to-all reduction on a mesh")
        .source(BOOK)
        .kinds(|operation| operation == MESH_REDUCTION.operation)
        .only_if(&[COMMUTATIVE]),
    operation: Operation::ReduceScatter,
    section: "4.2.2",
    formula: "t_s sum (c_i - 1) + (t_w + gamma) m (p - 1)",
    equation_number: Some("4.3"),
    equation: |task| equation::all_to_all(&Shape::mesh(task).extents, task.longest_block()),
    network: "mesh:4x4",
    draft: |task| (MESH_ALL_TO_ALL.draft)(task).combining(),
};

/// Runs the broadcast of a ring in every dimension, the last dimension first.
pub(super) fn spread(builder: &mut Builder, shape: &Shape) {
    for dimension in (0..shape.extents.len()).rev() {
        ring::spread(builder, &shape.lines(dimension));
    }
}
