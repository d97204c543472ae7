//! The machine: built once, run any number of times.

mod reporting;
mod run;

use self::reporting::report;
pub use self::run::Run;

use std::{fmt::Display, sync::Arc, time::Duration};

use crate::{
    calibration::dilation::Experience,
    comm::Node,
    error::{ConfigError, Failure, RunError},
    kernel::Kernel,
    model::{Faults, MachineSpec, Noise, Parameters, presets},
    plan::{Cache, Effort},
    runtime::{Observer, Pace, Pinning, Program, Settings, host, keep_outputs, limits, modeled},
    topology::{FatTree, Hypercube, Mesh, Topology, TopologyError, Torus},
};

/// Minimum stack size of a node's thread, in bytes.
const MIN_STACK: usize = 64 << 10;

/// Maximum dilation: one modeled nanosecond takes one second.
const MAX_DILATION: f64 = 1e9;

/// Clock of a run: virtual time, real time, or the host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Clock {
    /// Virtual time: modeled times, computed as fast as the host allows. They are exact and the same in every run.
    #[default]
    Virtual,
    /// Real time: the modeled times of virtual time, paced against the monotonic clock of the host. A call returns when
    /// its modeled end is due, or as soon afterwards as the host can. Computation of the program between two calls is
    /// charged if it takes at least five milliseconds of CPU time. The charge is the thread's CPU time divided by the
    /// dilation. A program that polls is paced by the wall clock from its second poll on.
    RealTime {
        /// Number of wall-clock seconds per modeled second.
        dilation: Dilation,
    },
    /// No model: messages are passed by reference as fast as the host's threads can. Time is the wall clock's, from the
    /// common start of all programs. Libraries use the machine's topology and parameters for planning only.
    ///
    /// Deadlocks, panics, wall limits and mismatched calls are detected as under the other clocks. Computation takes
    /// its wall-clock time. [`Node::compute`](crate::comm::Node::compute) keeps a core busy for the given time. The
    /// machine's costs of combining and copying are not charged.
    Host,
}

/// Number of wall-clock seconds per modeled second in [real time](Clock::RealTime).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Dilation {
    /// The smallest dilation that the host can sustain, at least 1 (true speed). One or two short runs of a typical program determine it
    /// before the first run on the machine. [`RealTimeReport::dilation`](crate::report::RealTimeReport::dilation) has the value. After a
    /// run that was not [kept](crate::report::Verdict), later runs on the same machine use the dilation that this run needed.
    #[default]
    Auto,
    /// A fixed dilation; 1 is true speed.
    Fixed(f64),
}

/// A virtual multicomputer, made by a [builder](MachineBuilder) and run any number of times.
///
/// [`Machine::builder`] begins with a specification. The functions that are named after a machine, such as [`Machine::paragon`], are
/// short forms of it: each returns the builder of a machine with that preset.
///
/// ```
/// use multicomputer::{Clock, Machine, prelude::*};
///
/// let machine = Machine::paragon(2, 2).clock(Clock::Virtual).build()?;
/// let run = machine.run(|node| {
///     let world = node.world();
///     let next = (world.rank() + 1) % world.size();
///     world.send(next, node.rank() as u32)?;
///     let message = world.recv(ANY_SOURCE)?;
///     Ok(message.to_value::<u32>()?)
/// })?;
/// assert_eq!(run.outputs, [3, 0, 1, 2]);
/// println!("{}", run.report);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    spec: MachineSpec,
    clock: Clock,
    settings: Settings,
    unreceived_is_an_error: bool,
    experience: Arc<Experience>,
}

/// Builder of a [`Machine`], which the constructors of `Machine` return. [`build`](MachineBuilder::build) reports the errors of all settings.
#[derive(Debug)]
#[must_use = "a machine has to be built"]
pub struct MachineBuilder {
    spec: Result<MachineSpec, ConfigError>,
    clock: Clock,
    settings: Settings,
    unreceived_is_an_error: bool,
}

impl Machine {
    /// Returns the builder of a Connection Machine CM-5, a fat tree with `nodes` nodes: see [`Parameters::cm5`].
    pub fn cm5(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("cm5", nodes, FatTree::new(nodes), Parameters::cm5())
    }

