//! The intermediate results that several algorithms need, kept as long as something is planned, and the variants that
//! they are made into.

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
        Part, Rounds, balance,
        clocked::{self, Planned},
        coloring, parts,
        paths::Paths,
        permutation,
        shape::Shape,
        stage::Stage,
        style::Style,
    },
};
use crate::{plan, time::Span};

/// From how many messages on only the variants are tried that are most likely to be fast.
const LARGE: usize = 10_000;

/// Among so many nodes not everything is tried from fewer messages on.
const MANY_NODES: usize = 256;
const LARGE_AMONG_MANY: usize = 2_000;

/// About the most slices that are made, beside the messages that are shorter: each is planned, and predicted some
/// twenty times, in microseconds.
const ABOUT_MOST_SLICES: u128 = 40_000;

/// One way to carry an exchange out.
pub(super) type Variant = plan::Variant<Instance>;

/// An exchange that is planned: in which styles its rounds may be carried out, and what is known of it so far.
#[derive(Clone)]
pub struct Planner {
    known: Arc<Known>,
    styles: Arc<[Style]>,
}

/// The intermediate results, each worked out when it is first asked for.
struct Known {
    instance: Instance,
    others: OnceLock<Matrix>,
    paths: OnceLock<Paths>,
    nodes: OnceLock<Span>,
    links: OnceLock<Span>,
    linear: OnceLock<Rounds>,
    colored: OnceLock<Rounds>,
    balanced: OnceLock<Option<Rounds>>,
    ring: OnceLock<Vec<Shape>>,
    levels: OnceLock<Vec<Shape>>,
    /// By the length of a slice.
    packed: Mutex<BTreeMap<u64, Arc<OnceLock<Option<Plan>>>>>,
}

/// A plan by the clock, shared by all variants that are made of it.
type Plan = Arc<Vec<Planned>>;

impl Planner {
    /// An exchange whose rounds may be carried out in all styles.
    pub(super) fn new(instance: &Instance) -> Planner {
        let known = Known {
            instance: instance.clone(),
            others: OnceLock::new(),
            paths: OnceLock::new(),
            nodes: OnceLock::new(),
            links: OnceLock::new(),
            linear: OnceLock::new(),
            colored: OnceLock::new(),
            balanced: OnceLock::new(),
            ring: OnceLock::new(),
            levels: OnceLock::new(),
            packed: Mutex::default(),
        };
        Planner { known: Arc::new(known), styles: Style::ALL.into() }
    }

    /// The same exchange, in some styles alone.
    pub(super) fn with_styles(&self, styles: &[Style]) -> Planner {
        Planner { styles: styles.into(), ..self.clone() }
    }

    /// The styles in which rounds are tried.
    pub(super) fn styles(&self) -> &[Style] {
        &self.styles
    }

    /// The exchange.
    pub(super) fn instance(&self) -> &Instance {
        &self.known.instance
    }

    /// Its matrix.
    pub(super) fn matrix(&self) -> &Arc<Matrix> {
        self.instance().matrix()
    }

    /// The same without what nodes have for themselves.
    pub(super) fn others(&self) -> &Matrix {
        self.known.others.get_or_init(|| self.matrix().without_own())
    }

    /// Whether there are so many messages that only what is most likely to be fast can be tried.
    pub(super) fn is_large(&self) -> bool {
        self.matrix().messages().count() > LARGE
    }

    /// Whether there are so many nodes and messages that not everything can be tried.
    pub(super) fn is_wide(&self) -> bool {
        self.is_large() || self.is_among_many() && self.matrix().messages().count() > LARGE_AMONG_MANY
    }

    /// Whether there are so many nodes that not everything can be tried unless there are few messages.
    pub(super) fn is_among_many(&self) -> bool {
        self.matrix().nodes() >= MANY_NODES
    }

    /// Whether there are many messages, and more than an eighth of all pairs of ranks have one.
    pub(super) fn is_dense(&self) -> bool {
        let nodes = self.matrix().nodes();
        self.is_wide() && 8 * self.matrix().messages().count() > nodes * nodes
    }

    /// The paths of the messages.
    pub(super) fn paths(&self) -> &Paths {
        self.known.paths.get_or_init(|| Paths::of(self.instance()))
    }

