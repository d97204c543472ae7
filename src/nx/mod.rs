//! NX: the message-passing calls of the Intel Paragon.
//!
//! [`Nx`] is a thin layer over a [`Node`] of any machine. Its methods have the names, argument order and meaning of NX's calls in C, with
//! typed slices in place of addresses and lengths: `csend(type, buf, count, node, ptype)` is [`csend(type, buf, node, ptype)`](Nx::csend).
//! Where an NX argument counts bytes, the argument here counts elements of the slice; [`infocount`](Nx::infocount) returns bytes, as in NX.
//! NX's `long` has 32 bits and is `i32` here. Programs in C and Fortran call the same library: `docs/nx-programs.md`.
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
//! | `csend`, `isend`, `crecv`, `irecv`, `csendrecv`, `isendrecv`, with `x`: `gsendx`, `crecvx`, `irecvx` | |
//! | `cprobe`, `iprobe`, `cprobex`, `iprobex` | |
//! | `msgwait`, `msgdone`, `msgignore`, `msgcancel`, `msgmerge` | message numbers are [`Mid`]s, which hold the buffer |
//! | `infocount`, `infonode`, `infotype`, `infoptype` | the `x` calls return an [`Info`] instead |
//! | `hrecv`, `hrecvx`, `masktrap`, `flick` | handlers run in NX calls |
//! | `mynode`, `numnodes`, `myptype`, `dclock`, `mclock`, `gray`, `ginv` | one process on a node, of type 0 |
//! | `gsync`; `gcol`, `gcolx` | |
//! | `gdsum`, `gdprod`, `gdhigh`, `gdlow`, the same for `s` and `i`; `gopf` | without the `work` array |
//! | `giand`, `gior`, `gland`, `glor` | with `gixor` and `glxor` as extensions |
//!
//! Not available: `hsend`, `hsendrecv` and force types (messages that bypass the system buffers).
//!
//! # Types
//!
//! A message has a type, 0 to [`MAX_TYPE`]. A type selector is a type, or a negative number, which is a mask: bits 0 to 29 select the types 0 to
//! 29, bit 30 all higher types. So -1 selects any type, and `i32::MIN | 1 << 4 | 1 << 7` the types 4 and 7.
//!
//! Source: the Paragon's manuals (from memory).
//!
//! # Costs
//!
//! The time of a message is that of [`Group`], without additional costs. The overhead of a receive is charged when the message is taken
//! from the network: immediately if the node waits for this message, or earlier, while the node waits for another one. Broadcasts and
//! global operations are NX's own algorithms, with the extra costs measured on a Paragon: see [`Library`] and [`NxCosts`].
//!
//! # Broadcasts
//!
//! A message to node -1 goes to all nodes except the sender, down a [minimum spanning tree](Library::Nx). Each node that waits in any NX
//! call, for any message, forwards the broadcasts that arrive. A program may therefore receive broadcasts in any order. A node that
//! computes delays the nodes below it in the tree. If its program has returned, they do not get the broadcast.
//!
//! # Unexpected messages
//!
//! NX stores unexpected messages in system buffers; this implementation does too, without limit. On a machine with
//! [rendezvous](crate::MachineBuilder::rendezvous) a message of the program that reaches the threshold waits until the receiver takes it
//! in; only then `csend` returns and [`msgdone`](Nx::msgdone) is true. A node takes in messages while it waits in any NX call except
//! `csend`, so two nodes that `csend` to each other deadlock, and the deadlock is reported. Internal NX messages, for global operations and
//! forwarded broadcasts, are always eager.

mod calls;
mod error;
mod global;
mod handler;
mod info;
mod intercom;
mod library;
mod mid;
mod native;
mod system;
mod tree;

use std::{cell::RefCell, fmt};

use self::system::System;
pub use self::{
    error::NxError,
    global::Long,
    info::Info,
    library::{Library, NxCosts},
    mid::Mid,
};
use crate::comm::{Group, Node};

/// The highest message type that a program may use: 999,999,999.
///
/// Source: the Paragon's manuals; higher types belong to the system or are force types (from memory).
pub const MAX_TYPE: i32 = 999_999_999;

/// The selector that matches any type, node or process type: all bits of a mask of types; as a destination, all other nodes.
pub const ANY: i32 = -1;

/// The NX interface of a node; see the [module](self).
///
/// Messages sent and received here are separate from messages in groups of the same node.
pub struct Nx<'a, 'n> {
    node: &'a Node<'n>,
    /// The group that carries all NX messages and no others.
    wire: &'a Group<'n>,
    system: RefCell<System<'a>>,
    library: Library,
    costs: NxCosts,
}

impl<'a, 'n> Nx<'a, 'n> {
    /// Starts NX on this node, with [`Library::Nx`] and the [costs of a Paragon](NxCosts::PARAGON).
    ///
    /// # Errors
    /// Returns [`NxError::Second`] if the node already has an [`Nx`].
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

    /// Selects the library for the global operations; the default is [`Library::Nx`]. All nodes must select the same one.
    #[must_use]
    pub fn with_library(mut self, library: Library) -> Self {
        self.library = library;
        self
    }

    /// Sets the costs of NX's own algorithms in addition to the machine's parameters; the default is [`NxCosts::PARAGON`].
    #[must_use]
    pub fn with_costs(mut self, costs: NxCosts) -> Self {
        self.costs = costs;
        self
    }

    /// Returns the library for the global operations.
    pub fn library(&self) -> Library {
        self.library
    }

    /// Returns the costs of NX's own algorithms.
    pub fn costs(&self) -> NxCosts {
        self.costs
    }

    /// Returns the number of this node, from 0.
    pub fn mynode(&self) -> i32 {
        self.node.rank() as i32
    }

    /// Returns the number of nodes.
    pub fn numnodes(&self) -> i32 {
        self.node.size() as i32
    }

    /// Returns the type of this process, which is 0.
    pub fn myptype(&self) -> i32 {
        0
    }

    /// Returns the node's clock in seconds of modeled time since the start of the run.
    ///
    /// # Errors
    /// Returns [`NxError::Comm`] if the run is over.
    #[track_caller]
    pub fn dclock(&self) -> Result<f64, NxError> {
        Ok(self.node.now()?.as_secs_f64())
    }

    /// Returns the node's clock in whole milliseconds of modeled time since the start of the run.
    ///
    /// # Errors
    /// Returns [`NxError::Comm`] if the run is over.
    #[track_caller]
    pub fn mclock(&self) -> Result<u64, NxError> {
        Ok(self.node.now()?.as_picos() / 1_000_000_000)
    }

    /// Returns the binary-reflected Gray code of a number: consecutive numbers map to the nodes of a ring in a hypercube.
    pub fn gray(number: u32) -> u32 {
        number ^ (number >> 1)
    }

    /// Returns the inverse of the [Gray code](Nx::gray): the number with this code.
    pub fn ginv(code: u32) -> u32 {
        (0..u32::BITS).fold(0, |number, shift| number ^ (code >> shift))
    }
}

impl fmt::Debug for Nx<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nx(node {} of {})", self.node.rank(), self.node.size())
    }
}
