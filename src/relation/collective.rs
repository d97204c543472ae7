//! Related problems of collective operations: equal collective operations, s-to-p broadcasts, and wider operations.

use std::ops::Range;

use crate::{
    collective::{self, Algorithm, Draft, Operation, Piece, Task},
    pattern::Origin,
    plan::{Convert, Related, Variant, converted, split::Divisible},
    rank::Rank,
    s_to_p::{self, Instance},
    time::Span,
};

impl Related for Task {
    fn equal(&self) -> Vec<Variant<Task>> {
        let other_words = self.in_other_words().into_iter().flat_map(|task| {
            let (listed, words) = (collective::families(&task), task.operation().name());
            converted(task, listed, words, Span::ZERO, unchanged, &Algorithm::SOURCES)
        });
        let s_to_p = as_s_to_p(self).into_iter().flat_map(|instance| {
            let (listed, convert): (_, Convert<Instance, Task>) = match self.operation() {
                Operation::Broadcast | Operation::AllGather => (s_to_p::families(&instance), forwards),
                _ => (s_to_p::reversible(&instance), backwards),
            };
            converted(instance, listed, "s-to-p", Span::ZERO, convert, &Algorithm::SOURCES)
        });
        let even = self.with_even_blocks().into_iter().flat_map(|task| {
            let mut listed = collective::families(&task);
            // Variants made of two operations in sequence already have even blocks.
            listed.retain(|variant| !variant.is_searched());
            converted(task, listed, "even blocks", Span::ZERO, unchanged, &Algorithm::SOURCES)
        });
        other_words.chain(s_to_p).chain(even).collect()
    }

    fn wider(&self) -> Vec<Variant<Task>> {
        use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};
        let is_last = self.root() + 1 == self.size();
        let operations: &[Operation] = match self.operation() {
            Scatter => &[Broadcast],
            Gather => &[AllGather],
            ReduceScatter => &[AllReduce],
            Reduce if is_last => &[AllReduce, Scan],
            Reduce => &[AllReduce],
            _ => &[],
        };
        let variants = operations.iter().flat_map(|&operation| {
            let task = self.as_operation(operation, if operation.has_root() { self.root() } else { 0 });
            let (bound, mut listed) = (task.quick_lower_bound(), collective::families(&task));
            listed.extend(task.equal());
            // Variants made of two operations in sequence are excluded, because the first of the two would be the narrower operation
            // itself. A reduce in rank order may be slower at its root than at the intermediate root of an all-reduce.
            let is_at_other_root =
                self.operation() == Reduce && self.is_in_order() && self.root() != collective::hub(&task);
            listed.retain(|variant| is_at_other_root || !variant.is_searched());
            converted(task, listed, operation.name(), bound, restricted, &Algorithm::WIDER)
        });
        variants.collect()
    }
}

/// Returns the draft unchanged: the vector and the origins are the same.
fn unchanged(_: &Task, _: &Task, draft: Draft) -> Draft {
    draft
}

/// Converts a draft of a wider operation: pieces are cut at blocks if the narrower operation has blocks.
fn restricted(task: &Task, _: &Task, draft: Draft) -> Draft {
    if task.operation().has_blocks() { draft.cut_at_blocks(task) } else { draft }
}

/// Returns the s-to-p broadcast equal to a broadcast or an all-gather, or to the dual of a reduce or reduce-scatter with a
/// commutative operator. Messages are cut at the elements of the task.
fn as_s_to_p(task: &Task) -> Option<Instance> {
    let sources = holders(task)?;
    let lengths: Vec<u64> = sources.iter().map(|&(_, Range { start, end })| end - start).collect();
    let ranks: Vec<Rank> = sources.iter().map(|&(rank, _)| rank).collect();
    let instance = Instance::among(task.machine(), task.members().clone(), &ranks, &lengths).ok()?;
    (!task.is_in_order()).then(|| instance.with_elements_of(task.element_bytes()))
}

/// Returns the ranks with data at the start of a broadcast or an all-gather, or at the end of their duals, each with its range of the vector;
/// `None` for other operations.
fn holders(task: &Task) -> Option<Vec<(Rank, Range<u64>)>> {
    match task.operation() {
        Operation::Broadcast | Operation::Reduce => Some(vec![(task.root(), 0..task.bytes())]),
        Operation::AllGather | Operation::ReduceScatter => {
            let blocks = (0..task.size()).map(|rank| (rank, task.block(rank)));
            Some(blocks.filter(|(_, block)| !block.is_empty()).collect())
        }
        _ => None,
    }
}

fn forwards(task: &Task, _: &Instance, moved: s_to_p::Draft) -> Draft {
    let holders = holders(task).unwrap_or_default();
    let piece = |(source, start, bytes): (usize, u64, u64)| {
        let (rank, Range { start: first, .. }) = holders[source];
        Piece::of(first + start..first + start + bytes, Origin::At(rank))
    };
    let pieces = moved.pieces().map(piece).collect();
    Draft::new(task, pieces, moved.into_schedule())
}

fn backwards(task: &Task, instance: &Instance, moved: s_to_p::Draft) -> Draft {
    forwards(task, instance, moved).combining()
}
