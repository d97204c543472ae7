//! Figures of the steps of an algorithm, as in the book: the messages of each step, and its most loaded link.

use std::{collections::BTreeMap, fmt};

use crate::{
    collective::Plan,
    model::{MachineSpec, Parameters},
    pattern::{Action, Blocks},
    rank::Rank,
    time::Span,
    topology::LinkId,
};

/// The steps of a plan, each with its arrows and its most loaded link.
///
/// Nodes are not synchronized between steps when a plan runs. A figure shows synchronized steps, as the book does.
///
/// ```
/// use multicomputer::{collective::Task, textbook::{Algorithm, Figure}};
///
/// // Figure 4.2: the farthest first.
/// let algorithm = Algorithm::ONE_TO_ALL;
/// let task = Task::builder(&"line:8".parse()?, algorithm.operation()).elements(100).build()?;
/// let figure = Figure::of(&algorithm.plan(&task)?);
/// assert_eq!(
///     figure.to_string(),
///     "\
/// step 1: 0 -> 4
/// step 2: 0 -> 2, 4 -> 6
/// step 3: 0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7
/// "
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    steps: Vec<Step>,
}

/// One step: its messages, its busiest link and the maximum load of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    arrows: Vec<Arrow>,
    busiest: Option<Busiest>,
    /// Maximum number of messages that a node sends or receives.
    messages: u64,
    /// Maximum bytes that a node sends or receives (`one_way`), and that it sends and receives together (`both_ways`).
    one_way: u64,
    both_ways: u64,
    /// Maximum number of elements that a node combines.
    elements: u64,
    /// Length of the longest route, in links.
    hops: usize,
}

/// A message of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Arrow {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// The blocks, in the order of the message; the number of a block is the rank whose data it holds.
    pub blocks: Blocks,
    /// The length of the message, in bytes.
    pub bytes: u64,
}

/// The link of a step that takes the longest to carry its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Busiest {
    /// The link; of equally loaded links, the link with the lowest number.
    pub link: LinkId,
    /// Number of messages over the link.
    pub messages: u64,
    /// Number of bytes over the link.
    pub bytes: u64,
    /// The time to carry these bytes.
    pub time: Span,
}

impl Figure {
    /// Returns the figure of a plan. Nodes are named by their ranks in the group.
    pub fn of(plan: &Plan) -> Figure {
        let members = plan.task().members();
        Figure::assemble(plan.task().machine(), arrows_of_steps(plan), |rank| members[rank])
    }

