//! Commands that compare algorithms on MPI ranks: their options, and the machine for which plans are made.

use std::{io::Write, rc::Rc, sync::Arc};

use clap::Args;
use multicomputer::{model::MachineSpec, mpi::Job, topology::Mesh};

use super::{
    super::{
        all_to_all, collective, compare::Runs, count::counted, error::Error, operations::CompareOptions,
        options::GivenMachines, ranks::Ranks, s_to_p, site::Site,
    },
    concluded,
};

/// Maximum number of timed calls.
const MAX_REPETITIONS: usize = 1_000_000;

/// Capacity of links over that of ports on a machine with a shape: so large that links do not affect predictions. The
/// shape is only for algorithms that use rows and columns.
const SHAPE_LINK_EXCESS: f64 = 1e6;

/// Arguments of a command that compares algorithms, and of its measurement.
#[derive(Args, Debug)]
pub(super) struct Compared<A: Args> {
    #[command(flatten)]
    arguments: A,

    /// Set the number of timed calls, after one warm-up call; the median is reported
    #[arg(long, value_name = "NUMBER", default_value_t = 9, value_parser = repetitions, allow_negative_numbers = true)]
    repetitions: usize,
}

/// Parses a number of repetitions.
fn repetitions(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=MAX_REPETITIONS).contains(number));
    number.ok_or_else(|| format!("give a whole number from 1 to {MAX_REPETITIONS}"))
}

/// A command that compares algorithms.
pub(super) trait Compares: Args {
    fn shared(&mut self) -> &mut CompareOptions;
    fn run(&self, site: &Site, out: &mut dyn Write) -> Result<(), Error>;
}

/// Implements the trait for commands with the common options.
macro_rules! compares {
    ($($command:ident),*) => {
        $(impl Compares for $command::Arguments {
            fn shared(&mut self) -> &mut CompareOptions {
                &mut self.compared
            }

            fn run(&self, site: &Site, mut out: &mut dyn Write) -> Result<(), Error> {
                $command::run(self, site, &mut out)
            }
        })*
    };
}

compares!(s_to_p, collective, all_to_all);

impl<A: Compares> Compared<A> {
    /// Carries out the command on all ranks.
    pub(super) fn run(mut self, job: Job, out: &mut dyn Write) -> Result<(), Error> {
        let shared = self.arguments.shared();
        let limit = shared.options.wall_limit();
        if job.rank() > 0 {
            // Only rank 0 writes files.
            (shared.options.csv, shared.options.plot) = (None, None);
        }
        let given = shared.machines.given();
        let planned = match check(shared, &given).and_then(|()| planned(given, job.machine())) {
            Ok(planned) => planned,
            Err(error) => return concluded(&job, Err(error)),
        };
        let job = match limit {
            Some(limit) => job.wall_limit(limit),
            None => job,
        };
        let job = match planned {
            Some(machine) => job.planned_for(machine)?,
            None => job,
        };
        let ranks = Rc::new(Ranks::new(job, self.repetitions));
        let result = self.arguments.run(&Site::Ranks(ranks.clone()), out);
        concluded(ranks.job(), result)
    }
}

/// Refuses options that apply only to machines of this process.
fn check(shared: &CompareOptions, given: &GivenMachines) -> Result<(), Error> {
    let refused = |option: &str, why: &str| Error::usage(format!("{option} cannot be used over MPI: {why}"));
    if shared.phantom {
        return Err(refused("--phantom", "times are those of real data"));
    }
    if given.is_placed {
        return Err(refused("--placement", "the launcher places ranks (mpirun --map-by)"));
    }
    if given.has_ports {
        return Err(refused("--ports", "set the ports in the machine file (ports = 4)"));
    }
    if shared.run == Some(Runs::None) {
        return Err(refused("--run none", "nothing would be measured; predict without `mpi`"));
    }
    match shared.options.only_on_machines() {
        Some((option, why)) => Err(refused(option, why)),
        None => Ok(()),
    }
}

/// Returns the machine for which plans are made, or `None` if the options give none; `default` is the job's machine.
fn planned(given: GivenMachines, default: &MachineSpec) -> Result<Option<MachineSpec>, Error> {
    let GivenMachines { machines, shapes, .. } = given;
    let ranks = default.nodes();
    let several = |option: &str, given: usize| {
        Error::usage(format!("{option} is given {given} times: over MPI plans are made for one machine"))
    };
    if machines.len() > 1 {
        return Err(several("--machine", machines.len()));
    }
    if shapes.len() > 1 {
        return Err(several("--mesh", shapes.len()));
    }
    let machine = machines.into_iter().next();
    if let Some(machine) = machine.as_ref().filter(|machine| machine.nodes() != ranks) {
        return Err(Error::usage(format!(
            "{} has {}, and there {}: choose a machine with a node for each rank",
            machine.name(),
            counted(machine.nodes(), "node"),
            are(ranks)
        )));
    }
    if let Some(machine) = machine.as_ref().filter(|machine| machine.is_disturbed()) {
        return Err(Error::usage(format!(
            "{} has noise or faults, which do not exist over MPI: remove them",
            machine.name()
        )));
    }
    let Some(&shape) = shapes.first() else { return Ok(machine) };
    if shape.rows * shape.columns != ranks {
        return Err(Error::usage(format!(
            "--mesh {shape} has {}, and there {}: choose a shape with a place for each rank",
            counted(shape.rows * shape.columns, "place"),
            are(ranks)
        )));
    }
    let machine = machine.unwrap_or_else(|| default.clone());
    let mesh = Mesh::new(shape.rows, shape.columns).map_err(Error::usage)?;
    let parameters = machine.parameters().to_builder().link_excess(SHAPE_LINK_EXCESS).build();
    let name = format!("{} as {shape}", machine.name());
    Ok(Some(MachineSpec::new(name, Arc::new(mesh), parameters.map_err(Error::usage)?)))
}

/// Returns the number of ranks with its verb: `are 6 ranks`.
fn are(ranks: usize) -> String {
    format!("{} {}", if ranks == 1 { "is" } else { "are" }, counted(ranks, "rank"))
}
