//! (Being written.)

use crate::function::functions;

/// The objects of a process.
#[derive(Debug, Default)]
pub struct State {}

impl State {
    pub(crate) fn byte(&self) -> Datatype {
        Datatype::default()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Datatype {
    /// The attributes that the program has attached.
    pub attributes: std::rc::Rc<std::cell::RefCell<crate::attribute::Attributes>>,
}
impl crate::process::Process<'_> {
    pub(crate) fn datatype(&self, _: crate::word::Handle) -> crate::error::Result<Datatype> {
        Ok(Datatype::default())
    }
}
impl Datatype {
    pub fn check_committed(&self) -> crate::error::Result<()> {
        Ok(())
    }
    pub fn extent(&self) -> i64 {
        1
    }
    pub fn size(&self) -> u64 {
        1
    }
    pub fn is_contiguous(&self) -> bool {
        true
    }
    pub fn pack(&self, program: &dyn crate::program::Program, address: usize, count: i64) -> bytes::Bytes {
        let mut v = vec![];
        program.read(address, count as usize, &mut v);
        v.into()
    }
    pub fn unpack(&self, program: &dyn crate::program::Program, address: usize, _count: i64, data: &[u8]) {
        program.write(address, data)
    }
}
impl<'n> crate::word::Argument<'n> for Datatype {
    fn decode(_: &crate::process::Process<'n>, _word: usize) -> crate::error::Result<Self> {
        Ok(Datatype::default())
    }
}

functions! {}
