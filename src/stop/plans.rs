//! Plans that have been made: [`Plans`], so that no node of a run has to make one that another has made.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{Algorithm, Instance, Plan, PlanError};

/// Plans shared by all that ask for them, each made once, by the first who asks; others who ask meanwhile wait for it.
///
/// For programs that come to know their sources only while they run: every node asks for the same plan, and all get it.
/// In virtual time making it takes no modeled time; in real time it counts as computing, so a plan is better made
/// before the run.
///
/// ```
/// use multicomputer::{Machine, prelude::*, stop::{Algorithm, Instance, Plans}};
///
/// let plans = Plans::new();
/// let run = Machine::paragon(4, 4).build()?.run(|node| {
///     let instance = Instance::new(node.world().machine(), &[3, 8], &[100; 2])?;
///     let plan = plans.plan(Algorithm::Auto, &instance)?;
///     let mine = instance.sources().contains(&node.rank()).then(|| Payload::phantom(100));
///     Ok(plan.broadcast(node.world(), mine)?.len())
/// })?;
/// assert_eq!(run.outputs, [2; 16]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Plans {
    entries: Mutex<Vec<Arc<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    algorithm: Algorithm,
    instance: Instance,
    plan: OnceLock<Result<Arc<Plan>, PlanError>>,
}

impl Plans {
    /// None yet.
    pub fn new() -> Plans {
        Plans::default()
    }

    /// The plan of an algorithm for an instance, as [`Algorithm::plan`] makes it.
    ///
    /// # Errors
    ///
    /// Those of [`Algorithm::plan`].
    pub fn plan(&self, algorithm: Algorithm, instance: &Instance) -> Result<Arc<Plan>, PlanError> {
        let entry = self.entry(algorithm, instance);
        entry.plan.get_or_init(|| algorithm.plan(instance).map(Arc::new)).clone()
    }

    fn entry(&self, algorithm: Algorithm, instance: &Instance) -> Arc<Entry> {
        let mut entries = self.entries.lock();
        let is_this = |entry: &&Arc<Entry>| entry.algorithm == algorithm && entry.instance == *instance;
        if let Some(known) = entries.iter().find(is_this) {
            return Arc::clone(known);
        }
        let entry = Arc::new(Entry { algorithm, instance: instance.clone(), plan: OnceLock::new() });
        entries.push(Arc::clone(&entry));
        entry
    }
}
