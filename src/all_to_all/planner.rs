//! Intermediate results shared by several algorithms while an exchange is planned, and the schedule variants made from them.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;

use super::{
    Instance, Matrix, PlanError,
    procedure::Draft,
    rounds::{
        Part, Rounds, balance, coloring, parts,
        paths::Paths,
        permutation,
        shape::Shape,
        stage::Stage,
        style::Style,
        time_triggered::{self, Planned},
    },
};
use crate::{
    plan::{
        self,
        bound::{MARGIN, port_load},
    },
    time::Span,
};

/// Number of messages above which algorithms try fewer variants.
const MAX_EXHAUSTIVE_MESSAGES: usize = 10_000;

/// Approximate maximum number of slices, not counting messages shorter than a slice. Each slice is planned once and predicted about twenty
/// times, at some microseconds each.
const TARGET_MAX_SLICES: u128 = 40_000;

/// One schedule variant of an exchange.
pub(super) type Variant = plan::Variant<Instance>;

/// An exchange being planned: the styles to try for its rounds, and the intermediate results found so far.
#[derive(Clone)]
pub struct Planner {
    results: Arc<SharedResults>,
    styles: Arc<[Style]>,
}

/// Intermediate results of planning an exchange, each computed on first use.
struct SharedResults {
    instance: Instance,
    without_own: OnceLock<Matrix>,
    paths: OnceLock<Paths>,
    node_bound: OnceLock<Span>,
    link_bound: OnceLock<Span>,
    linear: OnceLock<Rounds>,
    colored: OnceLock<Rounds>,
    balanced: OnceLock<Option<Rounds>>,
    ring_shapes: OnceLock<Vec<Shape>>,
    level_shapes: OnceLock<Vec<Shape>>,
    /// Time-triggered schedules by slice length.
    packed: Mutex<BTreeMap<u64, Arc<OnceLock<Option<TimedMessages>>>>>,
}

/// The messages of a time-triggered schedule, shared by all variants made from it.
type TimedMessages = Arc<Vec<Planned>>;

impl Planner {
    /// Creates a planner that tries rounds in all styles.
    pub(super) fn new(instance: &Instance) -> Planner {
        let results = SharedResults {
            instance: instance.clone(),
            without_own: OnceLock::new(),
            paths: OnceLock::new(),
            node_bound: OnceLock::new(),
            link_bound: OnceLock::new(),
            linear: OnceLock::new(),
            colored: OnceLock::new(),
            balanced: OnceLock::new(),
            ring_shapes: OnceLock::new(),
            level_shapes: OnceLock::new(),
            packed: Mutex::default(),
        };
        Planner { results: Arc::new(results), styles: Style::ALL.into() }
    }

    /// Returns a planner of the same exchange that tries only `styles`.
    pub(super) fn with_styles(&self, styles: &[Style]) -> Planner {
        Planner { styles: styles.into(), ..self.clone() }
    }

    /// Returns the styles in which rounds are tried.
    pub(super) fn styles(&self) -> &[Style] {
        &self.styles
    }

    /// Returns the exchange.
    pub(super) fn instance(&self) -> &Instance {
        &self.results.instance
    }

    /// Returns the communication matrix.
    pub(super) fn matrix(&self) -> &Arc<Matrix> {
        self.instance().matrix()
    }

    /// Returns the matrix without the messages of nodes to themselves.
    fn without_own(&self) -> &Matrix {
        self.results.without_own.get_or_init(|| self.matrix().without_own())
    }

    /// Returns whether there are more than `MAX_EXHAUSTIVE_MESSAGES` messages. Algorithms then try fewer variants.
    pub(super) fn is_large(&self) -> bool {
        self.matrix().messages().count() > MAX_EXHAUSTIVE_MESSAGES
    }

    /// Returns the paths of the messages.
    pub(super) fn paths(&self) -> &Paths {
        self.results.paths.get_or_init(|| Paths::of(self.instance()))
    }

    /// Returns a lower bound on the time of any direct schedule, which sends all messages straight to their receivers, whole or in slices.
    /// The bound is the time of the busiest processor, port or link.
    pub(super) fn direct_bound(&self) -> Span {
        self.node_bound().max(self.link_bound())
    }

    /// Returns the lower bound on the time of direct schedules for another matrix among the same members.
    pub(super) fn direct_bound_of(&self, matrix: &Matrix) -> Span {
        self.node_bound_of(matrix).max(self.link_bound_of(matrix))
    }

