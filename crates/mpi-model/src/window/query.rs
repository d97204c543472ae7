//! What a program can learn about a window: its group, name and hints, and the memory of other processes.

use std::rc::Rc;

use super::{Flavor, Window};
use crate::{
    abi, communicator,
    communicator::MAX_OBJECT_NAME,
    error::{Class, Error, Result},
    function::functions,
    info::{self, Info},
    process::Process,
    word::{Address, Handle, Integer, Out, Text, store_text},
};

functions! {
    MPI_Win_shared_query: shared_query::<i32>(win, rank, size, disp_unit, baseptr);
    MPI_Win_shared_query_c: shared_query::<i64>(win, rank, size, disp_unit, baseptr);
    MPI_Win_get_group: get_group(win, group);
    MPI_Win_set_name: set_name(win, win_name);
    MPI_Win_get_name: get_name(win, win_name, resultlen);
    MPI_Win_set_info: set_info(win, info);
    MPI_Win_get_info: get_info(win, info_used);
}

/// The hints that the standard defines for windows, with their defaults.
const HINTS: [(&str, &str); 6] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("mpi_accumulate_granularity", "0"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
];

/// The hints of a new window: the defaults and what the program gives.
pub(super) fn hints(given: &Info) -> Info {
    let mut hints = Info::default();
    for (key, value) in HINTS.into_iter().chain(given.iter()) {
        hints.set(key, value);
    }
    hints
}

fn shared_query<'n, T: Integer>(
    process: &Process<'n>,
    window: Rc<Window<'n>>,
    rank: i32,
    size: Out<i64>,
    unit: Out<T>,
    base: Out<usize>,
) -> Result<()> {
    if window.flavor == Flavor::Dynamic {
        let text = "the memory of a dynamic window cannot be queried";
        return Err(Error::argument(Class::RMA_FLAVOR, "win", text));
    }
    let rank = match window.rank("rank", rank)? {
        Some(rank) => rank,
        // The first process that has memory.
        None => {
            let has_memory = |&rank: &usize| window.target(rank).is_ok_and(|target| target.size > 0);
            (0..window.comm.group.size()).find(has_memory).unwrap_or(0)
        }
    };
    let target = window.target(rank)?;
    size.set(process, target.size as i64);
    unit.set_or_undefined(process, target.unit);
    base.set(process, target.base);
    Ok(())
}

fn get_group<'n>(process: &Process<'n>, window: Rc<Window<'n>>, group: Out<Handle>) -> Result<()> {
    group.set(process, crate::group::enter(process, &communicator::nodes(&window.comm)));
    Ok(())
}

fn set_name<'n>(_: &Process<'n>, window: Rc<Window<'n>>, name: Text) -> Result<()> {
    let mut name = name.0;
    while name.len() >= MAX_OBJECT_NAME {
        name.pop();
    }
    *window.name.borrow_mut() = name;
    Ok(())
}

fn get_name<'n>(process: &Process<'n>, window: Handle, name: Address, length: Out<i32>) -> Result<()> {
    if window == abi::WIN_NULL {
        length.set(process, store_text(process, name, "MPI_WIN_NULL", MAX_OBJECT_NAME) as i32);
        return Ok(());
    }
    let window = super::of_handle(process, window).map_err(|error| error.of("win"))?;
    let stored = store_text(process, name, &window.name.borrow(), MAX_OBJECT_NAME);
    length.set(process, stored as i32);
    Ok(())
}

fn set_info<'n>(_: &Process<'n>, window: Rc<Window<'n>>, given: Info) -> Result<()> {
    let mut hints = window.info.borrow_mut();
    for (key, value) in given.iter() {
        hints.set(key, value);
    }
    Ok(())
}

fn get_info<'n>(process: &Process<'n>, window: Rc<Window<'n>>, used: Out<Handle>) -> Result<()> {
    let copy = window.info.borrow().clone();
    used.set(process, info::enter(process, copy));
    Ok(())
}
