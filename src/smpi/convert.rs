//! Traces as programs.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::{
    action::{Action, COLLECTIVE_TAG, Call, Trace},
    error::ConvertError,
};
use crate::{
    all_to_all::{self, Matrix},
    collective::{self, Operation, Task},
    goal::{self, Line, Program, TooManyRanks},
    model::MachineSpec,
    pattern::Schedule,
    rank::{Rank, Tag},
    time::Span,
};

impl Trace {
    /// Converts the trace to a program for a machine, on which collective operations are planned by *Auto*. `flops` is the rate of a
    /// node in flop/s.
    ///
    /// # Errors
    /// [`ConvertError`] if the machine has too few nodes, the trace computes and no rate is given, a wait has no request, or ranks call
    /// different collective operations.
    pub fn program(&self, machine: &MachineSpec, flops: Option<f64>) -> Result<Program, ConvertError> {
        let (ranks, nodes) = (self.ranks(), machine.nodes());
        if ranks == 0 {
            return Err(ConvertError::Empty);
        }
        if ranks > nodes {
            return Err(TooManyRanks { ranks, nodes }.into());
        }
        let schedules = self.schedules(machine)?;
        let mut lines = Vec::new();
        for rank in 0..ranks {
            lines.push(
                RankLine { machine, rank, flops, line: Line::default(), requests: Vec::new() }
                    .all(self, &schedules)?,
            );
        }
        set_lengths(&mut lines);
        Ok(Program::of_lines(&lines))
    }

    /// Returns the schedule of each collective operation, in the order of the calls.
    fn schedules(&self, machine: &MachineSpec) -> Result<Vec<Arc<Schedule>>, ConvertError> {
        fn calls(actions: &[(usize, Action)]) -> impl Iterator<Item = (usize, &Call)> + use<'_> {
            actions.iter().filter_map(|(line, action)| match action {
                Action::Collective(call) => Some((*line, call)),
                _ => None,
            })
        }
        let mut of_ranks: Vec<_> = self.ranks.iter().map(|actions| calls(actions)).collect();
        let mut known: BTreeMap<String, Arc<Schedule>> = BTreeMap::new();
        let mut schedules = Vec::new();
        loop {
            let next: Vec<Option<(usize, &Call)>> = of_ranks.iter_mut().map(Iterator::next).collect();
            let name = |call: Option<(usize, &Call)>| {
                call.map_or("no more operation".to_owned(), |(_, call)| call.name())
            };
            let expected = name(next[0]);
            if let Some(rank) = next.iter().position(|&call| name(call) != expected) {
                let last = self.ranks[rank].last().map_or(0, |(line, _)| *line);
                let line = next[rank].map_or(last, |(line, _)| line);
                return Err(ConvertError::Mismatch { rank, line, given: name(next[rank]), expected });
            }
            let Some(calls) =
                next.into_iter().map(|call| call.map(|(_, call)| call)).collect::<Option<Vec<&Call>>>()
            else {
                return Ok(schedules);
            };
            let key = format!(
                "{expected} {:?}",
                calls.iter().map(|call| (call.element, &call.bytes)).collect::<Vec<_>>()
            );
            let schedule = match known.get(&key) {
                Some(schedule) => schedule.clone(),
                None => Arc::new(
                    planned(machine, &calls).map_err(|cause| ConvertError::Plan { call: expected, cause })?,
                ),
            };
            known.insert(key, schedule.clone());
            schedules.push(schedule);
        }
    }
}

impl Call {
    /// The operation and its root, which all ranks agree on.
    fn name(&self) -> String {
        match self.operation {
            None => "all-to-all".to_owned(),
            Some(operation) if operation.has_root() => format!("{operation} with root {}", self.root),
            Some(operation) => operation.to_string(),
        }
    }
}

/// Returns the schedule of *Auto* for a collective operation, given the parts of all ranks.
fn planned(machine: &MachineSpec, calls: &[&Call]) -> Result<Schedule, String> {
    let ranks = calls.len();
    let Some(operation) = calls[0].operation else {
        let bytes = |from: Rank, to: Rank| if from.max(to) < ranks { calls[from].bytes[to] } else { 0 };
        let matrix = Matrix::of(machine.nodes(), bytes).map_err(|cause| cause.to_string())?;
        let instance = all_to_all::Instance::new(machine, matrix).map_err(|cause| cause.to_string())?;
        let plan = all_to_all::Algorithm::AUTO.plan(&instance).map_err(|cause| cause.to_string())?;
        return plan.schedule().cloned().ok_or_else(|| format!("{} has no schedule", plan.name()));
    };
    let root = &calls[calls[0].root];
    let blocks: Vec<u64> = match operation {
        Operation::ReduceScatter => root.bytes.clone(),
        Operation::Gather | Operation::AllGather | Operation::Scatter => {
            calls.iter().map(|call| call.bytes[0]).collect()
        }
        _ => root.bytes.clone(),
    };
    // Elements of different lengths have bytes as their common element.
    let is_whole = blocks.iter().all(|bytes| root.element > 0 && bytes.is_multiple_of(root.element));
    let element = if is_whole { root.element } else { 1 };
    let elements: Vec<u64> = blocks.iter().map(|bytes| bytes / element).collect();
    let task = Task::builder(machine, operation)
        .members((0..ranks).collect::<Vec<Rank>>())
        .root(calls[0].root)
        .element_bytes(element);
    let task = if operation.has_blocks() { task.blocks(elements) } else { task.elements(elements[0]) };
    let task = task.build().map_err(|cause| cause.to_string())?;
    let plan = collective::Algorithm::AUTO.plan(&task).map_err(|cause| cause.to_string())?;
    Ok(plan.schedule().clone())
}

