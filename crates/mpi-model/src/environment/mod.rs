//! Initialization, finalization, time, and what a process can ask about its environment.

#[cfg(test)]
mod tests;

use crate::{
    abi, attribute, communicator,
    error::{Class, Error, Result},
    function::functions,
    info::{self, Info},
    process::{Phase, Process},
    word::{Address, Handle, Out, store_text},
};

functions! {
    MPI_Init: init(argc, argv) @always;
    MPI_Init_thread: init_thread(argc, argv, required, provided) @always;
    MPI_Initialized: initialized(flag) @always;
    MPI_Finalize: finalize();
    MPI_Finalized: finalized(flag) @always;
    MPI_Query_thread: query_thread(provided);
    MPI_Is_thread_main: is_thread_main(flag);
    MPI_Abort: abort(comm, errorcode) @always;
    MPI_Get_processor_name: get_processor_name(name, resultlen);
    MPI_Get_version: get_version(version, subversion) @always;
    MPI_Get_library_version: get_library_version(version, resultlen) @always;
    MPI_Get_hw_resource_info: get_hw_resource_info(hw_info) @always;
    MPI_Abi_get_version: abi_get_version(abi_major, abi_minor) @always;
    MPI_Abi_get_info: abi_get_info(info) @always;
    MPI_Abi_get_fortran_info: abi_get_fortran_info(info) @always;
    MPI_Abi_set_fortran_info: abi_set_fortran_info(info) @always;
    MPI_Abi_get_fortran_booleans: abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set) @always;
    MPI_Abi_set_fortran_booleans: abi_set_fortran_booleans(logical_size, logical_true, logical_false) @always;
    MPI_Wtime: wtime(seconds) @always;
    MPI_Wtick: wtick(seconds) @always;
    MPI_Alloc_mem: alloc_mem(size, info, baseptr);
    MPI_Free_mem: free_mem(base);
    MPI_Pcontrol: pcontrol(level) @always;
}

fn init(process: &Process<'_>, _: Address, _: Address) -> Result<()> {
    start(process, abi::THREAD_SINGLE)
}

/// Begins the use of MPI.
fn start(process: &Process<'_>, thread_level: i32) -> Result<()> {
    match process.phase.get() {
        Phase::Before => {}
        Phase::Initialized => return Err(Error::new(Class::OTHER, "MPI is initialized already")),
        Phase::Finalized => return Err(Error::new(Class::OTHER, "called after MPI_Finalize")),
    }
    process.thread_level.set(thread_level);
    communicator::predefine(process)?;
    process.phase.set(Phase::Initialized);
    Ok(())
}

fn init_thread(
    process: &Process<'_>,
    _: Address,
    _: Address,
    required: i32,
    provided: Out<i32>,
) -> Result<()> {
    // The calls of a rank are made one after the other: it has one clock.
    let level = [abi::THREAD_SINGLE, abi::THREAD_FUNNELED]
        .into_iter()
        .find(|&level| level >= required)
        .unwrap_or(abi::THREAD_SERIALIZED);
    start(process, level)?;
    provided.set(process, level);
    Ok(())
}

fn initialized(process: &Process<'_>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, process.phase.get() != Phase::Before);
    Ok(())
}

fn finalize(process: &Process<'_>) -> Result<()> {
    process.check_finalize();
    // The first step of MPI_Finalize is as if MPI_COMM_SELF were freed: its attributes are deleted, the last one first.
    let own = process.communicators.borrow().get(abi::COMM_SELF);
    if let Some(own) = own {
        attribute::delete_of_communicator(process, &own)?;
    }
    process.phase.set(Phase::Finalized);
    Ok(())
}

fn finalized(process: &Process<'_>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, process.phase.get() == Phase::Finalized);
    Ok(())
}

fn query_thread(process: &Process<'_>, provided: Out<i32>) -> Result<()> {
    provided.set(process, process.thread_level.get());
    Ok(())
}

fn is_thread_main(process: &Process<'_>, flag: Out<i32>) -> Result<()> {
    flag.set_flag(process, !process.is_elsewhere.get());
    Ok(())
}

/// The communicator is not checked: a program that ends because of an error need not have a valid one.
fn abort(process: &Process<'_>, _: Handle, errorcode: i32) -> Result<()> {
    process.abort(errorcode);
    Err(Error::Leave)
}

/// The name of the processor, such as `node 5`.
pub(crate) fn processor_name(process: &Process<'_>) -> String {
    format!("node {}", process.node.rank())
}

fn get_processor_name(process: &Process<'_>, name: Address, resultlen: Out<i32>) -> Result<()> {
    let length = store_text(process, name, &processor_name(process), abi::MAX_PROCESSOR_NAME);
    resultlen.set(process, length as i32);
    Ok(())
}

fn get_version(process: &Process<'_>, version: Out<i32>, subversion: Out<i32>) -> Result<()> {
    version.set(process, 5);
    subversion.set(process, 0);
    Ok(())
}

fn get_library_version(process: &Process<'_>, version: Address, resultlen: Out<i32>) -> Result<()> {
    let text = concat!("multicomputer ", env!("CARGO_PKG_VERSION"), ", MPI 5.0 on virtual machines");
    let length = store_text(process, version, text, abi::MAX_LIBRARY_VERSION_STRING);
    resultlen.set(process, length as i32);
    Ok(())
}

/// Stores the handle of a new info object.
fn give(process: &Process<'_>, pairs: &[(&str, &str)], info: Out<Handle>) {
    let mut given = Info::default();
    for &(key, value) in pairs {
        given.set(key, value);
    }
    info.set(process, info::enter(process, given));
}

