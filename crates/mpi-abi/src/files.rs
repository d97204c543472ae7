//! The files that compilers of MPI programs need. They are empty on systems where no program can be loaded, which are
//! all but GNU/Linux on x86-64 and AArch64.

/// The name of [`LIBRARY`] in a folder, and its soname.
pub const LIBRARY_NAME: &str = "libmpi_abi.so.0";

#[cfg(programs)]
macro_rules! made {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

/// The shared library of MPI's standard ABI, for C and gfortran.
#[cfg(programs)]
pub static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libmpi_abi.so.0"));
/// The shared library of MPI's standard ABI, for C and gfortran.
#[cfg(not(programs))]
pub static LIBRARY: &[u8] = &[];

/// Names and texts of the headers of C and Fortran: `mpi.h` and `mpif.h`, NX's `nx.h` and `fnx.h`, and `multicomputer.h`.
#[cfg(programs)]
pub static HEADERS: &[(&str, &str)] = &[
    ("mpi.h", made!("mpi.h")),
    ("mpif.h", made!("mpif.h")),
    ("nx.h", made!("nx.h")),
    ("fnx.h", made!("fnx.h")),
    ("multicomputer.h", include_str!("../include/multicomputer.h")),
];
/// Names and texts of the headers of C and Fortran: `mpi.h` and `mpif.h`, NX's `nx.h` and `fnx.h`, and `multicomputer.h`.
#[cfg(not(programs))]
pub static HEADERS: &[(&str, &str)] = &[];

/// Names and texts of the Fortran modules `mpi` and `mpi_f08`. Each file is compiled on its own, and its object is
/// linked with programs: it has variables and a few procedures.
#[cfg(programs)]
pub static MODULES: &[(&str, &str)] = &[("mpi.f90", made!("mpi.f90")), ("mpi_f08.f90", made!("mpi_f08.f90"))];
/// Names and texts of the Fortran modules `mpi` and `mpi_f08`. Each file is compiled on its own, and its object is
/// linked with programs: it has variables and a few procedures.
#[cfg(not(programs))]
pub static MODULES: &[(&str, &str)] = &[];