    /// Returns the builder of an Intel Touchstone Delta, a 2-D mesh: see [`Parameters::delta`].
    pub fn delta(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("delta", rows, columns, Parameters::delta())
    }

    /// Returns the builder of a mesh with Hockney's cost model, the reference for comparisons: see [`Parameters::hockney`].
    pub fn hockney(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("hockney", rows, columns, Parameters::hockney())
    }

    /// Returns the builder of the host's own threads as a machine without a model, under the [host's clock](Clock::Host). All nodes are neighbours.
    ///
    /// ```
    /// use multicomputer::{Machine, collective::Sum, prelude::*};
    ///
    /// let run = Machine::host(4).build()?.run(|node| {
    ///     let mut sum = node.rank() as u64;
    ///     node.world().all_reduce(&mut sum, Sum)?;
    ///     Ok(sum)
    /// })?;
    /// assert_eq!(run.outputs, [6; 4]);
    /// println!("{} messages in {:?}", run.report.messages, run.wall);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Libraries select algorithms by [`Parameters::host`], unless other parameters are set. The parameters of [`Parameters::host`]
    /// were measured with 16 nodes on two cores. Their latency is 20 us, while a short message between two nodes with one core each
    /// takes less than 1 us. For fewer nodes or more cores the parameters are therefore misleading. A program whose speed matters first
    /// [measures](crate::calibration::host::measure) its otherwise idle host, or reads the output of `multicomputer calibrate`.
    ///
    /// ```
    /// use multicomputer::{Machine, Pinning, calibration::host::measure};
    ///
    /// let parameters = measure(Machine::host(2).build()?.spec(), Pinning::Auto)?;
    /// let machine = Machine::host(2).parameters(parameters).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn host(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("host", nodes, presets::host::network(nodes), Parameters::host())
            .clock(Clock::Host)
    }

    /// Returns the builder of an Intel iPSC/860, a hypercube with `nodes` nodes, a power of two: see [`Parameters::ipsc860`].
    pub fn ipsc860(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("ipsc860", nodes, Hypercube::new(nodes), Parameters::ipsc860())
    }

    /// Returns the builder of an Intel Paragon, a 2-D mesh, under OSF/1 R1.1: see [`Parameters::paragon`].
    pub fn paragon(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("paragon", rows, columns, Parameters::paragon())
    }

    /// Returns the builder of a Cray T3D, a 3-D torus: see [`Parameters::t3d`].
    pub fn t3d(planes: usize, rows: usize, columns: usize) -> MachineBuilder {
        let shape = format!("{planes}x{rows}x{columns}");
        MachineBuilder::preset("t3d", shape, Torus::new_3d(planes, rows, columns), Parameters::t3d())
    }

    /// Returns the builder of a 2-D mesh with [`Parameters::hockney`], unless other [parameters](MachineBuilder::parameters) are set.
    pub fn mesh(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("mesh", rows, columns, Parameters::hockney())
    }

    /// Returns the builder of a machine from a specification, which is parsed from a name, read from a machine file, or built from a topology
    /// and parameters. The default [clock](MachineBuilder::clock) is virtual time, also for `host:16`. That name is a
    /// model with [`Parameters::host`], while [`Machine::host`] runs without a model.
    ///
    /// ```
    /// use multicomputer::{Machine, model::MachineSpec};
    ///
    /// let machine = Machine::builder("line:8".parse()?).build()?;
    /// assert_eq!(machine.spec().nodes(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(spec: MachineSpec) -> MachineBuilder {
        MachineBuilder::new(Ok(spec))
    }

    /// Returns the topology and the parameters of the machine.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Runs `program` on every node and waits until all nodes have returned. Outputs are in rank order.
    ///
    /// The program is called once per node, each time on its own thread, and may borrow from the caller. The operator
    /// `?` accepts errors of any type. Panics of a program are caught; their message is printed as for any thread.
    ///
    /// # Errors
    /// [`RunError`]: a program failed or panicked, nodes died, no node can proceed, the wall-clock limit is reached, or
    /// messages were never received on a machine that treats this as an error. In virtual time the failure reported is
    /// the first in modeled time, unless the other nodes prevent modeled time from reaching it for half a second of
    /// wall-clock time. All threads have ended when this returns.
    ///
    /// # Cost
    /// About 20 us of wall-clock time per node for its thread. In virtual time, also about one microsecond and one
    /// thread switch per message.
    pub fn run<T, F>(&self, program: F) -> Result<Run<T>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.run_any(&program)?.of_all()
    }

    /// Runs a program like [`run`](Machine::run), with an observer that names the places of calls and follows modeled time.
    ///
    /// # Errors
    /// The errors of [`run`](Machine::run).
    pub fn run_observed<T, F>(&self, observer: Arc<dyn Observer>, program: F) -> Result<Run<T>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.observed(Some(observer)).run_any(&program)?.of_all()
    }

    /// The machine with an observer of its runs.
    pub(crate) fn observed(&self, observer: Option<Arc<dyn Observer>>) -> Machine {
        Machine { settings: Settings { observer, ..self.settings.clone() }, ..self.clone() }
    }

    /// Runs a program like [`run`](Machine::run), but accepts that nodes [die](crate::model::Fault::Node). The output of a dead node is
    /// `None`. A program that continues without a dead partner handles [`CommError::NodeDied`](crate::error::CommError::NodeDied).
    ///
    /// ```
    /// use multicomputer::{Machine, model::Faults, prelude::*};
    ///
    /// let faults = Faults::new(["node:1@1ms".parse()?]);
    /// let machine = Machine::hockney(1, 3).faults(faults).build()?;
    /// let run = machine.run_surviving(|node| match node.world().recv(1) {
    ///     Err(CommError::NodeDied { rank, at }) => Ok(format!("{rank} at {at}")),
    ///     other => Ok(format!("{other:?}")),
    /// })?;
    /// assert_eq!(run.outputs, [Some("1 at 1 ms".into()), None, Some("1 at 1 ms".into())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`run`](Machine::run), except [`RunError::NodesDied`].
    pub fn run_surviving<T, F>(&self, program: F) -> Result<Run<Option<T>>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.run_any(&program)
    }

    /// Runs a program with outputs of any type; the output of a dead node is `None`. It is the only function of a run that is compiled once
    /// per output type.
    fn run_any<T: Send>(
        &self,
        program: &(dyn Fn(&Node<'_>) -> Result<T, Failure> + Sync),
    ) -> Result<Run<Option<T>>, RunError> {
        let nodes = self.spec.nodes();
        let (run, outputs) = keep_outputs(nodes, program, |program| self.run_program(program));
        let run = run?;
        // Discard the value that a node returned after its death.
        let outputs = outputs.into_iter().zip(&run.outputs);
        let outputs = outputs.map(|(output, &survived)| output.filter(|_| survived)).collect();
        Ok(run.with_outputs(outputs))
    }

    /// Runs a program that stores its outputs itself. The outputs of the returned run state whether each node survived.
    fn run_program(&self, program: &Program<'_>) -> Result<Run<bool>, RunError> {
        self.run_inspected(program, |_| {})
    }

    /// Returns the same machine in virtual time.
    pub(crate) fn in_virtual_time(&self) -> Machine {
        Machine { clock: Clock::Virtual, ..self.clone() }
    }

    /// Runs a program that stores its outputs itself. If time is modeled, `inspect` gets the kernel in its last state, however the run ends.
    pub(crate) fn run_inspected(
        &self,
        program: &Program<'_>,
        inspect: impl FnOnce(&Kernel),
    ) -> Result<Run<bool>, RunError> {
        let span = tracing::info_span!("run", machine = self.spec.name(), nodes = self.spec.nodes());
        let _entered = span.enter();
        let (machine, settings) = (&self.spec, &self.settings);
        let pace = match self.clock {
            Clock::Virtual => Some(Pace::Virtual),
            Clock::RealTime { dilation: Dilation::Fixed(dilation) } => Some(Pace::Real(dilation)),
            Clock::RealTime { dilation: Dilation::Auto } => {
                Some(Pace::Real(self.experience.dilation(machine, settings)?))
            }
            Clock::Host => None,
        };
        let ended = match pace {
            Some(pace) => modeled::run(machine, pace, settings, program, inspect)?,
            None => host::run(machine, settings, program)?,
        };
        let (work, wall, outputs) = (ended.outcomes.work, ended.wall, ended.survived.clone());
        let (report, trace) = report(machine, pace, ended);
        if let (Clock::RealTime { dilation: Dilation::Auto }, Some(real_time)) =
            (self.clock, &report.real_time)
        {
            self.experience.learn(real_time);
        }
        tracing::info!(modeled = %report.makespan, wall = ?wall, messages = report.messages, "run ended");
        if self.unreceived_is_an_error {
            report.check_communication()?;
        }
        let (machine, is_traced) = (self.spec.clone(), settings.traced);
        Ok(Run { outputs, report, wall, trace, work, machine, is_traced })
    }
}

impl MachineBuilder {
    fn preset(
        name: &str,
        shape: impl Display,
        topology: Result<impl Topology + 'static, TopologyError>,
        parameters: Parameters,
    ) -> MachineBuilder {
        let describe = |topology| MachineSpec::new(format!("{name}:{shape}"), Arc::new(topology), parameters);
        MachineBuilder::new(topology.map(describe).map_err(ConfigError::from))
    }

    fn on_mesh(name: &str, rows: usize, columns: usize, parameters: Parameters) -> MachineBuilder {
        MachineBuilder::preset(name, format!("{rows}x{columns}"), Mesh::new(rows, columns), parameters)
    }

    fn new(spec: Result<MachineSpec, ConfigError>) -> MachineBuilder {
        MachineBuilder {
            spec,
            clock: Clock::default(),
            settings: Settings::default(),
            unreceived_is_an_error: false,
        }
    }

    /// Replaces the parameters and keeps the topology.
    pub fn parameters(mut self, parameters: Parameters) -> Self {
        self.spec = self.spec.map(|machine| machine.with_parameters(parameters));
        self
    }

    /// Replaces the noise of the machine's specification (default: none).
    pub fn noise(mut self, noise: Noise) -> Self {
        self.spec = self.spec.map(|machine| machine.with_noise(noise));
        self
    }

    /// Replaces the faults of the machine's specification (default: none).
    pub fn faults(mut self, faults: Faults) -> Self {
        self.spec = self.spec.and_then(|machine| Ok(machine.with_faults(faults)?));
        self
    }

    /// Makes every send of at least `from_bytes` bytes wait for its receive (rendezvous protocol); 0 selects all sends,
    /// as in the synchronous mode of MPI. By default no send waits, regardless of the machine's memory.
    ///
    /// The rendezvous protocol exposes programs that rely on the buffering of messages. MPI does not guarantee buffering: MPI libraries
    /// buffer messages up to some length, often a few thousand bytes, and a program that relies on buffering hangs with longer messages.
    /// Here such a program ends in a [deadlock](RunError::Deadlock), whose report lists the waiting nodes and their peers.
    ///
    /// ```
    /// use multicomputer::{Machine, error::RunError, prelude::*};
    ///
    /// let facing = |node: &Node<'_>| {
    ///     let partner = 1 - node.rank();
    ///     node.world().send(partner, &[0_u8; 8192])?;
    ///     Ok(node.world().recv(partner)?.len())
    /// };
    /// assert!(Machine::hockney(1, 2).build()?.run(facing).is_ok());
    /// let error = Machine::hockney(1, 2).rendezvous(4096).build()?.run(facing).unwrap_err();
    /// let RunError::Deadlock(report) = error else { panic!("{error}") };
    /// assert_eq!(report.cycle, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The timing of the message does not change; only its sender waits longer. A message *meets* its receive when it arrives, if the
    /// receive has been posted by then, and otherwise when the matching receive is posted. At this instant a send returns, and the request
    /// of an [`isend`](crate::comm::Group::isend) completes. A [`sendrecv`](crate::comm::Group::sendrecv) sends and receives at the same
    /// time, so two nodes that exchange messages do not block. A node that sends to itself without a posted receive waits forever. Shorter
    /// messages and [active messages](crate::comm::Active) never wait. A send fails if its receiver dies.
    ///
    /// Predictions of libraries remain valid. `docs/timing-model.md` has the complete rule, with examples.
    pub fn rendezvous(mut self, from_bytes: u64) -> Self {
        self.spec = self.spec.map(|machine| machine.with_rendezvous(from_bytes));
        self
    }

    /// Sets the clock. The default is [virtual time](Clock::Virtual), and the host's clock for [`Machine::host`].
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the stack size of each node's thread in bytes (default 1 MiB, minimum 64 KiB). A program that needs more (a
    /// large local array, a deep recursion) aborts the process with "has overflowed its stack". Rust cannot turn a
    /// stack overflow into an error, so such a program needs a larger stack.
    ///
    /// Only the used part of a stack is resident: 22 KiB per node, whether the stacks have 256 KiB, 1 MiB or 2 MiB. Nodes in a
    /// barrier use 95 MB in total for 4096 nodes and 360 MB for 16,000 nodes. Starting and ending the threads takes 0.14 s and
    /// 0.6 s on two cores, also independent of the stack size. The address space grows with the stack size: 17 GB for 16,000
    /// nodes with 1 MiB each. Few hosts limit the address space. Where it is limited (`ulimit -v`, or `vm.overcommit_memory =
    /// 2`), [`build`](MachineBuilder::build) reports a shortage, and smaller stacks allow more nodes.
    ///
    /// ```
    /// use multicomputer::Machine;
    ///
    /// let machine = Machine::hockney(2, 2).stack_size(8 << 20).build()?;
    /// let run = machine.run(|_| Ok(std::hint::black_box([1_u8; 4_000_000]).iter().map(|&one| one as u64).sum::<u64>()))?;
    /// assert_eq!(run.outputs, [4_000_000; 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.settings.stack_size = bytes;
        self
    }

    /// Sets the cores on which the threads run (default: [`Pinning::Auto`], chosen by the clock).
    pub fn pinning(mut self, pinning: Pinning) -> Self {
        self.settings.pinning = pinning;
        self
    }

    /// Sets the search effort of *Auto*, which selects the fastest plan of an operation (default: [`Effort::Normal`]).
    pub fn effort(mut self, effort: Effort) -> Self {
        self.settings.cache = Arc::new(Cache::of(effort));
        self
    }

    /// Sets a limit of wall-clock time for a run (default: none). A program that makes no calls cannot be stopped: the
    /// run ends at the program's next call or when the program returns.
    ///
    /// Planning cannot be interrupted either: a library call that makes a plan ends when the plan is complete. On hundreds of nodes
    /// planning may take a second. If the plan was made in advance, or in an earlier run of the same machine, the run does not plan.
    pub fn wall_limit(mut self, limit: Duration) -> Self {
        self.settings.wall_limit = Some(limit);
        self
    }

    /// Sets whether to record all events for a [trace](Run::write_trace) (default: no). Recording changes no modeled time. It takes about
    /// 300 bytes of memory per message and 64 bytes per change of its rate. In real time it slows the host down, because each step of a
    /// schedule is recorded by two further calls.
    pub fn trace(mut self, traced: bool) -> Self {
        self.settings.traced = traced;
        self
    }

    /// Sets whether a run fails if messages were [never received](RunError::Unreceived) or sends were [never waited
    /// for](RunError::Unwaited). By default the report only lists them.
    pub fn deny_unreceived(mut self, denied: bool) -> Self {
        self.unreceived_is_an_error = denied;
        self
    }

    /// Builds the machine.
    ///
    /// # Errors
    /// [`ConfigError`]: an invalid shape, a fault that the machine cannot have, more nodes than this host has threads
    /// or memory for, an invalid dilation or stack size, noise or faults under the host's clock.
    pub fn build(self) -> Result<Machine, ConfigError> {
        let MachineBuilder { spec, clock, settings, unreceived_is_an_error } = self;
        let spec = spec?;
        if let Clock::RealTime { dilation: Dilation::Fixed(dilation) } = clock
            && !(dilation > 0.0 && dilation <= MAX_DILATION)
        {
            return Err(ConfigError::Dilation(dilation));
        }
        let modeled = [("noise", spec.noise().is_some()), ("faults", spec.faults().is_some())];
        if let Some((what, _)) = modeled.iter().find(|(_, given)| *given && clock == Clock::Host) {
            return Err(ConfigError::Unmodeled(what));
        }
        if settings.stack_size < MIN_STACK {
            return Err(ConfigError::StackSize { given: settings.stack_size, least: MIN_STACK });
        }
        limits::check(&spec, settings.stack_size)?;
        Ok(Machine { spec, clock, settings, unreceived_is_an_error, experience: Arc::default() })
    }
}
