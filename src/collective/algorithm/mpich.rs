//! *MPICH*: what MPICH chooses without a file of its own.
//!
//! **What it does.** See [selectors](super::selector). `p` is the number of ranks, `n` the length of the whole vector.
//!
//! | operation | choice |
//! | --- | --- |
//! | broadcast | a tree up to 12 KiB or below 8 ranks; scatter and recursive doubling up to 512 KiB if `p` is a power of two; scatter and ring |
//! | scatter, gather | a tree |
//! | all-gather | if `p` is a power of two, recursive doubling below 512 KiB; else Bruck below 80 KiB; a ring |
//! | reduce, all-reduce | to 2 KiB, with less elements than ranks, or in rank order: a tree, recursive doubling; recursive halving |
//! | reduce-scatter | below 512 KiB or in rank order, recursive halving; pairwise exchange, for which a ring is taken |
//! | scan | recursive doubling |
//!
//! **Restrictions.** None.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005; MPICH 3
//! and 4, maint/tuning/coll/mpir/generic.json and the defaults of MPIR_CVAR_*_MSG_SIZE. MPICH takes halving only for its own operators; an
//! operator of the program that is commutative is treated as one of these.

use super::{
    super::{Operation, Task},
    Algorithm, Entry, of,
    selector::Choice,
};

impl Algorithm {
    /// What MPICH chooses, as far as its algorithms are here.
    pub const MPICH: Algorithm = of(&MPICH);
}

static MPICH: Entry = Entry::new("mpich", |planning| choice(planning.problem).variants(planning.problem))
    .about("what MPICH chooses by length and number of ranks")
    .source("Thakur et al. 2005; MPICH 4")
    .cost("cost of the chosen algorithm");

fn choice(task: &Task) -> Choice {
    let (size, bytes) = (task.size(), task.bytes());
    let is_power = size.is_power_of_two();
    let is_short = bytes <= 2 << 10 || task.is_in_order() || bytes / task.element_bytes() < 1 << size.ilog2();
    match task.operation() {
        Operation::Broadcast if size < 8 || bytes <= 12 << 10 => Choice::Binomial,
        Operation::Broadcast if is_power && bytes <= 512 << 10 => Choice::Doubling,
        Operation::Scatter | Operation::Gather => Choice::Binomial,
        Operation::AllGather if is_power && bytes < 512 << 10 => Choice::Doubling,
        Operation::AllGather if !is_power && bytes < 80 << 10 => Choice::Bruck,
        Operation::Reduce if is_short => Choice::Binomial,
        Operation::AllReduce if is_short => Choice::Doubling,
        Operation::Reduce | Operation::AllReduce => Choice::Halving,
        Operation::ReduceScatter if task.is_in_order() || bytes < 512 << 10 => Choice::Halving,
        Operation::Broadcast | Operation::AllGather | Operation::ReduceScatter => Choice::Ring,
        Operation::Scan => Choice::Doubling,
    }
}
