//! *Composed*: two operations in a row whose product is the operation, such as scatter and all-gather for a broadcast.
//!
//! **What it does.** [`products`] lists the pairs of operations. For each of the two operations a nested search finds the fastest schedule
//! of all other algorithms. A rank starts the second schedule either when it has finished its steps of the first one, or when its messages
//! of the first one have also left, whichever is faster. Pieces of both schedules are cut at the ends of all pieces, so that both move the
//! same blocks.
//!
//! **Restrictions.** At least two ranks. If ranks start or end with blocks, at least two blocks are not empty: with a single block one of
//! the two operations would be the whole operation.
//!
//! **Cost.** The sum of the times of both operations, less their overlap.
//!
//! **Source.** Van de Geijn et al. in the InterCom papers; Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE
//! TPDS 21(5), 2010, section 3.2.

use std::sync::{Arc, LazyLock};

use super::{
    super::{Draft, Operation, Task},
    Algorithm, Entry, of,
};
use crate::{
    plan::{
        Budget, PlanError, Predicted, Restriction, Scheduled, Variant,
        predict::predict_among,
        search::fastest,
        split::{Divisible, fastest_partition},
    },
    rank::Rank,
    time::{Span, Time},
};

impl Algorithm {
    /// Two operations in a row, such as a scatter and an all-gather for a broadcast.
    pub const COMPOSED: Algorithm = of(&COMPOSED);
}

static COMPOSED: Entry = Entry::new("composed", |planning| Ok(variants(planning.problem, true)))
    .about("two operations in sequence, such as scatter and all-gather for a broadcast")
    .source("Träff, Gropp, Thakur 2010")
    .cost("the sum of both operations' costs, less their overlap")
    .kinds(|operation| {
        use Operation::{AllGather, AllReduce, Broadcast, Reduce, ReduceScatter};
        matches!(operation, Broadcast | AllGather | Reduce | AllReduce | ReduceScatter)
    })
    .only_if(&[Restriction {
        text: "at least 2 ranks and, for an operation on blocks, at least 2 blocks that are not empty",
        is_met: |task, _| {
            task.size() > 1 && !(task.operation().has_blocks() && task.longest_block() == task.bytes())
        },
        found: |_, _| String::new(),
    }]);

/// Returns the pairs of operations that, carried out one after the other, have the result of `operation`. Operations with a root use the
/// same root.
fn products(operation: Operation) -> &'static [[Operation; 2]] {
    use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scatter};
    match operation {
        Broadcast => &[[Scatter, AllGather]],
        AllGather => &[[Gather, Broadcast]],
        Reduce => &[[ReduceScatter, Gather]],
        AllReduce => &[[ReduceScatter, AllGather], [Reduce, Broadcast]],
        ReduceScatter => &[[Reduce, Scatter]],
        _ => &[],
    }
}

/// Lists a variant for each pair of operations. With `is_nested`, either of the two may again be carried out as two operations in a row.
fn variants(task: &Task, is_nested: bool) -> Vec<Variant<Task>> {
    let root = if task.operation().has_root() { task.root() } else { hub(task) };
    // For an operation without blocks the intermediate blocks are an even cut, although the task may have been built with other lengths.
    let whole = task.with_even_blocks().unwrap_or_else(|| task.clone());
    let of_root =
        |operation: Operation| whole.as_operation(operation, if operation.has_root() { root } else { 0 });
    let variant = |operations: &[Operation; 2]| {
        let [first, next] = operations.map(of_root);
        let name = format!("{}, then {}", first.operation(), next.operation());
        let pair = Arc::new(LazyLock::new(move || Pair::of([first, next])));
        let of_search = pair.clone();
        let search =
            move |task: &Task, limit: Time, budget: &Budget| of_search.solved(task, is_nested, limit, budget);
        Variant::searched(name, search).at_least_as(move || pair.lower_bound).by(Algorithm::COMPOSED)
    };
    products(task.operation()).iter().map(variant).collect()
}

/// Two operations in a row.
struct Pair {
    first: Task,
    next: Task,
    /// The lower bound of each operation.
    lower_bounds: [Span; 2],
    /// The lower bound of both operations in a row.
    lower_bound: Span,
}

