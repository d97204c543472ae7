//! *Two-stage*: all data is first spread evenly over all nodes, and then delivered.
//!
//! **What it does.** Every message is cut into `p` equal parts, one for each intermediary node. A node that has received its parts of all
//! messages sends to each receiver the parts for it. So two exchanges of nearly equal messages replace one exchange of messages of any
//! lengths. The lengths of the parts precede the parts of each message. *Two-stage* carries out both stages by modified linear
//! permutation, *relayed* in balanced rounds without an exchange of lengths and without barriers. *Shuffled* is *two-stage* with the
//! parts assigned to the intermediaries in random order. *Scheduled* carries out the first stage by [distributed random
//! scheduling](super::random) with both improvements, and the second stage by modified linear permutation. The paper says of the first
//! stage that distributed scheduling "may perform better" if traffic is unequal, because its messages then differ in length.
//!
//! Cutting and reassembly of messages are in [`split`].
//!
//! **Restrictions.** None. *Scheduled* needs active messages, and only a run gives its time.
//!
//! **Cost.** `2 (p alpha + t beta)`, and about `8 p^2 beta` for the lengths of the parts, or twice that if the parts are shuffled.
//! *Scheduled*: at least two more active messages for each message of the first stage, and no barriers in it.
//!
//! **Source.** Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, section
//! 6, figures 7 and 8; *scheduled*: section 6.1.

mod split;

use std::sync::Arc;

use self::split::Split;
use super::{
    super::{
        ExchangeError, Instance, Matrix, MatrixError, PlanError,
        planner::Variant,
        procedure::{Draft, Procedure, Transport},
        rounds::{
            paths::Paths,
            permutation,
            stage::{Stage, concatenate},
            style::Style,
        },
    },
    Algorithm, Entry, Planning, of,
    permutation::{barriers, synchronized},
    random::{Improvements, Random},
    refused, seeded,
};
use crate::{pattern::Schedule, payload::Payload, plan::bound::MARGIN, time::Span};

static TWO_STAGE: Entry = Entry::new("two-stage", in_synchronized_stages)
    .about("spreads all data evenly over the nodes, then delivers it")
    .source("Ranka, Shankar, Alsabti 1995, section 6")
    .cost("`2 (p alpha + t beta)`, about `8 p^2 beta` for the lengths of pieces, and twice the length exchange and the barriers of `modified`");

static SHUFFLED: Entry = Entry::new("shuffled", in_synchronized_stages)
    .about("`two-stage`, with the pieces shuffled among the nodes between the stages")
    .source("Ranka, Shankar, Alsabti 1995, section 6.3")
    .cost("as `two-stage`, plus up to `8 p^2 beta` for the numbers of the pieces");

static SCHEDULED: Entry = Entry::new("scheduled", scheduled)
    .about("`two-stage`, with the first stage by distributed random scheduling")
    .source("Ranka, Shankar, Alsabti 1995, section 6.1")
    .cost("as `two-stage`, with `2 (a_s + a_r)` for each message of the first stage instead of its barriers")
    .unpredictable();

static RELAYED: Entry = Entry::new("relayed", relayed)
    .about("`two-stage` for lengths that all ranks know; no barriers")
    .source("this project")
    .cost("`2 (p alpha + t beta)`");

impl Algorithm {
    /// Two stages, each by modified linear permutation.
    pub const TWO_STAGE: Algorithm = of(&TWO_STAGE);
    /// Two stages with parts in random order, with seed 1.
    pub const SHUFFLED: Algorithm = seeded(&SHUFFLED);
    /// Two stages, the first by random scheduling with both improvements, with seed 1.
    pub const SCHEDULED: Algorithm = seeded(&SCHEDULED);
    /// Two stages without an exchange of counts and without barriers.
    pub const RELAYED: Algorithm = of(&RELAYED);
}

/// Returns the variant with two stages of modified linear permutation, with shuffled parts if there is a seed.
fn in_synchronized_stages(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let seed = *planning.parameter;
    let make = move |instance: &Instance| {
        let split = Split::new(&instance.matrix().without_own(), seed);
        let [first, second] =
            [checked(split.first())?, checked(split.second())?].map(|matrix| synchronized(instance, matrix));
        Ok(Draft::by(TwoStages { split: Arc::new(split), first, second }))
    };
    Ok(vec![Variant::new("", make).at_least(lower_bound(planning.problem, true))])
}

/// Returns the variant with the first stage by random scheduling, the second by modified linear permutation.
fn scheduled(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let seed = planning.parameter.unwrap_or(0);
    let make = move |instance: &Instance| {
        let split = Split::new(&instance.matrix().without_own(), None);
        let first = instance.with(Arc::new(checked(split.first())?));
        let first = Random::new(first, seed, Improvements { measured: true, early: true });
        let second = synchronized(instance, checked(split.second())?);
        Ok(Draft::by(Scheduled { split, first, second }))
    };
    Ok(vec![Variant::new("", make)])
}

