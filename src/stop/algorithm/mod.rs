//! The algorithms: one file each, which begins with what it does, its restrictions, its cost in the symbols of the
//! timing model, and its source. This one is their registry: names, and the schedules that each comes in.
//!
//! `ideal` is where sources are best placed, and `variant` what an algorithm comes in.

mod auto;
mod br_lin;
mod br_xy;
mod bucket;
mod circulant;
mod ideal;
mod in_turn;
mod part;
#[cfg(test)]
mod plan_tests;
mod repos;
#[cfg(test)]
mod schedule_tests;
mod split;
mod spread;
mod tree;
mod two_step;
mod variant;
mod xor;

use std::{fmt, str::FromStr};

use thiserror::Error;

pub use self::ideal::ideal_places;
use self::{part::Within, variant::Variant};
use super::{
    Instance, Plan,
    plan::{Draft, Piece},
};

/// How an s-to-p broadcast is done.
///
/// Here `p = r c` is the number of nodes, `s` that of the sources, `n` the bytes of each; each algorithm's file in
/// `src/stop/algorithm` says more. Those of the papers do just what the papers say. The others come in variants, of
/// which [`plan`](Algorithm::plan) takes the one that is predicted to be the fastest for the instance.
///
/// ```
/// use multicomputer::stop::Algorithm;
/// let algorithm: Algorithm = "repos-br-xy-source".parse()?;
/// assert_eq!(algorithm.to_string(), "repos-br-xy-source");
/// assert!(Algorithm::PAPER.contains(&algorithm));
/// # Ok::<(), multicomputer::stop::ParseAlgorithmError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Recursive halving with exchange on the nodes in snake-like order: `ceil(log2 p)` iterations, each of
    /// `alpha + m beta` for the `m` bytes that a node holds, and `o_x` more for an exchange. Report, section 2.
    BrLin,
    /// The same on the nodes in row-major order, which is what the report's measurements seem to be of.
    BrLinRowMajor,
    /// Halving in rows and in columns, in `ceil(log2 r) + ceil(log2 c)` iterations; the rows come first if the fullest
    /// row has fewer sources than the fullest column. Report, section 2.
    BrXySource,
    /// The same; the rows come first if there are at least as many rows as columns. Report, section 2.
    BrXyDim,
    /// Every source sends its `n` bytes to everybody, in exclusive-or permutations: at least
    /// `(p - 1) (o_s + n beta)`. Report, section 2.
    Xor,
    /// All messages to node 0, then one broadcast of `ceil(log2 p) (alpha + s n beta)`. Report, section 2.
    TwoStep,
    /// Moves the messages to the algorithm's ideal places first, for `alpha + n beta`. Report, section 3.
    Repos(Base),
    /// Each half of the machine broadcasts half of the messages by *Br_Lin*, then the halves exchange what they have,
    /// for `alpha + (s/2) n beta`. Report, section 3.
    PartLin,
    /// The same with *Br_xy_source*.
    PartXySource,
    /// The halvings of the papers with a cheaper exchange, without `o_x`, in both orders of the dimensions, moved first
    /// or not.
    InTurn,
    /// Halving on a line laid to suit the sources: `log2 p alpha + (log2(p/s) + s - 1) n beta` for powers of two.
    Spread,
    /// Messages dealt out in pieces, which are then brought together by halving, on a circulant graph or in rings; only
    /// if at most half of the nodes are sources. For few long messages.
    Split,
    /// Pipelined broadcasts on a circulant graph: about `ceil(log2 p) + b - 1` rounds for messages in `b` blocks, on
    /// any `p`.
    Circulant,
    /// Rings in rows and in columns, `(r + c - 2) alpha + (m + s n) beta`: no conflicts, for slow links.
    Bucket,
    /// All messages to one source, then the tree that is the fastest for `o_s` and `alpha`. For one source.
    Tree,
    /// Predicts all of the above on the machine and takes the fastest.
    Auto,
}

/// An algorithm of the papers that works on sources where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// As [`Algorithm::BrLin`].
    BrLin,
    /// As [`Algorithm::BrXySource`].
    BrXySource,
    /// As [`Algorithm::BrXyDim`].
    BrXyDim,
    /// As [`Algorithm::Xor`].
    Xor,
    /// As [`Algorithm::TwoStep`].
    TwoStep,
}

impl Algorithm {
    /// Those of the papers.
    pub const PAPER: [Algorithm; 13] = [
        Algorithm::BrLin,
        Algorithm::BrLinRowMajor,
        Algorithm::BrXySource,
        Algorithm::BrXyDim,
        Algorithm::Xor,
        Algorithm::TwoStep,
        Algorithm::Repos(Base::BrLin),
        Algorithm::Repos(Base::BrXySource),
        Algorithm::Repos(Base::BrXyDim),
        Algorithm::Repos(Base::Xor),
        Algorithm::Repos(Base::TwoStep),
        Algorithm::PartLin,
        Algorithm::PartXySource,
    ];

    /// Those that the papers do not have, without [`Algorithm::Auto`].
    pub const BEYOND: [Algorithm; 6] = [
        Algorithm::InTurn,
        Algorithm::Spread,
        Algorithm::Split,
        Algorithm::Circulant,
        Algorithm::Bucket,
        Algorithm::Tree,
    ];

