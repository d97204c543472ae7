//! *Detour*: full rounds of slices, some of which are sent through intermediaries to relieve congested links.
//!
//! **What it does.** If all routes are fixed, no order of the messages reduces the load of a link. In the transpose of a matrix on a
//! mesh, for example, all messages of a row turn at the same corner. So messages are cut into slices, and a slice whose direct path is
//! congested goes to an intermediary first, and from there to its destination. The slices and their intermediaries are chosen to
//! minimize the load of the busiest link or port ([`congestion`]). All nodes compute the same choice, so no notifications are sent.
//! Rounds are then filled ([`filling`]): in each one every node sends at most one slice and receives at most one, and no link needs
//! longer than a port. Slices that need the link or port with the most remaining load go first. The schedule is time-triggered, with
//! slack for sends and receives that are a little late. Without congested links all slices go directly, and the rounds may still be
//! fuller than those of other algorithms.
//!
//! **Restrictions.** With too many slices the rounds are those of *colored*, or of linear permutation.
//!
//! **Cost.** If the ports need `t beta` and the busiest link `c t beta`, a fraction of up to `1 - 1 / c` of the bytes across that link is
//! detoured, and each detoured byte uses two more ports. With slices of `q` bytes there are about `t / q + h` rounds. Each takes `q beta`
//! or, if longer, two calls. Some more rounds are needed, as not all rounds can be full.
//!
//! **Source.** L. G. Valiant, G. J. Brebner, "Universal schemes for parallel communication", STOC 1981, where all messages take random
//! detours. Rounds need little more time than the busiest resource: F. T. Leighton, B. M. Maggs, S. B. Rao, "Packet routing and job-shop
//! scheduling in O(congestion + dilation) steps", Combinatorica 14(2), 1994. The choice of intermediaries and the order of slices: this
//! project.

mod congestion;
mod filling;

use self::{congestion::Congestion, filling::Filling};
use super::{
    super::{
        Instance, Piece, PlanError,
        planner::Variant,
        procedure::Draft,
        rounds::{Part, parts, paths::Paths},
    },
    Algorithm, Entry, Planning, of,
};
use crate::{
    model::Parameters,
    pattern::{Action, Builder, Exchange, Schedule, Transfer},
    rank::Rank,
    time::Span,
};

/// Numbers of slices to try for the traffic of the busiest node.
const SLICES_OF_TRAFFIC: [u64; 3] = [128, 32, 8];

/// Maximum number of slices. It limits the planning time, because the unsent slices are sorted for each round.
const MAX_SLICES: u64 = 40_000;

/// One hop of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hop {
    from: Rank,
    to: Rank,
    slice: u32,
}

static DETOUR: Entry = Entry::new("detour", variants)
    .aliases(&["valiant"])
    .about("full rounds of slices; data for congested links is forwarded through other nodes")
    .source("Valiant, Brebner 1981; this project")
    .cost("with slices of `q` bytes about `t / q + h` rounds of `q beta` (at least the time of two calls), plus the detours")
    .limits("uses the rounds of `colored` if there are too many slices");

impl Algorithm {
    /// Full rounds of slices; congested links are relieved by detours through other nodes.
    pub const DETOUR: Algorithm = of(&DETOUR);
}

/// Returns variants with slices of several lengths, or plain rounds if there would be too many slices.
fn variants(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let (instance, planner) = (planning.problem, planning.workspace);
    let lengths = lengths(instance);
    if lengths.is_empty() {
        return Ok(planner
            .in_styles_as("detour", planner.fewest_rounds_name(), |planner| Ok(planner.fewest_rounds())));
    }
    let variant = |slice: u64| {
        let bound = lower_bound(instance, planner.paths(), slice);
        let planner = planner.clone();
        let make = move |instance: &Instance| {
            let detour = Detour::new(instance, planner.paths(), slice);
            Ok(detour.time_triggered(instance.parameters()))
        };
        Variant::new(format!("detour ({slice} B)"), make).at_least(bound)
    };
    Ok(lengths.into_iter().map(variant).collect())
}

/// All slices, and the rounds in which they are moved.
#[derive(Debug)]
struct Detour {
    nodes: usize,
    /// Slices ordered by source, then destination, then offset.
    slices: Vec<Piece>,
    rounds: Vec<Vec<Hop>>,
    /// Minimum time of a round.
    length: Span,
}

/// Returns the slice lengths to try, or none if there would be too many slices.
fn lengths(instance: &Instance) -> Vec<u64> {
    let parameters = instance.parameters();
    let traffic = instance.matrix().without_own().traffic();
    // A round takes at least as long as its calls.
    let calls = parameters.send_overhead() + parameters.receive_overhead() + parameters.exchange_overhead();
    let shortest = (calls.as_secs_f64() / parameters.beta()).min(traffic as f64) as u64;
    let mut lengths: Vec<u64> =
        SLICES_OF_TRAFFIC.iter().map(|slices| traffic.div_ceil(*slices).max(shortest).max(1)).collect();
    lengths.dedup();
    let slices = |length: u64| parts(instance.matrix()).map(|part| part.bytes.div_ceil(length)).sum::<u64>();
    lengths.retain(|&length| slices(length) <= MAX_SLICES);
    lengths
}

