//! The plans of a machine for the calls of its programs, made once each.

use std::{cmp::Ordering, sync::Arc};

use parking_lot::Mutex;

use super::{Algorithm, CallError, Instance, Matrix, MatrixError, Plan};
use crate::{model::Description, rank::Rank, recent::Recent};

/// Entries of a matrix weigh so much less than steps of a schedule.
const ENTRIES_OF_A_STEP: usize = 12;

/// The plans used last.
#[derive(Debug, Default)]
pub(super) struct Plans {
    plans: Mutex<Recent<Key, Plan, CallError>>,
    /// Matrices by their entries, row by row, as members have collected them: all members of a call use one.
    collected: Mutex<Recent<Arc<Vec<u32>>, Matrix, MatrixError>>,
}

/// What tells one exchange from others on the same machine.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) members: Arc<[Rank]>,
    pub(super) matrix: Arc<Matrix>,
    pub(super) algorithm: Algorithm,
}

impl Plans {
    /// The plan of an exchange, made by the first who asks; the others wait for it.
    pub(super) fn of(&self, machine: &Description, key: &Key) -> Result<Arc<Plan>, CallError> {
        let slot = self.plans.lock().slot(key);
        let is_new = slot.get().is_none();
        let plan = slot.get_or_init(|| {
            let instance = Instance::among(machine, key.members.clone(), key.matrix.clone())?;
            Ok(Arc::new(key.algorithm.plan(&instance)?))
        });
        if let (true, Ok(plan)) = (is_new, plan) {
            let steps = plan.schedule().map_or(0, |schedule| schedule.steps_in_all());
            self.plans.lock().weigh(key, steps + key.members.len().pow(2) / ENTRIES_OF_A_STEP);
        }
        plan.clone()
    }

    /// The matrix of so many nodes with these entries.
    pub(super) fn matrix(&self, nodes: usize, entries: Vec<u32>) -> Result<Arc<Matrix>, MatrixError> {
        let entries = Arc::new(entries);
        let slot = self.collected.lock().slot(&entries);
        let is_new = slot.get().is_none();
        let of = |from: Rank, to: Rank| entries[from * nodes + to].into();
        let matrix = slot.get_or_init(|| Ok(Arc::new(Matrix::of(nodes, of)?)));
        if is_new {
            // Much more than the room they need: they are wanted while a call begins, and made again soon.
            self.collected.lock().weigh(&entries, entries.len());
        }
        matrix.clone()
    }
}

/// Members of a call mostly have the same matrix, or one with another digest: its entries are hardly ever looked at.
impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        let first = |key: &Key| (key.algorithm, key.matrix.digest());
        let matrices = || match Arc::ptr_eq(&self.matrix, &other.matrix) {
            true => Ordering::Equal,
            false => self.matrix.cmp(&other.matrix),
        };
        first(self).cmp(&first(other)).then_with(|| self.members.cmp(&other.members)).then_with(matrices)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_made_once() {
        let plans = Plans::default();
        let of = |algorithm: Algorithm, bytes: u64| {
            let matrix = Matrix::of(4, |from, to| bytes * (from + 2 * to) as u64).unwrap();
            let key = Key { members: (0..4).collect(), matrix: Arc::new(matrix), algorithm };
            plans.of(&"line:4".parse().unwrap(), &key).unwrap()
        };
        assert!(Arc::ptr_eq(&of(Algorithm::TwoStage, 3), &of(Algorithm::TwoStage, 3)));
        assert!(!Arc::ptr_eq(&of(Algorithm::TwoStage, 3), &of(Algorithm::TwoStage, 4)));
        assert!(!Arc::ptr_eq(&of(Algorithm::TwoStage, 3), &of(Algorithm::Pairwise, 3)));
        assert_eq!(plans.plans.lock().len(), 3);
    }

    #[test]
    fn members_that_collect_the_same_share_a_matrix() {
        let plans = Plans::default();
        let first = plans.matrix(2, vec![1, 2, 3, 4]).unwrap();
        assert_eq!(first.get(1, 0), 3);
        assert!(Arc::ptr_eq(&first, &plans.matrix(2, vec![1, 2, 3, 4]).unwrap()));
        assert_eq!(plans.matrix(2, vec![1, 2, 3, 5]).unwrap().get(1, 1), 5);
    }
}
