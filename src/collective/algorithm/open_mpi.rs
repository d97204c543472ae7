//! *Open MPI*: what the component *tuned* of Open MPI chooses without a file of rules.
//!
//! **What it does.** See [selectors](super::selector). The rules are tables by number of ranks and length. For these choices of Open MPI
//! another algorithm is taken:
//!
//! | Open MPI | here |
//! | --- | --- |
//! | binary, split binary, in-order binary and k-nomial trees | the tree of halves |
//! | chain with several arms, pipeline | *chains* |
//! | neighbour exchange, segmented ring, exchange of two ranks | a ring |
//! | butterfly | recursive halving |
//! | non-overlapping all-reduce and reduce-scatter | up and down the tree of halves |
//! | linear with synchronization | linear |
//! | recursive doubling of an all-gather without a power of two ranks | Bruck, as Open MPI does |
//!
//! **Restrictions.** None. `MPI_Allgatherv` and `MPI_Reduce_scatter_block` have tables of their own in Open MPI; here they follow those of
//! `MPI_Allgather`, by the mean block, and of `MPI_Reduce_scatter`. A scan, which Open MPI sends along a chain, is recursive doubling.
//!
//! **Source.** Open MPI 4.1 to 5.0, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c.

use super::{
    super::{Operation, Task},
    Algorithm, Entry, of,
    selector::{
        Choice::{self, Binomial, Bruck, Chain, Doubling, Halving, Linear, Ring},
        Rules, chosen,
    },
};

impl Algorithm {
    /// What Open MPI's *tuned* chooses, as far as its algorithms are here.
    pub const OPEN_MPI: Algorithm = of(&OPEN_MPI);
}

static OPEN_MPI: Entry =
    Entry::new("openmpi", |planning| choice(planning.problem).variants(planning.problem))
        .aliases(&["ompi"])
        .about("what Open MPI chooses by length and number of ranks")
        .source("Open MPI 4.1 to 5.0")
        .cost("cost of the chosen algorithm");

fn choice(task: &Task) -> Choice {
    let (size, bytes, is_in_order) = (task.size(), task.bytes(), task.is_in_order());
    let block = bytes / size as u64;
    match task.operation() {
        Operation::Broadcast => chosen(BROADCAST, size, bytes),
        Operation::Scatter => chosen(SCATTER, size, block),
        Operation::Gather => chosen(GATHER, size, block),
        Operation::AllGather => chosen(ALL_GATHER, size, block),
        Operation::Reduce => chosen(if is_in_order { REDUCE_IN_ORDER } else { REDUCE }, size, bytes),
        Operation::AllReduce => {
            chosen(if is_in_order { ALL_REDUCE_IN_ORDER } else { ALL_REDUCE }, size, bytes)
        }
        Operation::ReduceScatter if is_in_order => Binomial,
        Operation::ReduceScatter => chosen(REDUCE_SCATTER, size, bytes),
        Operation::Scan => Doubling,
    }
}

/// No limit.
const ANY: usize = usize::MAX;
const MAX: u64 = u64::MAX;

/// Rules for broadcasts.
const BROADCAST: Rules = &[
    (
        4,
        &[
            (32, Chain),
            (256, Binomial),
            (512, Chain),
            (1 << 10, Binomial),
            (32 << 10, Linear),
            (128 << 10, Binomial),
            (256 << 10, Chain),
            (512 << 10, Linear),
            (MAX, Binomial),
        ],
    ),
    (8, &[(8 << 10, Binomial), (1 << 20, Linear), (MAX, Chain)]),
    (16, &[(32 << 10, Binomial), (MAX, Linear)]),
    (32, &[(1 << 20, Binomial), (MAX, Doubling)]),
    (128, &[(MAX, Binomial)]),
    (256, &[(16 << 10, Binomial), (32 << 10, Linear), (MAX, Binomial)]),
    (1024, &[(MAX, Binomial)]),
    (2048, &[(512 << 10, Binomial), (MAX, Doubling)]),
    (ANY, &[(256 << 10, Binomial), (MAX, Doubling)]),
];

/// Rules for scatters, by the length of a block.
const SCATTER: Rules = &[
    (4, &[(MAX, Linear)]),
    (8, &[(2 << 10, Binomial), (4 << 10, Linear), (8 << 10, Binomial), (MAX, Linear)]),
    (32, &[(16 << 10, Binomial), (MAX, Linear)]),
    (64, &[(512, Binomial), (8 << 10, Linear), (16 << 10, Binomial), (MAX, Linear)]),
    (ANY, &[(512, Binomial), (MAX, Linear)]),
];

/// Rules for gathers, by the length of a block.
const GATHER: Rules = &[
    (4, &[(4, Linear), (32 << 10, Binomial), (64 << 10, Linear), (128 << 10, Binomial), (MAX, Linear)]),
    (8, &[(1 << 10, Binomial), (8 << 10, Linear), (32 << 10, Binomial), (MAX, Linear)]),
    (256, &[(MAX, Binomial)]),
    (512, &[(2 << 10, Binomial), (8 << 10, Linear), (MAX, Binomial)]),
    (ANY, &[(MAX, Binomial)]),
];

