//! The tool information interface, of which there is only the frame: there are no variables, no events and no categories.
//!
//! Its functions return their errors without an error handler.

use crate::{
    abi,
    error::{Class, Error, MpiError, Result},
    function::functions,
    process::Process,
    word::{Address, Out},
};

/// The error codes of the tool information interface.
pub(crate) const CODES: std::ops::RangeInclusive<i32> = 1001..=1018;

const NOT_INITIALIZED: i32 = 1003;
const INVALID: i32 = 1006;
const INVALID_INDEX: i32 = 1007;
const INVALID_SESSION: i32 = 1009;
const INVALID_HANDLE: i32 = 1010;
const INVALID_NAME: i32 = 1011;

/// The state of the interface.
#[derive(Debug, Default)]
pub struct State {
    /// The number of calls of `MPI_T_init_thread` without `MPI_T_finalize`.
    users: u32,
    /// The number of sessions of performance variables that were made.
    sessions: usize,
}

functions! {
    MPI_T_category_changed: none(update_number) @always;
    MPI_T_category_get_categories: no_index_3(cat_index, len, indices) @always;
    MPI_T_category_get_cvars: no_index_3(cat_index, len, indices) @always;
    MPI_T_category_get_events: no_index_3(cat_index, len, indices) @always;
    MPI_T_category_get_index: no_name_2(name, cat_index) @always;
    MPI_T_category_get_info: no_index_8(cat_index, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories) @always;
    MPI_T_category_get_num: none(num_cat) @always;
    MPI_T_category_get_num_events: no_index_2(cat_index, num_events) @always;
    MPI_T_category_get_pvars: no_index_3(cat_index, len, indices) @always;
    MPI_T_cvar_get_index: no_name_2(name, cvar_index) @always;
    MPI_T_cvar_get_info: no_index_10(cvar_index, name, name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope) @always;
    MPI_T_cvar_get_num: none(num_cvar) @always;
    MPI_T_cvar_handle_alloc: no_index_4(cvar_index, obj_handle, handle, count) @always;
    MPI_T_cvar_handle_free: no_handle_1(handle) @always;
    MPI_T_cvar_read: no_handle_2(handle, buf) @always;
    MPI_T_cvar_write: no_handle_2(handle, buf) @always;
    MPI_T_enum_get_info: no_handle_4(enumtype, num, name, name_len) @always;
    MPI_T_enum_get_item: no_handle_5(enumtype, indx, value, name, name_len) @always;
    MPI_T_event_callback_get_info: no_handle_3(event_registration, cb_safety, info_used) @always;
    MPI_T_event_callback_set_info: no_handle_3(event_registration, cb_safety, info) @always;
    MPI_T_event_copy: no_handle_2(event_instance, buffer) @always;
    MPI_T_event_get_index: no_name_2(name, event_index) @always;
    MPI_T_event_get_info: no_index_12(event_index, name, name_len, verbosity, array_of_datatypes, array_of_displacements, num_elements, enumtype, info, desc, desc_len, bind) @always;
    MPI_T_event_get_num: none(num_events) @always;
    MPI_T_event_get_source: no_handle_2(event_instance, source_index) @always;
    MPI_T_event_get_timestamp: no_handle_2(event_instance, event_timestamp) @always;
    MPI_T_event_handle_alloc: no_index_4(event_index, obj_handle, info, event_registration) @always;
    MPI_T_event_handle_free: no_handle_3(event_registration, user_data, free_cb_function) @always;
    MPI_T_event_handle_get_info: no_handle_2(event_registration, info_used) @always;
    MPI_T_event_handle_set_info: no_handle_2(event_registration, info) @always;
    MPI_T_event_read: no_handle_3(event_instance, element_index, buffer) @always;
    MPI_T_event_register_callback: no_handle_5(event_registration, cb_safety, info, user_data, event_cb_function) @always;
    MPI_T_event_set_dropped_handler: no_handle_2(event_registration, dropped_cb_function) @always;
    MPI_T_finalize: finalize() @always;
    MPI_T_init_thread: init_thread(required, provided) @always;
    MPI_T_pvar_get_index: no_name_3(name, var_class, pvar_index) @always;
    MPI_T_pvar_get_info: no_index_13(pvar_index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len, bind, readonly, continuous, atomic) @always;
    MPI_T_pvar_get_num: none(num_pvar) @always;
    MPI_T_pvar_handle_alloc: no_index_5(session, pvar_index, obj_handle, handle, count) @always;
    MPI_T_pvar_handle_free: no_handle_2(session, handle) @always;
    MPI_T_pvar_read: no_handle_3(session, handle, buf) @always;
    MPI_T_pvar_readreset: no_handle_3(session, handle, buf) @always;
    MPI_T_pvar_reset: no_handle_2(session, handle) @always;
    MPI_T_pvar_session_create: session_create(session) @always;
    MPI_T_pvar_session_free: session_free(session) @always;
    MPI_T_pvar_start: no_handle_2(session, handle) @always;
    MPI_T_pvar_stop: no_handle_2(session, handle) @always;
    MPI_T_pvar_write: no_handle_3(session, handle, buf) @always;
    MPI_T_source_get_info: no_index_9(source_index, name, name_len, desc, desc_len, ordering, ticks_per_second, max_ticks, info) @always;
    MPI_T_source_get_num: none(num_sources) @always;
    MPI_T_source_get_timestamp: no_index_2(source_index, timestamp) @always;
}