/// Returns variants in several styles, with balanced rounds.
fn relayed(planning: &Planning<'_>) -> Result<Vec<Variant>, PlanError> {
    let (planner, bound) = (planning.workspace, lower_bound(planning.problem, false));
    let known = planner.computed_once(|planner| {
        let split = Split::new(&planner.matrix().without_own(), None);
        let stages = [checked(split.first())?, checked(split.second())?].map(|matrix| {
            let matrix = Arc::new(matrix);
            let rounds = planner.balanced_rounds_of(&matrix, permutation::rounds(&matrix));
            (matrix, rounds)
        });
        Ok((Arc::new(split), stages))
    });
    let variant = |&style: &Style| {
        let known = known.clone();
        let make = move |_: &Instance| {
            let (split, stages) = known()?;
            let [first, second] = stages.map(|(matrix, rounds)| Stage::rounds(matrix, &rounds, style));
            Ok(Draft::by(TwoStages { split, first, second }))
        };
        Variant::new(format!("relayed{}", style.name()), make).at_least(bound)
    };
    Ok(planner.styles().iter().map(variant).collect())
}

/// Returns a lower bound on the time of two stages, with or without barriers.
fn lower_bound(instance: &Instance, has_barriers: bool) -> Span {
    let (nodes, parameters) = (instance.size(), instance.parameters());
    let matrix = instance.matrix().without_own();
    let mean = (0..nodes).map(|node| matrix.sent(node)).sum::<u64>() as f64 / nodes as f64;
    // Each node forwards the mean of the bytes that all nodes send. Up to 1/p of its own traffic, and 1/p of the forwarded traffic, both
    // rounded up, is not sent, because its source or destination is the intermediary itself.
    let (traffic, nodes_f) = (matrix.traffic() as f64, nodes as f64);
    let moved = (traffic * (1.0 - 2.0 / nodes_f) + mean - 2.0 * nodes_f).max(0.0);
    let ports = Span::from_secs_f64(MARGIN * moved * parameters.node_beta());
    // Minimum bytes from each source to each intermediary, and from each intermediary to each destination.
    let (mut first, mut second) = (vec![0; nodes], vec![0; nodes]);
    for (from, to, bytes) in matrix.messages() {
        first[from] += bytes / nodes as u64;
        second[to] += bytes / nodes as u64;
    }
    let links = Paths::link_bound(instance, |from, to| first[from] + second[to]);
    // A source assigns its bytes to the intermediaries round-robin, so with at least `nodes` bytes it sends to every node. A destination
    // gets bytes from every node if some source has at least `nodes` bytes for it.
    let spreads = |node: usize| matrix.sent(node) >= nodes as u64;
    let gathers = |node: usize| second[node] > 0;
    let count = |is_one: &dyn Fn(usize) -> bool| (0..nodes).filter(|&node| is_one(node)).count() as u64;
    let [spreading, gathering] = [count(&spreads), count(&gathers)];
    let others = nodes as u64 - 1;
    let calls = |node: usize| {
        let [own_spread, own_gather] = [spreads(node), gathers(node)].map(u64::from);
        let sends = own_spread * others + gathering - own_gather;
        let receives = own_gather * others + spreading - own_spread;
        parameters.send_overhead().times(sends) + parameters.receive_overhead().times(receives)
    };
    let least = ports.max(links).max((0..nodes).map(calls).max().unwrap_or(Span::ZERO));
    if !has_barriers {
        return least;
    }
    // With barriers, every non-empty stage has all its rounds.
    let stages = [(spreading, &first), (gathering, &second)].into_iter().filter(|&(some, _)| some > 0);
    let stage = |(_, bytes): (u64, &Vec<u64>)| {
        let all = barriers(instance, nodes - 1);
        // In every round some node sends this many bytes, after all nodes have reached the hardware barrier.
        let most = bytes.iter().copied().max().unwrap_or(0) as f64;
        let round = Span::from_secs_f64(MARGIN * most * parameters.node_beta()) + parameters.send_overhead();
        if instance.has_barrier() { all + round.times(others) } else { all }
    };
    least.max(stages.map(stage).sum())
}

/// Returns the matrix of a stage, or an error if the headers make a node's traffic too large.
fn checked(matrix: Result<Matrix, MatrixError>) -> Result<Matrix, PlanError> {
    matrix.map_err(|error| refused(Algorithm::TWO_STAGE, error.to_string()))
}

/// Two predictable stages: to the intermediaries, and on to the destinations.
#[derive(Debug)]
struct TwoStages {
    split: Arc<Split>,
    first: Stage,
    second: Stage,
}

impl Procedure for TwoStages {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        let [first, second] = [self.first.schedule()?, self.second.schedule()?];
        Some(Arc::new(concatenate(&first, &second)))
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let parts = self.split.first_stage_messages(transport.group.rank(), &outgoing)?;
        let came = self.first.carry_out(transport, parts)?;
        let came = self.second.carry_out(transport, self.split.second_stage_messages(&came)?)?;
        Ok(self.split.assemble(&came)?)
    }
}

/// Two stages: to the intermediaries by random scheduling, and on to the destinations.
#[derive(Debug)]
struct Scheduled {
    split: Split,
    first: Random,
    second: Stage,
}

impl Procedure for Scheduled {
    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let rank = transport.group.rank();
        let parts = self.split.first_stage_messages(rank, &outgoing)?;
        // Parts whose intermediary is this node are not sent.
        let own = parts[rank].clone();
        let mut came = self.first.carry_out(transport, parts)?;
        came[rank] = own;
        let came = self.second.carry_out(transport, self.split.second_stage_messages(&came)?)?;
        Ok(self.split.assemble(&came)?)
    }
}