/// Rules for all-gathers, by the length of a block.
const ALL_GATHER: Rules = &[
    (3, &[(MAX, Ring)]),
    (32, &[(MAX, Doubling)]),
    (64, &[(1 << 10, Doubling), (MAX, Ring)]),
    (256, &[(512, Doubling), (MAX, Ring)]),
    (512, &[(32, Doubling), (128, Bruck), (1 << 10, Doubling), (MAX, Ring)]),
    (1024, &[(64, Doubling), (256, Bruck), (2 << 10, Doubling), (MAX, Ring)]),
    (
        2048,
        &[
            (4, Doubling),
            (8, Bruck),
            (16, Doubling),
            (32, Bruck),
            (256, Doubling),
            (512, Bruck),
            (4 << 10, Doubling),
            (MAX, Ring),
        ],
    ),
    (4096, &[(32, Bruck), (128, Doubling), (512, Bruck), (4 << 10, Doubling), (MAX, Ring)]),
    (ANY, &[(2, Doubling), (8, Bruck), (16, Doubling), (512, Bruck), (4 << 10, Doubling), (MAX, Ring)]),
];

/// Rules for reduces.
const REDUCE: Rules = &[
    (4, &[(8, Halving), (16, Binomial), (32, Chain), (256 << 10, Linear), (MAX, Chain)]),
    (
        8,
        &[
            (4 << 10, Binomial),
            (64 << 10, Chain),
            (256 << 10, Binomial),
            (512 << 10, Linear),
            (1 << 20, Binomial),
            (MAX, Linear),
        ],
    ),
    (ANY, &[(MAX, Binomial)]),
];

/// Rules for reduces with an operator that is not commutative.
const REDUCE_IN_ORDER: Rules = &[
    (4, &[(8, Binomial), (MAX, Linear)]),
    (8, &[(MAX, Linear)]),
    (
        16,
        &[(1 << 10, Binomial), (8 << 10, Linear), (16 << 10, Binomial), (256 << 10, Linear), (MAX, Binomial)],
    ),
    (128, &[(MAX, Binomial)]),
    (256, &[(512, Binomial), (1 << 10, Linear), (MAX, Binomial)]),
    (ANY, &[(MAX, Binomial)]),
];

/// Rules for all-reduces.
const ALL_REDUCE: Rules = &[
    (
        4,
        &[
            (8, Ring),
            (4 << 10, Doubling),
            (8 << 10, Ring),
            (16 << 10, Doubling),
            (256 << 10, Ring),
            (MAX, Halving),
        ],
    ),
    (8, &[(16, Ring), (8 << 10, Doubling), (MAX, Halving)]),
    (16, &[(8 << 10, Doubling), (MAX, Halving)]),
    (32, &[(64, Ring), (4 << 10, Doubling), (MAX, Halving)]),
    (64, &[(128, Ring), (MAX, Halving)]),
    (128, &[(256 << 10, Doubling), (MAX, Halving)]),
    (256, &[(128 << 10, Binomial), (256 << 10, Doubling), (MAX, Halving)]),
    (512, &[(4 << 10, Binomial), (MAX, Halving)]),
    (2048, &[(2 << 10, Binomial), (16 << 10, Doubling), (MAX, Halving)]),
    (4096, &[(2 << 10, Binomial), (4 << 10, Ring), (16 << 10, Doubling), (MAX, Halving)]),
    (ANY, &[(2 << 10, Binomial), (16 << 10, Ring), (32 << 10, Doubling), (MAX, Halving)]),
];

/// Rules for all-reduces with an operator that is not commutative.
const ALL_REDUCE_IN_ORDER: Rules = &[
    (4, &[(128 << 10, Doubling), (MAX, Binomial)]),
    (8, &[(MAX, Doubling)]),
    (16, &[(1 << 20, Doubling), (MAX, Binomial)]),
    (128, &[(MAX, Doubling)]),
    (256, &[(128 << 10, Binomial), (512 << 10, Doubling), (MAX, Binomial)]),
    (512, &[(4 << 10, Binomial), (512 << 10, Doubling), (MAX, Binomial)]),
    (ANY, &[(2 << 10, Binomial), (MAX, Doubling)]),
];

/// Rules for reduce-scatters.
const REDUCE_SCATTER: Rules = &[
    (4, &[(64 << 10, Ring), (128 << 10, Halving), (MAX, Ring)]),
    (8, &[(8, Binomial), (256 << 10, Halving), (MAX, Ring)]),
    (32, &[(256 << 10, Halving), (MAX, Ring)]),
    (64, &[(64, Binomial), (512 << 10, Halving), (MAX, Ring)]),
    (512, &[(256, Binomial), (MAX, Halving)]),
    (4096, &[(512, Binomial), (MAX, Halving)]),
    (ANY, &[(1 << 10, Binomial), (MAX, Halving)]),
];
