//! Algorithm *Collective*: as the collect that it is or, from one source, as a broadcast.
//!
//! **What it does.** An s-to-p broadcast is a collect in which some blocks may be empty, and one from a single source is a broadcast.
//! So the [algorithms of those](crate::collective) are taken.
//!
//! **Restrictions.** Some message is not empty: nothing is sent of a collect without any bytes.
//!
//! **Cost.** That of the algorithm chosen.
//!
//! **Source.** Those of the algorithms for collective operations.

use super::{Algorithm, Entry, of};
use crate::plan::{Related, Restriction};

impl Algorithm {
    /// As the collect that it is or, from one source, as a broadcast: the fastest of all algorithms for those.
    pub const COLLECTIVE: Algorithm = of(&COLLECTIVE);
}

static COLLECTIVE: Entry = Entry::new("collective", |planning| Ok(planning.problem.equal()))
    .about("as the collect that it is or, from one source, as a broadcast")
    .only_if(&[Restriction {
        text: "some message is not empty",
        is_met: |instance, ()| instance.bytes() > 0,
        found: |_, ()| String::new(),
    }]);
