//! S-to-p broadcasts: each is a collect, and of one source a broadcast.

use std::sync::Arc;

use crate::{
    collective::{self, Operation, Task},
    plan::{PlanError, Related, Solver, Variant},
    stop::{Algorithm, Draft, Instance, Piece},
    time::Span,
};

impl Related for Instance {
    fn equal(&self) -> Vec<Variant<Instance>> {
        // Nothing has to be sent of a collect without any bytes, but messages without any are messages.
        let Some(collect) = as_collect(self).filter(|_| self.bytes() > 0) else { return Vec::new() };
        let other_words = collect.in_other_words();
        [Some(collect), other_words].into_iter().flatten().flat_map(variants).collect()
    }

    fn wider(&self) -> Vec<Variant<Instance>> {
        Vec::new()
    }
}

/// The variants of a collect or a broadcast as those of an s-to-p broadcast.
fn variants(task: Task) -> Vec<Variant<Instance>> {
    let listed = collective::families(&task);
    let solver = Solver {
        listed_by: Algorithm::COLLECTIVE,
        named: task.operation().name(),
        problem: Arc::new(task),
        bound: Span::ZERO,
        convert,
    };
    solver.variants(listed).collect()
}

/// The collect of blocks that are the messages of the sources, empty elsewhere.
fn as_collect(instance: &Instance) -> Option<Task> {
    let element = instance.element_bytes();
    let mut blocks = vec![0; instance.nodes()];
    for (source, bytes) in instance.holders() {
        blocks[source] = bytes / element;
    }
    let collect = Task::builder(instance.machine(), Operation::Collect)
        .members(instance.members().clone())
        .blocks(blocks)
        .element_bytes(element);
    collect.build().ok()
}

/// Each piece of the vector lies in the block of a source.
fn convert(instance: &Instance, task: &Task, draft: collective::Draft) -> Result<Draft, PlanError> {
    let sources = instance.sources();
    let mut numbers = vec![0; instance.nodes()];
    sources.iter().enumerate().for_each(|(number, &rank)| numbers[rank] = number);
    let is_single = sources.len() == 1;
    let piece = |piece: &collective::Piece| {
        let owner = if is_single { sources[0] } else { task.owner(piece.start) };
        let start = if is_single { 0 } else { task.block(owner).start };
        Piece { source: numbers[owner], start: piece.start - start, bytes: piece.bytes }
    };
    let pieces = draft.pieces.iter().map(piece).collect();
    Ok(Draft::new(instance, pieces, draft.schedule))
}