/// The operations of a rank in the making.
struct RankLine<'a> {
    machine: &'a MachineSpec,
    rank: Rank,
    flops: Option<f64>,
    line: Line,
    /// The open requests in the order of their start: sender, receiver, tag and operation; `None` is any.
    requests: Vec<([Option<i64>; 3], u32)>,
}

impl RankLine<'_> {
    fn all(mut self, trace: &Trace, schedules: &[Arc<Schedule>]) -> Result<Line, ConvertError> {
        let mut schedules_left = schedules.iter();
        for (number, action) in &trace.ranks[self.rank] {
            if self.line.is_full() {
                return Err(ConvertError::TooMany { rank: self.rank });
            }
            if let (Action::Recv { tag: None, .. }, false) = (action, schedules.is_empty()) {
                return Err(ConvertError::AnyTag { rank: self.rank, line: *number });
            }
            match action {
                Action::Collective(call) => {
                    if let Some(schedule) = schedules_left.next() {
                        let tag = Tag(COLLECTIVE_TAG);
                        self.line.schedule(schedule, self.machine, self.rank, tag).ok_or_else(|| {
                            ConvertError::Plan {
                                call: call.name(),
                                cause: "its schedule uses the hardware barrier".to_owned(),
                            }
                        })?;
                    }
                    self.compute(call.flops, *number)?;
                }
                action => self.action(action, *number, trace.ranks())?,
            }
        }
        Ok(self.line)
    }

    fn action(&mut self, action: &Action, number: usize, ranks: usize) -> Result<(), ConvertError> {
        let rank = self.rank as i64;
        match *action {
            Action::Compute(flops) => self.compute(flops, number)?,
            Action::Sleep(seconds) => self.calc(seconds, number)?,
            Action::Send { to, tag, bytes, is_blocking } => {
                let operation = goal::Operation::Send { to, tag: Tag(tag), bytes };
                self.begin(operation, is_blocking, [Some(rank), Some(to.into()), Some(tag.into())]);
            }
            Action::Recv { from, tag, bytes, is_blocking } => {
                let operation = goal::Operation::Recv { from, tag: tag.map(Tag), bytes: bytes.unwrap_or(0) };
                self.begin(operation, is_blocking, [from.map(i64::from), Some(rank), tag.map(i64::from)]);
            }
            Action::SendRecv { to, from } => {
                let sent =
                    to.map(|(to, bytes)| self.line.start(goal::Operation::Send { to, tag: Tag(0), bytes }));
                if let Some((from, bytes)) = from {
                    self.line.append(goal::Operation::Recv { from: Some(from), tag: Some(Tag(0)), bytes });
                }
                sent.into_iter().for_each(|sent| self.line.wait(sent));
            }
            Action::Wait { from, to, tag } => {
                let is_it = |known: &[Option<i64>; 3]| {
                    known
                        .iter()
                        .zip([from, to, tag])
                        .all(|(known, given)| known.is_none_or(|known| known == given))
                };
                let Some(at) = self.requests.iter().position(|(known, _)| is_it(known)) else {
                    return Err(ConvertError::NoRequest { rank: self.rank, line: number, from, to, tag });
                };
                let (_, operation) = self.requests.remove(at);
                self.line.wait(operation);
            }
            Action::WaitAll => self.requests.drain(..).for_each(|(_, operation)| self.line.wait(operation)),
            Action::Barrier => {
                let tag = Tag(COLLECTIVE_TAG);
                let distances = std::iter::successors(Some(1), |distance| Some(2 * distance));
                for distance in distances.take_while(|&distance| distance < ranks) {
                    let to = ((self.rank + distance) % ranks) as u32;
                    let from = ((self.rank + ranks - distance) % ranks) as u32;
                    let sent = self.line.start(goal::Operation::Send { to, tag, bytes: 0 });
                    self.line.append(goal::Operation::Recv { from: Some(from), tag: Some(tag), bytes: 0 });
                    self.line.wait(sent);
                }
            }
            Action::Collective(_) => {}
        }
        Ok(())
    }

    fn begin(&mut self, operation: goal::Operation, is_blocking: bool, request: [Option<i64>; 3]) {
        if is_blocking {
            self.line.append(operation);
        } else {
            let number = self.line.start(operation);
            self.requests.push((request, number));
        }
    }

    fn compute(&mut self, flops: f64, number: usize) -> Result<(), ConvertError> {
        if flops == 0.0 {
            return Ok(());
        }
        let rate = self.flops.ok_or(ConvertError::NoRate { rank: self.rank, line: number })?;
        self.calc(flops / rate, number)
    }

    fn calc(&mut self, seconds: f64, number: usize) -> Result<(), ConvertError> {
        let span = Span::try_from_secs_f64(seconds).map_err(|_| ConvertError::Time {
            rank: self.rank,
            line: number,
            seconds: seconds.to_string(),
        })?;
        self.line.calc(goal::Operation::Calc(span));
        Ok(())
    }
}

/// Gives each receive from a named rank with a tag the length of its message: the next one of that rank with that tag.
fn set_lengths(lines: &mut [Line]) {
    let mut sent: BTreeMap<(u32, u32, u32), VecDeque<u32>> = BTreeMap::new();
    for (from, line) in (0..).zip(lines.iter()) {
        for operation in line.operations() {
            if let goal::Operation::Send { to, tag, bytes } = *operation {
                sent.entry((from, to, tag.0)).or_default().push_back(bytes);
            }
        }
    }
    for (to, line) in (0..).zip(lines.iter_mut()) {
        for operation in line.operations_mut() {
            if let goal::Operation::Recv { from: Some(from), tag: Some(tag), bytes } = operation {
                let message = sent.get_mut(&(*from, to, tag.0)).and_then(VecDeque::pop_front);
                *bytes = message.unwrap_or(*bytes);
            }
        }
    }
}
