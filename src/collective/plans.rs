//! The plans of a machine, made once each.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;

use super::{Algorithm, Plan, PlanError, Task, plan::Choice, task::Key};

/// Something that is made once, or is being made.
type Slot<T> = Arc<OnceLock<Result<Arc<T>, PlanError>>>;

/// The plans used last, and what was chosen for tasks with whatever root.
#[derive(Debug, Default)]
pub(super) struct Plans {
    plans: Mutex<Recent<Plan>>,
    choices: Mutex<Recent<Choice>>,
}

/// So many steps of schedules are kept, about 100 bytes each; then what was used the longest time ago goes.
const MOST_STEPS: usize = 4_000_000;

/// So many plans, and so many choices, are kept at most.
const MOST: usize = 4096;

impl Plans {
    /// The plan of a task, made by the first who asks; the others wait for it.
    pub(super) fn of(&self, algorithm: &Algorithm, task: &Task) -> Result<Arc<Plan>, PlanError> {
        let (key, slot) = self.plans.lock().slot(algorithm, task);
        let is_new = slot.get().is_none();
        let plan = slot.get_or_init(|| {
            let canonical = task.with_root_0();
            let (_, choice) = self.choices.lock().slot(algorithm, &canonical);
            let choice = choice.get_or_init(|| algorithm.choose(&canonical).map(Arc::new)).clone()?;
            choice.plan(task).map(Arc::new)
        });
        if let (true, Ok(plan)) = (is_new, plan) {
            self.plans.lock().weigh(&key, plan.schedule().steps_in_all());
        }
        plan.clone()
    }
}

#[derive(Debug)]
struct Recent<T> {
    known: BTreeMap<(Key, Algorithm), Entry<T>>,
    uses: u64,
    steps: usize,
}

#[derive(Debug)]
struct Entry<T> {
    slot: Slot<T>,
    used: u64,
    steps: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { known: BTreeMap::new(), uses: 0, steps: 0 }
    }
}

impl<T> Recent<T> {
    fn slot(&mut self, algorithm: &Algorithm, task: &Task) -> ((Key, Algorithm), Slot<T>) {
        let key = (task.key(), algorithm.clone());
        self.uses += 1;
        let used = self.uses;
        let entry =
            self.known.entry(key.clone()).or_insert_with(|| Entry { slot: Slot::default(), used, steps: 0 });
        entry.used = used;
        let slot = entry.slot.clone();
        self.forget();
        (key, slot)
    }

    /// How many steps an entry has, if it is still here.
    fn weigh(&mut self, key: &(Key, Algorithm), steps: usize) {
        if let Some(entry) = self.known.get_mut(key) {
            self.steps += steps - entry.steps.min(steps);
            entry.steps = entry.steps.max(steps);
        }
        self.forget();
    }

    /// The one used last stays in any case.
    fn forget(&mut self) {
        while self.known.len() > 1 && (self.known.len() > MOST || self.steps > MOST_STEPS) {
            let oldest = self.known.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(entry) = oldest.and_then(|oldest| self.known.remove(&oldest)) else { return };
            self.steps -= entry.steps;
        }
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
        assert_eq!((plans.plans.lock().known.len(), plans.choices.lock().known.len()), (2, 1));
    }

    #[test]
    fn what_was_used_the_longest_time_ago_goes() {
        let mut recent: Recent<Plan> = Recent::default();
        let keys: Vec<_> = (0..3).map(|root| recent.slot(&Algorithm::Short, &task(root, 1)).0).collect();
        keys.iter().for_each(|key| recent.weigh(key, MOST_STEPS / 3));
        recent.slot(&Algorithm::Short, &task(0, 1));
        let (newest, _) = recent.slot(&Algorithm::Short, &task(3, 1));
        recent.weigh(&newest, MOST_STEPS / 3);
        let kept: Vec<bool> = keys.iter().map(|key| recent.known.contains_key(key)).collect();
        assert_eq!(kept, [true, false, true]);
        recent.weigh(&newest, 2 * MOST_STEPS);
        assert_eq!(recent.known.len(), 1, "the newest stays, however long it is");
    }
}
