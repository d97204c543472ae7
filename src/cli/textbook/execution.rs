//! A case that is planned, drawn, run and checked.

use multicomputer::{
    Clock, Machine, Span, Time,
    collective::Plan,
    model::Description,
    textbook::{Algorithm, Figure, Topic},
};

use super::{
    super::{
        collective::run_checked, count::counted, data::Content, error::Error, files::Trace, patience,
        progress::Progress,
    },
    Arguments,
    case::{Case, CaseError},
    matrix::Matrix,
    outcome::{Causes, Figures, Outcome, Ran, sharing},
    parameters::{strict, with},
    steps,
};

/// What all cases have in common.
pub(super) struct Executor<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) progress: &'a Progress,
    /// Where a case is shown in full, its steps are drawn, and the causes of a difference are looked for.
    pub(super) in_full: bool,
}

impl Executor<'_> {
    /// What a case comes to.
    pub(super) fn execute(&self, case: Case, machine: &Machine, trace: Trace<'_>) -> Result<Outcome, Error> {
        let figures = match case.item.topic {
            Topic::Algorithm(algorithm) => match plan(self.arguments, &case, algorithm, &case.machine) {
                Ok(plan) => Ok(self.by_plan(&case, algorithm, &plan, machine, trace)?),
                Err(cause) => Err(cause),
            },
            Topic::MatrixVector => match Matrix::of(self.arguments, &case) {
                Ok(matrix) => Ok(self.by_matrix(&case, &matrix, machine, trace)?),
                Err(cause) => Err(cause.to_string()),
            },
        };
        Ok(Outcome { case, figures })
    }

    fn by_plan(
        &self,
        case: &Case,
        algorithm: Algorithm,
        plan: &Plan,
        machine: &Machine,
        trace: Trace<'_>,
    ) -> Result<Figures, Error> {
        let content = match self.arguments.phantom {
            true => Content::Phantom,
            false => Content::Random { seed: self.arguments.options.seed },
        };
        let modeled = plan.prediction().modeled.since_start();
        self.announce(case, modeled)?;
        let report = run_checked(machine, plan, content, case, trace)?;
        let figure = Figure::of(plan);
        let drawing = if self.in_full {
            steps::drawing(&figure, &case.machine, self.arguments.full)
        } else {
            String::new()
        };
        let on = |other: &Description| {
            let other = self::plan(self.arguments, case, algorithm, other).ok()?;
            Some(other.prediction().modeled.since_start())
        };
        let causes = if self.in_full {
            causes(&case.machine, plan.estimate(), modeled, on)
        } else {
            Causes::default()
        };
        Ok(Figures { modeled, causes, drawing, ..of(&figure, case, plan.estimate(), Ran::of(&report)) })
    }

    fn by_matrix(
        &self,
        case: &Case,
        matrix: &Matrix,
        machine: &Machine,
        trace: Trace<'_>,
    ) -> Result<Figures, Error> {
        let equation = matrix.equation().time(case.machine.parameters());
        let on = |other: &Description| {
            let machine = Machine::of(other.clone()).build().ok()?;
            Some(matrix.run(&machine).ok()?.report.modeled.since_start())
        };
        // A run in real time does not tell what virtual time is.
        let in_virtual_time = match self.arguments.options.clock() {
            Clock::Virtual | Clock::Host => None,
            Clock::RealTime { .. } => on(&case.machine),
        };
        in_virtual_time.map_or(Ok(()), |modeled| self.announce(case, modeled))?;
        let run = matrix.run(machine)?;
        trace.write(&run)?;
        let report = run.report;
        let modeled = in_virtual_time.unwrap_or(report.modeled.since_start());
        let [broadcasts, sums] = &matrix.figures;
        let products = case.machine.parameters().combining(matrix.products());
        let drawing = if self.in_full {
            let draw = |figure: &Figure| match steps::drawing(figure, &case.machine, self.arguments.full) {
                nothing if nothing.is_empty() => "nothing to do\n".to_owned(),
                drawing => drawing,
            };
            let multiply_adds = counted(matrix.products(), "multiply-add");
            format!(
                "The vector along the columns:\n{}\nThe products: at most {multiply_adds} on a node, in {products}.\n\n\
             The sums along the rows:\n{}",
                draw(broadcasts),
                draw(sums)
            )
        } else {
            String::new()
        };
        let causes =
            if self.in_full { causes(&case.machine, equation, modeled, on) } else { Causes::default() };
        let figure = broadcasts.clone().followed_by(sums.clone());
        let figures = of(&figure, case, equation, Ran::of(&report));
        let (in_step, without_conflicts) = (figures.in_step + products, figures.without_conflicts + products);
        Ok(Figures { modeled, in_step, without_conflicts, causes, drawing, ..figures })
    }

    /// Says how long a run in real time will take.
    fn announce(&self, case: &Case, modeled: Span) -> Result<(), Error> {
        patience::announce(self.arguments.options.clock(), modeled, &case.to_string(), self.progress)
    }
}

fn plan(
    arguments: &Arguments,
    case: &Case,
    algorithm: Algorithm,
    machine: &Description,
) -> Result<Plan, String> {
    let task = case.task(arguments, algorithm, machine).map_err(|cause: CaseError| cause.to_string())?;
    let plan = algorithm.plan(&task).map_err(|cause| cause.to_string())?;
    match plan.prediction().modeled {
        Time::MAX => Err(format!("{case} takes longer than modeled time can tell")),
        _ => Ok(plan),
    }
}

/// What the steps tell.
fn of(figure: &Figure, case: &Case, equation: Span, ran: Ran) -> Figures {
    let (parameters, topology) = (case.machine.parameters(), case.machine.topology());
    let without_conflicts =
        figure.steps().iter().fold(Span::ZERO, |sum, step| sum + step.time_without_conflicts(parameters));
    Figures {
        drawing: String::new(),
        steps: figure.steps().len(),
        equation,
        in_step: figure.in_step(parameters),
        without_conflicts,
        modeled: ran.modeled,
        sharing: sharing(figure, parameters, |link| topology.link(link)),
        ran,
        causes: Causes::default(),
    }
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
