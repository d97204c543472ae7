//! An MSCCL schedule in memory, and its conversion to GOAL.

use std::ops::Range;

use super::{
    collective::Collective,
    error::{LengthError, ReadError},
    flow::{Parts, followed},
    text::{self, Block, Gpu, Step, Text},
};
use crate::{
    goal::{self, Operation, Waiter},
    model::{MachineSpec, Parameters},
    rank::Tag,
    wire::MAX_MESSAGE,
};

/// An MSCCL schedule that was read and verified to perform its operation.
///
/// ```
/// use multicomputer::{goal::{self, Sends}, msccl::Program};
///
/// let gpu = |me: usize, other: usize| format!(
///     r#"<gpu id="{me}" s_chunks="0">
///          <tb id="0" send="{other}" recv="{other}" chan="0">
///            <step s="0" type="s" srcbuf="o" srcoff="{me}" dstbuf="o" dstoff="{me}" cnt="1" depid="-1" deps="-1"/>
///            <step s="1" type="r" srcbuf="o" srcoff="{other}" dstbuf="o" dstoff="{other}" cnt="1" depid="-1" deps="-1"/>
///          </tb>
///        </gpu>"#
/// );
/// let text = format!(
///     r#"<algo name="pair" coll="allgather" inplace="1" nchunksperloop="2">{}{}</algo>"#,
///     gpu(0, 1),
///     gpu(1, 0),
/// );
/// let program = Program::read(&text)?;
/// assert_eq!((program.name(), program.ranks(), program.collective().name()), ("pair", 2, "allgather"));
///
/// // Each sends 500 of 1000 bytes: o_s + L + o_r are 130 us, and a byte takes 50 ns.
/// let machine = "hockney:1x2".parse()?;
/// let predicted = goal::predict(&machine, &program.goal(1000, 1, &machine)?, Sends::Blocking)?;
/// assert_eq!(predicted.modeled.to_string(), "155 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    text: Text,
    parts: Parts,
}

impl Program {
    /// Reads a schedule and verifies it by following its chunks: every rank must end with the result of the operation.
    ///
    /// Costs O(b s) time for b thread blocks over all ranks that wait for each other s times; usually about the time of parsing.
    ///
    /// # Errors
    /// [`ReadError`] if the text is not XML, not an MSCCL schedule, or does not perform its operation in one of two
    /// execution orders of its thread blocks.
    pub fn read(text: &str) -> Result<Program, ReadError> {
        let text = text::read(text)?;
        let parts = followed(&text)?;
        Ok(Program::new(text, parts))
    }

    /// Creates a program from a verified schedule.
    pub(super) fn new(text: Text, parts: Parts) -> Program {
        Program { text, parts }
    }

    pub(super) fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the name that the text gives the schedule.
    pub fn name(&self) -> &str {
        &self.text.name
    }

    /// Returns the collective operation that the schedule performs.
    pub fn collective(&self) -> Collective {
        self.text.collective
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.text.gpus.len()
    }

    /// Returns the number of chunks of the vector.
    pub fn chunks(&self) -> u32 {
        self.text.chunks
    }

    /// Returns the program in GOAL for a vector of `bytes` bytes with elements of `element` bytes, at least 1. The vector is
    /// the whole input of each rank in an allreduce, reduce_scatter or alltoall, and the whole output in an allgather. Chunks
    /// have whole elements and sizes as equal as possible. The machine determines the times of combining and copying.
    ///
    /// # Errors
    /// [`LengthError`] if a message would exceed the maximum message length.
    pub fn goal(
        &self,
        bytes: u64,
        element: u64,
        machine: &MachineSpec,
    ) -> Result<goal::Program, LengthError> {
        let element = element.max(1);
        let cut = Cut { elements: bytes / element, element, chunks: self.text.chunks };
        let mut program = goal::Program::new(self.ranks());
        for rank in 0..self.ranks() {
            let mut lowered = Lowered::new(machine.parameters(), &cut);
            for (block, parts) in self.text.gpus[rank].blocks.iter().zip(&self.parts[rank]) {
                lowered.block(block, parts)?;
            }
            program.add(rank as u32, &lowered.operations, &lowered.waits(&self.text.gpus[rank]));
        }
        Ok(program)
    }
}

/// A vector that is divided into chunks of whole elements.
pub(super) struct Cut {
    pub(super) elements: u64,
    pub(super) element: u64,
    pub(super) chunks: u32,
}

impl Cut {
    /// Returns the number of elements before a chunk.
    pub(super) fn start(&self, chunk: u32) -> u64 {
        (u128::from(self.elements) * u128::from(chunk) / u128::from(self.chunks)) as u64
    }

    /// Returns the number of elements of a chunk.
    pub(super) fn elements(&self, chunk: u32) -> u64 {
        self.start(chunk + 1) - self.start(chunk)
    }
}

/// The GOAL operations into which the steps of one rank are converted.
struct Lowered<'a> {
    parameters: &'a Parameters,
    cut: &'a Cut,
    operations: Vec<Operation>,
    /// By thread block and step, the range of its operations; never empty.
    steps: Vec<Vec<Range<u32>>>,
}

impl<'a> Lowered<'a> {
    fn new(parameters: &'a Parameters, cut: &'a Cut) -> Lowered<'a> {
        Lowered { parameters, cut, operations: Vec::new(), steps: Vec::new() }
    }

    fn block(&mut self, block: &Block, parts: &[Vec<u32>]) -> Result<(), LengthError> {
        let mut steps = Vec::with_capacity(block.steps.len());
        for (step, parts) in block.steps.iter().zip(parts) {
            let first = self.operations.len() as u32;
            self.step(block, step, parts)?;
            steps.push(first..self.operations.len() as u32);
        }
        self.steps.push(steps);
        Ok(())
    }

    fn step(&mut self, block: &Block, step: &Step, parts: &[u32]) -> Result<(), LengthError> {
        let elements: u64 = parts.iter().map(|&part| self.cut.elements(part)).sum();
        let given = elements.saturating_mul(self.cut.element);
        if given > MAX_MESSAGE {
            return Err(LengthError { given });
        }
        let (bytes, tag) = (given as u32, Tag(block.channel));
        let kind = step.kind;
        if let Some(from) = block.recv.filter(|_| kind.receives) {
            self.operations.push(Operation::Recv { from: Some(from), tag: Some(tag), bytes });
        }
        if kind.combines {
            self.operations.push(Operation::Calc(self.parameters.combining(elements)));
        } else if !kind.receives && !kind.sends {
            // A step without data also gets an operation, on which the steps that depend on it can depend.
            self.operations.push(Operation::Calc(self.parameters.copying(given)));
        }
        if let Some(to) = block.send.filter(|_| kind.sends) {
            self.operations.push(Operation::Send { to, tag, bytes });
        }
        Ok(())
    }

    /// Returns the dependencies: each operation of a thread block depends on its predecessor, and the first operation
    /// of a step on the last operation of the step that it names.
    fn waits(&self, gpu: &Gpu) -> Vec<(u32, Waiter)> {
        let mut waits = Vec::new();
        for (block, steps) in gpu.blocks.iter().zip(&self.steps) {
            let operations = steps.iter().flat_map(Range::clone);
            waits.extend(operations.clone().zip(operations.skip(1)));
            let named = |(step, own): (&Step, &Range<u32>)| {
                step.after.map(|(block, step)| (self.steps[block][step].end - 1, own.start))
            };
            waits.extend(block.steps.iter().zip(steps).filter_map(named));
        }
        waits.into_iter().map(|(on, waiter)| (on, Waiter::new(waiter, false))).collect()
    }
}