    /// Returns the lower bound set by the nodes: the time of the busiest processor or port.
    fn node_bound(&self) -> Span {
        *self.results.node_bound.get_or_init(|| self.node_bound_of(self.without_own()))
    }

    fn node_bound_of(&self, matrix: &Matrix) -> Span {
        let parameters = self.instance().parameters();
        let calls = |rank| {
            let sends = parameters.send_overhead().times(matrix.fan_out(rank));
            sends + parameters.receive_overhead().times(matrix.fan_in(rank))
        };
        let calls = (0..matrix.nodes()).map(calls).max().unwrap_or(Span::ZERO);
        calls.max(self.port_bound_of(matrix))
    }

    fn port_bound_of(&self, matrix: &Matrix) -> Span {
        let parameters = self.instance().parameters();
        let port =
            |rank| parameters.node_beta() * port_load(parameters, matrix.sent(rank), matrix.received(rank));
        Span::from_secs_f64(MARGIN * (0..matrix.nodes()).map(port).fold(0.0, f64::max))
    }

    /// Returns the lower bound set by the links: the time of the busiest link.
    fn link_bound(&self) -> Span {
        *self.results.link_bound.get_or_init(|| self.link_bound_of(self.without_own()))
    }

    fn link_bound_of(&self, matrix: &Matrix) -> Span {
        Paths::link_bound(self.instance(), |from, to| matrix.get(from, to))
    }

    /// Returns the rounds of linear permutation.
    pub(super) fn linear(&self) -> Rounds {
        self.results.linear.get_or_init(|| Arc::new(permutation::rounds(self.matrix()))).clone()
    }

    /// Returns rounds whose number is minimal, found by edge colouring.
    pub(super) fn colored(&self) -> Rounds {
        self.results.colored.get_or_init(|| Arc::new(coloring::rounds(self.matrix()))).clone()
    }

    /// Returns whether all messages are equally long and the number of rounds of linear permutation is minimal.
    pub(super) fn is_regular(&self) -> bool {
        self.matrix().class().1 && self.linear().len() as u64 == self.without_own().fan()
    }

    /// Returns rounds whose number is minimal: those of linear permutation if they are [regular](Planner::is_regular), otherwise those of
    /// an edge colouring.
    pub(super) fn fewest_rounds(&self) -> Rounds {
        if self.is_regular() { self.linear() } else { self.colored() }
    }

    /// Returns the [fewest rounds](Planner::fewest_rounds) after load balancing over the links; `None` if balancing brings no improvement.
    pub(super) fn balanced(&self) -> Option<Rounds> {
        let balanced = || {
            let plain: Vec<Vec<Part>> = (*self.fewest_rounds()).clone();
            balance::rounds(self.instance(), self.paths(), plain).map(Arc::new)
        };
        self.results.balanced.get_or_init(balanced).clone()
    }

    /// Returns the shapes that forward messages around the ring of all ranks. The first call computes them with `find`.
    pub(super) fn ring_shapes(&self, find: impl FnOnce() -> Vec<Shape>) -> &[Shape] {
        self.results.ring_shapes.get_or_init(find)
    }

    /// Returns the shapes that forward messages along several axes. The first call computes them with `find`.
    pub(super) fn level_shapes(&self, find: impl FnOnce() -> Vec<Shape>) -> &[Shape] {
        self.results.level_shapes.get_or_init(find)
    }

    /// Returns the time-triggered plan of *packed* with slices of length `slice`, or `None` if planning would take too long. The first call
    /// computes the plan with `make`.
    pub(super) fn packed(
        &self,
        slice: u64,
        make: impl FnOnce() -> Option<Vec<Planned>>,
    ) -> Option<TimedMessages> {
        let known = self.results.packed.lock().entry(slice).or_default().clone();
        known.get_or_init(|| make().map(Arc::new)).clone()
    }

    /// Returns rounds of another matrix among the same members, balanced over the links if balancing improves them.
    pub(super) fn balanced_rounds_of(&self, matrix: &Arc<Matrix>, rounds: Vec<Vec<Part>>) -> Rounds {
        let instance = self.instance().with(matrix.clone());
        Arc::new(balance::rounds(&instance, &Paths::of(&instance), rounds.clone()).unwrap_or(rounds))
    }

