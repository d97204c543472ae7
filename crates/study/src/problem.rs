//! The problem of a case, and its plans.

use multicomputer::{
    Span, Time, all_to_all,
    all_to_all::{Generator, Matrix},
    collective,
    model::MachineSpec,
    plan::{LowerBound, Search},
    s_to_p::{self, Distribution},
    topology::Grid,
    units::{format_with_limit, parse_bytes},
};

use crate::{
    Axis, Operation,
    algorithms::Algorithm,
    case::Point,
    checked::{self, Runner},
    data::{Content, MAX_DATA},
    row::Problem as Columns,
    spelling::read_fraction,
};

/// Bytes of a case that sets none.
const DEFAULT_BYTES: u64 = 2048;

/// Number of sources of an s-to-p broadcast that sets none.
const DEFAULT_SOURCES: usize = 30;

/// Maximum number of nodes of a generated matrix, which has an entry for every pair of nodes.
const MAX_MATRIX_NODES: usize = 1 << 14;

/// The length of an element of combining operations that a study does not set: a double.
pub(crate) const DOUBLE: u64 = 8;

/// The problem of a case: what is moved among the nodes of a machine.
pub(crate) enum Problem {
    Collective(Box<collective::Task>),
    SToP(Box<s_to_p::Instance>),
    AllToAll(Box<all_to_all::Instance>),
}

/// A plan of a problem.
pub(crate) enum Plan {
    Collective(Box<collective::Plan>),
    SToP(Box<s_to_p::Plan>),
    AllToAll(Box<all_to_all::Plan>),
}

/// Choices of a study for all of its collective operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elements {
    pub(crate) bytes: Option<u64>,
    pub(crate) in_order: bool,
}

impl Problem {
    /// The problem of a case on its machine, and the columns that describe it.
    pub(crate) fn of(
        point: &Point<'_>,
        operation: Operation,
        machine: &MachineSpec,
        elements: Elements,
    ) -> Result<(Problem, Columns), String> {
        let mut columns = Columns::default();
        let bytes =
            point.text(Axis::Bytes).map(parse_bytes).transpose().map_err(|cause| cause.to_string())?;
        let bytes = bytes.unwrap_or(DEFAULT_BYTES);
        columns.bytes = Some(bytes);
        let nodes = machine.nodes();
        let problem = match operation {
            Operation::Collective(operation) => {
                let default = if operation.combines() { DOUBLE } else { 1 };
                let element = elements.bytes.unwrap_or(default);
                if !bytes.is_multiple_of(element) {
                    return Err(format!(
                        "{bytes} bytes are not a multiple of the element ({element} bytes for {operation}): choose other \
                         lengths, or element"
                    ));
                }
                let root = point.count(Axis::Root).unwrap_or(0) as usize;
                let task = collective::Task::builder(machine, operation)
                    .root(if operation.has_root() { root } else { 0 })
                    .element_bytes(element)
                    .in_order(elements.in_order && operation.combines())
                    .elements(bytes / element);
                columns.root = operation.has_root().then_some(root);
                columns.element = Some(element);
                Problem::Collective(Box::new(task.build().map_err(|cause| cause.to_string())?))
            }
            Operation::SToP => {
                let distribution = point.text(Axis::Distribution).unwrap_or("row").parse::<Distribution>();
                let distribution = distribution.map_err(|cause| cause.to_string())?;
                let grid = machine.topology().grid().unwrap_or(Grid { rows: 1, columns: nodes });
                let default = || distribution.sources().unwrap_or_else(|| nodes.min(DEFAULT_SOURCES));
                let count = point.count(Axis::Sources).map_or_else(default, |count| count as usize);
                let sources = distribution.place(grid, count).map_err(|cause| cause.to_string())?;
                let lengths = vec![bytes; sources.len()];
                let instance = s_to_p::Instance::new(machine, &sources, &lengths);
                columns.distribution = Some(distribution.to_string());
                columns.sources = Some(sources.len());
                Problem::SToP(Box::new(instance.map_err(|cause| cause.to_string())?))
            }
            Operation::AllToAll => {
                if nodes > MAX_MATRIX_NODES {
                    return Err(format!(
                        "a matrix for {nodes} nodes does not fit in memory: use at most {MAX_MATRIX_NODES} nodes"
                    ));
                }
                let fan_out = point.count(Axis::FanOut).map_or(nodes, |fan_out| fan_out as usize);
                let matrix = match point.text(Axis::Skew) {
                    Some(text) => {
                        let nonuniformity = read_fraction(text)?;
                        let generator =
                            Generator { nodes, fan_out, traffic: bytes, nonuniformity, seed: point.seed() };
                        columns.skew = Some(text.to_owned());
                        generator.matrix().map_err(|cause| cause.to_string())?
                    }
                    None => equal(nodes, fan_out, bytes)?,
                };
                columns.fan_out = Some(fan_out);
                let instance = all_to_all::Instance::new(machine, matrix);
                Problem::AllToAll(Box::new(instance.map_err(|cause| cause.to_string())?))
            }
        };
        Ok((problem, columns))
    }

    /// The lower bound of the time.
    pub(crate) fn lower_bound(&self) -> LowerBound {
        match self {
            Problem::Collective(task) => task.lower_bound(),
            Problem::SToP(instance) => instance.lower_bound(),
            Problem::AllToAll(instance) => instance.lower_bound(),
        }
    }

