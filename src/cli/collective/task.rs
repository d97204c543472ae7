//! The operations of a sweep: one task for every operation and length, with the algorithms that are asked for.

use multicomputer::{
    collective::{Operation, Task as Collective},
    comm::MAX_MESSAGE,
    model::Description,
    units::{format_bytes, parse_bytes},
};

use super::{
    super::{
        compare::Runs,
        count::counted,
        data::{Content, MOST_DATA},
        error::Error,
    },
    Arguments,
    lists::{Asked, of_files},
};

/// One task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) task: Collective,
    /// At least one.
    pub(super) asked: Vec<Asked>,
}

/// Reads the length of an element.
pub(super) fn read_element(text: &str) -> Result<u64, String> {
    match parse_bytes(text).map_err(|cause| cause.to_string())? {
        0 => Err("an element has at least 1 byte".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Bytes of an element unless told otherwise: those of a double where elements are combined.
pub(in crate::cli) fn default_element(operation: Operation) -> u64 {
    if operation.combines() { 8 } else { 1 }
}

/// All tasks asked for: by operation, then length.
pub(super) fn tasks(
    arguments: &Arguments,
    machine: &Description,
    content: Content,
    runs: Runs,
) -> Result<Vec<Task>, Error> {
    let members = arguments.members.on(machine).map_err(Error::usage)?;
    let own = of_files(&arguments.with)?;
    let mut tasks = Vec::new();
    for &operation in arguments.operation.iter() {
        let element = arguments.element.unwrap_or_else(|| default_element(operation));
        let mut lengths = Vec::new();
        for bytes in &arguments.bytes {
            if lengths.contains(&bytes) {
                continue;
            }
            lengths.push(bytes);
            if bytes % element != 0 {
                return Err(Error::usage(format!(
                    "{} {} no whole number of elements of {} each, as {operation} has \
                     them: give another length, or --element",
                    counted(bytes, "byte"),
                    if bytes == 1 { "is" } else { "are" },
                    counted(element, "byte")
                )));
            }
            let task = Collective::builder(machine, operation)
                .root(arguments.root)
                .elements(bytes / element)
                .element_bytes(element)
                .in_order(arguments.in_order);
            let task = match &members {
                Some(members) => task.members(members.as_slice()),
                None => task,
            };
            let task = task.build().map_err(Error::usage)?;
            if runs != Runs::None {
                check(&task, content)?;
            }
            let library = arguments.algorithm.of(operation);
            tasks.push(Task { asked: library.into_iter().chain(own.iter().cloned()).collect(), task });
        }
    }
    Ok(tasks)
}

/// Whether a task can be run, and not only predicted.
fn check(task: &Collective, content: Content) -> Result<(), Error> {
    let (operation, bytes) = (task.operation(), task.bytes());
    if bytes > MAX_MESSAGE {
        return Err(Error::usage(format!(
            "a vector of {} may travel as one message, and a message has at most {}: it can only be predicted \
             (--run none)",
            format_bytes(bytes),
            format_bytes(MAX_MESSAGE)
        )));
    }
    let vectors = if operation.combines() { task.size() as u64 } else { 1 };
    let data = bytes.saturating_mul(vectors);
    match content {
        Content::Random { .. } if data > MOST_DATA => Err(Error::usage(format!(
            "a {operation} of {} among {} begins with {} of data, and at most {} are made: run it without data \
             (--phantom), or not at all (--run none)",
            format_bytes(bytes),
            counted(task.size(), "member"),
            format_bytes(data),
            format_bytes(MOST_DATA)
        ))),
        _ => Ok(()),
    }
}

impl Task {
    /// `broadcast of 2 KiB`
    pub(super) fn name(&self) -> String {
        format!("{} of {}", self.task.operation(), format_bytes(self.task.bytes()))
    }

    /// The place, which all lengths have in common: `paragon:4x4, 16 members, root 3`
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
        format!("{}, {members}{root}{element}{order}", task.machine().name())
    }
}
