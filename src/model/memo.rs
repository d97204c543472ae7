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

    use super::super::{Faults, MachineSpec, Noise};
    use crate::time::Span;

    /// Tests that clones share a value and that every changed specification has its own.
    #[test]
    fn a_changed_machine_forgets() {
        let machine: MachineSpec = "paragon:2x3".parse().unwrap();
        let name = |machine: &MachineSpec| machine.remembered(|machine| machine.name().to_owned());
        let first = name(&machine);
        assert!(Arc::ptr_eq(&first, &name(&machine.clone())));
        let slower = machine.parameters().to_builder().beta(1e-3).build().unwrap();
        let changed = [
            machine.clone().with_parameters(slower),
            machine.clone().with_noise(Noise::new(Span::from_millis(1), Span::from_micros(1)).unwrap()),
            machine.clone().with_faults(Faults::new([])).unwrap(),
            machine.clone().with_placement("random:7".parse().unwrap()).unwrap(),
            machine.clone().with_ports(2).unwrap(),
            machine.clone().with_rendezvous(1),
            machine.undisturbed(),
        ];
        assert!(changed.iter().all(|changed| !Arc::ptr_eq(&first, &name(changed))));
    }
}
