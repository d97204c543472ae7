//! Attributes: values that a program attaches to communicators, datatypes and windows.
//!
//! A key (a "keyval") says which functions of the program copy and delete values. Attributes keep their key, also after the program has
//! freed it. Copies are made in the order in which attributes were set, and deletions in the reverse order. Functions of the program run
//! while nothing is borrowed: they may set, get and delete attributes of the same object.
//!
//! Values are pointers in C and integers in Fortran, and one language may get what the other has set (MPI 5.0, section 19.3.7): Fortran
//! sees C's pointer as an integer, and C sees a pointer to Fortran's integer.

mod function;
mod predefined;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

pub(crate) use self::function::FUNCTIONS;
pub use self::predefined::WindowAttributes;
pub(crate) use self::predefined::enter_window;
use crate::{
    check::Site,
    communicator::Communicator,
    error::{Class, Error, Result},
    process::Process,
    program::Scratch,
    table::Kind,
    word::Handle,
};

/// The number of the function that copies nothing: `MPI_COMM_NULL_COPY_FN`, and `MPI_COMM_NULL_DELETE_FN`.
const NULL_FUNCTION: usize = 0;
/// The number of the function that copies the value: `MPI_COMM_DUP_FN`.
const DUP_FUNCTION: usize = 1;
/// The first key that is given out. Keys are never given out again.
const FIRST_KEY: i32 = 4096;

/// A function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Callback {
    function: usize,
    /// The function of the bindings that calls the program's function, which is in Fortran, with references.
    adapter: Option<usize>,
}

/// A key of attributes.
#[derive(Debug)]
struct Keyval {
    key: i32,
    kind: Kind,
    copy: Callback,
    delete: Callback,
    extra_state: usize,
    /// The call that has made it.
    site: Option<Site>,
}

/// The value of an attribute, as it was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A pointer of C.
    Pointer(usize),
    /// An integer of Fortran.
    Integer(usize),
}

/// The attribute of an object.
#[derive(Clone, Debug)]
struct Attribute {
    keyval: Rc<Keyval>,
    value: Value,
    /// The address of the integer of Fortran for C; 0 until C asks for it.
    cell: Rc<Cell<usize>>,
}

impl Attribute {
    fn new(keyval: Rc<Keyval>, value: Value) -> Attribute {
        Attribute { keyval, value, cell: Rc::default() }
    }

    /// The value in C.
    fn pointer(&self, process: &Process<'_>) -> Result<usize> {
        match self.value {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Integer(integer) => {
                if self.cell.get() == 0 {
                    self.cell.set(memory_of(process, integer)?);
                }
                Ok(self.cell.get())
            }
        }
    }

    /// The value in Fortran.
    fn integer(&self) -> usize {
        match self.value {
            Value::Pointer(value) | Value::Integer(value) => value,
        }
    }

    /// The value in the language of a function that gets it.
    fn value_for(&self, process: &Process<'_>, callback: Callback) -> Result<usize> {
        if callback.adapter.is_some() { Ok(self.integer()) } else { self.pointer(process) }
    }

    /// Calls the program's function for a copy. Returns the attribute of the copy of the object, if it gets one.
    fn copied(&self, process: &Process<'_>, object: Handle) -> Result<Option<Attribute>> {
        let Keyval { key, copy, extra_state, .. } = *self.keyval;
        match copy.function {
            NULL_FUNCTION => return Ok(None),
            DUP_FUNCTION => return Ok(Some(Attribute::new(self.keyval.clone(), self.value))),
            _ => {}
        }
        let scratch = Scratch::new(&*process.program)?;
        let [value, flag] = [scratch.address(0), scratch.address(1)];
        let arguments = [object.0, key as usize, extra_state, self.value_for(process, copy)?, value, flag];
        call(process, copy, &arguments)?;
        if scratch.get::<i32>(1) == 0 {
            return Ok(None);
        }
        let value = scratch.get(0);
        let value = if copy.adapter.is_some() { Value::Integer(value) } else { Value::Pointer(value) };
        Ok(Some(Attribute::new(self.keyval.clone(), value)))
    }

    /// Calls the program's function for a deletion.
    fn deleted(&self, process: &Process<'_>, object: Handle) -> Result<()> {
        let Keyval { key, delete, extra_state, .. } = *self.keyval;
        if delete.function != NULL_FUNCTION {
            let arguments = [object.0, key as usize, self.value_for(process, delete)?, extra_state];
            call(process, delete, &arguments)?;
        }
        if self.cell.get() != 0 {
            process.program.release(self.cell.replace(0));
        }
        Ok(())
    }
}

