//! The plans of a machine, made once each.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Algorithm, Plan, PlanError, Task, plan::Choice, task::Key};
use crate::recent::Recent;

/// The plans used last, and what was chosen for tasks with whatever root.
#[derive(Debug, Default)]
pub(super) struct Plans {
    plans: Mutex<Recent<(Key, Algorithm), Plan, PlanError>>,
    choices: Mutex<Recent<(Key, Algorithm), Choice, PlanError>>,
}

impl Plans {
    /// The plan of a task, made by the first who asks; the others wait for it.
    pub(super) fn of(&self, algorithm: &Algorithm, task: &Task) -> Result<Arc<Plan>, PlanError> {
        let key = (task.key(), algorithm.clone());
        let slot = self.plans.lock().slot(&key);
        let is_new = slot.get().is_none();
        let plan = slot.get_or_init(|| {
            let canonical = task.with_root_0();
            let choice = self.choices.lock().slot(&(canonical.key(), algorithm.clone()));
            let choice = choice.get_or_init(|| algorithm.choose(&canonical).map(Arc::new)).clone()?;
            choice.plan(task).map(Arc::new)
        });
        if let (true, Ok(plan)) = (is_new, plan) {
            self.plans.lock().weigh(&key, plan.schedule().steps_in_all());
        }
        plan.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::Operation;

    fn task(root: usize, elements: u64) -> Task {
        let machine = "hockney:2x3".parse().unwrap();
        Task::builder(&machine, Operation::Broadcast).root(root).elements(elements).build().unwrap()
    }

    #[test]
    fn a_plan_is_made_once_and_a_choice_serves_all_roots() {
        let plans = Plans::default();
        let of = |root, elements| plans.of(&Algorithm::Auto, &task(root, elements)).unwrap();
        assert!(Arc::ptr_eq(&of(1, 100), &of(1, 100)));
        assert_eq!(of(1, 100).name(), of(4, 100).name());
        assert_eq!((plans.plans.lock().len(), plans.choices.lock().len()), (2, 1));
    }
}
