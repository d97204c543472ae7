//! Algorithm *Collective*: runs the broadcast as an all-gather or, from one source, as a broadcast of the collective library.
//!
//! **What it does.** An s-to-p broadcast is an all-gather in which some blocks may be empty; with a single source it is a broadcast. The
//! candidates are the [algorithms for collective operations](crate::collective).
//!
//! **Restrictions.** Some message is not empty: an all-gather without any bytes sends nothing.
//!
//! **Cost.** The cost of the algorithm chosen.
//!
//! **Source.** The sources of the algorithms for collective operations.

use super::{Algorithm, Entry, of};
use crate::plan::{Related, Restriction};

impl Algorithm {
    /// The fastest algorithm for the equivalent collective operation: an all-gather or, from one source, a broadcast.
    pub const COLLECTIVE: Algorithm = of(&COLLECTIVE);
}

static COLLECTIVE: Entry = Entry::new("collective", |planning| Ok(planning.problem.equal()))
    .about("as the equivalent all-gather or, with one source, as a broadcast")
    .cost("cost of the chosen algorithm")
    .only_if(&[Restriction {
        text: "a message that is not empty",
        is_met: |instance, ()| instance.bytes() > 0,
        found: |_, ()| String::new(),
    }]);