impl Pair {
    fn of([first, next]: [Task; 2]) -> Pair {
        let lower_bounds = [first.quick_lower_bound(), next.quick_lower_bound()];
        let mut pair = Pair { first, next, lower_bounds, lower_bound: lower_bounds[0] + lower_bounds[1] };
        if !pair.meets_at_root() {
            pair.lower_bound = pair.first.lower_bound_then(&pair.next, lower_bounds);
        }
        pair
    }

    /// Whether the second operation only distributes data of the root, which are the result of the first one. Then the second operation
    /// cannot begin before the root has finished the first one.
    fn meets_at_root(&self) -> bool {
        matches!(self.first.operation(), Operation::Gather | Operation::Reduce)
    }

    /// Lower bound of both operations in a row, if the ranks finish the first one at these times.
    fn lower_bound_after(&self, ends: &[Time]) -> Span {
        let earliest = ends.iter().min().map_or(Span::ZERO, |end| end.since_start());
        if self.meets_at_root() {
            return ends[self.first.root()].since_start() + self.lower_bounds[1];
        }
        let of_rank = |(rank, end): (Rank, &Time)| end.since_start() + self.next.lower_bound_of_rank(rank);
        let last = ends.iter().enumerate().map(of_rank).max().unwrap_or(Span::ZERO);
        last.max(earliest + self.lower_bounds[1])
    }

    /// Searches for the fastest schedule of each operation and joins the two. Each search is bounded by `limit` minus a lower bound on the
    /// time of the other operation.
    fn solved(&self, task: &Task, is_nested: bool, limit: Time, budget: &Budget) -> Result<Draft, PlanError> {
        let within = |before: Span| Time::ZERO + (limit.since_start() - before);
        let after = self.lower_bound - self.lower_bounds[0];
        // The first search omits the schedules of *Wider*: such a schedule, of an all-reduce for a reduce-scatter, would carry out
        // the whole operation without the second one.
        let first = solved(&self.first, false, is_nested, within(after), budget)?;
        let ends = &first.prediction.finished;
        let before = self.lower_bound_after(ends) - self.lower_bounds[1];
        let next = solved(&self.next, true, is_nested, within(before), budget)?;
        let joined = |waits: bool| first.draft.clone().then_with(task, next.draft.clone(), waits);
        let overlapping = joined(false);
        if !first.draft.steps().starts_sends() {
            return Ok(overlapping);
        }
        let predict = |draft: &Draft, limit: Time| {
            let schedule = draft.steps();
            budget.spend(schedule.steps_in_all() as u64);
            predict_among(task.machine(), task.members(), schedule, limit)
        };
        let limit = predict(&overlapping, limit).map_or(limit, |prediction| prediction.modeled);
        let waiting = joined(true);
        let is_faster = predict(&waiting, limit).is_some_and(|prediction| prediction.modeled < limit);
        Ok(if is_faster { waiting } else { overlapping })
    }
}

/// The intermediate root of an operation without a root: the first rank with the longest block, which then need not move.
pub(crate) fn hub(task: &Task) -> Rank {
    let length = |rank: &Rank| task.block(*rank).end - task.block(*rank).start;
    (0..task.size()).rev().max_by_key(length).unwrap_or(0)
}

/// Searches for the fastest schedule of one of the two operations that ends by the limit, with or without schedules of wider operations.
fn solved(
    task: &Task,
    with_wider: bool,
    is_nested: bool,
    limit: Time,
    budget: &Budget,
) -> Result<Predicted<Task>, PlanError> {
    let mut listed = task.unsplit_variants()?;
    listed.retain(|variant| with_wider || variant.algorithm() != Some(&Algorithm::WIDER));
    if is_nested && Algorithm::COMPOSED.check(task).is_ok() {
        listed.extend(variants(task, false));
    }
    let (_, found) = fastest(&Algorithm::COMPOSED, task, &listed, limit, budget)?;
    Ok(fastest_partition(task, found.prediction.modeled, budget).map_or(found, |(_, better)| better))
}
