//! Problems, and their plans.

use multicomputer::{
    Rank, Span, Time, all_to_all,
    all_to_all::{Generator, Matrix},
    collective,
    comm::MAX_MESSAGE,
    model::MachineSpec,
    msccl::{Program, WriteError},
    pattern::{Growth, Schedule},
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

/// Returns the default length of an element in bytes: 8 (a double) for operations that combine, otherwise 1.
pub fn default_element(operation: collective::Operation) -> u64 {
    if operation.combines() { DOUBLE } else { 1 }
}

/// A problem: what is moved among the nodes of a machine.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A collective operation.
    Collective(Box<collective::Task>),
    /// An s-to-p broadcast.
    SToP(Box<s_to_p::Instance>),
    /// An all-to-all.
    AllToAll(Box<all_to_all::Instance>),
}

/// A plan of a problem.
#[derive(Debug)]
pub enum Plan {
    /// A plan of a collective operation.
    Collective(Box<collective::Plan>),
    /// A plan of an s-to-p broadcast.
    SToP(Box<s_to_p::Plan>),
    /// A plan of an all-to-all.
    AllToAll(Box<all_to_all::Plan>),
}

/// Choices of a study for all of its collective operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Bytes of an element [default: [`default_element`]].
    pub bytes: Option<u64>,
    /// Whether elements are combined in rank order, as for an operator that is not commutative.
    pub in_order: bool,
}

