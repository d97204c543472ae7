//! A program in an arena, for tests: its memory is a vector of bytes, its functions are closures.

use std::{
    cell::{Cell, RefCell},
    fmt,
    rc::Rc,
    sync::Arc,
};

use parking_lot::Mutex;

use crate::{
    program::{Program, WindowMemory},
    word::{Address, Stored},
};

/// A function of the program.
type Body = dyn Fn(&Arena, &[usize]) -> usize;

/// The memory and the functions of a program.
///
/// Every access is checked: an address outside of what was allocated is a panic.
#[derive(Default)]
pub struct Arena {
    memory: Arc<Mutex<Vec<u8>>>,
    functions: RefCell<Vec<Rc<Body>>>,
    /// The number of allocated bytes.
    top: Cell<usize>,
}

/// The address of the first byte; smaller numbers are constants of MPI.
const BASE: usize = 0x10_0000;
/// The address of the first function, and the distance of two functions.
const FUNCTIONS: (usize, usize) = (0x7f00_0000_0000, 16);
const ALIGNMENT: usize = 16;

impl Arena {
    /// Makes an arena without memory and functions.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Allocates bytes, which are 0, at a multiple of 16.
    pub fn alloc(&self, bytes: usize) -> Address {
        let mut memory = self.memory.lock();
        let at = self.top.get();
        let end = at + bytes.next_multiple_of(ALIGNMENT);
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[at..end].fill(0);
        self.top.set(end);
        Address(BASE + at)
    }

    /// Allocates memory for values and stores them.
    pub fn store<T: Stored>(&self, values: &[T]) -> Address {
        let address = self.alloc(values.len() * T::SIZE);
        self.set(address, values);
        address
    }

    /// Stores values at an address.
    pub fn set<T: Stored>(&self, address: Address, values: &[T]) {
        let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
        values.iter().for_each(|value| value.store(&mut bytes));
        self.write(address.0, &bytes);
    }

    /// Reads values at an address.
    pub fn get<T: Stored>(&self, address: Address, count: usize) -> Vec<T> {
        self.bytes(address, count * T::SIZE).chunks_exact(T::SIZE).map(T::load).collect()
    }

    /// Reads one value at an address.
    pub fn one<T: Stored>(&self, address: Address) -> T {
        T::load(&self.bytes(address, T::SIZE))
    }

    /// Reads bytes at an address.
    pub fn bytes(&self, address: Address, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length);
        self.read(address.0, length, &mut bytes);
        bytes
    }

    /// Allocates memory for a string with a zero byte at its end and stores it.
    pub fn text(&self, text: &str) -> Address {
        let address = self.alloc(text.len() + 1);
        self.write(address.0, text.as_bytes());
        address
    }

    /// Adds a function and returns its address.
    pub fn function(&self, body: impl Fn(&Arena, &[usize]) -> usize + 'static) -> Address {
        let mut functions = self.functions.borrow_mut();
        functions.push(Rc::new(body));
        Address(FUNCTIONS.0 + FUNCTIONS.1 * (functions.len() - 1))
    }

    fn place(&self, address: usize, length: usize) -> std::ops::Range<usize> {
        let at = address.wrapping_sub(BASE);
        let end = at.checked_add(length).filter(|&end| end <= self.top.get());
        assert!(end.is_some(), "{length} bytes at {address:#x} are outside of the arena");
        at..at + length
    }
}

impl Program for Arena {
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>) {
        if length > 0 {
            into.extend_from_slice(&self.memory.lock()[self.place(address, length)]);
        }
    }

    fn write(&self, address: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            let place = self.place(address, bytes.len());
            self.memory.lock()[place].copy_from_slice(bytes);
        }
    }

    fn call(&self, function: usize, arguments: &[usize]) -> usize {
        let at = function.wrapping_sub(FUNCTIONS.0);
        let body =
            self.functions.borrow().get(at / FUNCTIONS.1).filter(|_| at.is_multiple_of(FUNCTIONS.1)).cloned();
        let Some(body) = body else { panic!("there is no function at {function:#x}") };
        body(self, arguments)
    }

    fn allocate(&self, length: usize) -> usize {
        self.alloc(length).0
    }

    /// Checks the address; the memory is not used again.
    fn release(&self, address: usize) {
        self.place(address, 0);
    }

    fn windows(&self) -> Option<Arc<dyn WindowMemory>> {
        Some(Arc::new(Memory(self.memory.clone())))
    }

    fn lend(&self, bytes: &mut [u8], with: &mut dyn FnMut(usize)) {
        let top = self.top.get();
        let address = self.alloc(bytes.len());
        let end = self.top.get();
        self.write(address.0, bytes);
        with(address.0);
        bytes.copy_from_slice(&self.bytes(address, bytes.len()));
        // What the program has allocated meanwhile stays.
        if self.top.get() == end {
            self.top.set(top);
        }
    }
}

/// The memory of an arena, for accesses of other processes.
struct Memory(Arc<Mutex<Vec<u8>>>);

impl WindowMemory for Memory {
    fn read(&self, address: usize, length: usize, into: &mut Vec<u8>) {
        let at = address.wrapping_sub(BASE);
        into.extend_from_slice(&self.0.lock()[at..][..length]);
    }

    fn write(&self, address: usize, bytes: &[u8]) {
        let at = address.wrapping_sub(BASE);
        self.0.lock()[at..][..bytes.len()].copy_from_slice(bytes);
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.0.lock().len())
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arena({} bytes, {} functions)", self.top.get(), self.functions.borrow().len())
    }
}

/// What the tests of modules share: a process whose program is an arena.
#[cfg(test)]
pub(crate) mod testing {
    use std::rc::Rc;

    use multicomputer::Machine;

    use super::Arena;
    use crate::{
        error::{Class, Error, Result},
        function::named,
        process::{Process, Settings},
        word::Handle,
    };

    /// Runs a test in a process, alone on a machine.
    pub(crate) fn alone(test: impl Fn(&Process<'_>, &Arena) + Sync) {
        let machine = Machine::paragon(1, 1).build().unwrap();
        machine
            .run(|node| {
                let arena = Rc::new(Arena::new());
                test(&Process::new(node, arena.clone(), Settings::default()), &arena);
                Ok(())
            })
            .unwrap();
    }

    /// Calls a function of MPI.
    pub(crate) fn call(process: &Process<'_>, name: &str, words: &[usize]) -> Result<()> {
        let function = named(name).unwrap_or_else(|| panic!("{name} is not supported"));
        assert_eq!(function.arguments.len(), words.len(), "arguments of {name}");
        (function.run)(process, words)
    }

    /// Calls a function that is expected to fail, and returns the class and the text of the error.
    pub(crate) fn failure(process: &Process<'_>, name: &str, words: &[usize]) -> (Class, String) {
        match call(process, name, words) {
            Err(Error::Mpi(error)) => (error.class, error.to_string()),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Calls a constructor whose last argument is the address of the new object's handle.
    pub(crate) fn made(process: &Process<'_>, arena: &Arena, name: &str, words: &[usize]) -> Handle {
        let handle = arena.alloc(8);
        call(process, name, &[words, &[handle.0]].concat())
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        arena.one(handle)
    }

    /// Integers as words.
    pub(crate) fn word(value: i64) -> usize {
        value as usize
    }
}
