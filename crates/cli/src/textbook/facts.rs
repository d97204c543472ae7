//! The figures of a case beside those of its run: steps, equation, shared links, and why modeled time differs.

use multicomputer::{
    Span,
    model::{MachineSpec, Parameters},
    report::LinkReport,
    textbook::{Busiest, Figure},
    topology::Link,
};

use super::{
    super::{
        compare::{Planned, Ran},
        count::counted,
    },
    Chapter, Solution,
    case::Case,
    parameters::{strict, with},
    steps,
};

/// The figures of a case that can be.
#[derive(Debug)]
pub(super) struct Facts {
    /// The steps as text; of several cases none is kept.
    pub(super) drawing: String,
    pub(super) steps: usize,
    /// The time that the equation says.
    pub(super) equation: Span,
    /// The time if all nodes keep in step, with conflicts on links and without.
    pub(super) in_step: Span,
    pub(super) without_conflicts: Span,
    /// The time in virtual time.
    pub(super) modeled: Span,
    /// The step in which most messages share a link that is the busiest of the step, if any do.
    pub(super) sharing: Option<Sharing>,
    /// The link of the run that most messages shared at once.
    pub(super) shared: Option<LinkReport>,
    /// Whether a message goes over a link.
    pub(super) is_moving: bool,
    /// Reasons why modeled time is not what the equation says, as far as was looked for.
    pub(super) causes: Causes,
}

/// Messages of a step that share a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sharing {
    /// Counted from 1.
    pub(super) step: usize,
    pub(super) link: Link,
    pub(super) busiest: Busiest,
    /// The time of the step, and the time without conflicts.
    pub(super) time: Span,
    pub(super) alone: Span,
}

/// Costs of the machine that the equation leaves out, found by taking them away.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Causes {
    /// In words.
    pub(super) costs: Vec<String>,
    /// The modeled time if a send occupies its sender until the message is there.
    pub(super) strict: Option<Span>,
}

impl Facts {
    /// Ratio of modeled time to the equation; none if that says nothing.
    pub(super) fn slow_down(&self) -> Option<f64> {
        (!self.equation.is_zero()).then(|| self.modeled.as_secs_f64() / self.equation.as_secs_f64())
    }

    /// The most messages of a step that share a link: `4 (node 3 -> node 4 in step 3)`.
    pub(super) fn most_on_a_link(&self) -> String {
        match self.sharing {
            Some(sharing) => {
                format!("{} ({} in step {})", sharing.busiest.messages, sharing.link, sharing.step)
            }
            None => usize::from(self.is_moving).to_string(),
        }
    }
}

