//! Tables of the objects that handles stand for.

use std::{cell::Cell, collections::BTreeMap, rc::Rc};

use slab::Slab;

use crate::{check::Site, word::Handle};

/// The kinds of objects. The kind is part of a handle, so a handle of another kind is not mistaken for one of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are MPI's")]
pub enum Kind {
    Communicator = 1,
    Group,
    Datatype,
    Operator,
    Request,
    ErrorHandler,
    Info,
    Window,
    File,
    Message,
    Session,
}

/// The position of the kind in a handle; a table holds up to 2^24 objects.
const KIND: u32 = 24;

/// The objects of one kind. Predefined handles are the numbers of the ABI, all others are given out here.
#[derive(Debug)]
pub struct Table<T> {
    kind: Kind,
    predefined: BTreeMap<usize, T>,
    /// Each with the call that has made it.
    objects: Slab<(Option<Site>, T)>,
    /// The call that the program has made last.
    site: Rc<Cell<Option<Site>>>,
}

impl<T: Clone> Table<T> {
    /// Makes a table without objects.
    pub fn new(kind: Kind) -> Table<T> {
        Table { kind, predefined: BTreeMap::new(), objects: Slab::new(), site: Rc::default() }
    }

    /// Notes with each new object the call that makes it.
    pub(crate) fn follow(&mut self, site: &Rc<Cell<Option<Site>>>) {
        self.site = site.clone();
    }

    /// Adds a predefined object.
    pub fn predefine(&mut self, handle: Handle, object: T) {
        self.predefined.insert(handle.0, object);
    }

    /// Adds an object and returns its handle.
    pub fn insert(&mut self, object: T) -> Handle {
        Handle((self.kind as usize) << KIND | self.objects.insert((self.site.get(), object)))
    }

    /// Returns the object of a handle.
    pub fn get(&self, handle: Handle) -> Option<T> {
        match self.index(handle) {
            Some(index) => self.objects.get(index).map(|(_, object)| object.clone()),
            None => self.predefined.get(&handle.0).cloned(),
        }
    }

    /// Returns the object of a handle, for a change.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        match self.index(handle) {
            Some(index) => self.objects.get_mut(index).map(|(_, object)| object),
            None => self.predefined.get_mut(&handle.0),
        }
    }

    /// Whether a handle is predefined.
    pub fn is_predefined(&self, handle: Handle) -> bool {
        self.predefined.contains_key(&handle.0)
    }

    /// Removes the object of a handle; predefined objects stay.
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        let index = self.index(handle)?;
        self.objects.try_remove(index).map(|(_, object)| object)
    }

    /// The objects that are not predefined, with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.objects.iter().map(|(index, (_, object))| (Handle((self.kind as usize) << KIND | index), object))
    }

    /// The call that has made an object.
    pub(crate) fn site(&self, handle: Handle) -> Option<Site> {
        self.objects.get(self.index(handle)?)?.0
    }

    /// The objects that are not predefined, with the calls that have made them.
    pub(crate) fn sites(&self) -> impl Iterator<Item = (Option<Site>, &T)> {
        self.objects.iter().map(|(_, (site, object))| (*site, object))
    }

    /// The calls that have made the objects that are not predefined.
    pub(crate) fn open(&self) -> Vec<Option<Site>> {
        self.sites().map(|(site, _)| site).collect()
    }

    fn index(&self, handle: Handle) -> Option<usize> {
        (handle.0 >> KIND == self.kind as usize).then_some(handle.0 & ((1 << KIND) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_of_other_kinds_and_of_removed_objects_are_unknown() {
        let mut groups = Table::new(Kind::Group);
        groups.predefine(Handle(0x109), "empty");
        let one = groups.insert("one");
        assert_eq!((groups.get(one), groups.get(Handle(0x109))), (Some("one"), Some("empty")));
        let other = Table::new(Kind::Info).insert("info");
        assert_eq!((groups.get(other), groups.get(Handle(7))), (None, None));
        assert_eq!(
            (groups.remove(Handle(0x109)), groups.remove(one), groups.get(one)),
            (None, Some("one"), None)
        );
    }
}
