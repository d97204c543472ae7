//! *Linear*: the root sends to every rank itself, or receives from every rank itself.
//!
//! **What it does.** A star: no rank forwards anything.
//!
//! **Restrictions.** None.
//!
//! **Cost.** `(p - 1) (o_s + n beta) + L + o_r` for a broadcast of `n` bytes: the sends follow each other. `o_s + L + (p - 1) (n beta + o_r +
//! n gamma)` for a reduce: the messages share the in-port of the root. With `n/p` instead of `n`, and without `gamma`, for a scatter and a
//! gather. The textbook's naive broadcast takes `(p - 1) (alpha + n beta)`, because its root waits until each message has arrived. *Auto* does
//! not try *Linear*: the fastest [tree](super::tree) is a star where a star is the fastest tree. The [selectors](super::selector) use it.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", section 4.1.1 (the naive broadcast).

use super::{
    super::{
        Operation, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::{Draft, Piece, Tuning, cut},
    },
    Algorithm, Entry, of, round,
};
use crate::{
    pattern::{Division, Origin, division},
    rank::Rank,
};

impl Algorithm {
    /// The root sends to every rank itself, or receives from every rank itself.
    pub const LINEAR: Algorithm = of(&LINEAR);
}

static LINEAR: Entry = Entry::new("linear", |planning| {
    let task = planning.problem;
    let others = task.size() as u64 - 1;
    let message = if task.operation().has_blocks() { task.longest_block() } else { task.bytes() };
    let candidate = Candidate {
        name: "linear".into(),
        estimate: round(task, message).times(others),
        messages: 1,
        tunings: vec![Tuning::PLAIN],
        lower_bound: None,
        make: Box::new(draft),
    };
    Ok(variants_of_cheapest(task, vec![candidate]))
})
.about("the root sends to, or receives from, every rank itself")
.source("Kumar et al., section 4.1.1")
.cost("broadcast: `(p - 1) (o_s + n beta) + L + o_r`; reduce: `o_s + L + (p - 1) (n beta + o_r + n gamma)`; scatter, gather: the same with `n/p`, without `gamma`")
.kinds(|operation| {
    matches!(operation, Operation::Broadcast | Operation::Reduce | Operation::Scatter | Operation::Gather)
});

fn draft(task: &Task, tuning: Tuning) -> Draft {
    let (ranks, root): (Vec<Rank>, Rank) = ((0..task.size()).collect(), task.root());
    let (lines, trees) = ([ranks], [Division::star(task.size(), root)]);
    if !task.operation().has_blocks() {
        let whole: Vec<Piece> =
            cut(0, task.bytes(), task.element_bytes(), 1).map(|(_, piece)| piece).collect();
        let origins = vec![root; whole.len()];
        let broadcast = Draft::moving(task, whole, &origins, tuning.exchange, |builder| {
            division::broadcast(builder, &lines, &trees);
        });
        return if task.operation() == Operation::Reduce { broadcast.combining() } else { broadcast };
    }
    let owners: Vec<Rank> = (0..task.size()).filter(|&rank| !task.block(rank).is_empty()).collect();
    let pieces = owners.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(root))).collect();
    let scatter = Draft::moving(task, pieces, &vec![root; owners.len()], tuning.exchange, |builder| {
        let own = |_, rank| owners.binary_search(&rank).into_iter().map(|block| block as u32).collect();
        division::scatter(builder, &lines, &trees, &own);
    });
    if task.operation() == Operation::Gather { scatter.gathering(&owners) } else { scatter }
}
