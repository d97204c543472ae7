//! The ways in which each algorithm can carry an exchange out.

use std::sync::{Arc, OnceLock};

use super::{
    Algorithm, Instance, Matrix, PlanError, balance, bruck, coloring,
    detour::{self, Detour},
    mixed::{self, Mixed},
    packed,
    paths::Paths,
    permutation,
    plan::Course,
    random::Manner,
    rounds::{Barrier, Order, Part, Style},
    sorting::Sorting,
    split::Split,
    stage::Stage,
    timed::{self, Planned},
    workshop::{Variant, Workshop},
};
use crate::{pattern::Exchange, time::Span};

/// How many radices of Bruck's way are tried.
const MOST_RADICES: usize = 3;

/// About so many slices are made at most, beside the messages that are shorter: each is planned, and predicted some
/// twenty times, in microseconds.
const ABOUT_MOST_SLICES: u128 = 40_000;

impl Workshop<'_> {
    /// The ways in which an algorithm can carry it out, in some of the styles; with its own style where that is the
    /// paper's. At least one.
    pub(super) fn variants(
        &self,
        algorithm: Algorithm,
        styles: &[Style],
    ) -> Result<Vec<Variant<'_>>, PlanError> {
        let (instance, matrix) = (self.instance, self.instance.matrix());
        let name = algorithm.name();
        let asking = |manner: Manner| {
            let make = move || Ok(Course::Straight(Stage::asking((**matrix).clone(), manner)));
            Variant { name: name.to_owned(), least: Span::ZERO, make: Box::new(make) as _ }
        };
        Ok(match algorithm {
            Algorithm::Auto
            | Algorithm::Random { .. }
            | Algorithm::Measured { .. }
            | Algorithm::Early { .. }
            | Algorithm::Improved { .. } => algorithm.manner().map(asking).into_iter().collect(),
            Algorithm::Linear => {
                let pairs = (0..instance.size())
                    .flat_map(|from| matrix.row(from).iter().enumerate().map(move |to| (from, to)));
                let lengths =
                    || pairs.clone().filter(|&(from, (to, _))| from != to).map(|(_, (_, &bytes))| bytes);
                if let (Some(least), Some(most)) = (lengths().min(), lengths().max())
                    && least < most
                {
                    return Err(PlanError::NotUniform { least, most });
                }
                self.in_styles(name, &[Style::Each(Exchange::Together)], || Ok(self.linear()))
            }
            Algorithm::Modified => {
                let make = || Ok(Course::Straight(modified(instance, (**matrix).clone())));
                let least = barriers(instance, self.linear().len());
                vec![Variant { name: name.to_owned(), least, make: Box::new(make) }]
            }
            Algorithm::Pairwise => self.in_styles(name, styles, || Ok(self.linear())),
            Algorithm::TwoStage => vec![self.in_stages(name, None)],
            Algorithm::Shuffled { seed } => vec![self.in_stages(name, Some(seed))],
            Algorithm::Sorting => {
                let make = || Ok(Course::Sorted(Box::new(Sorting::new(instance)?)));
                vec![Variant { name: name.to_owned(), least: Span::ZERO, make: Box::new(make) }]
            }
            Algorithm::Colored => self.in_styles(name, styles, || Ok(self.colored())),
            Algorithm::Balanced => {
                self.in_styles(name, styles, || Ok(self.balanced().unwrap_or_else(|| self.plain())))
            }
            Algorithm::Sliced => self
                .slices(&[0.5, 1.0, 2.0], true)
                .into_iter()
                .flat_map(|slice| {
                    let name = format!("{name} ({slice} B)");
                    self.in_styles(&name, styles, move || Ok(Arc::new(coloring::sliced(matrix, slice))))
                })
                .collect(),
            Algorithm::Packed => {
                let mut slices = vec![u64::MAX];
                slices.extend(self.slices(if self.is_large() { &[2.0] } else { &[1.0, 4.0] }, false));
                let pack = |slice: u64| {
                    let name = match slice {
                        u64::MAX => name.to_owned(),
                        slice => format!("{name} ({slice} B)"),
                    };
                    let plan =
                        move || packed::plan(instance, self.paths(), slice).ok_or(PlanError::TooManyPairs);
                    self.planned(&name, styles, plan)
                };
                slices.into_iter().flat_map(pack).collect()
            }
            Algorithm::Relayed => self.relayed(name, styles),
            Algorithm::Detour => {
                let detours = self.with_detours(name);
                match detours.is_empty() {
                    true => self.in_styles(name, styles, || Ok(self.plain())),
                    false => detours,
                }
            }
            Algorithm::Bruck => {
                let ways = [Exchange::InTurn, Exchange::Together, Exchange::Overlapped];
                let radices = bruck::radices(instance, MOST_RADICES).into_iter();
                radices
                    .flat_map(|radix| {
                        let least = bruck::least(instance, radix);
                        ways.map(|exchange| {
                            let name = format!("{name} (radix {radix}{})", Style::Each(exchange).name());
                            let make = move || {
                                Ok(Course::Straight(Stage::bruck((**matrix).clone(), radix, exchange)))
                            };
                            Variant { name, least, make: Box::new(make) }
                        })
                    })
                    .collect()
            }
            Algorithm::Mixed => {
                let lengths = mixed::lengths(instance);
                if lengths.is_empty() {
                    return self.variants(mixed::alone(instance), styles);
                }
                lengths.into_iter().flat_map(|most| self.mixed(name, most, styles)).collect()
            }
        })
    }

    /// Messages of up to so many bytes by Bruck's way, and the others in several styles.
    fn mixed<'b>(&'b self, name: &str, most: u64, styles: &[Style]) -> Vec<Variant<'b>> {
        let [short, long] = mixed::parted(self.instance.matrix(), most);
        let order: OnceLock<Order> = OnceLock::new();
        let part = |matrix: &Matrix| self.instance.with(matrix.clone());
        let radix = bruck::radices(&part(&short), 1)[0];
        let least = bruck::least(&part(&short), radix);
        let parts = Arc::new((short, long, order));
        let variant = |&style: &Style| {
            let parts = parts.clone();
            let make = move || {
                let (short, long, order) = &*parts;
                let order = order.get_or_init(|| self.uncrowded(long, coloring::rounds(long)));
                let exchange = if let Style::Each(exchange) = style { exchange } else { Exchange::InTurn };
                let short = Stage::bruck(short.clone(), radix, exchange);
                let long = Stage::rounds(long.clone(), order.clone(), Barrier::None, style);
                Ok(Course::Mixed(Box::new(Mixed::new(most, short, long))))
            };
            Variant { name: format!("{name} (to {most} B{})", style.name()), least, make: Box::new(make) }
        };
        styles.iter().map(variant).collect()
    }

    /// Rounds of another matrix among the same nodes, balanced if that makes them better.
    fn uncrowded(&self, matrix: &Matrix, rounds: Vec<Vec<Part>>) -> Order {
        let instance = self.instance.with(matrix.clone());
        Arc::new(balance::rounds(&instance, &Paths::of(&instance), rounds.clone()).unwrap_or(rounds))
    }

    /// Rounds in several styles.
    fn in_styles<'b>(
        &'b self,
        name: &str,
        styles: &[Style],
        order: impl Fn() -> Result<Order, PlanError> + Send + Sync + 'b,
    ) -> Vec<Variant<'b>> {
        let known: Arc<OnceLock<Result<Order, PlanError>>> = Arc::default();
        let order = Arc::new(order);
        let matrix = self.instance.matrix();
        let variant = |&style: &Style| {
            let (known, order) = (known.clone(), order.clone());
            let make = move || {
                let order = known.get_or_init(&*order).clone()?;
                Ok(Course::Straight(Stage::rounds((**matrix).clone(), order, Barrier::None, style)))
            };
            Variant { name: format!("{name}{}", style.name()), least: Span::ZERO, make: Box::new(make) }
        };
        styles.iter().map(variant).collect()
    }

    /// A plan by the clock, and in several styles.
    pub(super) fn planned<'b>(
        &'b self,
        name: &str,
        styles: &[Style],
        plan: impl Fn() -> Result<Vec<Planned>, PlanError> + Send + Sync + 'b,
    ) -> Vec<Variant<'b>> {
        let plan = Arc::new((OnceLock::<Result<Vec<Planned>, PlanError>>::new(), plan));
        let (instance, matrix) = (self.instance, self.instance.matrix());
        let timed = {
            let plan = plan.clone();
            let make = move || {
                let planned = plan.0.get_or_init(&plan.1).as_ref().map_err(PlanError::clone)?;
                let schedule = timed::schedule(instance, self.paths(), planned);
                Ok(Course::Straight(Stage::scheduled((**matrix).clone(), schedule)))
            };
            Variant { name: format!("{name}, timed"), least: Span::ZERO, make: Box::new(make) }
        };
        let rounds = move || {
            let planned = plan.0.get_or_init(&plan.1).as_ref().map_err(PlanError::clone)?;
            Ok(Arc::new(packed::rounds(instance.size(), planned)))
        };
        std::iter::once(timed).chain(self.in_styles(name, styles, rounds)).collect()
    }

    /// Two stages, each by modified linear permutation.
    fn in_stages(&self, name: &str, seed: Option<u64>) -> Variant<'_> {
        let instance = self.instance;
        let make = move || {
            let split = Split::new(&instance.matrix().without_own(), seed);
            let [first, second] = [split.first()?, split.second()?].map(|matrix| modified(instance, matrix));
            Ok(Course::Split(Box::new((split, first, second))))
        };
        Variant { name: name.to_owned(), least: relaying(instance, true), make: Box::new(make) }
    }

    /// Two stages in several styles, with rounds that are balanced.
    fn relayed(&self, name: &str, styles: &[Style]) -> Vec<Variant<'_>> {
        type Stages = (Split, [(Matrix, Order); 2]);
        let known: Arc<OnceLock<Result<Stages, PlanError>>> = Arc::default();
        let stages = || {
            let split = Split::new(&self.instance.matrix().without_own(), None);
            let stages = [split.first()?, split.second()?].map(|matrix| {
                let order = self.uncrowded(&matrix, permutation::rounds(&matrix));
                (matrix, order)
            });
            Ok((split, stages))
        };
        let least = relaying(self.instance, false);
        let variant = |&style: &Style| {
            let known = known.clone();
            let make = move || {
                let (split, stages) = known.get_or_init(stages).as_ref().map_err(PlanError::clone)?;
                let [first, second] = stages.each_ref().map(|(matrix, order)| {
                    Stage::rounds(matrix.clone(), order.clone(), Barrier::None, style)
                });
                Ok(Course::Split(Box::new((split.clone(), first, second))))
            };
            Variant { name: format!("{name}{}", style.name()), least, make: Box::new(make) }
        };
        styles.iter().map(variant).collect()
    }

    /// Slices of several lengths, with detours where links are crowded; nothing if there are too many messages.
    fn with_detours(&self, name: &str) -> Vec<Variant<'_>> {
        let instance = self.instance;
        let variant = |slice: u64| {
            let make = move || {
                let detour = Detour::new(instance, self.paths(), slice);
                let schedule = detour.schedule(instance.parameters());
                Ok(Course::Detoured(Arc::new(detour), Arc::new(schedule)))
            };
            let least = detour::least(instance, self.paths(), slice);
            Variant { name: format!("{name} ({slice} B)"), least, make: Box::new(make) }
        };
        detour::lengths(instance).into_iter().map(variant).collect()
    }

    /// Lengths of slices that are worth a try: multiples of that for which start-ups and unevenness cost the same. None
    /// if all messages are shorter, unless there must be one.
    fn slices(&self, factors: &[f64], is_needed: bool) -> Vec<u64> {
        let (parameters, matrix) = (self.instance.parameters(), self.instance.matrix().without_own());
        let (traffic, fan) = (matrix.traffic() as f64, matrix.fan().max(1) as f64);
        let best = (traffic * parameters.alpha().as_secs_f64() / (fan * parameters.beta())).sqrt();
        let longest = matrix.messages().map(|(.., bytes)| bytes).max().unwrap_or(1);
        // Where start-ups cost nothing, the shorter the better; but somebody has to plan it.
        let all: u128 = matrix.messages().map(|(.., bytes)| u128::from(bytes)).sum();
        let shortest = all.div_ceil(ABOUT_MOST_SLICES).clamp(1, longest.into()) as u64;
        let near = |factor: &f64| ((best * factor) as u64).clamp(shortest, longest);
        let mut slices: Vec<u64> = factors.iter().map(near).collect();
        slices.dedup();
        slices.retain(|&slice| slice < longest || is_needed);
        slices
    }
}