    /// All, [`Algorithm::Auto`] last.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Algorithm::PAPER.into_iter().chain(Algorithm::BEYOND).chain([Algorithm::Auto])
    }

    /// The name, as it is parsed and displayed.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::BrLin => "br-lin",
            Algorithm::BrLinRowMajor => "br-lin-row-major",
            Algorithm::BrXySource => "br-xy-source",
            Algorithm::BrXyDim => "br-xy-dim",
            Algorithm::Xor => "xor",
            Algorithm::TwoStep => "2-step",
            Algorithm::Repos(Base::BrLin) => "repos-br-lin",
            Algorithm::Repos(Base::BrXySource) => "repos-br-xy-source",
            Algorithm::Repos(Base::BrXyDim) => "repos-br-xy-dim",
            Algorithm::Repos(Base::Xor) => "repos-xor",
            Algorithm::Repos(Base::TwoStep) => "repos-2-step",
            Algorithm::PartLin => "part-lin",
            Algorithm::PartXySource => "part-xy-source",
            Algorithm::InTurn => "in-turn",
            Algorithm::Spread => "spread",
            Algorithm::Split => "split",
            Algorithm::Circulant => "circulant",
            Algorithm::Bucket => "bucket",
            Algorithm::Tree => "tree",
            Algorithm::Auto => "auto",
        }
    }

    /// Works the broadcast out: once, for all nodes.
    ///
    /// An algorithm of one variant takes time and memory in proportion to its messages and the blocks in them.
    /// Otherwise all variants are [predicted](crate::predict), some microseconds a message, and the fastest is taken,
    /// of equally fast ones the first. That depends on the instance alone, so it is the same whoever works it out. For
    /// [`Algorithm::Auto`] it takes tens of milliseconds on 100 nodes, and seconds on thousands.
    ///
    /// In a program that runs in real time making a plan is computing, and delays the node: make it before the run, or
    /// share it with [`Plans`](super::Plans).
    ///
    /// # Errors
    ///
    /// [`PlanError`] if the algorithm has no variant for the instance, or if it has several and modeled time cannot
    /// tell how long any of them takes.
    pub fn plan(self, instance: &Instance) -> Result<Plan, PlanError> {
        self.check(instance)?;
        let candidates = self.candidates(instance);
        if let [(algorithm, only)] = &candidates[..] {
            return Ok(Plan::new(instance, *algorithm, only.name.clone(), only.draft(instance), None));
        }
        auto::fastest(instance, &candidates).ok_or(PlanError::TooLong { algorithm: self })
    }

    /// Whether the restrictions of the algorithm are met, found out without working anything out.
    ///
    /// # Errors
    ///
    /// [`PlanError::Restricted`].
    pub fn check(self, instance: &Instance) -> Result<(), PlanError> {
        if self == Algorithm::Split && !split::works_for(instance) {
            return Err(PlanError::Restricted { algorithm: self, to: split::RESTRICTION });
        }
        Ok(())
    }

    /// What there is to choose from, each with the algorithm that it is of.
    fn candidates(self, instance: &Instance) -> Vec<(Algorithm, Variant)> {
        let algorithms = if self == Algorithm::Auto { auto::algorithms(instance) } else { vec![self] };
        let of = |algorithm: Algorithm| {
            algorithm.variants(instance).into_iter().map(move |variant| (algorithm, variant))
        };
        algorithms.into_iter().flat_map(of).collect()
    }

    /// The schedules that the algorithm comes in; none if its restrictions are not met, and none of [`Algorithm::Auto`]
    /// itself.
    fn variants(self, instance: &Instance) -> Vec<Variant> {
        match self {
            Algorithm::BrLin => Variant::only(br_lin::draft),
            Algorithm::BrLinRowMajor => Variant::only(br_lin::row_major),
            Algorithm::BrXySource => Variant::only(br_xy::by_source),
            Algorithm::BrXyDim => Variant::only(br_xy::by_dim),
            Algorithm::Xor => xor::variants(instance, xor::draft),
            Algorithm::TwoStep => Variant::only(two_step::draft),
            Algorithm::Repos(Base::Xor) => xor::variants(instance, |one| repos::draft(one, Base::Xor)),
            Algorithm::Repos(base) => Variant::only(move |instance| repos::draft(instance, base)),
            Algorithm::PartLin => Variant::only(|instance| part::draft(instance, Within::Lin)),
            Algorithm::PartXySource => Variant::only(|instance| part::draft(instance, Within::XySource)),
            Algorithm::InTurn => in_turn::variants(),
            Algorithm::Spread => spread::variants(),
            Algorithm::Split => split::variants(instance),
            Algorithm::Circulant => circulant::variants(instance),
            Algorithm::Bucket => bucket::variants(instance),
            Algorithm::Tree => Variant::only(tree::draft),
            Algorithm::Auto => Vec::new(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = ParseAlgorithmError;

    /// Takes an [`Algorithm::name`], exactly.
    fn from_str(name: &str) -> Result<Algorithm, ParseAlgorithmError> {
        let known = Algorithm::all().find(|algorithm| algorithm.name() == name);
        known.ok_or_else(|| ParseAlgorithmError { name: name.to_owned() })
    }
}

/// A name that is none of an [`Algorithm`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no algorithm is called {name:?}: the names are {}",
    Algorithm::all().map(Algorithm::name).collect::<Vec<_>>().join(", ")
)]
pub struct ParseAlgorithmError {
    /// The name given.
    pub name: String,
}

/// Why an algorithm cannot be planned for an instance.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Its restrictions are not met.
    #[error("{algorithm} works only if {to}")]
    Restricted {
        /// The algorithm.
        algorithm: Algorithm,
        /// What it needs.
        to: &'static str,
    },
    /// It takes longer than modeled time can tell.
    #[error("{algorithm} takes longer than modeled time can tell, some 213 days")]
    TooLong {
        /// The algorithm.
        algorithm: Algorithm,
    },
}

crate::text::debug_as_text!(PlanError);
