//! Exchanges as planning problems.

use std::{cmp::Ordering, sync::Arc};

use super::{Algorithm, Instance, Matrix, planner::Planner, procedure::Draft};
use crate::{
    model::MachineSpec,
    pattern::DeliveryError,
    plan::{Planned, Problem, Registered},
    rank::Rank,
};

/// Number of matrix entries that take as much cache memory as one step of a schedule.
const ENTRIES_OF_A_STEP: usize = 12;

impl Problem for Instance {
    type Kind = &'static str;

    fn kind(&self) -> &'static str {
        "all-to-all"
    }

    fn machine(&self) -> &MachineSpec {
        Instance::machine(self)
    }

    fn members(&self) -> &Arc<[Rank]> {
        Instance::members(self)
    }
}

impl Planned for Instance {
    /// Seed of the algorithm's random choices.
    type Parameter = Option<u64>;
    type Workspace = Planner;
    type Draft = Draft;
    type Key = Key;

    fn key(&self) -> Key {
        Key { members: Instance::members(self).clone(), matrix: self.matrix().clone() }
    }

    fn workspace(&self) -> Planner {
        Planner::new(self)
    }

    fn check_delivery(&self, draft: &Draft) -> Result<(), DeliveryError> {
        draft.procedure.check(self)
    }

    fn weight(&self) -> usize {
        self.size().pow(2) / ENTRIES_OF_A_STEP
    }

    fn known(&self) -> Vec<String> {
        Self::algorithms().iter().map(|algorithm| algorithm.name().to_owned()).collect()
    }
}

impl Registered for Instance {
    const AUTO: Algorithm = Algorithm::AUTO;

    fn algorithms() -> Vec<Algorithm> {
        [Algorithm::ALL, Algorithm::UNTRIED].concat()
    }
}

/// Cache key of an exchange. Each machine has its own cache.
#[derive(Clone, Debug)]
pub struct Key {
    members: Arc<[Rank]>,
    matrix: Arc<Matrix>,
}

/// Orders by digest, then members, then matrix entries. Entries are rarely compared: equal matrices are mostly the same allocation, and
/// different matrices mostly have different digests.
impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        let matrices = || match Arc::ptr_eq(&self.matrix, &other.matrix) {
            true => Ordering::Equal,
            false => self.matrix.cmp(&other.matrix),
        };
        self.matrix
            .digest()
            .cmp(&other.matrix.digest())
            .then_with(|| self.members.cmp(&other.members))
            .then_with(matrices)
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
    use crate::{all_to_all::Plan, plan::Cache};

    #[test]
    fn a_plan_is_made_once() {
        let cache = Cache::default();
        let of = |algorithm: Algorithm, bytes: u64| -> Arc<Plan> {
            let matrix = Matrix::of(4, |from, to| bytes * (from + 2 * to) as u64).unwrap();
            let instance = Instance::new(&"line:4".parse().unwrap(), matrix).unwrap();
            algorithm.cached_plan(&instance, &cache).unwrap()
        };
        assert!(Arc::ptr_eq(&of(Algorithm::TWO_STAGE, 3), &of(Algorithm::TWO_STAGE, 3)));
        assert!(!Arc::ptr_eq(&of(Algorithm::TWO_STAGE, 3), &of(Algorithm::TWO_STAGE, 4)));
        assert!(!Arc::ptr_eq(&of(Algorithm::TWO_STAGE, 3), &of(Algorithm::PAIRWISE, 3)));
        assert_eq!(cache.len(), 3);
    }
}
