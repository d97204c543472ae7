//! Computation of programs: what is charged for it, and functions beyond MPI's by which a program states it (`multicomputer.h`).
//!
//! `MC_Compute` lets modeled time pass. A *sampled block* is executed in its first visits, while it is measured; later visits skip it and are
//! charged the mean, as SMPI's macros `SMPI_SAMPLE_LOCAL` and `SMPI_SAMPLE_GLOBAL` do. `MC_Sample_begin` and `MC_Sample_end` are around it. A rank
//! decides by its own visits only: what other ranks have executed until then depends on the host. Samples of all ranks are
//! therefore shared out: each rank takes its part of them.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use multicomputer::{Span, error::CommError};

use crate::{
    error::{Class, Error, Result},
    function::functions,
    process::Process,
    word::{Out, Text},
};

functions! {
    MC_Compute: compute(seconds) @always;
    MC_Sample_begin: begin(is_global, iterations, precision, file, line, runs) @always;
    MC_Sample_end: end() @always;
}

/// The place of a sampled block: file and line.
type Place = (String, i32);

/// The computation of a process.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// All that was charged.
    charged: Cell<Span>,
    samples: RefCell<BTreeMap<Place, Samples>>,
    /// The block that is being executed, and what was charged before it.
    open: RefCell<Option<(Place, Span)>>,
}

/// The samples of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Samples {
    count: u64,
    total: Span,
    /// Mean in picoseconds, and sum of the squared differences from it (Welford's method).
    mean: f64,
    squares: f64,
}

impl Samples {
    fn add(&mut self, span: Span) {
        self.count += 1;
        self.total += span;
        let value = span.as_picos() as f64;
        let difference = value - self.mean;
        self.mean += difference / self.count as f64;
        self.squares += difference * (value - self.mean);
    }

    /// Whether there are `iterations` samples, and the standard error of their mean is at most `precision` of the mean.
    fn are_enough(&self, iterations: u64, precision: f64) -> bool {
        let (count, mean) = (self.count as f64, self.mean);
        let is_precise =
            || self.count > 1 && (self.squares / (count - 1.0) / count).sqrt() <= precision * mean;
        self.count >= iterations && (precision <= 0.0 || is_precise())
    }

    fn mean(&self) -> Span {
        Span::from_picos(self.total.as_picos() / self.count.max(1))
    }
}

impl Process<'_> {
    /// Charges computation of the program.
    ///
    /// # Errors
    /// [`CommError`] once the run is over.
    pub fn compute(&self, span: Span) -> std::result::Result<(), CommError> {
        let charged = &self.computation.charged;
        charged.set(charged.get() + span);
        if span.is_zero() { Ok(()) } else { self.node.compute(span) }
    }
}

fn compute(process: &Process<'_>, seconds: f64) -> Result<()> {
    let invalid = |error: multicomputer::SpanError| Error::argument(Class::ARG, "seconds", error.to_string());
    Ok(process.compute(Span::try_from_secs_f64(seconds).map_err(invalid)?)?)
}

fn begin(
    process: &Process<'_>,
    is_global: i32,
    iterations: i32,
    precision: f64,
    Text(file): Text,
    line: i32,
    runs: Out<i32>,
) -> Result<()> {
    if iterations < 0 || precision.is_nan() {
        let text = format!("{iterations} samples with precision {precision}: both must be numbers from 0");
        return Err(Error::argument(
            Class::ARG,
            if iterations < 0 { "iterations" } else { "precision" },
            text,
        ));
    }
    let ranks = if is_global != 0 { process.size() as u64 } else { 1 };
    let state = &process.computation;
    let place = (file, line);
    let samples = state.samples.borrow().get(&place).copied().unwrap_or_default();
    // One sample at least: without any there is no time to charge.
    let is_run = !samples.are_enough((iterations as u64).div_ceil(ranks).max(1), precision);
    // A block that the program has left by `break` or `goto` is no sample.
    *state.open.borrow_mut() = is_run.then(|| (place, state.charged.get()));
    runs.set_flag(process, is_run);
    if !is_run {
        process.compute(samples.mean())?;
    }
    Ok(())
}

fn end(process: &Process<'_>) -> Result<()> {
    let state = &process.computation;
    if let Some((place, before)) = state.open.borrow_mut().take() {
        let mut samples = state.samples.borrow_mut();
        samples.entry(place).or_default().add(state.charged.get() - before);
    }
    Ok(())
}
