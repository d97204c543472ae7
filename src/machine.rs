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
    model::{Description, Faults, Noise, Parameters, presets},
    plan::{Cache, Effort},
    runtime::{Pace, Pinning, Program, Settings, host, keep_outputs, limits, modeled},
    topology::{FatTree, Hypercube, Mesh, Topology, TopologyError, Torus},
};

/// The smallest stack that a node may have.
const LEAST_STACK: usize = 64 << 10;

/// The largest dilation: one modeled nanosecond takes a second.
const MOST_DILATION: f64 = 1e9;

/// The clock of a run: modeled time, as fast as the host allows or paced by the wall clock, or the wall clock alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Clock {
    /// Virtual time: as fast as the host allows; exact, and the same every time.
    #[default]
    Virtual,
    /// Real time: the same modeled times, paced against the monotonic clock of the host: a call returns when its
    /// modeled end is due, or as soon after it as the host can. Real computation of a program between two calls is
    /// charged, as the CPU time of its thread divided by the dilation, if it is five milliseconds of CPU time or
    /// more. A program that polls is paced by the wall clock from its second poll on.
    RealTime {
        /// The number of wall seconds that one modeled second takes.
        dilation: Dilation,
    },
    /// No model at all: messages are handed over by reference as fast as the host's threads can, and time is the wall
    /// clock's since the common start of all programs. The machine's topology and parameters only serve libraries to plan.
    ///
    /// Deadlocks, panics, wall limits and mismatched calls are found as under the other clocks. What nodes compute takes the
    /// time that it takes; [`Node::compute`](crate::comm::Node::compute) keeps a core busy for its time, and the costs that
    /// a machine's parameters give to combining and copying are not charged.
    Host,
}

/// The number of wall seconds that one modeled second takes in [real time](Clock::RealTime).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Dilation {
    /// The smallest dilation, from 1 (true speed) upwards, that the host can keep: found by one or two short runs of
    /// a typical program before the first run on the machine. [`RealTimeReport::dilation`](crate::report::RealTimeReport::dilation) has the value. After a run
    /// that was not [kept](crate::report::Verdict), the next runs on the same machine use the dilation that it would
    /// have needed.
    #[default]
    Auto,
    /// A fixed dilation; 1 is true speed.
    Fixed(f64),
}

/// A virtual multicomputer, made by a [builder](MachineBuilder) and run any number of times.
///
/// ```
/// use multicomputer::{Clock, Machine, prelude::*};
///
/// let machine = Machine::paragon(2, 2).clock(Clock::Virtual).build()?;
/// let run = machine.run(|node| {
///     let world = node.world();
///     let next = (world.rank() + 1) % world.size();
///     world.send(next, &[node.rank() as u32])?;
///     let message = world.recv(ANY_SOURCE)?;
///     Ok(message.to_vec::<u32>()?[0])
/// })?;
/// assert_eq!(run.outputs, [3, 0, 1, 2]);
/// println!("{}", run.report);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    description: Description,
    clock: Clock,
    settings: Settings,
    unreceived_is_an_error: bool,
    experience: Arc<Experience>,
}

/// A builder of [`Machine`]s. Errors are reported by [`build`](MachineBuilder::build).
#[derive(Debug)]
#[must_use = "a machine has to be built"]
pub struct MachineBuilder {
    description: Result<Description, ConfigError>,
    clock: Clock,
    settings: Settings,
    unreceived_is_an_error: bool,
}

impl Machine {
    /// A Connection Machine CM-5, a fat tree with `nodes` nodes: see [`Parameters::cm5`].
    pub fn cm5(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("cm5", nodes, FatTree::new(nodes), Parameters::cm5())
    }

    /// An Intel Touchstone Delta, a 2-D mesh: see [`Parameters::delta`].
    pub fn delta(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("delta", rows, columns, Parameters::delta())
    }

    /// The reference machine of comparisons: see [`Parameters::hockney`].
    pub fn hockney(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("hockney", rows, columns, Parameters::hockney())
    }

