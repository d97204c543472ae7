//! A place for what is worked out once and used by all members of a group.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    fmt,
    sync::Arc,
};

use parking_lot::Mutex;

/// One value of each type, shared by all nodes of a machine and kept from one run to the next: libraries above keep
/// their plans here.
#[derive(Default)]
pub(crate) struct Memo {
    values: Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Memo {
    /// The value of this type, made when it is first asked for.
    pub(crate) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let value =
            self.values.lock().entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone();
        value.downcast().unwrap_or_default()
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memo({} values)", self.values.lock().len())
    }
}
