//! Ports and published names, by which parts of a job find and connect each other, and the refusal to start processes (MPI 5.0, chapter 11).
//!
//! The processes of a job are the nodes of its machine, so none can be added. Processes of the job can connect: a port is a number of a node,
//! and the root of `MPI_Comm_connect` exchanges groups with the root of `MPI_Comm_accept` in messages of the library. Names are published in
//! a table at rank 0, which processes access in the order of modeled time.

use std::{collections::BTreeMap, rc::Rc, sync::Mutex};

use multicomputer::{
    Payload, Tag,
    comm::transport::{From, To},
};

use crate::{
    abi,
    collective::broadcast_bytes,
    communicator::{self, Communicator, nodes},
    error::{Class, Error, Result},
    function::functions,
    info::Info,
    process::Process,
    word::{Address, Handle, Out, Stored, Text, store_text},
};

functions! {
    MPI_Comm_spawn: spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    MPI_Comm_spawn_multiple: spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes);
    MPI_Comm_join: join(fd, intercomm);
    MPI_Open_port: open_port(info, port_name);
    MPI_Close_port: close_port(port_name);
    MPI_Comm_accept: accept(port_name, info, root, comm, newcomm);
    MPI_Comm_connect: connect(port_name, info, root, comm, newcomm);
    MPI_Publish_name: publish(service_name, info, port_name);
    MPI_Unpublish_name: unpublish(service_name, info, port_name);
    MPI_Lookup_name: lookup(service_name, info, port_name);
}

/// The longest name of a port, with its zero byte (`MPI_MAX_PORT_NAME`).
const MAX_PORT_NAME: usize = 1024;
/// The beginning of the names of ports.
const SCHEME: &str = "multicomputer://";

/// The published names of a job and their ports.
#[derive(Debug, Default)]
pub struct Services(Mutex<BTreeMap<String, String>>);

/// The open ports of a process.
#[derive(Debug, Default)]
pub struct State {
    /// The number of ports that the process has opened so far.
    made: u32,
    open: Vec<u32>,
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn spawn<'n>(
    _: &Process<'n>,
    _: Address,
    _: Address,
    _: i32,
    _: Handle,
    _: i32,
    _: Rc<Communicator<'n>>,
    _: Address,
    _: Address,
) -> Result<()> {
    Err(no_spawn())
}

#[expect(clippy::too_many_arguments, reason = "the arguments of MPI")]
fn spawn_multiple<'n>(
    _: &Process<'n>,
    _: i32,
    _: Address,
    _: Address,
    _: Address,
    _: Address,
    _: i32,
    _: Rc<Communicator<'n>>,
    _: Address,
    _: Address,
) -> Result<()> {
    Err(no_spawn())
}

fn no_spawn() -> Error {
    let text = "the processes are the nodes of the machine, and none can be added: start the job with more processes";
    Error::new(Class::SPAWN, text)
}

fn join(_: &Process<'_>, _: i32, _: Address) -> Result<()> {
    let text = "sockets do not belong to the machine: connect processes of the job by MPI_Comm_connect";
    Err(Error::new(Class::UNSUPPORTED_OPERATION, text))
}

fn open_port(process: &Process<'_>, _: Info, port_name: Address) -> Result<()> {
    let mut state = process.ports.borrow_mut();
    let number = state.made;
    state.made += 1;
    state.open.push(number);
    let name = format!("{SCHEME}{}/{number}", process.node.rank());
    store_text(process, port_name, &name, MAX_PORT_NAME);
    Ok(())
}

fn close_port(process: &Process<'_>, port_name: Text) -> Result<()> {
    let number = own_port(process, &port_name)?;
    process.ports.borrow_mut().open.retain(|&open| open != number);
    Ok(())
}

/// The node and the number of a port.
fn port(process: &Process<'_>, name: &Text) -> Result<(usize, u32)> {
    let parts = name.0.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'));
    let port = parts.and_then(|(rank, number)| Some((rank.parse().ok()?, number.parse().ok()?)));
    port.filter(|&(rank, _): &(usize, u32)| rank < process.size()).ok_or_else(|| {
        let text = format!("`{}` is no port: MPI_Open_port returns names of ports", name.0);
        Error::argument(Class::PORT, "port_name", text)
    })
}