    /// A lower limit of the time of any schedule in which all messages go straight to their receivers, in whole or in
    /// parts: that of the busiest processor, port or link.
    pub(super) fn straight(&self) -> Span {
        self.nodes().max(self.links())
    }

    /// The same for another matrix among the same members.
    pub(super) fn straight_of(&self, matrix: &Matrix) -> Span {
        self.nodes_of(matrix).max(self.links_of(matrix))
    }

    /// Whether that limit is that of a link.
    pub(super) fn is_bound_by_links(&self) -> bool {
        self.links() > self.nodes()
    }

    /// The part of that limit that the nodes have to do: that of the busiest processor or port.
    pub(super) fn nodes(&self) -> Span {
        *self.known.nodes.get_or_init(|| self.nodes_of(self.others()))
    }

    fn nodes_of(&self, matrix: &Matrix) -> Span {
        let parameters = self.instance().parameters();
        let calls = |rank| {
            let sends = parameters.send_overhead().times(matrix.fan_out(rank));
            sends + parameters.receive_overhead().times(matrix.fan_in(rank))
        };
        let calls = (0..matrix.nodes()).map(calls).max().unwrap_or(Span::ZERO);
        calls.max(self.ports_of(matrix))
    }

    /// How many times as long as the busiest port the link with the most to carry takes.
    pub(super) fn crowding(&self) -> f64 {
        let ports = self.ports_of(self.others());
        self.links().as_secs_f64() / ports.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn ports_of(&self, matrix: &Matrix) -> Span {
        let parameters = self.instance().parameters();
        let port = |rank| {
            let (sent, received) = (matrix.sent(rank), matrix.received(rank));
            let both = (sent as f64 + received as f64) / parameters.duplex();
            parameters.node_beta() * both.max(sent.max(received) as f64)
        };
        // A thousandth for what is rounded.
        Span::from_secs_f64(0.999 * (0..matrix.nodes()).map(port).fold(0.0, f64::max))
    }

    /// The part of that limit that links have to carry: that of the one with the most.
    pub(super) fn links(&self) -> Span {
        *self.known.links.get_or_init(|| self.links_of(self.others()))
    }

    fn links_of(&self, matrix: &Matrix) -> Span {
        Paths::least(self.instance(), |from, to| matrix.get(from, to))
    }

    /// The rounds of linear permutation.
    pub(super) fn linear(&self) -> Rounds {
        self.known.linear.get_or_init(|| Arc::new(permutation::rounds(self.matrix()))).clone()
    }

    /// As few rounds as possible.
    pub(super) fn colored(&self) -> Rounds {
        self.known.colored.get_or_init(|| Arc::new(coloring::rounds(self.matrix()))).clone()
    }

    /// Whether linear permutation makes as few rounds as there can be, of messages of one length.
    pub(super) fn is_regular(&self) -> bool {
        self.matrix().class().1 && self.linear().len() as u64 == self.others().fan()
    }

    /// As few rounds as possible, those of linear permutation if they are.
    pub(super) fn plain(&self) -> Rounds {
        if self.is_regular() { self.linear() } else { self.colored() }
    }

    /// The [plain](Planner::plain) rounds, balanced; `None` if that does not make them better.
    pub(super) fn balanced(&self) -> Option<Rounds> {
        let balanced = || {
            let plain: Vec<Vec<Part>> = (*self.plain()).clone();
            balance::rounds(self.instance(), self.paths(), plain).map(Arc::new)
        };
        self.known.balanced.get_or_init(balanced).clone()
    }

    /// The shapes in which messages may be passed on around the ring of all ranks, found by the first who asks.
    pub(super) fn ring(&self, find: impl FnOnce() -> Vec<Shape>) -> &[Shape] {
        self.known.ring.get_or_init(find)
    }

    /// The same along several axes.
    pub(super) fn levels(&self, find: impl FnOnce() -> Vec<Shape>) -> &[Shape] {
        self.known.levels.get_or_init(find)
    }

    /// The plan by the clock of messages in slices of a length, made by the first who asks; `None` if there is none.
    pub(super) fn packed(&self, slice: u64, make: impl FnOnce() -> Option<Vec<Planned>>) -> Option<Plan> {
        let known = self.known.packed.lock().entry(slice).or_default().clone();
        known.get_or_init(|| make().map(Arc::new)).clone()
    }

    /// Whether there is a plan by the clock. That is known when its variants have been tried: none is given up before its plan is
    /// made, as its lower limit is that of all straight schedules.
    pub(super) fn is_packed(&self) -> bool {
        self.known.packed.lock().values().any(|plan| plan.get().is_some_and(Option::is_some))
    }

    /// Rounds of another matrix among the same members, balanced if that makes them better.
    pub(super) fn uncrowded(&self, matrix: &Arc<Matrix>, rounds: Vec<Vec<Part>>) -> Rounds {
        let instance = self.instance().with(matrix.clone());
        Arc::new(balance::rounds(&instance, &Paths::of(&instance), rounds.clone()).unwrap_or(rounds))
    }

    /// The name of the [plain](Planner::plain) rounds.
    pub(super) fn plain_name(&self) -> &'static str {
        if self.is_regular() { "pairwise" } else { "colored" }
    }