    /// The plan of an algorithm; or why there is none. `seed` decides the random choices of the algorithm.
    pub(crate) fn plan(&self, algorithm: &Algorithm, seed: u64, search: Search) -> Result<Plan, String> {
        match (self, algorithm) {
            (Problem::Collective(task), Algorithm::Collective(algorithm)) => {
                let plan = algorithm.plan_with(task, search).map_err(|cause| cause.to_string())?;
                Ok(Plan::Collective(Box::new(plan)))
            }
            (Problem::SToP(instance), Algorithm::SToP(algorithm)) => {
                let plan = algorithm.plan_with(instance, search).map_err(|cause| cause.to_string())?;
                Ok(Plan::SToP(Box::new(plan)))
            }
            (Problem::AllToAll(instance), Algorithm::AllToAll(algorithm)) => {
                let algorithm =
                    if algorithm.seed().is_some() { algorithm.with_seed(seed) } else { algorithm.clone() };
                let plan = algorithm.plan_with(instance, search).map_err(|cause| cause.to_string())?;
                Ok(Plan::AllToAll(Box::new(plan)))
            }
            _ => Err("the algorithm is for another operation".to_owned()),
        }
    }

    /// Refuses data that would not fit in memory.
    pub(crate) fn check_data(&self, content: Content) -> Result<(), String> {
        let data = match self {
            Problem::Collective(task) => {
                let vectors = if task.operation().combines() { task.size() as u64 } else { 1 };
                task.bytes().saturating_mul(vectors)
            }
            Problem::SToP(instance) => instance.bytes(),
            Problem::AllToAll(instance) => {
                u64::try_from(instance.matrix().figures().bytes).unwrap_or(u64::MAX)
            }
        };
        if content == Content::Phantom || data <= MAX_DATA {
            return Ok(());
        }
        let [data, most] = format_with_limit(data, MAX_DATA);
        Err(format!(
            "a run needs {data} of data, and the limit is {most}: set phantom, which sends lengths only"
        ))
    }
}

impl Plan {
    /// The predicted time; `None` if only a run can tell.
    pub(crate) fn predicted(&self) -> Option<Span> {
        let modeled = match self {
            Plan::Collective(plan) => Some(plan.prediction().modeled),
            Plan::SToP(plan) => Some(plan.prediction().modeled),
            Plan::AllToAll(plan) => plan.prediction().map(|prediction| prediction.modeled),
        };
        modeled.filter(|&modeled| modeled < Time::MAX).map(Time::since_start)
    }

    /// The name of the chosen algorithm and variant.
    pub(crate) fn chosen(&self) -> String {
        match self {
            Plan::Collective(plan) => plan.name().to_owned(),
            Plan::SToP(plan) => plan.name().to_owned(),
            Plan::AllToAll(plan) => plan.name().to_owned(),
        }
    }

    /// Whether the search tried all variants that could be the fastest.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Plan::Collective(plan) => plan.is_complete(),
            Plan::SToP(plan) => plan.is_complete(),
            Plan::AllToAll(plan) => plan.is_complete(),
        }
    }

    /// Runs the plan with data that is checked.
    pub(crate) fn run<R: Runner>(&self, content: Content, runner: R) -> Result<R::Ran, R::Error> {
        match self {
            Plan::Collective(plan) => checked::collective(plan, content, runner),
            Plan::SToP(plan) => checked::s_to_p(plan, content, runner),
            Plan::AllToAll(plan) => checked::all_to_all(plan, content, runner),
        }
    }
}

/// The matrix in which every node sends equal messages to the `fan_out` ranks that follow it, cyclically. If `bytes` is not a multiple of
/// the number of receivers, the first messages are one byte longer.
fn equal(nodes: usize, fan_out: usize, bytes: u64) -> Result<Matrix, String> {
    if !(1..=nodes).contains(&fan_out) {
        return Err(format!("the fan-out {fan_out} is not possible: it is from 1 to {nodes}"));
    }
    let (least, longer) = (bytes / fan_out as u64, (bytes % fan_out as u64) as usize);
    // With all nodes as receivers a node has a message for itself, as in the papers; otherwise the first receiver is the next node.
    let first = usize::from(fan_out < nodes);
    let length = |from: usize, to: usize| match (to + nodes - from) % nodes {
        distance if distance < first || distance >= first + fan_out => 0,
        distance => least + u64::from(distance - first < longer),
    };
    Matrix::of(nodes, length).map_err(|cause| cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_matrices_have_the_traffic_and_the_fan_out() {
        for (nodes, fan_out, bytes) in [(8, 8, 64), (8, 3, 64), (5, 5, 7), (1, 1, 9)] {
            let matrix = equal(nodes, fan_out, bytes).unwrap();
            for node in 0..nodes {
                assert_eq!((matrix.sent(node), matrix.received(node)), (bytes, bytes), "{nodes} {fan_out}");
                assert_eq!(matrix.row(node).iter().filter(|&&bytes| bytes > 0).count(), fan_out);
            }
        }
        assert!(equal(4, 5, 8).unwrap_err().contains("1 to 4"));
    }
}
