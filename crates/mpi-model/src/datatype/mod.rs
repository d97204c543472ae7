//! (Being written.)

use crate::function::functions;

/// The objects of a process.
#[derive(Debug, Default)]
pub struct State {}

functions! {}

/// A datatype.
#[derive(Debug, Clone, Default)]
pub struct Datatype {
    /// The attributes that the program has attached.
    pub attributes: std::rc::Rc<std::cell::RefCell<crate::attribute::Attributes>>,
}

impl crate::process::Process<'_> {
    /// The datatype of a handle.
    pub(crate) fn datatype(&self, _: crate::word::Handle) -> crate::error::Result<Datatype> {
        Ok(Datatype::default())
    }
}
