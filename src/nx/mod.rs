//! NX: the message-passing calls of the Intel Paragon.
//!
//! [`Nx`] is a thin layer over a [`Node`] of any machine. Its methods have the names, the order of arguments and the
//! meaning of NX's calls in C, with typed slices in place of addresses and lengths:
//! `csend(type, buf, count, node, ptype)` is [`csend(type, buf, node, ptype)`](Nx::csend). Where NX counts bytes in
//! an argument, elements of the slice are counted; [`infocount`](Nx::infocount) returns bytes, as in NX. NX's `long`
//! has 32 bits and is `i32` here.
//!
//! ```
//! use multicomputer::{Machine, nx::Nx};
//!
//! let machine = Machine::paragon(2, 4).build()?;
//! let run = machine.run(|node| {
//!     let nx = Nx::new(node)?;
//!     let mut greeting = [0; 3];
//!     if nx.mynode() == 5 {
//!         greeting = [7, 8, 9];
//!         nx.csend(100, &greeting, -1, 0)?; // to all others
//!     } else {
//!         nx.crecv(100, &mut greeting)?; // as any message
//!     }
//!     let mut sum = [f64::from(nx.mynode())];
//!     nx.gdsum(&mut sum)?;
//!     Ok((greeting, sum[0]))
//! })?;
//! assert_eq!(run.outputs, [([7, 8, 9], 28.0); 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Available calls
//!
//! | calls | remarks |
//! | --- | --- |
//! | `csend`, `isend`, `crecv`, `irecv`, `csendrecv`, `isendrecv`, with `x`: `crecvx`, `irecvx` | |
//! | `cprobe`, `iprobe`, `cprobex`, `iprobex` | |
//! | `msgwait`, `msgdone`, `msgignore`, `msgcancel`, `msgmerge` | message numbers are [`Mid`]s, which hold the buffer |
//! | `infocount`, `infonode`, `infotype`, `infoptype` | the `x` calls return an [`Info`] instead |
//! | `mynode`, `numnodes`, `myptype`, `dclock`, `mclock`, `gray`, `ginv` | one process on a node, of type 0 |
//! | `gsync`; `gcol`, `gcolx` | |
//! | `gdsum`, `gdprod`, `gdhigh`, `gdlow`, the same for `s` and `i`; `gopf` | without the `work` array |
//! | `giand`, `gior`, `gland`, `glor` | `gixor` and `glxor` on top |
//!
//! Not available are handlers (`hrecv` and its like), `gsendx`, force types (which pass by the buffers of the system) and
//! masks of types.
//!
//! # Costs
//!
//! The time of a message is that of [`Group`]; nothing is added. The overhead of a
//! receive is spent when the message is brought in, which is at once if the node waits for it, and before the program
//! asks for it if the node waits for another message in the meantime. Broadcasts and global operations are NX's own
//! algorithms, with the extra costs that they had on a Paragon: see [`Library`] and [`NxCosts`].
//!
//! # Broadcasts
//!
//! A message to node -1 goes to all nodes but the sender, down a [minimum spanning tree](Library::Nx). Each node that
//! waits in any call of NX, for any message, passes on the broadcasts that arrive. So a program need not receive them
//! in any order; but a node that computes delays the nodes below it in the tree, and a node whose program has
//! returned cuts them off.
//!
//! # Messages that nobody has asked for
//!
//! NX keeps them in buffers of the system, and so does this, without limit. On a machine with
//! [rendezvous](crate::MachineBuilder::rendezvous) what a program sends waits until a node takes it in: `csend` returns then,
//! and [`msgdone`](Nx::msgdone) is true then. Nodes take messages in whenever they wait in a call of NX, other than `csend`
//! itself, so two that `csend` to each other are found. What NX sends by itself, for its global operations and to pass
//! broadcasts on, waits for nobody.

mod calls;
mod error;
mod global;
mod info;
mod intercom;
mod library;
mod mid;
mod own;
mod system;
mod tree;

use std::{cell::RefCell, fmt};

pub(crate) use self::own::combine_phantom;
use self::system::System;
pub use self::{
    error::NxError,
    info::Info,
    library::{Library, NxCosts},
    mid::Mid,
};
use crate::comm::{Group, Node};

/// The highest type of a message of a program: 999,999,999.
///
/// Source: the Paragon's manuals; the types above it belong to the system or are force types (recalled).
pub const MOST_TYPE: i32 = 999_999_999;

/// The selector of any type, node or process type; as a destination, all other nodes.
pub const ANY: i32 = -1;

/// The interface of NX to a node; see the [module](self).
///
/// Messages sent and received here do not mix with messages in groups of the same node.
pub struct Nx<'a, 'n> {
    node: &'a Node<'n>,
    /// The group of all messages of NX, and of no others.
    wire: &'a Group<'n>,
    system: RefCell<System<'a>>,
    library: Library,
    costs: NxCosts,
}

impl<'a, 'n> Nx<'a, 'n> {
    /// Starts NX on this node, with [`Library::Nx`] and the costs that it had on a [Paragon](NxCosts::PARAGON).
    ///
    /// # Errors
    /// [`NxError::Second`] if the node has an [`Nx`] already.
    pub fn new(node: &'a Node<'n>) -> Result<Nx<'a, 'n>, NxError> {
        let wire = node.nx().ok_or(NxError::Second)?;
        Ok(Nx {
            node,
            wire,
            system: RefCell::default(),
            library: Library::default(),
            costs: NxCosts::default(),
        })
    }

    /// Selects the library that carries out the global operations; [`Library::Nx`] unless given. All nodes must
    /// select the same one.
    #[must_use]
    pub fn with_library(mut self, library: Library) -> Self {
        self.library = library;
        self
    }

    /// Sets the costs of NX's own algorithms beyond the machine's parameters; [`NxCosts::PARAGON`] unless given.
    #[must_use]
    pub fn with_costs(mut self, costs: NxCosts) -> Self {
        self.costs = costs;
        self
    }

    /// The library that carries out the global operations.
    pub fn library(&self) -> Library {
        self.library
    }

    /// The costs of NX's own algorithms.
    pub fn costs(&self) -> NxCosts {
        self.costs
    }

    /// The number of this node, from 0.
    pub fn mynode(&self) -> i32 {
        self.node.rank() as i32
    }

    /// The number of nodes.
    pub fn numnodes(&self) -> i32 {
        self.node.size() as i32
    }

    /// The type of this process: 0.
    pub fn myptype(&self) -> i32 {
        0
    }

    /// The node's clock in seconds of modeled time since the start of the run.
    ///
    /// # Errors
    /// [`NxError::Comm`] once the run is over.
    pub fn dclock(&self) -> Result<f64, NxError> {
        Ok(self.node.now()?.as_secs_f64())
    }

    /// The node's clock in whole milliseconds of modeled time since the start of the run.
    ///
    /// # Errors
    /// [`NxError::Comm`] once the run is over.
    pub fn mclock(&self) -> Result<u64, NxError> {
        Ok(self.node.now()?.as_picos() / 1_000_000_000)
    }

    /// The binary-reflected Gray code of a number: consecutive numbers give the node numbers of a ring through a
    /// hypercube.
    pub fn gray(number: u32) -> u32 {
        number ^ (number >> 1)
    }

    /// The inverse of the [Gray code](Nx::gray): the number with this code.
    pub fn ginv(code: u32) -> u32 {
        (0..u32::BITS).fold(0, |number, shift| number ^ (code >> shift))
    }
}

impl fmt::Debug for Nx<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nx(node {} of {})", self.node.rank(), self.node.size())
    }
}