/// The number of an open port of this process.
fn own_port(process: &Process<'_>, name: &Text) -> Result<u32> {
    let (rank, number) = port(process, name)?;
    if rank != process.node.rank() || !process.ports.borrow().open.contains(&number) {
        let text = format!("`{}` is no open port of this process", name.0);
        return Err(Error::argument(Class::PORT, "port_name", text));
    }
    Ok(number)
}

fn accept<'n>(
    process: &Process<'n>,
    port_name: Address,
    _: Info,
    root: i32,
    comm: Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
) -> Result<()> {
    join_groups(process, port_name, root, &comm, newcomm, true)
}

fn connect<'n>(
    process: &Process<'n>,
    port_name: Address,
    _: Info,
    root: i32,
    comm: Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
) -> Result<()> {
    join_groups(process, port_name, root, &comm, newcomm, false)
}

/// Makes the intercommunicator of a group that accepts and a group that connects. The port is an argument of the roots only.
fn join_groups<'n>(
    process: &Process<'n>,
    Address(port_name): Address,
    root: i32,
    comm: &Rc<Communicator<'n>>,
    newcomm: Out<Handle>,
    accepts: bool,
) -> Result<()> {
    newcomm.set(process, abi::COMM_NULL);
    if comm.remote.is_some() {
        return Err(Error::argument(Class::COMM, "comm", "an intercommunicator was given"));
    }
    let root = usize::try_from(root).ok().filter(|&root| root < comm.group.size()).ok_or_else(|| {
        let text = format!("{root} is no rank of {}", comm.name.borrow());
        Error::argument(Class::ROOT, "root", text)
    })?;
    // The error code of the root, then the remote group.
    let mut packed = Vec::new();
    let mut failed = None;
    if comm.group.rank() == root {
        match exchange(process, port_name, comm, accepts) {
            Ok(remote) => {
                0_u64.store(&mut packed);
                remote.iter().for_each(|&node| (node as u64).store(&mut packed));
            }
            Err(Error::Mpi(error)) => {
                (error.class.0 as u64).store(&mut packed);
                failed = Some(error);
            }
            Err(Error::Leave) => return Err(Error::Leave),
        }
    }
    let packed = broadcast_bytes(process, comm, root, packed)?;
    if let Some(error) = failed {
        return Err(Error::Mpi(error));
    }
    let mut numbers = packed.chunks_exact(u64::SIZE).map(u64::load);
    match numbers.next() {
        Some(0) => {}
        code => {
            let class = Class(code.unwrap_or_default() as i32);
            return Err(Error::new(class, format!("the root, rank {root}, could not connect")));
        }
    }
    let remote = numbers.map(|node| node as usize).collect();
    let all: Vec<usize> = (0..comm.group.size()).collect();
    let made = communicator::of_groups(process, &comm.group, &all, remote, accepts)?;
    made.error_handler.set(comm.error_handler.get());
    newcomm.set(process, communicator::enter(process, made));
    Ok(())
}

/// Exchanges the groups with the root of the other side, and returns the group of the other side.
fn exchange<'n>(
    process: &Process<'n>,
    port_name: usize,
    comm: &Communicator<'n>,
    accepts: bool,
) -> Result<Vec<usize>> {
    use crate::word::Argument;
    let name = Text::decode(process, port_name).map_err(|error| error.of("port_name"))?;
    let (rank, number) = port(process, &name)?;
    let context = process.world.library_context();
    // Other messages in this context have smaller tags. The answer has the tag after that of the question.
    let tag = |is_answer: bool| Tag(3 << 30 | (number << 1 & 0x3fff_ffff) | u32::from(is_answer));
    let mut mine = Vec::new();
    nodes(comm).iter().for_each(|&node| (node as u64).store(&mut mine));
    let transport = process.transport();
    let received = if accepts {
        own_port(process, &name)?;
        let asked = transport.recv(From { context, source: None, tag: Some(tag(false)) })?;
        transport.send(To { rank: asked.source, context, tag: tag(true) }, Payload::from(mine))?;
        asked
    } else {
        let from = From { context, source: Some(rank), tag: Some(tag(true)) };
        transport.send_recv(To { rank, context, tag: tag(false) }, Payload::from(mine), from)?
    };
    let bytes = received.payload.to_bytes().unwrap_or_default();
    Ok(bytes.chunks_exact(u64::SIZE).map(|node| u64::load(node) as usize).collect())
}

