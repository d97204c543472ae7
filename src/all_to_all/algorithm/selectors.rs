//! *MPICH* and *Open MPI*: what these libraries choose for `MPI_Alltoall` by number of ranks and length of a message.
//!
//! **What it does.** *MPICH*: *Bruck* to 256 bytes from 8 ranks on; to 32 KiB all messages at once; pairwise exchange. *Open MPI*: the
//! table below. Pairwise exchange is linear permutation, in rounds; all messages at once are started in the order of these rounds.
//! *Auto* does not try selectors: it tries the algorithms.
//!
//! **Restrictions.** None. For messages of several lengths the longest decides.
//!
//! **Source.** MPICH 3 and 4, maint/tuning/coll/mpir/generic.json; Open MPI 4.1 to 5.0, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c.
//! There, `linear` and `linear_sync` start all messages, and an exchange of two ranks is one round.

use super::{
    super::{
        Instance,
        planner::{Planner, Variant},
        procedure::Draft,
        rounds::{digits::Pace, style::Style},
    },
    Algorithm, Entry, bruck, of,
};
use crate::pattern::Exchange;

static MPICH: Entry = Entry::new("mpich", |planning| Ok(variants(planning.workspace, mpich)))
    .about("what MPICH chooses by length and number of ranks")
    .source("Thakur et al. 2005; MPICH 4")
    .cost("cost of the chosen algorithm");

static OPEN_MPI: Entry = Entry::new("openmpi", |planning| Ok(variants(planning.workspace, open_mpi)))
    .aliases(&["ompi"])
    .about("what Open MPI chooses by length and number of ranks")
    .source("Open MPI 4.1 to 5.0")
    .cost("cost of the chosen algorithm");

impl Algorithm {
    /// What MPICH chooses.
    pub const MPICH: Algorithm = of(&MPICH);
    /// What Open MPI's *tuned* chooses.
    pub const OPEN_MPI: Algorithm = of(&OPEN_MPI);
}

/// An algorithm in the terms of the selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Bruck,
    AtOnce,
    Rounds,
}

use Choice::{AtOnce, Bruck, Rounds};

fn mpich(size: usize, bytes: u64) -> Choice {
    match bytes {
        0..=256 if size >= 8 => Bruck,
        0..=0x8000 => AtOnce,
        _ => Rounds,
    }
}

fn open_mpi(size: usize, bytes: u64) -> Choice {
    let lengths = TUNED.iter().find(|(most, _)| size < *most).map_or(&[][..], |(_, lengths)| lengths);
    lengths.iter().find(|(most, _)| bytes < *most).map_or(AtOnce, |&(_, choice)| choice)
}

fn variants(planner: &Planner, choose: fn(usize, u64) -> Choice) -> Vec<Variant> {
    let instance = planner.instance();
    let [_, longest] = instance.lengths();
    let in_style =
        |style| planner.with_styles(&[style]).in_styles("pairwise", |planner| Ok(planner.linear()));
    match choose(instance.size(), longest) {
        Bruck => {
            let draft = |instance: &Instance| {
                let pace = Pace::Each(Exchange::Together);
                Ok(Draft::by(bruck::stage(instance.matrix().clone(), 2, pace)))
            };
            vec![Variant::new("bruck (radix 2)", draft)]
        }
        AtOnce => in_style(Style::Ahead(usize::MAX)),
        Rounds => in_style(Style::Each(Exchange::Together)),
    }
}

/// No limit.
const ANY: usize = usize::MAX;
const MAX: u64 = u64::MAX;

/// Open MPI's rules: choices up to a number of ranks, each up to a length, which are excluded.
const TUNED: &[(usize, &[(u64, Choice)])] = &[
    (3, &[(32 << 10, Rounds), (256 << 10, AtOnce), (MAX, Rounds)]),
    (8, &[(512 << 10, AtOnce), (1 << 20, Rounds), (MAX, AtOnce)]),
    (16, &[(MAX, AtOnce)]),
    (32, &[(4, AtOnce), (512, Bruck), (MAX, AtOnce)]),
    (64, &[(512, Bruck), (MAX, AtOnce)]),
    (256, &[(1 << 10, Bruck), (256 << 10, AtOnce), (MAX, Rounds)]),
    (512, &[(1 << 10, Bruck), (32 << 10, AtOnce), (MAX, Rounds)]),
    (1024, &[(512, Bruck), (256 << 10, AtOnce), (MAX, Rounds)]),
    (2048, &[(512, Bruck), (MAX, AtOnce)]),
    (4096, &[(1 << 10, Bruck), (MAX, AtOnce)]),
    (ANY, &[(2 << 10, Bruck), (MAX, AtOnce)]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_to_all::Matrix;

    #[test]
    fn choices_are_the_published_ones() {
        for (algorithm, nodes, bytes, expected) in [
            (Algorithm::MPICH, 8, 256, "bruck (radix 2)"),
            (Algorithm::MPICH, 7, 256, "pairwise, all ahead"),
            (Algorithm::MPICH, 8, 257, "pairwise, all ahead"),
            (Algorithm::MPICH, 8, 32 << 10, "pairwise, all ahead"),
            (Algorithm::MPICH, 8, (32 << 10) + 1, "pairwise"),
            (Algorithm::OPEN_MPI, 15, 4, "pairwise, all ahead"),
            (Algorithm::OPEN_MPI, 16, 4, "bruck (radix 2)"),
            (Algorithm::OPEN_MPI, 16, 512, "pairwise, all ahead"),
            (Algorithm::OPEN_MPI, 64, 256 << 10, "pairwise"),
        ] {
            let machine = format!("hockney:1x{nodes}").parse().unwrap();
            let matrix = Matrix::of(nodes, |_, _| bytes).unwrap();
            let plan = algorithm.plan(&Instance::new(&machine, matrix).unwrap()).unwrap();
            assert_eq!(plan.name(), expected, "{algorithm}, {nodes} ranks, {bytes} B");
        }
    }
}
