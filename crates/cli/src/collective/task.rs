//! Tasks of a sweep: one for each operation and length, with the requested algorithms.

use multicomputer::{
    collective::{Operation, Task as Collective, TaskBuilder},
    comm::MAX_MESSAGE,
    model::MachineSpec,
    units::{format_bytes, format_with_limit, parse_bytes},
};

use super::{
    super::{
        compare::Runs,
        count::counted,
        data::{Content, MAX_DATA},
        error::Error,
        lists::List,
    },
    Arguments,
    lists::{Requested, of_files},
};

/// A task, and the algorithms to compare on it.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) task: Collective,
    /// Requested algorithms, at least one.
    pub(super) requested: Vec<Requested>,
}

/// Parses the length of an element, in bytes.
pub(super) fn read_element(text: &str) -> Result<u64, String> {
    match parse_bytes(text).map_err(|cause| cause.to_string())? {
        0 => Err("an element has at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Returns the default length of an element, in bytes: 8 (a double) for operations that combine, otherwise 1.
pub(crate) fn default_element(operation: Operation) -> u64 {
    if operation.combines() { 8 } else { 1 }
}

/// Returns all requested tasks, ordered by operation, then length.
pub(super) fn tasks(
    arguments: &Arguments,
    machine: &MachineSpec,
    content: Content,
    runs: Runs,
) -> Result<Vec<Task>, Error> {
    let members = arguments.members.on(machine).map_err(Error::usage)?;
    let in_files = of_files(&arguments.with)?;
    check_options(arguments)?;
    let mut tasks = Vec::new();
    for &operation in arguments.operation.iter() {
        let element = arguments.element.unwrap_or_else(|| default_element(operation));
        let vectors: Vec<Vector<'_>> = match &arguments.blocks {
            Some(blocks) => vec![Vector::Blocks(blocks)],
            None => List::of(&arguments.bytes)
                .without_duplicates()
                .iter()
                .map(|&bytes| Vector::Whole(bytes))
                .collect(),
        };
        for vector in vectors {
            let task = Collective::builder(machine, operation)
                .root(arguments.root.unwrap_or(0))
                .element_bytes(element)
                .in_order(arguments.in_order);
            let task = vector.of(task, operation, element)?;
            let task = match &members {
                Some(members) => task.members(members.as_slice()),
                None => task,
            };
            let task = task.build().map_err(Error::usage)?;
            if runs != Runs::None {
                check(&task, content)?;
            }
            let library = arguments.algorithm.of(operation);
            tasks.push(Task {
                requested: library.into_iter().chain(in_files.iter().cloned()).collect(),
                task,
            });
        }
    }
    Ok(tasks)
}

/// Refuses `--root` if no requested operation has a root, and `--in-order` if none combines.
fn check_options(arguments: &Arguments) -> Result<(), Error> {
    check_option(
        &arguments.operation,
        arguments.root.is_some(),
        Operation::has_root,
        "with a root",
        "--root",
    )?;
    check_option(&arguments.operation, arguments.in_order, Operation::combines, "that combines", "--in-order")
}

/// Refuses `option` if it is given and `has` is false for all operations.
fn check_option(
    operations: &[Operation],
    is_given: bool,
    has: fn(Operation) -> bool,
    what: &str,
    option: &str,
) -> Result<(), Error> {
    if !is_given || operations.iter().any(|&operation| has(operation)) {
        return Ok(());
    }
    let names = |operations: &[Operation]| {
        operations.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ")
    };
    let all: Vec<Operation> = Operation::ALL.into_iter().filter(|&operation| has(operation)).collect();
    Err(Error::usage(format!(
        "{option} is not for {}: remove it, or choose an operation {what} ({})",
        names(operations),
        names(&all)
    )))
}

/// Length of a vector, in bytes.
enum Vector<'a> {
    /// Length of the whole vector.
    Whole(u64),
    /// Length of each rank's block.
    Blocks(&'a [u64]),
}

impl Vector<'_> {
    /// Sets the length of a task's vector.
    fn of(&self, task: TaskBuilder, operation: Operation, element: u64) -> Result<TaskBuilder, Error> {
        let elements = |&bytes: &u64| match bytes % element {
            0 => Ok(bytes / element),
            _ => Err(Error::usage(format!(
                "{} {} not a multiple of the element ({} for {operation}): choose another length or --element",
                counted(bytes, "byte"),
                if bytes == 1 { "is" } else { "are" },
                counted(element, "byte")
            ))),
        };
        match self {
            Vector::Whole(bytes) => Ok(task.elements(elements(bytes)?)),
            Vector::Blocks(blocks) if operation.has_blocks() => {
                Ok(task.blocks(blocks.iter().map(elements).collect::<Result<Vec<u64>, _>>()?))
            }
            Vector::Blocks(_) => {
                let all = Operation::ALL.into_iter().filter(|operation| operation.has_blocks());
                let all: Vec<&str> = all.map(Operation::name).collect();
                Err(Error::usage(format!(
                    "--blocks is not for {operation}: use --bytes, or choose an operation with blocks ({})",
                    all.join(", ")
                )))
            }
        }
    }
}

/// Returns an error if a task is too large to be run: if one message, or the data of all members, would exceed a limit.
fn check(task: &Collective, content: Content) -> Result<(), Error> {
    let (operation, bytes) = (task.operation(), task.bytes());
    if bytes > MAX_MESSAGE {
        let [vector, most] = format_with_limit(bytes, MAX_MESSAGE);
        return Err(Error::usage(format!(
            "a vector of {vector} may be sent as one message, and the limit of a message is {most}: predict \
             only (--run none)"
        )));
    }
    let vectors = if operation.combines() { task.size() as u64 } else { 1 };
    let data = bytes.saturating_mul(vectors);
    match content {
        Content::Random { .. } if data > MAX_DATA => {
            let [data, most] = format_with_limit(data, MAX_DATA);
            Err(Error::usage(format!(
                "{operation} of {} among {} needs {data} of data, and the limit is {most}: use --phantom (lengths \
                 only) or --run none (predict only)",
                format_bytes(bytes),
                counted(task.size(), "member"),
            )))
        }
        _ => Ok(()),
    }
}

impl Task {
    /// Returns the name, for example `broadcast of 2 KiB`.
    pub(super) fn name(&self) -> String {
        format!("{} of {}", self.task.operation(), format_bytes(self.task.bytes()))
    }

    /// Describes what all lengths have in common: machine, members, root, element and order. Example: `paragon:4x4, all
    /// 16 nodes, root 3`.
    pub(super) fn place(&self) -> String {
        let task = &self.task;
        let members = match (task.size(), task.machine().nodes()) {
            (1, nodes) if nodes > 1 => "1 member".to_owned(),
            (1, _) => "1 node".to_owned(),
            (size, nodes) if size == nodes => format!("all {nodes} nodes"),
            (size, nodes) => format!("{size} of {nodes} nodes"),
        };
        let root =
            if task.operation().has_root() { format!(", root {}", task.root()) } else { String::new() };
        let element = match task.element_bytes() {
            1 => String::new(),
            element => format!(", elements of {}", format_bytes(element)),
        };
        let order = if task.is_in_order() { ", in rank order" } else { "" };
        let lengths = || (0..task.size()).map(|rank| task.block(rank)).map(|block| block.end - block.start);
        let blocks = match (lengths().min(), lengths().max()) {
            (Some(least), Some(most)) if most - least > task.element_bytes() => {
                format!(", blocks of {} to {}", format_bytes(least), format_bytes(most))
            }
            _ => String::new(),
        };
        format!("{}, {members}{root}{element}{blocks}{order}", task.machine().name())
    }
}