/// Accesses the published names, at rank 0 and in the order of modeled time.
fn access(
    process: &Process<'_>,
    effect: impl FnOnce(&mut BTreeMap<String, String>) -> Option<String> + Send + 'static,
) -> Result<Option<String>> {
    let services = process.settings.services.clone();
    let to = To { rank: 0, context: process.world.library_context(), tag: Tag(0) };
    let transport = process.transport();
    let request = transport.remote(to, 8, Some(8), move || {
        let mut names = services.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A byte tells `None` from an empty string.
        effect(&mut names)
            .map_or_else(Payload::empty, |found| Payload::from([&[1], found.as_bytes()].concat()))
    })?;
    let found = transport.wait(request)?.ok_or(Error::Leave)?.payload.to_bytes().unwrap_or_default();
    Ok(found.get(1..).map(|name| String::from_utf8_lossy(name).into_owned()))
}

fn publish(process: &Process<'_>, service: Text, _: Info, port_name: Text) -> Result<()> {
    let name = service.0.clone();
    let before = access(process, move |names| match names.get(&name) {
        Some(port) => Some(port.clone()),
        None => {
            names.insert(name, port_name.0);
            None
        }
    })?;
    match before {
        None => Ok(()),
        Some(port) => {
            let text = format!("`{}` is published already, as the port `{port}`", service.0);
            Err(Error::argument(Class::SERVICE, "service_name", text))
        }
    }
}

fn unpublish(process: &Process<'_>, service: Text, _: Info, _: Text) -> Result<()> {
    let name = service.0.clone();
    match access(process, move |names| names.remove(&name))? {
        Some(_) => Ok(()),
        None => {
            Err(Error::argument(Class::SERVICE, "service_name", format!("`{}` is not published", service.0)))
        }
    }
}

fn lookup(process: &Process<'_>, service: Text, _: Info, port_name: Address) -> Result<()> {
    let name = service.0.clone();
    let Some(port) = access(process, move |names| names.get(&name).cloned())? else {
        let text = format!("`{}` is not published", service.0);
        return Err(Error::argument(Class::NAME, "service_name", text));
    };
    store_text(process, port_name, &port, MAX_PORT_NAME);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{abi, testing::run, word::Handle};

    const WORLD: usize = 0x101;

    #[test]
    fn halves_connect_by_a_published_name() {
        let sizes = run(5, |tester| {
            tester.errors_return();
            let is_server = usize::from(tester.rank < 2);
            let Handle(half) = tester.result("MPI_Comm_split", &[WORLD, is_server, 0]);
            let (port, service, none) =
                (tester.arena.alloc(1024).0, tester.arena.text("ocean").0, abi::INFO_NULL.0);
            if tester.rank == 0 {
                assert_eq!(tester.code("MPI_Lookup_name", &[service, none, port]), 38);
                tester.ok("MPI_Open_port", &[none, port]);
                tester.ok("MPI_Publish_name", &[service, none, port]);
                assert_eq!(tester.code("MPI_Publish_name", &[service, none, port]), 51);
            }
            tester.ok("MPI_Barrier", &[WORLD]);
            let function = if is_server == 1 { "MPI_Comm_accept" } else { "MPI_Comm_connect" };
            if tester.rank == 4 {
                tester.ok("MPI_Lookup_name", &[service, none, port]);
                assert_eq!(tester.string(port), "multicomputer://0/0");
            }
            // The last process of the half that connects is its root.
            let Handle(both) = tester.result(function, &[port, none, [2, 0][is_server], half]);
            tester.ok("MPI_Barrier", &[both]);
            if tester.rank == 0 {
                tester.ok("MPI_Unpublish_name", &[service, none, port]);
                tester.ok("MPI_Close_port", &[port]);
                assert_eq!(tester.code("MPI_Close_port", &[port]), 43);
            }
            let out = tester.room(2);
            assert_eq!(tester.code("MPI_Comm_spawn", &[service, 0, 1, none, 0, WORLD, out, 0]), 53);
            tester.result::<i32>("MPI_Comm_remote_size", &[both])
        });
        assert_eq!(sizes, [3, 3, 2, 2, 2]);
    }
}
