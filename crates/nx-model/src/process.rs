//! The state of one node of an NX program.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    rc::Rc,
};

use multicomputer::{
    Payload, Span,
    comm::{Node, transport::Transport},
    nx::{Info, Mid, Nx, NxError},
};
use multicomputer_mpi_model::{
    clock::Clock,
    process::{End, Outcome},
    program::Program,
};

use crate::{
    error::{Code, Error, Result},
    function::{Address, Called, Count},
};

/// The program of one node.
pub struct Process<'a, 'n> {
    node: &'a Node<'n>,
    ranks: usize,
    nx: OnceCell<Nx<'a, 'n>>,
    pub(crate) clock: Clock<'n>,
    pub(crate) host: Rc<Host>,
    /// The sends and receives that are not complete, by their numbers.
    mids: RefCell<BTreeMap<i32, Mid<'a>>>,
    next_mid: Cell<i32>,
    /// The error that ended the program.
    end: RefCell<Option<String>>,
    /// The text of the last error that a function has returned.
    pub(crate) last_error: RefCell<String>,
}

/// The program's memory and functions.
pub(crate) struct Host {
    pub(crate) program: Rc<dyn Program>,
    /// Whether a call has ended the program.
    leaves: Cell<bool>,
}

impl<'a, 'n> Process<'a, 'n> {
    /// Makes the process of a node of `ranks` nodes. An unsuccessful test takes `poll`.
    pub fn new(node: &'a Node<'n>, program: Rc<dyn Program>, ranks: usize, poll: Span) -> Process<'a, 'n> {
        Process {
            node,
            ranks,
            nx: OnceCell::new(),
            clock: Clock::new(Transport::of(node), poll),
            host: Rc::new(Host { program, leaves: Cell::new(false) }),
            mids: RefCell::default(),
            next_mid: Cell::new(0),
            end: RefCell::default(),
            last_error: RefCell::default(),
        }
    }

    /// Carries out a call of the program. A function of the program may call it while another call is under way.
    pub fn call(&self, called: Called, words: &[usize]) -> Outcome {
        if self.host.leaves.get() {
            return Outcome::Leaves;
        }
        self.clock.called();
        let function = called.function;
        let result = self.nx().and_then(|nx| (function.run)(self, nx, words));
        match result {
            Ok(()) if self.host.leaves.get() => return Outcome::Leaves,
            Ok(()) => return Outcome::Returns(0),
            Err(Error::Leave) => {}
            Err(Error::Call { code, arguments, text }) => {
                let argument = function.arguments.iter().find(|name| arguments.contains(name));
                let text = argument.map_or(text.clone(), |name| format!("argument `{name}`: {text}"));
                let text = format!("{}: {text}", function.name);
                if called.returns_errors {
                    *self.last_error.borrow_mut() = text;
                    return Outcome::Returns(code.0);
                }
                self.end.borrow_mut().get_or_insert(text);
            }
        }
        self.host.leaves.set(true);
        Outcome::Leaves
    }

    /// The way in which the program of this node ended, if an error ended it.
    pub fn end(&self) -> Option<End> {
        self.end.borrow().clone().map(End::Error)
    }

    /// Whether the program has called NX.
    pub fn is_used(&self) -> bool {
        self.nx.get().is_some()
    }

    fn nx(&self) -> Result<&Nx<'a, 'n>> {
        if let Some(nx) = self.nx.get() {
            return Ok(nx);
        }
        let nodes = self.node.size();
        if self.ranks < nodes {
            let text = format!(
                "NX programs run on all nodes of a machine, and here are {} ranks on {nodes} nodes: give a smaller machine instead of -n",
                self.ranks
            );
            return Err(Error::argument(Code::PARAMETER, &[], text));
        }
        let nx = Nx::new(self.node)?;
        Ok(self.nx.get_or_init(|| nx))
    }

    /// The shape of the machine: rows and columns; one row for machines that are no grid.
    pub(crate) fn shape(&self) -> (usize, usize) {
        let grid = self.node.machine().topology().grid();
        grid.map_or((1, self.node.size()), |grid| (grid.rows, grid.columns))
    }

    /// Gives out a number for a send or receive.
    pub(crate) fn add(&self, mid: Mid<'a>) -> i32 {
        let number = self.next_mid.get().checked_add(1).unwrap_or(1);
        self.next_mid.set(number);
        self.mids.borrow_mut().insert(number, mid);
        number
    }

    /// Takes the send or receive with a number, which is free then.
    pub(crate) fn take(&self, number: i32) -> Result<Mid<'a>> {
        self.mids.borrow_mut().remove(&number).ok_or_else(|| {
            let text =
                format!("{number} is no message number: no call has returned it, or its message is complete");
            Error::argument(Code::MID, &["mid", "mid1", "mid2"], text)
        })
    }

    /// Puts a send or receive back that is not complete.
    pub(crate) fn put_back(&self, number: i32, mid: Mid<'a>) {
        self.mids.borrow_mut().insert(number, mid);
    }
}

impl Host {
    /// Copies bytes out of the program's memory.
    pub(crate) fn load(&self, address: Address, length: Count) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length.0);
        self.program.read(address.of(length.0)?, length.0, &mut bytes);
        Ok(bytes)
    }

    /// Copies integers of C or Fortran out of the program's memory.
    pub(crate) fn load_longs(&self, address: Address, count: usize, width: Count) -> Result<Vec<i64>> {
        let bytes = self.load(address, Count(count.saturating_mul(width.0)))?;
        let read = |bytes: &[u8]| match bytes.try_into() {
            Ok(long) => i64::from_ne_bytes(long),
            Err(_) => bytes.try_into().map_or(0, i32::from_ne_bytes).into(),
        };
        Ok(bytes.chunks_exact(width.0).map(read).collect())
    }

    /// Stores an integer of C or Fortran, the one at `index` of an array.
    pub(crate) fn set_long(&self, address: Address, index: usize, value: i64, width: Count) {
        let at = address.0 + index * width.0;
        match width.0 {
            4 => self.program.write(at, &(value as i32).to_ne_bytes()),
            _ => self.program.write(at, &value.to_ne_bytes()),
        }
    }

    /// Stores a message and its description.
    pub(crate) fn deliver(
        &self,
        room: Room,
        info: Info,
        payload: &Payload,
    ) -> std::result::Result<(), NxError> {
        if info.count > room.count.0 as u64 {
            return Err(NxError::BufferTooShort { info, buffer: room.count.0 });
        }
        if info.count > 0 {
            self.program.write(room.buffer, &payload.to_bytes()?);
        }
        self.set_info(room.info, info, room.width);
        Ok(())
    }

    /// Stores the description of a message, NX's array `info`.
    pub(crate) fn set_info(&self, address: Address, info: Info, width: Count) {
        if address.0 != 0 {
            let values = [info.mtype.into(), info.count as i64, info.node.into(), info.ptype.into()];
            values.into_iter().enumerate().for_each(|(at, value)| self.set_long(address, at, value, width));
        }
    }

    /// Calls a function of the program, which may call NX.
    pub(crate) fn call(&self, function: Address, arguments: &[usize]) {
        if !self.leaves.get() {
            self.program.call(function.0, arguments);
        }
    }
}

/// Where a received message goes.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub(crate) buffer: usize,
    pub(crate) count: Count,
    /// The array for the description of the message, and the size of its elements.
    pub(crate) info: Address,
    pub(crate) width: Count,
}

impl fmt::Debug for Process<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Process({} of {})", self.node.rank(), self.ranks)
    }
}