/// The vector of a collective operation, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector<'a> {
    /// The length of the whole vector.
    Whole(u64),
    /// The length of the block of each rank, for operations with blocks.
    Blocks(&'a [u64]),
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
        let count = |axis| point.count(axis).map(|count| count as usize);
        let problem = match operation {
            Operation::Collective(operation) => {
                let root = count(Axis::Root).unwrap_or(0);
                columns.root = operation.has_root().then_some(root);
                columns.element = Some(elements.bytes.unwrap_or_else(|| default_element(operation)));
                Problem::collective(machine, operation, Vector::Whole(bytes), elements, root, None)?
            }
            Operation::SToP => {
                let distribution = point.text(Axis::Distribution).unwrap_or("row").parse::<Distribution>();
                let distribution = distribution.map_err(|cause| cause.to_string())?;
                let sources = place_sources(machine, &distribution, count(Axis::Sources))?;
                columns.distribution = Some(distribution.to_string());
                columns.sources = Some(sources.len());
                Problem::s_to_p(machine, &sources, &vec![bytes; sources.len()])?
            }
            Operation::AllToAll => {
                let (fan_out, skew) = (count(Axis::FanOut), point.text(Axis::Skew));
                let nonuniformity = skew.map(read_fraction).transpose()?;
                columns.skew = skew.map(str::to_owned);
                columns.fan_out = Some(fan_out.unwrap_or(machine.nodes()));
                let matrix = matrix(machine, fan_out, bytes, nonuniformity, point.seed())?;
                Problem::all_to_all(machine, matrix)?
            }
        };
        Ok((problem, columns))
    }

    /// Creates a collective operation among `members`, by default all nodes. Operations without a root ignore `root`.
    ///
    /// # Errors
    ///
    /// A text that says what is wrong with the arguments.
    pub fn collective(
        machine: &MachineSpec,
        operation: collective::Operation,
        vector: Vector<'_>,
        elements: Elements,
        root: usize,
        members: Option<&[Rank]>,
    ) -> Result<Problem, String> {
        let element = elements.bytes.unwrap_or_else(|| default_element(operation));
        let count = |&bytes: &u64| match bytes % element {
            0 => Ok(bytes / element),
            _ => Err(format!(
                "{} not a multiple of the element ({element} bytes for {operation}): choose another length \
                 or element",
                if bytes == 1 { "1 byte is".to_owned() } else { format!("{bytes} bytes are") }
            )),
        };
        let task = collective::Task::builder(machine, operation)
            .root(if operation.has_root() { root } else { 0 })
            .element_bytes(element)
            .in_order(elements.in_order && operation.combines());
        let task = match vector {
            Vector::Whole(bytes) => task.elements(count(&bytes)?),
            Vector::Blocks(blocks) => task.blocks(blocks.iter().map(count).collect::<Result<Vec<u64>, _>>()?),
        };
        let task = members.map_or(task.clone(), |members| task.members(members));
        Ok(Problem::Collective(Box::new(task.build().map_err(|cause| cause.to_string())?)))
    }

    /// Creates an s-to-p broadcast from these sources, with the length of each message.
    ///
    /// # Errors
    ///
    /// A text that says what is wrong with the arguments.
    pub fn s_to_p(machine: &MachineSpec, sources: &[Rank], lengths: &[u64]) -> Result<Problem, String> {
        let instance = s_to_p::Instance::new(machine, sources, lengths).map_err(|cause| cause.to_string())?;
        Ok(Problem::SToP(Box::new(instance)))
    }

    /// Creates an all-to-all.
    ///
    /// # Errors
    ///
    /// A text that says what is wrong with the arguments.
    pub fn all_to_all(machine: &MachineSpec, matrix: Matrix) -> Result<Problem, String> {
        let instance = all_to_all::Instance::new(machine, matrix).map_err(|cause| cause.to_string())?;
        Ok(Problem::AllToAll(Box::new(instance)))
    }

    /// Returns the operation.
    pub fn operation(&self) -> Operation {
        match self {
            Problem::Collective(task) => Operation::Collective(task.operation()),
            Problem::SToP(_) => Operation::SToP,
            Problem::AllToAll(_) => Operation::AllToAll,
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &MachineSpec {
        match self {
            Problem::Collective(task) => task.machine(),
            Problem::SToP(instance) => instance.machine(),
            Problem::AllToAll(instance) => instance.machine(),
        }
    }

    /// Returns the lower bound of the time.
    pub fn lower_bound(&self) -> LowerBound {
        match self {
            Problem::Collective(task) => task.lower_bound(),
            Problem::SToP(instance) => instance.lower_bound(),
            Problem::AllToAll(instance) => instance.lower_bound(),
        }
    }

    /// Makes the plan of an algorithm.
    ///
    /// # Errors
    ///
    /// A text that says why there is none.
    pub fn plan(&self, algorithm: &Algorithm, search: Search) -> Result<Plan, String> {
        let plan = match (self, algorithm) {
            (Problem::Collective(task), Algorithm::Collective(algorithm)) => {
                algorithm.plan_with(task, search).map(|plan| Plan::Collective(Box::new(plan)))
            }
            (Problem::SToP(instance), Algorithm::SToP(algorithm)) => {
                algorithm.plan_with(instance, search).map(|plan| Plan::SToP(Box::new(plan)))
            }
            (Problem::AllToAll(instance), Algorithm::AllToAll(algorithm)) => {
                algorithm.plan_with(instance, search).map(|plan| Plan::AllToAll(Box::new(plan)))
            }
            _ => return Err("the algorithm is for another operation".to_owned()),
        };
        plan.map_err(|cause| cause.to_string())
    }

    /// Checks that a run is possible: that messages are not too long, and that the data fits in memory.
    ///
    /// # Errors
    ///
    /// A text with the limit.
    pub fn check_data(&self, content: Content) -> Result<(), String> {
        let data = match self {
            Problem::Collective(task) => {
                if task.bytes() > MAX_MESSAGE {
                    let [vector, most] = format_with_limit(task.bytes(), MAX_MESSAGE);
                    return Err(format!(
                        "a vector of {vector} may be sent as one message, and the limit of a message is {most}: predict \
                         only (--run none)"
                    ));
                }
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
            "a run needs {data} of data, and the limit is {most}: use --phantom (lengths only), or predict only (--run none)"
        ))
    }
}

/// Returns the sources of a distribution on a machine, by default 30, at most all nodes. A machine without rows and columns counts as one
/// row.
///
/// # Errors
///
/// A text that says why the number is not possible.
pub fn place_sources(
    machine: &MachineSpec,
    distribution: &Distribution,
    count: Option<usize>,
) -> Result<Vec<Rank>, String> {
    let nodes = machine.nodes();
    let grid = machine.topology().grid().unwrap_or(Grid { rows: 1, columns: nodes });
    let count = count.or(distribution.sources()).unwrap_or_else(|| nodes.min(DEFAULT_SOURCES));
    distribution.place(grid, count).map_err(|cause| cause.to_string())
}

/// Returns the matrix of an all-to-all in which every node sends `bytes` to `fan_out` nodes, by default to all. Without a skew the messages
/// are equal; otherwise the matrix is [random](Generator).
///
/// # Errors
///
/// A text that says what is wrong with the arguments.
pub fn matrix(
    machine: &MachineSpec,
    fan_out: Option<usize>,
    bytes: u64,
    skew: Option<f64>,
    seed: u64,
) -> Result<Matrix, String> {
    let nodes = machine.nodes();
    if nodes > MAX_MATRIX_NODES {
        return Err(format!(
            "a matrix for {nodes} nodes does not fit in memory: use at most {MAX_MATRIX_NODES} nodes"
        ));
    }
    let fan_out = fan_out.unwrap_or(nodes);
    let Some(nonuniformity) = skew else { return equal(nodes, fan_out, bytes) };
    let generator = Generator { nodes, fan_out, traffic: bytes, nonuniformity, seed };
    generator.matrix().map_err(|cause| cause.to_string())
}

impl Plan {
    /// Returns the predicted time; `None` if only a run can tell, or if it exceeds the range of modeled time.
    pub fn predicted(&self) -> Option<Span> {
        let modeled = match self {
            Plan::Collective(plan) => Some(plan.prediction().modeled),
            Plan::SToP(plan) => Some(plan.prediction().modeled),
            Plan::AllToAll(plan) => plan.prediction().map(|prediction| prediction.modeled),
        };
        modeled.filter(|&modeled| modeled < Time::MAX).map(Time::since_start)
    }

    /// Returns the name of the chosen algorithm and variant.
    pub fn chosen(&self) -> String {
        match self {
            Plan::Collective(plan) => plan.name().to_owned(),
            Plan::SToP(plan) => plan.name().to_owned(),
            Plan::AllToAll(plan) => plan.name().to_owned(),
        }
    }

    /// Returns whether the search tried all variants that could be the fastest.
    pub fn is_complete(&self) -> bool {
        match self {
            Plan::Collective(plan) => plan.is_complete(),
            Plan::SToP(plan) => plan.is_complete(),
            Plan::AllToAll(plan) => plan.is_complete(),
        }
    }

    /// Returns the schedule; `None` if the steps depend on the run.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            Plan::Collective(plan) => Some(plan.schedule()),
            Plan::SToP(plan) => Some(plan.schedule()),
            Plan::AllToAll(plan) => plan.schedule(),
        }
    }

    /// Returns the time by the closed form of a collective operation, if the variant has one.
    pub fn estimate(&self) -> Option<Span> {
        match self {
            Plan::Collective(plan) => Some(plan.estimate()).filter(|estimate| !estimate.is_zero()),
            _ => None,
        }
    }

    /// Returns the growth of an s-to-p broadcast: nodes with a message and the longest message, after each iteration.
    pub fn growth(&self) -> Option<&Growth> {
        match self {
            Plan::SToP(plan) => Some(plan.growth()),
            _ => None,
        }
    }

    /// Converts the plan to an MSCCL program.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if MSCCL has no such operation or schedule.
    pub fn msccl(&self) -> Result<Program, WriteError> {
        match self {
            Plan::Collective(plan) => plan.msccl(),
            Plan::SToP(_) => Err(WriteError::Operation { operation: "s-to-p broadcast".to_owned() }),
            Plan::AllToAll(plan) => plan.msccl(),
        }
    }

    /// Runs the plan with data that is checked.
    ///
    /// # Errors
    ///
    /// Those of the runner.
    pub fn run<R: Runner>(&self, content: Content, runner: R) -> Result<R::Ran, R::Error> {
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
        return Err(format!(
            "fan-out {fan_out} is out of range; allowed is 1 to {nodes}, the number of nodes"
        ));
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
        assert!(equal(4, 5, 8).unwrap_err().contains("allowed is 1 to 4"));
    }
}
