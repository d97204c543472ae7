//! S-to-p broadcasting: `s` of the `p` nodes hold a message each, and all `p` nodes must end with all `s`.
//!
//! Every node knows where the sources are and how long the messages are, so each can work out on its own who holds
//! what in every iteration; nothing needs to be agreed on and no node waits for more than its own messages.
//!
//! * [`Distribution`] places the sources on a mesh; [`picture`] draws them;
//! * [`Schedule`] says for each node what it sends and receives, and counts the two quantities that decide the time:
//!   how fast the number of active nodes grows, and how slowly the messages do;
//! * [`br_lin()`] walks a schedule with the messages themselves, on any machine that can send and receive.
//!
//! Source: Hambrusch, Khokhar, Liu, "S-to-P Broadcasting on Coarse-Grained Machines", technical report CSD-TR-95-060
//! (Purdue University, 1995), called *the report* here, and its later conference version. Where they differ the
//! conference version counts, and the place says so.

mod br_lin;
mod distribution;
mod schedule;

pub use self::{
    br_lin::{BroadcastError, br_lin},
    distribution::{Distribution, DistributionError, ParseDistributionError, picture},
    schedule::{Action, Blocks, Schedule, ScheduleError, Step, snake},
};