impl Chapter<'_> {
    /// The facts of a case that can be.
    pub(super) fn facts_of(&self, case: &Case, planned: &Planned<Solution>, ran: Option<&Ran>) -> Facts {
        let Planned { plan, predicted, .. } = planned;
        let (parameters, topology) = (case.machine.parameters(), case.machine.topology());
        let (figure, equation, products) = match plan {
            Solution::Algorithm(_, plan) => (Figure::of(plan), plan.estimate(), Span::ZERO),
            Solution::Matrix(matrix) => {
                let [broadcasts, sums] = matrix.figures.clone();
                let equation = matrix.equation().time(parameters);
                (broadcasts.followed_by(sums), equation, parameters.combining(matrix.products()))
            }
        };
        let modeled = predicted.or(ran.map(|ran| ran.time)).unwrap_or(Span::ZERO);
        let (drawing, causes) = match self.in_full {
            true => (
                self.drawing(case, plan, &figure),
                causes(&case.machine, equation, modeled, |other| self.modeled_on(case, plan, other)),
            ),
            false => Default::default(),
        };
        let alone = figure.steps().iter().map(|step| step.time_without_conflicts(parameters));
        Facts {
            drawing,
            steps: figure.steps().len(),
            equation,
            in_step: figure.in_step(parameters) + products,
            without_conflicts: alone.sum::<Span>() + products,
            modeled,
            sharing: sharing(&figure, parameters, |link| topology.link(link)),
            shared: ran.and_then(|ran| ran.shared.clone()),
            // Links are not looked at where nothing is modeled.
            is_moving: ran.is_some_and(|ran| ran.shared.is_some() || !ran.is_modeled && ran.messages > 0),
            causes,
        }
    }

    /// The modeled time of the same on another machine.
    fn modeled_on(&self, case: &Case, plan: &Solution, machine: &MachineSpec) -> Option<Span> {
        match plan {
            Solution::Algorithm(algorithm, _) => {
                Some(self.planned(case, *algorithm, machine).ok()?.prediction().modeled.since_start())
            }
            Solution::Matrix(matrix) => matrix.modeled(machine),
        }
    }

    /// The steps, as text.
    fn drawing(&self, case: &Case, plan: &Solution, figure: &Figure) -> String {
        let draw = |figure: &Figure| steps::drawing(figure, &case.machine, self.arguments.full);
        let Solution::Matrix(matrix) = plan else { return draw(figure) };
        let [broadcasts, sums] = matrix.figures.each_ref().map(|figure| match draw(figure) {
            nothing if nothing.is_empty() => "nothing to do\n".to_owned(),
            drawing => drawing,
        });
        let multiply_adds = counted(matrix.products(), "multiply-add");
        let products = case.machine.parameters().combining(matrix.products());
        format!(
            "The vector along the columns:\n{broadcasts}\nThe products: at most {multiply_adds} on a node, in {products}.\n\n\
             The sums along the rows:\n{sums}"
        )
    }
}

/// The step in which most messages share a link: the one that this costs most, of equal ones the one with most messages.
fn sharing(figure: &Figure, parameters: &Parameters, link: impl Fn(usize) -> Link) -> Option<Sharing> {
    let steps = figure.steps().iter().zip(1..).filter_map(|(step, number)| {
        let busiest = step.busiest().filter(|busiest| busiest.messages > 1)?;
        let (time, alone) = (step.time(parameters), step.time_without_conflicts(parameters));
        Some(Sharing { step: number, link: link(busiest.link), busiest, time, alone })
    });
    // The first of equal ones.
    steps.reduce(|most, next| {
        let weight = |sharing: &Sharing| (sharing.time - sharing.alone, sharing.busiest.messages);
        if weight(&next) > weight(&most) { next } else { most }
    })
}

/// Finds why modeled time differs from the equation: what makes it less if it is taken away, what makes it more if a
/// send occupies its sender for longer. `on` tells modeled time on a machine with other parameters.
fn causes(
    machine: &MachineSpec,
    equation: Span,
    modeled: Span,
    on: impl Fn(&MachineSpec) -> Option<Span>,
) -> Causes {
    if modeled == equation {
        return Causes::default();
    }
    let parameters = machine.parameters();
    let builder = || parameters.to_builder();
    let suspects = [
        (
            !parameters.hop().is_zero(),
            builder().hop(0.0),
            format!("{} for each link of a route", parameters.hop()),
        ),
        (
            parameters.duplex() < 2.0,
            builder().duplex(2.0),
            format!(
                "the duplex limit: a node that sends and receives at once moves {} times, not twice, what it \
                 moves one way",
                parameters.duplex()
            ),
        ),
        (
            !parameters.exchange_overhead().is_zero(),
            builder().exchange_overhead(0.0),
            format!("{} more for a receive that overlaps a send", parameters.exchange_overhead()),
        ),
    ];
    let costs = suspects.into_iter().filter_map(|(is_there, without, words)| {
        let without = with(machine, is_there.then(|| without.build().ok())??);
        (on(&without)? < modeled).then_some(words)
    });
    Causes { costs: costs.collect(), strict: on(&strict(machine)).filter(|&strict| strict != modeled) }
}
