//! Algorithm *Collective*: as the collect that it is or, from one source, as a broadcast.
//!
//! **What it does.** An s-to-p broadcast is a collect in which some blocks may be empty, and one from a single source is a broadcast.
//! So the [algorithms of those](crate::collective) are taken.
//!
//! **Restrictions.** None.
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** Those of the algorithms for collective operations.

use super::{Algorithm, Entry, of};
use crate::plan::Related;

impl Algorithm {
    /// As the collect that it is or, from one source, as a broadcast: the fastest of all algorithms for those.
    pub const COLLECTIVE: Algorithm = of(&COLLECTIVE);
}

static COLLECTIVE: Entry = Entry::new("collective", |planning| Ok(planning.problem.equal()))
    .about("as the collect that it is or, from one source, as a broadcast");