/// Returns a lower bound on the time of rounds of slices of at most `slice` bytes: the busiest node needs a round for each of its slices,
/// and all rounds are equally long.
fn lower_bound(instance: &Instance, paths: &Paths, slice: u64) -> Span {
    let nodes = instance.size();
    let (mut sent, mut received, mut longest) = (vec![0; nodes], vec![0; nodes], 0);
    for Part { from, to, bytes } in parts(instance.matrix()) {
        let slices = bytes.div_ceil(slice);
        sent[from] += slices;
        received[to] += slices;
        longest = longest.max(bytes.div_ceil(slices));
    }
    let rounds = sent.into_iter().chain(received).max().unwrap_or(0_u64);
    // Excludes the last round, which may consist of shorter slices.
    Span::from_secs_f64(longest as f64 / paths.room).times(rounds.saturating_sub(1))
}

impl Detour {
    /// Computes the detours and the rounds with slices of at most `slice` bytes.
    fn new(instance: &Instance, paths: &Paths, slice: u64) -> Detour {
        let mut congestion = Congestion::new(instance, paths, slice);
        congestion.choose_intermediaries();
        let (slices, rounds, length) = Filling::new(&congestion).rounds();
        // A message arrives before the next one is started, so its receive does not overlap a send.
        let parameters = instance.parameters();
        let way = parameters.latency() + parameters.hop().times(congestion.max_hop_links() as u64);
        let length = Span::from_secs_f64(length) + way + Span::from_nanos(1);
        Detour { nodes: instance.size(), slices, rounds, length }
    }

    /// Returns the draft of the time-triggered schedule.
    fn time_triggered(self, parameters: &Parameters) -> Draft {
        let schedule = self.schedule(parameters);
        Draft::new(self.slices, schedule)
    }

    /// Returns the steps of every node in the time-triggered schedule.
    fn schedule(&self, parameters: &Parameters) -> Schedule {
        let origins: Vec<Rank> = self.slices.iter().map(|slice| slice.from).collect();
        let sizes: Vec<u64> = self.slices.iter().map(|slice| slice.bytes).collect();
        let mut builder = Builder::new(self.nodes, &origins, &sizes, Exchange::Overlapped);
        for round in &self.rounds {
            let transfer = |hop: &Hop| Transfer { from: hop.from, to: hop.to, blocks: [hop.slice].into() };
            builder.move_blocks(round.iter().map(transfer));
        }
        let (send, receive) = (parameters.send_overhead(), parameters.receive_overhead());
        let busy = |action: &Action| match action {
            Action::Start(_) => send,
            Action::Recv(_) => receive,
            Action::Pause(span) => *span,
            _ => Span::ZERO,
        };
        // Receives are as late as possible, because flows that share links may be late.
        let patience = self.length - (send + receive + parameters.exchange_overhead());
        builder.finish().time_triggered(self.length.max(send + receive), send, patience, busy)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        all_to_all::Matrix,
        model::{MachineSpec, Parameters},
        topology,
    };

    fn check(instance: &Instance, slice: u64) {
        let detour = Detour::new(instance, &Paths::of(instance), slice);
        let mut bytes: BTreeMap<(Rank, Rank), u64> = BTreeMap::new();
        for slice in &detour.slices {
            let end = bytes.entry((slice.from, slice.to)).or_default();
            assert_eq!(slice.start, *end, "without gaps");
            assert!(slice.bytes > 0);
            *end += slice.bytes;
        }
        let matrix = instance.matrix().without_own();
        assert!(bytes.into_iter().eq(matrix.messages().map(|(from, to, bytes)| ((from, to), bytes))));
        // The node that holds each slice, and the first round in which it can send the slice.
        let mut places: Vec<(Rank, usize)> = detour.slices.iter().map(|slice| (slice.from, 0)).collect();
        for (nth, round) in detour.rounds.iter().enumerate() {
            for end in [|hop: &Hop| hop.from, |hop: &Hop| hop.to] {
                let mut ends: Vec<Rank> = round.iter().map(end).collect();
                ends.sort_unstable();
                assert!(ends.windows(2).all(|pair| pair[0] != pair[1]), "one slice each way");
            }
            for hop in round {
                let (place, since) = &mut places[hop.slice as usize];
                assert!(*place == hop.from && *since <= nth);
                (*place, *since) = (hop.to, nth + 2);
            }
        }
        assert!(places.iter().zip(&detour.slices).all(|((place, _), slice)| *place == slice.to));
        let rounds = detour.rounds.len() as u64;
        assert!(lower_bound(instance, &Paths::of(instance), slice) <= detour.length.times(rounds));
    }

    proptest! {
        /// All slices arrive, and no two leave or enter a node in the same round.
        #[test]
        fn rounds_move_all_slices(
            side in 1..5_usize, bytes in prop::collection::vec(0..900_u64, 256), slice in 1..1000_u64, sparse in 1..9_u64
        ) {
            let mesh = topology::parse(&format!("mesh:{side}x{side}")).unwrap();
            let machine = MachineSpec::new("mesh", mesh, Parameters::hockney());
            let matrix = Matrix::of(side * side, |from, to| {
                let bytes = bytes[from * 16 + to];
                if bytes % sparse == 0 { bytes } else { 0 }
            });
            check(&Instance::new(&machine, matrix.unwrap()).unwrap(), slice);
        }
    }

    /// All nodes of one row send to one column, so direct paths share a corner.
    #[test]
    fn slices_avoid_a_congested_corner() {
        let mesh = topology::parse("mesh:6x6").unwrap();
        let machine = MachineSpec::new("mesh", mesh, Parameters::hockney());
        let matrix = Matrix::of(36, |from, to| if from < 6 && to == 6 * from { 100_000 } else { 0 }).unwrap();
        let instance = Instance::new(&machine, matrix).unwrap();
        check(&instance, 10_000);
        let detour = Detour::new(&instance, &Paths::of(&instance), 10_000);
        // Direct slices take 50 rounds.
        assert!(detour.rounds.len() < 40, "{}", detour.rounds.len());
    }
}