    /// Rounds in every style.
    pub(super) fn in_styles(
        &self,
        name: &str,
        rounds: impl Fn(&Planner) -> Result<Rounds, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        self.in_styles_as(name, name, rounds)
    }

    /// Rounds in every style that may be those of another name.
    pub(super) fn in_styles_as(
        &self,
        name: &str,
        same: &str,
        rounds: impl Fn(&Planner) -> Result<Rounds, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        let known = self.once(rounds);
        let variant = |&style: &Style| {
            let known = known.clone();
            Variant::new(format!("{name}{}", style.name()), move |instance| {
                Ok(Draft::by(Stage::rounds(instance.matrix().clone(), &known()?, style)))
            })
            .identified(format!("{same}{}", style.name()))
            .at_least(self.straight())
        };
        self.styles.iter().map(variant).collect()
    }

    /// A plan by the clock, and its order as rounds in every style.
    pub(super) fn clocked(
        &self,
        name: &str,
        plan: impl Fn(&Planner) -> Result<Plan, PlanError> + Send + Sync + 'static,
    ) -> Vec<Variant> {
        let plan = self.once(plan);
        let (planner, known) = (self.clone(), plan.clone());
        let timed = Variant::new(format!("{name}, timed"), move |instance| {
            let schedule = clocked::schedule(instance, planner.paths(), &known()?);
            Ok(Draft::by(Stage::straight(instance.matrix().clone(), schedule)))
        })
        .at_least(self.straight());
        let rounds =
            move |planner: &Planner| Ok(Arc::new(clocked::rounds(planner.matrix().nodes(), &plan()?)));
        std::iter::once(timed).chain(self.in_styles(name, rounds)).collect()
    }

    /// Something that several variants need, made when the first of them asks for it.
    pub(super) fn once<T: Clone + Send + Sync + 'static>(
        &self,
        make: impl Fn(&Planner) -> Result<T, PlanError> + Send + Sync + 'static,
    ) -> impl Fn() -> Result<T, PlanError> + Clone + Send + Sync + 'static {
        let shared = Arc::new((self.clone(), OnceLock::new(), make));
        move || {
            let (planner, known, make) = &*shared;
            known.get_or_init(|| make(planner)).clone()
        }
    }

    /// Lengths of slices that are worth a try: multiples of that for which start-ups and unevenness cost the same. None
    /// if all messages are shorter, unless there must be one.
    pub(super) fn slices(&self, factors: &[f64], is_needed: bool) -> Vec<u64> {
        let (parameters, matrix) = (self.instance().parameters(), self.others());
        let (traffic, fan) = (matrix.traffic() as f64, matrix.fan().max(1) as f64);
        let best = (traffic * parameters.alpha().as_secs_f64() / (fan * parameters.beta())).sqrt();
        let lengths = || parts(matrix).map(|part| part.bytes);
        let longest = lengths().max().unwrap_or(1);
        // Where start-ups cost nothing, the shorter the better; but somebody has to plan it.
        let all: u128 = lengths().map(u128::from).sum();
        let shortest = all.div_ceil(ABOUT_MOST_SLICES).clamp(1, longest.into()) as u64;
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
