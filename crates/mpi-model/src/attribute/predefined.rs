//! Attributes that MPI sets. In C their values are pointers to memory with the value, in Fortran the values themselves.

use super::{Window, memory_of};
use crate::{abi, error::Result, process::Process, word::Handle};

const TAG_UB: i32 = 501;
const IO: i32 = 502;
const HOST: i32 = 503;
const WTIME_IS_GLOBAL: i32 = 504;
const APPNUM: i32 = 505;
const LASTUSEDCODE: i32 = 506;
const UNIVERSE_SIZE: i32 = 507;

const WIN_BASE: i32 = 601;
const WIN_DISP_UNIT: i32 = 602;
const WIN_SIZE: i32 = 603;
const WIN_CREATE_FLAVOR: i32 = 604;
const WIN_MODEL: i32 = 605;

/// What the attributes of a window say that MPI sets.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are MPI's")]
pub struct WindowAttributes {
    pub base: usize,
    pub size: i64,
    pub disp_unit: i32,
    pub create_flavor: i32,
    pub model: i32,
}

/// Whether a key is predefined, for any kind of object.
pub(super) fn is_predefined(key: i32) -> bool {
    (TAG_UB..=UNIVERSE_SIZE).contains(&key) || (WIN_BASE..=WIN_MODEL).contains(&key)
}

/// The value of a predefined attribute of communicators.
fn of_communicators(process: &Process<'_>, key: i32) -> Option<i32> {
    Some(match key {
        TAG_UB => abi::TAG_UB,
        // Any process can read and write files.
        IO => abi::ANY_SOURCE,
        HOST => abi::PROC_NULL,
        WTIME_IS_GLOBAL => 1,
        APPNUM => 0,
        LASTUSEDCODE => process.error_handlers.borrow().last_used_code(),
        UNIVERSE_SIZE => process.world.size() as i32,
        _ => return None,
    })
}

/// The value of a predefined attribute of communicators; as a pointer for C.
pub(super) fn get(process: &Process<'_>, key: i32, is_pointer: bool) -> Result<Option<usize>> {
    match of_communicators(process, key) {
        Some(value) if is_pointer => Ok(Some(pointer(process, abi::COMM_WORLD, key, value as usize)?)),
        value => Ok(value.map(|value| value as usize)),
    }
}

/// The value of a predefined attribute of a window; as a pointer for C.
pub(super) fn get_of_window(
    process: &Process<'_>,
    window: Handle,
    key: i32,
    is_pointer: bool,
) -> Result<Option<usize>> {
    let known = process.attributes.borrow().windows.get(&window).map(|window| window.predefined);
    let Some(attributes) = known else { return Ok(None) };
    let value = match key {
        // The base is the pointer itself.
        WIN_BASE => return Ok(Some(attributes.base)),
        WIN_SIZE => attributes.size as usize,
        WIN_DISP_UNIT => attributes.disp_unit as usize,
        WIN_CREATE_FLAVOR => attributes.create_flavor as usize,
        WIN_MODEL => attributes.model as usize,
        _ => return Ok(None),
    };
    if is_pointer { pointer(process, window, key, value).map(Some) } else { Ok(Some(value)) }
}

/// Returns the address of memory with the value. An `int` is read from a word: its low bytes come first, or it is stored as an `int`.
fn pointer(process: &Process<'_>, object: Handle, key: i32, value: usize) -> Result<usize> {
    let known = process.attributes.borrow().cells.get(&(object, key)).copied();
    let address = match known {
        Some(address) => address,
        None => {
            let address = memory_of(process, value)?;
            process.attributes.borrow_mut().cells.insert((object, key), address);
            address
        }
    };
    match key {
        WIN_SIZE => process.program.write(address, &value.to_ne_bytes()),
        _ => process.program.write(address, &(value as i32).to_ne_bytes()),
    }
    Ok(address)
}

/// Notes a new window.
pub(crate) fn enter_window(process: &Process<'_>, window: Handle, predefined: WindowAttributes) {
    let attributes = Default::default();
    process.attributes.borrow_mut().windows.insert(window, Window { predefined, attributes });
}

/// Forgets a window that is freed.
pub(super) fn forget_window(process: &Process<'_>, window: Handle) {
    let mut state = process.attributes.borrow_mut();
    state.windows.remove(&window);
    let cells: Vec<_> =
        state.cells.range((window, i32::MIN)..=(window, i32::MAX)).map(|(&key, _)| key).collect();
    for key in cells {
        if let Some(address) = state.cells.remove(&key) {
            process.program.release(address);
        }
    }
}
