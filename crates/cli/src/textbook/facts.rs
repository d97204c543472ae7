//! Figures of a case and of its run: steps, equation, shared links, and causes of a difference from the equation.

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

/// Figures of a case.
#[derive(Debug)]
pub(super) struct Facts {
    /// The steps as text; empty if there are several cases.
    pub(super) drawing: String,
    pub(super) steps: usize,
    /// Time by the equation.
    pub(super) equation: Span,
    /// Time if all nodes synchronize after each step, with contention for links.
    pub(super) in_step: Span,
    /// Time if all nodes synchronize after each step, without contention for links.
    pub(super) without_conflicts: Span,
    /// Modeled time in virtual time.
    pub(super) modeled: Span,
    /// Step in which sharing the busiest link costs the most time, if messages share links.
    pub(super) sharing: Option<Sharing>,
    /// Link that the most messages of the run shared at once.
    pub(super) shared: Option<LinkReport>,
    /// Whether any message uses a link.
    pub(super) is_moving: bool,
    /// Causes of the difference of the modeled time from the equation; empty if there are several cases.
    pub(super) causes: Causes,
}

/// Messages of a step that share a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sharing {
    /// Number of the step, from 1.
    pub(super) step: usize,
    pub(super) link: Link,
    pub(super) busiest: Busiest,
    /// Time of the step.
    pub(super) time: Span,
    /// Time of the step without contention for links.
    pub(super) alone: Span,
}

/// Costs of the machine that the equation omits, found by removing each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Causes {
    /// Descriptions.
    pub(super) costs: Vec<String>,
    /// Modeled time if a send occupies its sender until the message has arrived.
    pub(super) strict: Option<Span>,
}

impl Facts {
    /// Returns the ratio of the modeled time to the equation; `None` if the equation gives 0.
    pub(super) fn slow_down(&self) -> Option<f64> {
        (!self.equation.is_zero()).then(|| self.modeled.as_secs_f64() / self.equation.as_secs_f64())
    }

    /// Returns the maximum number of messages of one step on one link, with that link and step: `4 (node 3 -> node 4 in
    /// step 3)`.
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
    /// Returns the figures of a case.
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
        let (drawing, causes) = match self.is_single {
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
            // Links are recorded only if times are modeled.
            is_moving: ran.is_some_and(|ran| ran.shared.is_some() || !ran.is_modeled && ran.messages > 0),
            causes,
        }
    }

    /// Returns the modeled time of a case on another machine.
    fn modeled_on(&self, case: &Case, plan: &Solution, machine: &MachineSpec) -> Option<Span> {
        match plan {
            Solution::Algorithm(algorithm, _) => {
                Some(self.planned(case, *algorithm, machine).ok()?.prediction().modeled.since_start())
            }
            Solution::Matrix(matrix) => matrix.modeled(machine),
        }
    }

    /// Returns the steps as text.
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

/// Returns the step in which sharing the busiest link costs the most time; of equal steps, the one with the most
/// messages.
fn sharing(figure: &Figure, parameters: &Parameters, link: impl Fn(usize) -> Link) -> Option<Sharing> {
    let steps = figure.steps().iter().zip(1..).filter_map(|(step, number)| {
        let busiest = step.busiest().filter(|busiest| busiest.messages > 1)?;
        let (time, alone) = (step.time(parameters), step.time_without_conflicts(parameters));
        Some(Sharing { step: number, link: link(busiest.link), busiest, time, alone })
    });
    // Of equal steps, the first.
    steps.reduce(|most, next| {
        let weight = |sharing: &Sharing| (sharing.time - sharing.alone, sharing.busiest.messages);
        if weight(&next) > weight(&most) { next } else { most }
    })
}

/// Finds causes of the difference of the modeled time from the equation: costs whose removal reduces the modeled time,
/// and the modeled time with strict sends. `on` returns the modeled time on a machine with other parameters.
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
