//! The variants of algorithms that are [strategies](Strategy).

use super::{
    super::{
        Strategy, Task,
        candidate::{Candidate, variants_of_cheapest},
        draft::Tuning,
        logical_mesh,
        strategy::{AllGatherKind, Order},
    },
    Variants,
};

/// The restriction of strategies where the order of operands matters: only in one short-vector dimension combined ranks are contiguous.
pub(super) const IN_ORDER: &str = "a commutative operator, or a single short-vector dimension";

/// Whether a strategy combines vectors in the order that the task requires.
pub(super) fn is_in_order(task: &Task, strategy: &Strategy) -> bool {
    !task.is_in_order() || strategy.long.is_empty() && strategy.order == Order::Rows
}

/// Makes one or several variants for each strategy that supports the task.
pub(super) fn variants(
    task: &Task,
    strategies: impl IntoIterator<Item = Strategy>,
    tunings: &[Tuning],
) -> Variants {
    let grid = task.layout().grid;
    let candidate = |strategy: Strategy| Candidate {
        name: strategy.spelled(task.operation()),
        estimate: strategy.cost_in(task, grid).time(task.parameters()),
        messages: strategy.messages(),
        // Only blocks that move around rings are cut.
        tunings: tunings
            .iter()
            .copied()
            .filter(|tuning| {
                tuning.segments == 1 || strategy.long.iter().any(|&(_, kind)| kind == AllGatherKind::Ring)
            })
            .collect(),
        lower_bound: Some({
            let strategy = strategy.clone();
            Box::new(move |task, tuning| logical_mesh::lower_bound(task, &strategy, tuning))
        }),
        make: Box::new(move |task, tuning| logical_mesh::draft(task, &strategy, tuning)),
    };
    let works = |strategy: &Strategy| is_in_order(task, strategy);
    Ok(variants_of_cheapest(task, strategies.into_iter().filter(works).map(candidate).collect()))
}