/// The code that a call returns for an error.
pub(crate) fn code(error: &MpiError) -> i32 {
    if CODES.contains(&error.class.0) { error.class.0 } else { INVALID }
}

fn error(code: i32, text: &str) -> Error {
    Error::new(Class(code), text)
}

/// Checks that the interface is in use.
fn check(process: &Process<'_>) -> Result<()> {
    match process.tools.borrow().users {
        0 => Err(error(NOT_INITIALIZED, "called before MPI_T_init_thread")),
        _ => Ok(()),
    }
}

fn init_thread(process: &Process<'_>, required: i32, provided: Out<i32>) -> Result<()> {
    process.tools.borrow_mut().users += 1;
    provided.set(process, required.clamp(abi::THREAD_SINGLE, abi::THREAD_SERIALIZED));
    Ok(())
}

fn finalize(process: &Process<'_>) -> Result<()> {
    check(process)?;
    process.tools.borrow_mut().users -= 1;
    Ok(())
}

/// The number of things of which there are none.
fn none(process: &Process<'_>, number: Out<i32>) -> Result<()> {
    check(process)?;
    number.set(process, 0);
    Ok(())
}

fn session_create(process: &Process<'_>, session: Out<usize>) -> Result<()> {
    check(process)?;
    let mut state = process.tools.borrow_mut();
    state.sessions += 1;
    session.set(process, state.sessions);
    Ok(())
}

fn session_free(process: &Process<'_>, session: Out<usize>) -> Result<()> {
    check(process)?;
    if !(1..=process.tools.borrow().sessions).contains(&session.get(process)) {
        return Err(error(INVALID_SESSION, "no session of performance variables was given"));
    }
    session.set(process, 0);
    Ok(())
}

/// Functions that need an index, a name or a handle, none of which exists here.
macro_rules! refusals {
    ($($function:ident($($argument:ident)*) $code:ident $text:literal;)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "the arguments of MPI")]
        fn $function(process: &Process<'_>, $($argument: Address),*) -> Result<()> {
            let _ = ($($argument,)*);
            check(process)?;
            Err(error($code, $text))
        }
    )*};
}

refusals! {
    no_handle_1(a) INVALID_HANDLE "no handle was given";
    no_handle_2(a b) INVALID_HANDLE "no handle was given";
    no_handle_3(a b c) INVALID_HANDLE "no handle was given";
    no_handle_4(a b c d) INVALID_HANDLE "no handle was given";
    no_handle_5(a b c d e) INVALID_HANDLE "no handle was given";
    no_index_10(a b c d e f g h i j) INVALID_INDEX "there is nothing with this index";
    no_index_12(a b c d e f g h i j k l) INVALID_INDEX "there is nothing with this index";
    no_index_13(a b c d e f g h i j k l m) INVALID_INDEX "there is nothing with this index";
    no_index_2(a b) INVALID_INDEX "there is nothing with this index";
    no_index_3(a b c) INVALID_INDEX "there is nothing with this index";
    no_index_4(a b c d) INVALID_INDEX "there is nothing with this index";
    no_index_5(a b c d e) INVALID_INDEX "there is nothing with this index";
    no_index_8(a b c d e f g h) INVALID_INDEX "there is nothing with this index";
    no_index_9(a b c d e f g h i) INVALID_INDEX "there is nothing with this index";
    no_name_2(a b) INVALID_NAME "there is nothing with this name";
    no_name_3(a b c) INVALID_NAME "there is nothing with this name";
}

#[cfg(test)]
mod tests {
    use crate::testing::run_bare;

    #[test]
    fn there_is_nothing() {
        run_bare(1, |tester| {
            let out = tester.room(2);
            assert_eq!(tester.code("MPI_T_cvar_get_num", &[out]), super::NOT_INITIALIZED);
            assert_eq!(tester.code("MPI_T_init_thread", &[0, 0]), super::INVALID);
            tester.ok("MPI_T_init_thread", &[0, out]);
            assert_eq!(tester.result::<i32>("MPI_T_pvar_get_num", &[]), 0);
            let name = tester.arena.text("eager limit").0;
            assert_eq!(tester.code("MPI_T_cvar_get_index", &[name, out]), super::INVALID_NAME);
            let session: usize = tester.result("MPI_T_pvar_session_create", &[]);
            tester.ok("MPI_T_pvar_session_free", &[tester.arena.store(&[session]).0]);
            tester.ok("MPI_T_finalize", &[]);
            assert_eq!(tester.code("MPI_T_finalize", &[]), super::NOT_INITIALIZED);
        });
    }
}