    /// The host's own threads as a machine without a model, under the [host's clock](Clock::Host): every node is next to
    /// every other.
    ///
    /// ```
    /// use multicomputer::{Machine, collective::Sum, prelude::*};
    ///
    /// let run = Machine::host(4).build()?.run(|node| {
    ///     let mut sum = [node.rank() as u64];
    ///     node.world().combine_all(&mut sum, Sum)?;
    ///     Ok(sum[0])
    /// })?;
    /// assert_eq!(run.outputs, [6; 4]);
    /// println!("{} messages in {:?}", run.report.messages, run.wall);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Libraries choose among algorithms by the parameters of [`Parameters::host`], unless others are given. Those were
    /// measured with 16 nodes on two cores, and mislead where nodes are fewer or cores are more: their latency is 20 us,
    /// and a short message between two nodes that have a core each takes less than one. So a program whose speed matters
    /// [measures](crate::calibration::host::measure) its own host first, while nothing else runs there, or reads what
    /// `multicomputer calibrate` has written.
    ///
    /// ```
    /// use multicomputer::{Machine, Pinning, calibration::host::measure};
    ///
    /// let parameters = measure(Machine::host(2).build()?.description(), Pinning::Auto)?;
    /// let machine = Machine::host(2).parameters(parameters).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn host(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("host", nodes, presets::host::network(nodes), Parameters::host())
            .clock(Clock::Host)
    }

    /// An Intel iPSC/860, a hypercube with `nodes` nodes, a power of two: see [`Parameters::ipsc860`].
    pub fn ipsc860(nodes: usize) -> MachineBuilder {
        MachineBuilder::preset("ipsc860", nodes, Hypercube::new(nodes), Parameters::ipsc860())
    }

    /// An Intel Paragon under OSF/1 R1.1: see [`Parameters::paragon`].
    pub fn paragon(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("paragon", rows, columns, Parameters::paragon())
    }

    /// A Cray T3D, a 3-D torus: see [`Parameters::t3d`].
    pub fn t3d(planes: usize, rows: usize, columns: usize) -> MachineBuilder {
        let shape = format!("{planes}x{rows}x{columns}");
        MachineBuilder::preset("t3d", shape, Torus::new_3d(planes, rows, columns), Parameters::t3d())
    }

    /// A 2-D mesh with any [parameters](MachineBuilder::parameters); those of [`Parameters::hockney`] unless given.
    pub fn mesh(rows: usize, columns: usize) -> MachineBuilder {
        MachineBuilder::on_mesh("mesh", rows, columns, Parameters::hockney())
    }

    /// Any machine: read from a name or from a machine file, or put together from a topology and parameters. It runs in
    /// virtual time unless another [clock](MachineBuilder::clock) is set, also as `host:16`: that is a model with the
    /// parameters of [`Parameters::host`], while [`host`](Machine::host) runs without one.
    ///
    /// ```
    /// use multicomputer::{Machine, model::Description};
    ///
    /// let machine = Machine::of("line:8".parse()?).build()?;
    /// assert_eq!(machine.description().nodes(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(description: Description) -> MachineBuilder {
        MachineBuilder::new(Ok(description))
    }

    /// The topology and the parameters of the machine.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Runs `program` on every node and waits until all have returned. Their outputs are in rank order.
    ///
    /// The program is called once for each node, each time on a thread of its own, and may borrow from the caller.
    /// Errors of any type end it with `?`. Panics of a program are caught; their message is printed as by any thread.
    ///
    /// # Errors
    /// [`RunError`]: a program failed or panicked (in virtual time the first in modeled time, unless the others keep
    /// modeled time from getting there for half a second), nodes died, no node can go on, the wall-clock limit is reached, or
    /// messages were not received on a machine that treats that as an error. In every case all threads have ended
    /// when this returns.
    ///
    /// # Cost
    /// About 20 us of wall-clock time per node for its thread; in virtual time about a microsecond and a thread
    /// switch per message.
    pub fn run<T, F>(&self, program: F) -> Result<Run<T>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.run_any(&program)?.of_all()
    }

    /// Runs a program like [`run`](Machine::run), where nodes may [die](crate::model::Fault::Node): a node that died has no
    /// output, and all others have one. A program that goes on without a dead partner handles
    /// [`CommError::NodeDied`](crate::error::CommError::NodeDied).
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
    /// Those of [`run`](Machine::run), but for [`RunError::NodesDied`].
    pub fn run_surviving<T, F>(&self, program: F) -> Result<Run<Option<T>>, RunError>
    where
        T: Send,
        F: Fn(&Node<'_>) -> Result<T, Failure> + Sync,
    {
        self.run_any(&program)
    }

    /// Runs any program that returns something; a node that died has no output. Of all that a run takes only this is compiled
    /// for each type of outputs.
    fn run_any<T: Send>(
        &self,
        program: &(dyn Fn(&Node<'_>) -> Result<T, Failure> + Sync),
    ) -> Result<Run<Option<T>>, RunError> {
        let nodes = self.description.nodes();
        let (run, outputs) = keep_outputs(nodes, program, |program| self.run_program(program));
        let run = run?;
        // What a node returned after its death does not count.
        let outputs = outputs.into_iter().zip(&run.outputs);
        let outputs = outputs.map(|(output, &survived)| output.filter(|_| survived)).collect();
        Ok(run.with_outputs(outputs))
    }

    /// Runs a program that keeps its outputs itself: those of the run are whether each node survived.
    fn run_program(&self, program: &Program<'_>) -> Result<Run<bool>, RunError> {
        let span =
            tracing::info_span!("run", machine = self.description.name(), nodes = self.description.nodes());
        let _entered = span.enter();
        let (machine, settings) = (&self.description, &self.settings);
        let pace = match self.clock {
            Clock::Virtual => Some(Pace::Virtual),
            Clock::RealTime { dilation: Dilation::Fixed(dilation) } => Some(Pace::Real(dilation)),
            Clock::RealTime { dilation: Dilation::Auto } => {
                Some(Pace::Real(self.experience.dilation(machine, settings)?))
            }
            Clock::Host => None,
        };
        let ended = match pace {
            Some(pace) => modeled::run(machine, pace, settings, program)?,
            None => host::run(machine, settings, program)?,
        };
        let work = ended.outcomes.work;
        let (report, trace) = report(machine, ended.outcomes, ended.wall, pace, ended.slips, |context| {
            ended.contexts.name(context)
        });
        if let (Clock::RealTime { dilation: Dilation::Auto }, Some(real_time)) =
            (self.clock, &report.real_time)
        {
            self.experience.learn(real_time);
        }
        tracing::info!(modeled = %report.modeled, wall = ?ended.wall, messages = report.messages, "run ended");
        if self.unreceived_is_an_error && !report.unreceived.is_empty() {
            return Err(RunError::Unreceived(report.unreceived));
        }
        let (machine, is_traced) = (self.description.clone(), settings.traced);
        let outputs = ended.survived;
        Ok(Run { outputs, report, wall: ended.wall, trace, work, machine, is_traced })
    }
}

impl MachineBuilder {
    fn preset(
        name: &str,
        shape: impl Display,
        topology: Result<impl Topology + 'static, TopologyError>,
        parameters: Parameters,
    ) -> MachineBuilder {
        let describe = |topology| Description::new(format!("{name}:{shape}"), Arc::new(topology), parameters);
        MachineBuilder::new(topology.map(describe).map_err(ConfigError::from))
    }

    fn on_mesh(name: &str, rows: usize, columns: usize, parameters: Parameters) -> MachineBuilder {
        MachineBuilder::preset(name, format!("{rows}x{columns}"), Mesh::new(rows, columns), parameters)
    }

    fn new(description: Result<Description, ConfigError>) -> MachineBuilder {
        MachineBuilder {
            description,
            clock: Clock::default(),
            settings: Settings::default(),
            unreceived_is_an_error: false,
        }
    }

    /// Sets other parameters; the topology stays.
    pub fn parameters(mut self, parameters: Parameters) -> Self {
        self.description = self.description.map(|machine| machine.with_parameters(parameters));
        self
    }

    /// Sets the noise of the nodes, instead of that of the machine's description; none unless given.
    pub fn noise(mut self, noise: Noise) -> Self {
        self.description = self.description.map(|machine| machine.with_noise(noise));
        self
    }

    /// Sets the faults, instead of those of the machine's description; none unless given.
    pub fn faults(mut self, faults: Faults) -> Self {
        self.description = self.description.and_then(|machine| Ok(machine.with_faults(faults)?));
        self
    }

    /// Lets each send of `from_bytes` bytes or more wait for its receive, each of any length if it is 0: a rendezvous, as
    /// the synchronous mode of MPI. Unless given no send does, whatever the machine's memory.
    ///
    /// So programs are found that only work because messages are kept until somebody asks for them. MPI does not promise
    /// that: libraries do it up to some length, often a few thousand bytes, and a program that relies on it hangs with longer
    /// messages. Here it ends in a [deadlock](RunError::Deadlock), whose report says who waits for whom.
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
    /// A message leaves, travels and arrives as without this; only its sender waits longer. It *meets* its receive when it
    /// arrives, if the receive has been posted by then, and otherwise when the receive that takes it is posted. A send returns
    /// then, and the request of an [`isend`](crate::comm::Group::isend) is complete then. A
    /// [`sendrecv`](crate::comm::Group::sendrecv) does both at once, so two that face each other go on. A node that sends to
    /// itself without a posted receive waits for ever. Shorter messages and [active messages](crate::comm::Active) wait for
    /// nobody. If the receiver dies the send fails.
    ///
    /// Predictions of libraries for their plans hold under it, too. `docs/timing-model.md` has the rule in full, with examples.
    pub fn rendezvous(mut self, from_bytes: u64) -> Self {
        self.description = self.description.map(|machine| machine.with_rendezvous(from_bytes));
        self
    }

    /// Sets the clock; unless given [virtual](Clock::Virtual), and that of the host for [`Machine::host`].
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the stack size of each node's thread in bytes: 1 MiB unless given, at least 64 KiB. A program that needs
    /// more (a local array of a megabyte, a deep recursion) ends the whole process with "has overflowed its stack",
    /// which Rust cannot turn into an error: then set a larger size here.
    ///
    /// Only the used part of a stack is resident. For 4096 nodes that meet in a barrier it is 95 MB in all, for
    /// 16,000 nodes 360 MB, 22 KiB per node, with stacks of 256 KiB, 1 MiB and 2 MiB alike; and starting and ending
    /// them takes the same time, 0.14 s and 0.6 s on two cores. The address space does grow with the stacks, which
    /// few hosts limit: 17 GB for 16,000 nodes with 1 MiB each. Where it is limited (`ulimit -v`), or promised memory
    /// must be there (`vm.overcommit_memory = 2`), [`build`](MachineBuilder::build) reports it if there is too
    /// little, and smaller stacks let more nodes run.
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

    /// Sets the cores on which the threads run; [as the clock suggests](Pinning::Auto) unless given.
    pub fn pinning(mut self, pinning: Pinning) -> Self {
        self.settings.pinning = pinning;
        self
    }

    /// Sets how hard *Auto* tries to find the fastest plan of an operation; [`Effort::Normal`] unless given.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.settings.cache = Arc::new(Cache::of(effort));
        self
    }

    /// Sets a limit of wall-clock time for a run; there is none unless given. A program that makes no calls cannot be
    /// stopped: the run ends when it makes its next call or returns.
    ///
    /// Nor can a plan that is being made be stopped: a call of a library that plans ends when the plan is there. On hundreds of
    /// nodes that may take a second; a plan made beforehand, or an earlier run of the same machine, keeps it out of the run.
    pub fn wall_limit(mut self, limit: Duration) -> Self {
        self.settings.wall_limit = Some(limit);
        self
    }

    /// Sets whether to keep all events for a [trace](Run::write_trace); not unless given. It changes no modeled time.
    /// It takes about 300 bytes of memory per message and 64 whenever its rate changes, and in real time, where every step of a schedule is noted by
    /// two more calls, the host is slower.
    pub fn trace(mut self, traced: bool) -> Self {
        self.settings.traced = traced;
        self
    }

    /// Sets whether a run in which messages were never received is [an error](RunError::Unreceived); unless given
    /// they are only listed in the report.
    pub fn deny_unreceived(mut self, denied: bool) -> Self {
        self.unreceived_is_an_error = denied;
        self
    }

    /// Builds the machine.
    ///
    /// # Errors
    /// [`ConfigError`]: a bad shape, a fault that the machine cannot have, more nodes than this host can run threads or has
    /// memory for, a bad dilation or stack size, noise or faults under the host's clock.
    pub fn build(self) -> Result<Machine, ConfigError> {
        let MachineBuilder { description, clock, settings, unreceived_is_an_error } = self;
        let description = description?;
        if let Clock::RealTime { dilation: Dilation::Fixed(dilation) } = clock
            && !(dilation > 0.0 && dilation <= MOST_DILATION)
        {
            return Err(ConfigError::Dilation(dilation));
        }
        let modeled = [("noise", description.noise().is_some()), ("faults", description.faults().is_some())];
        if let Some((what, _)) = modeled.iter().find(|(_, given)| *given && clock == Clock::Host) {
            return Err(ConfigError::Unmodeled(what));
        }
        if settings.stack_size < LEAST_STACK {
            return Err(ConfigError::StackSize { given: settings.stack_size, least: LEAST_STACK });
        }
        limits::check(&description, settings.stack_size)?;
        Ok(Machine { description, clock, settings, unreceived_is_an_error, experience: Arc::default() })
    }
}