/// Calls a function of the program, whose result is an error code.
fn call(process: &Process<'_>, callback: Callback, arguments: &[usize]) -> Result<()> {
    let code = match callback.adapter {
        None => process.call_back(callback.function, arguments)?,
        Some(adapter) => process.call_back(adapter, &[&[callback.function], arguments].concat())?,
    };
    match code as i32 {
        0 => Ok(()),
        code => {
            Err(Error::new(Class(code), "the program's function for an attribute has returned this code"))
        }
    }
}

/// Stores a word in memory of its own for the program.
fn memory_of(process: &Process<'_>, word: usize) -> Result<usize> {
    let address = process.program.allocate(size_of::<usize>());
    if address == 0 {
        return Err(Error::new(Class::NO_MEM, "no memory for the value of an attribute"));
    }
    process.program.write(address, &word.to_ne_bytes());
    Ok(address)
}

/// The attributes of one object, in the order in which they were set.
#[derive(Debug, Default)]
pub struct Attributes {
    list: Vec<Attribute>,
}

impl Attributes {
    fn get(&self, key: i32) -> Option<&Attribute> {
        self.list.iter().find(|attribute| attribute.keyval.key == key)
    }

    fn remove(&mut self, key: i32) {
        self.list.retain(|attribute| attribute.keyval.key != key);
    }
}

/// A window.
#[derive(Debug)]
struct Window {
    predefined: WindowAttributes,
    attributes: Rc<RefCell<Attributes>>,
}

/// The keys of a process, and the attributes of windows.
#[derive(Debug)]
pub struct State {
    keyvals: BTreeMap<i32, Rc<Keyval>>,
    next_key: i32,
    windows: BTreeMap<Handle, Window>,
    /// Addresses of the values of predefined attributes.
    cells: BTreeMap<(Handle, i32), usize>,
}

impl State {
    /// The calls that have made the keys that the program has not freed.
    pub(crate) fn left(&self) -> Vec<Option<Site>> {
        self.keyvals.values().map(|keyval| keyval.site).collect()
    }
}

impl Default for State {
    fn default() -> State {
        let (keyvals, windows, cells) = Default::default();
        State { keyvals, next_key: FIRST_KEY, windows, cells }
    }
}

/// Copies the attributes of `object`, by the functions of their keys, for a duplicate.
///
/// # Errors
/// The error of the first function that fails.
pub(crate) fn copied(
    process: &Process<'_>,
    object: Handle,
    attributes: &RefCell<Attributes>,
) -> Result<Attributes> {
    let list = attributes.borrow().list.clone();
    let mut copies = Attributes::default();
    for attribute in list {
        copies.list.extend(attribute.copied(process, object)?);
    }
    Ok(copies)
}

/// Deletes the attributes of `object`, the last one first, by the functions of their keys.
///
/// # Errors
/// The error of the first function that fails. Its attribute and those before it stay.
pub(crate) fn delete_all(
    process: &Process<'_>,
    object: Handle,
    attributes: &RefCell<Attributes>,
) -> Result<()> {
    loop {
        let Some(last) = attributes.borrow().list.last().cloned() else { return Ok(()) };
        last.deleted(process, object)?;
        attributes.borrow_mut().remove(last.keyval.key);
    }
}

/// Copies the attributes of a communicator to its duplicate.
///
/// # Errors
/// The error of the first function that fails.
pub(crate) fn copy_of_communicator<'n>(
    process: &Process<'n>,
    communicator: &Communicator<'n>,
    duplicate: &Communicator<'n>,
) -> Result<()> {
    let copies = copied(process, communicator.handle.get(), &communicator.attributes)?;
    *duplicate.attributes.borrow_mut() = copies;
    Ok(())
}

/// Deletes the attributes of a communicator that is freed. Its handle is still valid.
///
/// # Errors
/// The error of the first function that fails.
pub(crate) fn delete_of_communicator<'n>(
    process: &Process<'n>,
    communicator: &Communicator<'n>,
) -> Result<()> {
    delete_all(process, communicator.handle.get(), &communicator.attributes)
}

/// Deletes the attributes of a window that is freed. Its handle is still valid.
///
/// # Errors
/// The error of the first function that fails.
pub(crate) fn delete_window(process: &Process<'_>, window: Handle) -> Result<()> {
    let attributes = process.attributes.borrow().windows.get(&window).map(|window| window.attributes.clone());
    if let Some(attributes) = attributes {
        delete_all(process, window, &attributes)?;
    }
    predefined::forget_window(process, window);
    Ok(())
}
