//! Collective operations: in the words of each other and of s-to-p broadcasting, and as parts of those that want more.

use std::{ops::Range, sync::Arc};

use crate::{
    collective::{self, Algorithm, Draft, Operation, Piece, Task},
    pattern::Origin,
    plan::{self, PlanError, Problem, Related, Solver, Variant, split::Divisible},
    rank::Rank,
    stop::{self, Instance},
    time::Span,
};

impl Related for Task {
    fn equal(&self) -> Vec<Variant<Task>> {
        let mut variants = Vec::new();
        if let Some(task) = self.in_other_words() {
            let named = task.operation().name();
            let listed = collective::families(&task);
            let solver =
                solver(Arc::new(task), Algorithm::SOURCES, named, Span::ZERO, |_, _, draft| Ok(draft));
            variants.extend(solver.variants(listed));
        }
        if let Some(instance) = as_s_to_p(self) {
            let (listed, convert): (_, Convert) = match self.operation() {
                Operation::Broadcast | Operation::Collect => (stop::families(&instance), forwards),
                _ => (stop::reversible(&instance), backwards),
            };
            let solver = solver(Arc::new(instance), Algorithm::SOURCES, "s-to-p", Span::ZERO, convert);
            variants.extend(solver.variants(listed));
        }
        variants
    }

    fn wider(&self) -> Vec<Variant<Task>> {
        use Operation::{Collect, CombineToAll, CombineToOne, Gather, Scan};
        let is_last = self.root() + 1 == self.size();
        let operations: &[Operation] = match self.operation() {
            Gather => &[Collect],
            CombineToOne if is_last => &[CombineToAll, Scan],
            CombineToOne => &[CombineToAll],
            _ => &[],
        };
        let variants = operations.iter().flat_map(|&operation| {
            let root = if operation.has_root() { self.root() } else { 0 };
            let task = self.as_operation(operation, root);
            let (listed, bound) = (collective::families(&task), task.least());
            let solver =
                solver(Arc::new(task), Algorithm::WIDER, operation.name(), bound, |_, _, draft| Ok(draft));
            solver.variants(listed).collect::<Vec<_>>()
        });
        variants.collect()
    }
}

/// Makes a draft from one of an s-to-p broadcast.
type Convert = plan::Convert<Instance, Task>;

fn solver<P: Problem>(
    problem: Arc<P>,
    listed_by: Algorithm,
    named: &'static str,
    bound: Span,
    convert: plan::Convert<P, Task>,
) -> Solver<P, Task> {
    Solver { problem, listed_by, named, bound, convert }
}

/// The s-to-p broadcast that a broadcast or a collect is, and that a combine-to-one or a distributed combine is backwards, if its
/// operator is commutative; with its elements for the units in which messages are cut.
fn as_s_to_p(task: &Task) -> Option<Instance> {
    let sources = holders(task)?;
    let lengths: Vec<u64> = sources.iter().map(|&(_, Range { start, end })| end - start).collect();
    let ranks: Vec<Rank> = sources.iter().map(|&(rank, _)| rank).collect();
    let instance = Instance::among(task.machine(), task.members().clone(), &ranks, &lengths).ok()?;
    (!task.is_in_order()).then(|| instance.with_elements_of(task.element_bytes()))
}

/// The ranks that have something in the beginning of a broadcast or a collect, or in the end of the duals, with their parts of the
/// vector; none if the operation is another one.
fn holders(task: &Task) -> Option<Vec<(Rank, Range<u64>)>> {
    match task.operation() {
        Operation::Broadcast | Operation::CombineToOne => Some(vec![(task.root(), 0..task.bytes())]),
        Operation::Collect | Operation::DistributedCombine => {
            let blocks = (0..task.size()).map(|rank| (rank, task.block(rank)));
            Some(blocks.filter(|(_, block)| !block.is_empty()).collect())
        }
        _ => None,
    }
}

fn forwards(task: &Task, _: &Instance, moved: stop::Draft) -> Result<Draft, PlanError> {
    let holders = holders(task).unwrap_or_default();
    let piece = |(source, start, bytes): (usize, u64, u64)| {
        let (rank, Range { start: first, .. }) = holders[source];
        Piece::of(first + start..first + start + bytes, Origin::At(rank))
    };
    let pieces = moved.pieces().map(piece).collect();
    Ok(Draft::new(task, pieces, moved.into_schedule()))
}

fn backwards(task: &Task, instance: &Instance, moved: stop::Draft) -> Result<Draft, PlanError> {
    forwards(task, instance, moved).map(Draft::combining)
}
