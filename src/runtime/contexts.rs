//! Numbers for groups.

use std::collections::BTreeMap;

use crate::{rank::Rank, wire::Context};

/// Numbers for groups, equal on all members without a message: the n-th group that a node makes of the same ranks
/// under the same parent is the same group for all who make it.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    known: BTreeMap<(Context, Vec<Rank>, u32), Context>,
    names: Vec<String>,
}

impl Contexts {
    pub(super) fn of(
        &mut self,
        parent: Context,
        members: &[Rank],
        nth: u32,
        name: &dyn Fn() -> String,
    ) -> Context {
        let Contexts { known, names } = self;
        *known.entry((parent, members.to_vec(), nth)).or_insert_with(|| {
            names.push(name());
            names.len() as Context
        })
    }

    /// The name of a group in messages about it; context 0 is the world.
    pub(crate) fn name(&self, context: Context) -> String {
        match context.checked_sub(1).and_then(|at| self.names.get(at as usize)) {
            Some(name) => name.clone(),
            None => "the world".into(),
        }
    }
}