    /// Returns the figure of plans that disjoint groups of the machine run at the same time, such as all columns of a mesh. Nodes are named
    /// by their ranks on the machine.
    ///
    /// ```
    /// use multicomputer::{collective::Task, textbook::{Algorithm, Figure}};
    ///
    /// let (machine, algorithm) = ("mesh:2x2".parse()?, Algorithm::ONE_TO_ALL);
    /// let column = |members: [usize; 2]| {
    ///     let task = Task::builder(&machine, algorithm.operation()).members(members).elements(8).build()?;
    ///     Ok::<_, Box<dyn std::error::Error>>(algorithm.plan(&task)?)
    /// };
    /// let figure = Figure::side_by_side(&[column([0, 2])?, column([1, 3])?]);
    /// assert_eq!(figure.to_string(), "step 1: 0 -> 2, 1 -> 3\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn side_by_side(plans: &[Plan]) -> Figure {
        let Some(first) = plans.first() else { return Figure { steps: Vec::new() } };
        let mut steps: Vec<(Vec<Arrow>, u64)> = Vec::new();
        for plan in plans {
            let members = plan.task().members();
            for (number, (arrows, elements)) in arrows_of_steps(plan).into_iter().enumerate() {
                if number == steps.len() {
                    steps.push((Vec::new(), 0));
                }
                let (all, most) = &mut steps[number];
                // Block numbers are not translated: such plans move one whole vector each, block 0.
                all.extend(arrows.into_iter().map(|arrow| Arrow {
                    from: members[arrow.from],
                    to: members[arrow.to],
                    ..arrow
                }));
                *most = elements.max(*most);
            }
        }
        for (arrows, _) in &mut steps {
            arrows.sort_unstable_by_key(|arrow| arrow.from);
        }
        Figure::assemble(first.task().machine(), steps, |node| node)
    }

    /// Appends the steps of another figure.
    #[must_use]
    pub fn followed_by(mut self, next: Figure) -> Figure {
        self.steps.extend(next.steps);
        self
    }

    /// Computes the loads of ports and links; `place` maps a rank to its node of the machine.
    fn assemble(
        machine: &MachineSpec,
        steps: Vec<(Vec<Arrow>, u64)>,
        place: impl Fn(Rank) -> Rank,
    ) -> Figure {
        let step = |(arrows, elements): (Vec<Arrow>, u64)| {
            let mut links: BTreeMap<LinkId, (u64, u64)> = BTreeMap::new();
            let mut sent: BTreeMap<Rank, (u64, u64)> = BTreeMap::new();
            let mut received: BTreeMap<Rank, (u64, u64)> = BTreeMap::new();
            let (mut route, mut hops) = (Vec::new(), 0);
            for arrow in &arrows {
                route.clear();
                machine.topology().route(place(arrow.from), place(arrow.to), &mut route);
                hops = hops.max(route.len());
                for &link in &route {
                    count(&mut links, link, arrow.bytes);
                }
                count(&mut sent, arrow.from, arrow.bytes);
                count(&mut received, arrow.to, arrow.bytes);
            }
            let mut busiest: Option<Busiest> = None;
            for (link, (messages, bytes)) in links {
                let time = Span::from_secs_f64(bytes as f64 / machine.link_capacity(link));
                let more = |than: &Busiest| (time, bytes, messages) > (than.time, than.bytes, than.messages);
                if busiest.as_ref().is_none_or(more) {
                    busiest = Some(Busiest { link, messages, bytes, time });
                }
            }
            let ports = || sent.values().chain(received.values());
            let both =
                sent.iter().map(|(rank, (_, out))| out + received.get(rank).map_or(0, |(_, into)| *into));
            Step {
                busiest,
                messages: ports().map(|(messages, _)| *messages).max().unwrap_or(0),
                one_way: ports().map(|(_, bytes)| *bytes).max().unwrap_or(0),
                both_ways: both.max().unwrap_or(0),
                elements,
                hops,
                arrows,
            }
        };
        Figure { steps: steps.into_iter().map(step).collect() }
    }

    /// Returns the steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the time with synchronized steps, including link contention.
    ///
    /// A step takes alpha times the maximum number of messages that a node sends or receives, then the time of its busiest port or link,
    /// and gamma times the maximum number of elements that a node combines. If all nodes are equally busy, the result is exactly the time
    /// of a run; if some nodes run ahead of others, it is an approximation.
    ///
    /// ```
    /// use multicomputer::{collective::Task, textbook::{Algorithm, Figure}};
    ///
    /// // Steps of 1, 2 and 4 blocks of 1000 bytes, of which 1, 2 and 4 share a link.
    /// let algorithm = Algorithm::HYPERCUBE_ALL_TO_ALL;
    /// let task = Task::builder(&"line:8".parse()?, algorithm.operation()).elements(8000).build()?;
    /// let figure = Figure::of(&algorithm.plan(&task)?);
    /// let in_step = figure.in_step(task.parameters());
    /// assert_eq!(in_step.to_string(), "1.44 ms", "3 alpha + (1 + 4 + 16) 1000 beta");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_step(&self, parameters: &Parameters) -> Span {
        self.steps.iter().fold(Span::ZERO, |sum, step| sum + step.time(parameters))
    }
}

impl Step {
    /// Returns the messages, sorted by sender.
    pub fn arrows(&self) -> &[Arrow] {
        &self.arrows
    }

    /// Returns the busiest link, or `None` if no message uses a link.
    pub fn busiest(&self) -> Option<Busiest> {
        self.busiest
    }

    /// Returns the time of this step, including link contention: see [`Figure::in_step`].
    pub fn time(&self, parameters: &Parameters) -> Span {
        self.time_with_link_time(parameters, self.busiest.map_or(Span::ZERO, |busiest| busiest.time))
    }

