//! Related problems of s-to-p broadcasts: each is an all-gather in which some blocks may be empty, and with
//! one source also a broadcast.

use crate::{
    collective::{self, Operation, Task},
    plan::{Related, Variant, converted},
    s_to_p::{Algorithm, Draft, Instance, Piece},
    time::Span,
};

impl Related for Instance {
    fn equal(&self) -> Vec<Variant<Instance>> {
        // An all-gather of 0 bytes sends nothing, but an s-to-p broadcast also sends empty messages.
        let Some(all_gather) = as_collect(self).filter(|_| self.bytes() > 0) else { return Vec::new() };
        let tasks = [all_gather.in_other_words(), Some(all_gather)].into_iter().flatten();
        let variants = tasks.flat_map(|task| {
            let (listed, words) = (collective::families(&task), task.operation().name());
            converted(task, listed, words, Span::ZERO, convert, &Algorithm::COLLECTIVE)
        });
        variants.collect()
    }
}

/// The all-gather in which each source's block is its message, and all other blocks are empty.
fn as_collect(instance: &Instance) -> Option<Task> {
    let element = instance.element_bytes();
    let mut blocks = vec![0; instance.size()];
    for (source, bytes) in instance.holders() {
        blocks[source] = bytes / element;
    }
    let all_gather = Task::builder(instance.machine(), Operation::AllGather)
        .members(instance.members().clone())
        .blocks(blocks)
        .element_bytes(element);
    all_gather.build().ok()
}

/// Converts a draft of the all-gather: each piece of the vector is in the block of one source.
fn convert(instance: &Instance, task: &Task, draft: collective::Draft) -> Draft {
    let mut numbers = vec![0; instance.size()];
    instance.sources().iter().enumerate().for_each(|(number, &rank)| numbers[rank] = number);
    let piece = |piece: &collective::Piece| {
        let owner = task.owner(piece.start);
        Piece { source: numbers[owner], start: piece.start - task.block(owner).start, bytes: piece.bytes }
    };
    let pieces = draft.pieces.iter().map(piece).collect();
    Draft::new(instance, pieces, draft.schedule)
}
