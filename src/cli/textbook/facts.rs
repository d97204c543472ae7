//! The figures of a case beside those of its run: steps, equation, shared links, and why modeled time differs.

use multicomputer::{
    Span, collective,
    model::{Description, Parameters},
    report::LinkReport,
    textbook::{Algorithm, Busiest, Figure},
    topology::Link,
};

use super::{
    super::{compare::Ran, count::counted},
    Chapter,
    case::Case,
    matrix::Matrix,
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

    fn of(figure: &Figure, case: &Case, equation: Span, ran: Option<&Ran>) -> Facts {
        let (parameters, topology) = (case.machine.parameters(), case.machine.topology());
        let alone = figure.steps().iter().map(|step| step.time_without_conflicts(parameters));
        Facts {
            drawing: String::new(),
            steps: figure.steps().len(),
            equation,
            in_step: figure.in_step(parameters),
            without_conflicts: alone.sum(),
            modeled: ran.map_or(Span::ZERO, |ran| ran.time),
            sharing: sharing(figure, parameters, |link| topology.link(link)),
            shared: ran.and_then(|ran| ran.shared.clone()),
            // Links are not looked at where nothing is modeled.
            is_moving: ran.is_some_and(|ran| ran.shared.is_some() || !ran.is_modeled && ran.messages > 0),
            causes: Causes::default(),
        }
    }
}

impl Chapter<'_> {
    /// The facts of an algorithm.
    pub(super) fn of_plan(
        &self,
        case: &Case,
        algorithm: Algorithm,
        plan: &collective::Plan,
        ran: Option<&Ran>,
    ) -> Facts {
        let figure = Figure::of(plan);
        let modeled = plan.prediction().modeled.since_start();
        let facts = Facts { modeled, ..Facts::of(&figure, case, plan.estimate(), ran) };
        if !self.in_full {
            return facts;
        }
        let on = |other: &Description| {
            let other = self.planned(case, algorithm, other).ok()?;
            Some(other.prediction().modeled.since_start())
        };
        let causes = causes(&case.machine, plan.estimate(), modeled, on);
        Facts { causes, drawing: steps::drawing(&figure, &case.machine, self.arguments.full), ..facts }
    }

    /// The facts of the example.
    pub(super) fn of_matrix(
        &self,
        case: &Case,
        matrix: &Matrix,
        modeled: Option<Span>,
        ran: Option<&Ran>,
    ) -> Facts {
        let equation = matrix.equation().time(case.machine.parameters());
        let [broadcasts, sums] = &matrix.figures;
        let products = case.machine.parameters().combining(matrix.products());
        let facts = Facts::of(&broadcasts.clone().followed_by(sums.clone()), case, equation, ran);
        let facts = Facts {
            modeled: modeled.unwrap_or(facts.modeled),
            in_step: facts.in_step + products,
            without_conflicts: facts.without_conflicts + products,
            ..facts
        };
        if !self.in_full {
            return facts;
        }
        let draw = |figure: &Figure| match steps::drawing(figure, &case.machine, self.arguments.full) {
            nothing if nothing.is_empty() => "nothing to do\n".to_owned(),
            drawing => drawing,
        };
        let multiply_adds = counted(matrix.products(), "multiply-add");
        let drawing = format!(
            "The vector along the columns:\n{}\nThe products: at most {multiply_adds} on a node, in {products}.\n\n\
             The sums along the rows:\n{}",
            draw(broadcasts),
            draw(sums)
        );
        let causes = causes(&case.machine, equation, facts.modeled, |other| matrix.modeled(other));
        Facts { causes, drawing, ..facts }
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
    machine: &Description,
    equation: Span,
    modeled: Span,
    on: impl Fn(&Description) -> Option<Span>,
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
                "that a node that sends and receives at once moves {} times, not twice, what it moves one way",
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