    /// Returns the name of the algorithm that makes the [fewest rounds](Planner::fewest_rounds).
    pub(super) fn fewest_rounds_name(&self) -> &'static str {
        if self.is_regular() { "pairwise" } else { "colored" }
    }

    /// Returns one variant of the rounds for each [`Style`], the order of sends and receives.
    pub(super) fn in_styles(
        &self,
        name: &str,
        rounds: impl Fn(&Planner) -> Result<Rounds, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        self.in_styles_as(name, name, rounds)
    }

    /// Returns one variant of the rounds for each [`Style`]. Its identity is that of the variant named `same` with the same [`Style`], so
    /// that equal schedules are tried only once.
    pub(super) fn in_styles_as(
        &self,
        name: &str,
        same: &str,
        rounds: impl Fn(&Planner) -> Result<Rounds, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        let known = self.computed_once(rounds);
        let variant = |&style: &Style| {
            let known = known.clone();
            Variant::new(format!("{name}{}", style.name()), move |instance| {
                Ok(Draft::by(Stage::rounds(instance.matrix().clone(), &known()?, style)))
            })
            .identified(format!("{same}{}", style.name()))
            .at_least(self.direct_bound())
        };
        self.styles.iter().map(variant).collect()
    }

    /// Returns the variants of a time-triggered plan: its time-triggered schedule, and rounds in the same message order in every style.
    pub(super) fn time_triggered(
        &self,
        name: &str,
        plan: impl Fn(&Planner) -> Result<TimedMessages, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        let plan = self.computed_once(plan);
        let (planner, known) = (self.clone(), plan.clone());
        let timed = Variant::new(format!("{name}, timed"), move |instance| {
            let schedule = time_triggered::schedule(instance, planner.paths(), &known()?);
            Ok(Draft::by(Stage::direct(instance.matrix().clone(), schedule)))
        })
        .at_least(self.direct_bound())
        // A time-triggered schedule avoids contention.
        .estimated(self.direct_bound());
        let rounds =
            move |planner: &Planner| Ok(Arc::new(time_triggered::rounds(planner.matrix().nodes(), &plan()?)));
        std::iter::once(timed).chain(self.in_styles(name, rounds)).collect()
    }

    /// Returns the time-triggered schedule of the [balanced](Planner::balanced) rounds, or of the [fewest rounds](Planner::fewest_rounds)
    /// if balancing brings no improvement.
    pub(super) fn time_triggered_rounds(&self, name: &str) -> Variant {
        let planner = self.clone();
        Variant::new(format!("{name}, timed"), move |instance| {
            let rounds = planner.balanced().unwrap_or_else(|| planner.fewest_rounds());
            let plan = time_triggered::planned(instance, planner.paths(), &rounds);
            let schedule = time_triggered::schedule(instance, planner.paths(), &plan);
            Ok(Draft::by(Stage::direct(instance.matrix().clone(), schedule)))
        })
        .at_least(self.direct_bound())
        // A time-triggered schedule avoids contention.
        .estimated(self.direct_bound())
    }

    /// Returns a function that computes a value on its first call, and afterwards returns the shared result.
    pub(super) fn computed_once<T: Clone + Send + Sync + 'static>(
        &self,
        make: impl Fn(&Planner) -> Result<T, PlanError> + Send + Sync + 'static,
    ) -> impl Fn() -> Result<T, PlanError> + Clone + Send + Sync + 'static {
        let shared = Arc::new((self.clone(), OnceLock::new(), make));
        move || {
            let (planner, known, make) = &*shared;
            known.get_or_init(|| make(planner)).clone()
        }
    }

    /// Returns slice lengths to try: `factors` times the length at which start-ups and imbalance cost the same. Lengths that cut no message
    /// are omitted, unless `is_needed`.
    pub(super) fn slice_lengths(&self, factors: &[f64], is_needed: bool) -> Vec<u64> {
        let (parameters, matrix) = (self.instance().parameters(), self.without_own());
        let (traffic, fan) = (matrix.traffic() as f64, matrix.fan().max(1) as f64);
        let best = (traffic * parameters.alpha().as_secs_f64() / (fan * parameters.beta())).sqrt();
        let lengths = || parts(matrix).map(|part| part.bytes);
        let longest = lengths().max().unwrap_or(1);
        // Without start-up costs the shortest slice is best; the number of slices limits the planning time.
        let all: u128 = lengths().map(u128::from).sum();
        let shortest = all.div_ceil(TARGET_MAX_SLICES).clamp(1, longest.into()) as u64;
        let near = |factor: &f64| ((best * factor) as u64).clamp(shortest, longest);
        let mut slices: Vec<u64> = factors.iter().map(near).collect();
        slices.dedup();
        slices.retain(|&slice| slice < longest || is_needed);
        slices
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Planner({:?})", self.styles)
    }
}