    /// Returns the time of this step without link contention.
    pub fn time_without_conflicts(&self, parameters: &Parameters) -> Span {
        self.time_with_link_time(parameters, Span::ZERO)
    }

    /// Returns the arrows as texts, `0 -> 4` or `0 <-> 1 (0 / 1)`, as the displayed step lists them.
    ///
    /// ```
    /// use multicomputer::{collective::Task, textbook::{Algorithm, Figure}};
    ///
    /// let algorithm = Algorithm::HYPERCUBE_ALL_TO_ALL;
    /// let task = Task::builder(&"hypercube:4".parse()?, algorithm.operation()).elements(4).build()?;
    /// let figure = Figure::of(&algorithm.plan(&task)?);
    /// assert_eq!(figure.steps()[1].texts(), ["0 <-> 2 (0 1 / 2 3)", "1 <-> 3 (0 1 / 2 3)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn texts(&self) -> Vec<String> {
        let is_alike = self.arrows.windows(2).all(|pair| pair[0].blocks == pair[1].blocks);
        let blocks = self.arrows.iter().map(|arrow| ((arrow.from, arrow.to), &arrow.blocks));
        let blocks: BTreeMap<(Rank, Rank), &Blocks> = blocks.collect();
        let text = |arrow: &Arrow| {
            let Arrow { from, to, .. } = arrow;
            let there = Numbers(&arrow.blocks);
            Some(match blocks.get(&(arrow.to, arrow.from)) {
                Some(_) if to < from => return None,
                Some(_) if is_alike => format!("{from} <-> {to}"),
                Some(back) => format!("{from} <-> {to} ({there} / {})", Numbers(back)),
                None if is_alike => format!("{from} -> {to}"),
                None => format!("{from} -> {to} ({there})"),
            })
        };
        self.arrows.iter().filter_map(text).collect()
    }

    fn time_with_link_time(&self, parameters: &Parameters, links: Span) -> Span {
        let both = (self.both_ways as f64 / parameters.duplex()).ceil() as u64;
        let ports = parameters.transfer(self.one_way.max(both));
        let start_ups = parameters.alpha().times(self.messages) + parameters.hop().times(self.hops as u64);
        start_ups + ports.max(links) + parameters.combining(self.elements)
    }
}

/// Returns for each step of a plan its arrows, and the maximum number of elements that a node combines.
fn arrows_of_steps(plan: &Plan) -> Vec<(Vec<Arrow>, u64)> {
    let schedule = plan.schedule();
    let mut steps: Vec<(Vec<Arrow>, u64)> = vec![(Vec::new(), 0); schedule.iterations()];
    for from in 0..schedule.nodes() {
        let mut own = vec![0; schedule.iterations()];
        for step in schedule.steps(from) {
            if let Some(message) = step.action.sent() {
                let (to, blocks, bytes) = (message.peer, message.blocks.clone(), message.bytes);
                steps[step.iteration].0.push(Arrow { from, to, blocks, bytes });
            }
            if let Action::Combine(bytes) = step.action {
                own[step.iteration] += schedule.elements(bytes);
            }
        }
        for ((_, most), own) in steps.iter_mut().zip(own) {
            *most = own.max(*most);
        }
    }
    steps
}

fn count<K: Ord>(loads: &mut BTreeMap<K, (u64, u64)>, at: K, bytes: u64) {
    let (messages, sum) = loads.entry(at).or_default();
    *messages += 1;
    *sum += bytes;
}

/// One line for each step: `step 2: 0 -> 2, 4 -> 6`. Two messages in opposite directions are one double arrow. If messages carry different
/// blocks, the blocks follow in parentheses: `0 -> 1 (7)`.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "step {}: {step}", number + 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(", "))
    }
}

/// Block numbers for display, with ranges abbreviated: `0-3 8`.
struct Numbers<'a>(&'a [u32]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.to_vec();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|before, after| before + 1 == *after).map(|run| match run {
            [one] => one.to_string(),
            [first, second] => format!("{first} {second}"),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        });
        f.write_str(&runs.collect::<Vec<_>>().join(" "))
    }
}
