//! Values computed from a machine that are costly and needed often, such as the index of its links: made once for all clones of a
//! specification.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    fmt,
    sync::Arc,
};

use parking_lot::Mutex;

/// The values that have been made, by type.
#[derive(Clone, Default)]
pub(super) struct Memo(Arc<Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>>);

impl Memo {
    /// Returns the value of this type. The first request makes it; concurrent requests wait.
    pub(super) fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let mut values = self.0.lock();
        if let Some(known) = values.get(&TypeId::of::<T>())
            && let Ok(known) = known.clone().downcast()
        {
            return known;
        }
        let made = Arc::new(make());
        values.insert(TypeId::of::<T>(), made.clone());
        made
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::MachineSpec;

    /// Tests that clones share a value and that a changed specification has its own.
    #[test]
    fn a_changed_machine_forgets() {
        let machine: MachineSpec = "paragon:2x3".parse().unwrap();
        let beta = |machine: &MachineSpec| machine.remembered(|machine| machine.parameters().node_beta());
        let slower = machine.parameters().to_builder().beta(1e-3).build().unwrap();
        let first = beta(&machine);
        assert!(Arc::ptr_eq(&first, &beta(&machine.clone())));
        assert_eq!((*beta(&machine.with_parameters(slower)), *first < 1e-3), (1e-3, true));
    }
}
