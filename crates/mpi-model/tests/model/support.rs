//! A rank of a program in an arena, and runs of such programs.

use std::rc::Rc;

use multicomputer::{Machine, Run, Span, error::RunError};
use multicomputer_mpi_model::{
    arena::Arena,
    function,
    process::{Outcome, Process, Settings},
    word::{Address, Handle, Stored},
};

pub(crate) const WORLD: usize = 0x101;
pub(crate) const BYTE: usize = 0x247;
pub(crate) const INT: usize = 0x209;
pub(crate) const DOUBLE: usize = 0x214;
pub(crate) const SUM: usize = 0x21;
pub(crate) const RETURN: usize = 0x143;
pub(crate) const ANY_SOURCE: usize = -1_isize as usize;
pub(crate) const ANY_TAG: usize = -2_isize as usize;
pub(crate) const PROC_NULL: usize = -3_isize as usize;
pub(crate) const IGNORE: usize = 0;

/// One rank.
pub(crate) struct Rank<'a, 'n> {
    pub(crate) process: &'a Process<'n>,
    pub(crate) arena: &'a Arena,
    pub(crate) rank: usize,
    pub(crate) size: usize,
}

/// The program of a rank was left.
#[derive(Debug, Default, thiserror::Error)]
#[error("the program was left: {0:?}")]
pub(crate) struct Left(Option<multicomputer_mpi_model::process::End>);

impl Rank<'_, '_> {
    /// Calls a function and returns its error code.
    pub(crate) fn code(&self, name: &str, words: &[usize]) -> Result<i32, Left> {
        let function = function::named(name).unwrap_or_else(|| panic!("{name} is not supported"));
        assert_eq!(function.arguments.len(), words.len(), "arguments of {name}: {:?}", function.arguments);
        match self.process.call(function, words, 0) {
            Outcome::Returns(code) => Ok(code),
            Outcome::Leaves => Err(Left(self.process.end())),
        }
    }

    /// Calls a function that must succeed.
    pub(crate) fn call(&self, name: &str, words: &[usize]) -> Result<(), Left> {
        let code = self.code(name, words)?;
        assert_eq!(code, 0, "{name}");
        Ok(())
    }

    /// Calls a function whose last argument is the address of a handle, and returns the handle.
    pub(crate) fn made(&self, name: &str, words: &[usize]) -> Result<usize, Left> {
        let out = self.arena.alloc(8).0;
        self.call(name, &[words, &[out]].concat())?;
        Ok(self.get::<Handle>(out).0)
    }

    /// Stores values and returns their address.
    pub(crate) fn put<T: Stored>(&self, values: &[T]) -> usize {
        self.arena.store(values).0
    }

    /// Allocates memory.
    pub(crate) fn room(&self, bytes: usize) -> usize {
        self.arena.alloc(bytes).0
    }

    pub(crate) fn get<T: Stored>(&self, address: usize) -> T {
        self.arena.one(Address(address))
    }

    pub(crate) fn list<T: Stored>(&self, address: usize, count: usize) -> Vec<T> {
        self.arena.get(Address(address), count)
    }
}

/// Runs a program on the ranks of a machine, between `MPI_Init` and `MPI_Finalize`.
pub(crate) fn run<T: Send>(
    machine: &Machine,
    program: impl Fn(&Rank<'_, '_>) -> Result<T, Left> + Sync,
) -> Result<Run<T>, RunError> {
    run_with(machine, &Settings { poll: Span::from_nanos(10), ..Settings::default() }, program)
}

/// Runs a program with settings.
pub(crate) fn run_with<T: Send>(
    machine: &Machine,
    settings: &Settings,
    program: impl Fn(&Rank<'_, '_>) -> Result<T, Left> + Sync,
) -> Result<Run<T>, RunError> {
    machine.run(|node| {
        let arena = Rc::new(Arena::new());
        let process = Process::new(node, arena.clone(), settings.clone());
        let rank = Rank { process: &process, arena: &arena, rank: node.rank(), size: node.size() };
        rank.call("MPI_Init", &[0, 0])?;
        let output = program(&rank)?;
        rank.call("MPI_Finalize", &[])?;
        Ok(output)
    })
}