/// Modified linear permutation.
fn modified(instance: &Instance, matrix: Matrix) -> Stage {
    let barrier = if instance.has_barrier() { Barrier::Hardware } else { Barrier::Messages };
    let rounds = Arc::new(permutation::rounds(&matrix));
    Stage::rounds(matrix, rounds, barrier, Style::Each(Exchange::Together)).announced()
}

/// What two stages take at least, perhaps with barriers.
fn relaying(instance: &Instance, has_barriers: bool) -> Span {
    let (nodes, parameters) = (instance.size(), instance.parameters());
    let matrix = instance.matrix().without_own();
    let mean = (0..nodes).map(|node| matrix.sent(node)).sum::<u64>() as f64 / nodes as f64;
    // Each node passes on the mean of what all send. Of its own traffic, and of what it passes on, parts stay where
    // they are: up to a p-th of the traffic each, rounded up.
    let (traffic, nodes_f) = (matrix.traffic() as f64, nodes as f64);
    let moved = (traffic * (1.0 - 2.0 / nodes_f) + mean - 2.0 * nodes_f).max(0.0);
    let least = Span::from_secs_f64(0.999 * moved * parameters.beta());
    // Some message is enough for a part to go by way of everybody.
    let is_spread = matrix.messages().any(|(.., bytes)| bytes >= nodes as u64);
    match (is_spread, has_barriers) {
        (false, _) => least,
        (true, false) => least.max(parameters.send_overhead().times(nodes as u64 - 1)),
        (true, true) => least.max(barriers(instance, 2 * (nodes - 1))),
    }
}

/// What the barriers of so many rounds take at least.
fn barriers(instance: &Instance, rounds: usize) -> Span {
    let parameters = instance.parameters();
    let one = match parameters.barrier() {
        Some(barrier) if instance.has_barrier() => barrier,
        _ => {
            let exchange = parameters.send_overhead() + parameters.receive_overhead();
            exchange.times(u64::from(instance.size().next_power_of_two().ilog2()))
        }
    };
    one.times(rounds as u64)
}
