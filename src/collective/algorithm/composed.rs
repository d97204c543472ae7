//! *Composed*: as two operations in a row, of which it is the product.
//!
//! **What it does.** A broadcast is a scatter and then a collect, a combine-to-one a distributed combine and then a gather, and so on:
//! see [`products`]. For each of the two the fastest schedule is searched among all others. Ranks go on to the second as they end the
//! first; pieces of both are cut where either has its ends.
//!
//! **Restrictions.** Two ranks; and several blocks that are not empty, as one of the two operations would be the whole otherwise.
//!
//! **Cost.** At most that of the two operations, one after the other.
//!
//! **Source.** Van de Geijn et al. in the InterCom papers; Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE
//! TPDS 21(5), 2010, section 3.2.

use super::{
    super::{Draft, Operation, Task},
    Algorithm, Entry, of,
};
use crate::{
    plan::{
        Budget, PlanError, Predicted, Restriction, Variant,
        search::fastest,
        split::{Divisible, faster},
    },
    rank::Rank,
    time::{Span, Time},
};

impl Algorithm {
    /// As two operations in a row, such as a scatter and a collect for a broadcast.
    pub const COMPOSED: Algorithm = of(&COMPOSED);
}

static COMPOSED: Entry = Entry::new("composed", |planning| Ok(variants(planning.problem, true)))
    .about("as two operations in a row, such as a scatter and a collect for a broadcast")
    .source("Träff, Gropp, Thakur 2010")
    .kinds(|operation| {
        use Operation::{Broadcast, Collect, CombineToAll, CombineToOne, DistributedCombine};
        matches!(operation, Broadcast | Collect | CombineToOne | CombineToAll | DistributedCombine)
    })
    .only_if(&[Restriction {
        text: "there must be two ranks, and several blocks that are not empty if ranks begin or end with blocks",
        is_met: |task, _| {
            task.size() > 1 && !(task.operation().has_blocks() && task.longest_block() == task.bytes())
        },
        found: |_, _| String::new(),
    }]);

/// The pairs of operations, of one root or none, that make an operation if they follow each other.
fn products(operation: Operation) -> &'static [[Operation; 2]] {
    use Operation::{Broadcast, Collect, CombineToAll, CombineToOne, DistributedCombine, Gather, Scatter};
    match operation {
        Broadcast => &[[Scatter, Collect]],
        Collect => &[[Gather, Broadcast]],
        CombineToOne => &[[DistributedCombine, Gather]],
        CombineToAll => &[[DistributedCombine, Collect], [CombineToOne, Broadcast]],
        DistributedCombine => &[[CombineToOne, Scatter]],
        _ => &[],
    }
}

/// The messages that are given for a variant: it takes a search of its own, and is the last to be tried.
const LAST: u64 = u64::MAX;

/// Either of two operations in a row may be two in a row itself, if that is asked for.
fn variants(task: &Task, is_nested: bool) -> Vec<Variant<Task>> {
    let root = if task.operation().has_root() { task.root() } else { hub(task) };
    // An operation without blocks is the product of two with equal ones, whatever they are called here.
    let whole = if task.operation().has_blocks() { task.clone() } else { task.cut_evenly() };
    let of_root =
        |operation: Operation| whole.as_operation(operation, if operation.has_root() { root } else { 0 });
    let pairs = products(task.operation()).iter().map(|pair| Pair::of(pair.map(of_root)));
    let variant = |pair: Pair| {
        let name = format!("{}, then {}", pair.first.operation(), pair.next.operation());
        let floor = pair.least();
        let search =
            move |task: &Task, limit: Time, budget: &Budget| pair.solved(task, is_nested, limit, budget);
        Variant::searched(name, search).at_least(floor).of_messages(LAST).by(Algorithm::COMPOSED)
    };
    pairs.map(variant).collect()
}

/// Two operations in a row.
struct Pair {
    first: Task,
    next: Task,
    /// Lower bounds of either alone.
    least: [Span; 2],
}

impl Pair {
    fn of([first, next]: [Task; 2]) -> Pair {
        let least = [first.least(), next.least()];
        Pair { first, next, least }
    }

    /// Whether the first one ends at a root, which has all that the next one begins with.
    fn meets_at_root(&self) -> bool {
        matches!(self.first.operation(), Operation::Gather | Operation::CombineToOne)
    }

    /// A lower bound of both in a row.
    fn least(&self) -> Span {
        let [first, next] = self.least;
        if self.meets_at_root() { first + next } else { self.first.least_then(&self.next) }
    }

    /// A lower bound of both in a row, if ranks end the first one at these instants.
    fn least_after(&self, ends: &[Time]) -> Span {
        let earliest = ends.iter().min().map_or(Span::ZERO, |end| end.since_start());
        if self.meets_at_root() {
            return ends[self.first.root()].since_start() + self.least[1];
        }
        let of_rank = |(rank, end): (Rank, &Time)| end.since_start() + self.next.least_of(rank);
        let last = ends.iter().enumerate().map(of_rank).max().unwrap_or(Span::ZERO);
        last.max(earliest + self.least[1])
    }

    /// The fastest schedules of both in a row, if they could end by the limit.
    fn solved(&self, task: &Task, is_nested: bool, limit: Time, budget: &Budget) -> Result<Draft, PlanError> {
        let within = |before: Span| Time::ZERO + (limit.since_start() - before);
        let after = self.least() - self.least[0];
        // A first part that does more than it has to does all of the product by itself.
        let first = solved(&self.first, false, is_nested, within(after), budget)?;
        let ends = &first.prediction.finished;
        let before = self.least_after(ends) - self.least[1];
        let next = solved(&self.next, true, is_nested, within(before), budget)?;
        Ok(first.draft.then_with(task, next.draft))
    }
}

/// The root in between of an operation without one: the first of those with the longest block.
fn hub(task: &Task) -> Rank {
    let length = |rank: &Rank| task.block(*rank).end - task.block(*rank).start;
    (0..task.size()).rev().max_by_key(length).unwrap_or(0)
}

/// The fastest schedule of a part that ends by the limit; those of operations that want more are tried as well, or left out.
fn solved(
    task: &Task,
    with_wider: bool,
    is_nested: bool,
    limit: Time,
    budget: &Budget,
) -> Result<Predicted<Task>, PlanError> {
    let mut listed = task.others()?;
    listed.retain(|variant| with_wider || variant.algorithm() != Some(&Algorithm::WIDER));
    if is_nested && Algorithm::COMPOSED.check(task).is_ok() {
        listed.extend(variants(task, false));
    }
    let (_, found) = fastest(&Algorithm::COMPOSED, task, &listed, limit, budget)?;
    Ok(faster(task, found.prediction.modeled, budget).map_or(found, |(_, better)| better))
}