/// A node is the only resource of hardware that a process is restricted to.
fn get_hw_resource_info(process: &Process<'_>, hw_info: Out<Handle>) -> Result<()> {
    give(process, &[("multicomputer://node", "true")], hw_info);
    Ok(())
}

fn abi_get_version(process: &Process<'_>, abi_major: Out<i32>, abi_minor: Out<i32>) -> Result<()> {
    abi_major.set(process, 1);
    abi_minor.set(process, 0);
    Ok(())
}

fn abi_get_info(process: &Process<'_>, info: Out<Handle>) -> Result<()> {
    give(process, &[("mpi_aint_size", "8"), ("mpi_count_size", "8"), ("mpi_offset_size", "8")], info);
    Ok(())
}

/// The types of Fortran as gfortran has them without options.
const FORTRAN: &[(&str, &str)] = &[
    ("mpi_logical_size", "4"),
    ("mpi_integer_size", "4"),
    ("mpi_real_size", "4"),
    ("mpi_double_precision_size", "8"),
    ("mpi_logical1_supported", "true"),
    ("mpi_logical2_supported", "true"),
    ("mpi_logical4_supported", "true"),
    ("mpi_logical8_supported", "true"),
    ("mpi_logical16_supported", "true"),
    ("mpi_integer1_supported", "true"),
    ("mpi_integer2_supported", "true"),
    ("mpi_integer4_supported", "true"),
    ("mpi_integer8_supported", "true"),
    ("mpi_integer16_supported", "true"),
    ("mpi_real2_supported", "false"),
    ("mpi_real4_supported", "true"),
    ("mpi_real8_supported", "true"),
    ("mpi_real16_supported", "true"),
    ("mpi_complex4_supported", "false"),
    ("mpi_complex8_supported", "true"),
    ("mpi_complex16_supported", "true"),
    ("mpi_complex32_supported", "true"),
    ("mpi_double_complex_supported", "true"),
];

fn abi_get_fortran_info(process: &Process<'_>, info: Out<Handle>) -> Result<()> {
    give(process, FORTRAN, info);
    Ok(())
}

/// The types of Fortran are known when the library is built, so a program can only repeat them.
fn abi_set_fortran_info(_: &Process<'_>, info: Info) -> Result<()> {
    for &(key, value) in FORTRAN {
        if let Some(given) = info.get(key).filter(|&given| given != value) {
            let text = format!("the key `{key}` is {value} and cannot be {given}");
            return Err(Error::argument(Class::ABI, "info", text));
        }
    }
    Ok(())
}

/// The bytes of a logical value of Fortran.
fn logical(size: i32, value: bool) -> Result<Vec<u8>> {
    if !matches!(size, 1 | 2 | 4 | 8 | 16) {
        let text = format!("{size} is not the size of a logical type of Fortran");
        return Err(Error::argument(Class::ARG, "logical_size", text));
    }
    let mut bytes = u128::from(value).to_ne_bytes().to_vec();
    match cfg!(target_endian = "little") {
        true => bytes.truncate(size as usize),
        false => bytes = bytes.split_off(16 - size as usize),
    }
    Ok(bytes)
}

fn abi_get_fortran_booleans(
    process: &Process<'_>,
    logical_size: i32,
    logical_true: Address,
    logical_false: Address,
    is_set: Out<i32>,
) -> Result<()> {
    for (address, value) in [(logical_true, true), (logical_false, false)] {
        let bytes = logical(logical_size, value)?;
        if !address.is_null() {
            process.program.write(address.0, &bytes);
        }
    }
    is_set.set_flag(process, true);
    Ok(())
}

fn abi_set_fortran_booleans(
    process: &Process<'_>,
    logical_size: i32,
    logical_true: Address,
    logical_false: Address,
) -> Result<()> {
    for (name, address, value) in
        [("logical_true", logical_true, true), ("logical_false", logical_false, false)]
    {
        let own = logical(logical_size, value)?;
        let mut given = Vec::with_capacity(own.len());
        if !address.is_null() {
            process.program.read(address.0, own.len(), &mut given);
        }
        if given != own {
            return Err(Error::argument(Class::ABI, name, "gfortran has 1 for .true. and 0 for .false."));
        }
    }
    Ok(())
}

fn wtime(process: &Process<'_>, seconds: Out<f64>) -> Result<()> {
    seconds.set(process, process.time()?.as_secs_f64());
    Ok(())
}

/// Modeled time is a number of picoseconds.
fn wtick(process: &Process<'_>, seconds: Out<f64>) -> Result<()> {
    seconds.set(process, 1e-12);
    Ok(())
}

fn alloc_mem(process: &Process<'_>, size: i64, _: Info, baseptr: Out<usize>) -> Result<()> {
    let Ok(length) = usize::try_from(size) else {
        return Err(Error::argument(Class::ARG, "size", format!("{size} is negative")));
    };
    let address = process.program.allocate(length.max(1));
    if address == 0 {
        return Err(Error::argument(Class::NO_MEM, "size", format!("there is no memory of {size} bytes")));
    }
    process.note_memory(address);
    baseptr.set(process, address);
    Ok(())
}

fn free_mem(process: &Process<'_>, base: Address) -> Result<()> {
    if !base.is_null() {
        process.forget_memory(base.0);
        process.program.release(base.0);
    }
    Ok(())
}

fn pcontrol(_: &Process<'_>, _: i32) -> Result<()> {
    Ok(())
}
