//! Changes of the blocks of a schedule: cutting blocks into parts, and renumbering blocks.

use std::sync::Arc;

use super::{Action, Schedule, Step};

impl Schedule {
    /// Cuts each block into parts of the given sizes. Parts are numbered in block order. Each message carries all parts of the blocks that
    /// it carried before.
    #[must_use]
    pub(crate) fn cut(mut self, parts: &[Vec<u64>]) -> Schedule {
        let mut first = vec![0_u32];
        first.extend(parts.iter().scan(0, |end, parts| {
            *end += parts.len() as u32;
            Some(*end)
        }));
        let parts_of = |block: u32| first[block as usize]..first[block as usize + 1];
        for steps in &mut self.steps {
            let cut = |mut step: Step| -> Vec<Step> {
                if let Action::Merge { left, right, into } = step.action {
                    let merged = parts_of(left).zip(parts_of(right)).zip(parts_of(into));
                    let merge = |((left, right), into)| Action::Merge { left, right, into };
                    return merged.map(|parts| Step { action: merge(parts), ..step }).collect();
                }
                for message in step.action.messages_mut() {
                    message.blocks = message.blocks.iter().flat_map(|&block| parts_of(block)).collect();
                }
                vec![step]
            };
            *steps = std::mem::take(steps).into_iter().flat_map(cut).collect();
        }
        Schedule { sizes: parts.iter().flatten().copied().collect(), ..self }
    }

    /// Renumbers blocks: block `k` becomes block `numbers[k]`, which must have the same size in `sizes`. Blocks without a number are
    /// removed from all messages and must be empty.
    #[must_use]
    pub(crate) fn renumbered(mut self, numbers: &[Option<u32>], sizes: Arc<[u64]>) -> Schedule {
        for message in self.steps.iter_mut().flatten().flat_map(|step| step.action.messages_mut()) {
            message.blocks = message.blocks.iter().filter_map(|&block| numbers[block as usize]).collect();
        }
        Schedule { sizes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::{Action, Builder, Exchange, Transfer};

    /// Cuts one of two blocks into three parts, then renumbers all parts.
    #[test]
    fn parts_of_a_block_stay_together() {
        let mut builder = Builder::new(2, &[0, 0], &[6, 4], Exchange::InTurn);
        builder.iteration([Transfer { from: 0, to: 1, blocks: [1, 0].into() }]);
        let cut = builder.finish().cut(&[vec![1, 2, 3], vec![4]]);
        assert_eq!(cut.sizes(), [1, 2, 3, 4]);
        let sent = |schedule: &super::Schedule| match &schedule.steps(1)[0].action {
            Action::Recv(message) => (message.blocks.to_vec(), message.bytes),
            other => panic!("{other:?}"),
        };
        assert_eq!(sent(&cut), (vec![3, 0, 1, 2], 10));
        let numbers = [Some(7), Some(6), Some(5), Some(0)];
        let renumbered = cut.renumbered(&numbers, [4, 0, 0, 0, 0, 3, 2, 1].into());
        assert_eq!(sent(&renumbered), (vec![0, 7, 6, 5], 10));
    }
}
