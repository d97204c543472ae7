//! Messages: sends, receives, probes, message numbers, handlers; and what a node is.

use multicomputer::nx::{ANY, Info, Nx, NxError};

use crate::{
    error::{Code, Error, Result},
    function::{Address, Arguments, Count, Selector, Words, functions},
    process::{Process, Room},
};

functions! {
    csend: csend, (type/buf/count/node/ptype);
    isend: isend, (type/buf/count/node/ptype -> result);
    gsendx: gsendx, (type, buf, count, nodes, n, width);
    crecv, crecvx: crecv, (typesel/buf/count/nodesel/ptypesel/info/width);
    irecv, irecvx: irecv, (typesel/buf/count/nodesel/ptypesel/info/width -> result);
    csendrecv: csendrecv, (type/sbuf/scount/node/ptype, typesel, rbuf/rcount/info/width -> result);
    isendrecv: isendrecv, (type/sbuf/scount/node/ptype, typesel, rbuf/rcount/info/width -> result);
    hrecv: hrecv, (typesel, buf, count, handler);
    hrecvx: hrecvx, (typesel, buf, count, nodesel, ptypesel, xhandler, hparam);
    masktrap: masktrap, (state -> result);
    flick: flick, ();
    cprobe, cprobex: cprobe, (typesel/nodesel/ptypesel, info, width);
    iprobe, iprobex: iprobe, (typesel/nodesel/ptypesel, info, width -> result);
    msgwait: msgwait, (mid);
    msgdone: msgdone, (mid -> result);
    msgignore: msgignore, (mid);
    msgcancel: msgcancel, (mid);
    msgmerge: msgmerge, (mid1, mid2 -> result);
    mynode: mynode, (-> result);
    numnodes: numnodes, (-> result);
    myptype, mypid: myptype, (-> result);
    setptype: setptype, (ptype);
    mypart: mypart, (rows, cols, width -> result);
    nodedim: nodedim, (-> result);
    gray: gray, (n -> result);
    ginv: ginv, (n -> result);
    dclock: dclock, (-> result);
    mclock: mclock, (-> result);
    nx_perror: nx_perror, (buf, count);
}

/// The arguments of a send.
struct Sent {
    mtype: i32,
    buf: Address,
    count: Count,
    node: i32,
    ptype: i32,
}

impl Arguments for Sent {
    fn take(words: &mut Words<'_>) -> Result<Self> {
        Ok(Sent {
            mtype: words.take()?,
            buf: words.take()?,
            count: words.take()?,
            node: words.take()?,
            ptype: words.take()?,
        })
    }
}

/// The messages that a call takes or looks for.
struct Wanted {
    typesel: i32,
    nodesel: i32,
    ptypesel: i32,
}

impl Arguments for Wanted {
    fn take(words: &mut Words<'_>) -> Result<Self> {
        let Selector(typesel) = words.take()?;
        Ok(Wanted { typesel, nodesel: words.take()?, ptypesel: words.take()? })
    }
}

/// The arguments of a receive.
struct Received {
    wanted: Wanted,
    room: Room,
}

impl Arguments for Received {
    fn take(words: &mut Words<'_>) -> Result<Self> {
        let (Selector(typesel), buf, count) = (words.take()?, words.take()?, words.take()?);
        let wanted = Wanted { typesel, nodesel: words.take()?, ptypesel: words.take()? };
        Ok(Received { wanted, room: room(buf, count, words.take()?, words.take()?)? })
    }
}

impl Arguments for Room {
    fn take(words: &mut Words<'_>) -> Result<Self> {
        room(words.take()?, words.take()?, words.take()?, words.take()?)
    }
}

fn room(buf: Address, count: Count, info: Address, width: Count) -> Result<Room> {
    Ok(Room { buffer: buf.of(count.0)?, count, info, width })
}

fn csend<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, sent: Sent) -> Result<()> {
    Ok(nx.csend(sent.mtype, process.host.load(sent.buf, sent.count)?, sent.node, sent.ptype)?)
}

fn isend<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, sent: Sent) -> Result<i64> {
    let mid = nx.isend(sent.mtype, process.host.load(sent.buf, sent.count)?, sent.node, sent.ptype)?;
    Ok(process.add(mid).into())
}

fn gsendx<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    mtype: i32,
    buf: Address,
    count: Count,
    nodes: Address,
    n: Count,
    width: Count,
) -> Result<()> {
    let nodes = process.host.load_longs(nodes, n.0, width)?;
    let nodes: Vec<i32> = nodes.into_iter().map(|node| node.try_into().unwrap_or(i32::MAX)).collect();
    Ok(nx.gsendx(mtype, process.host.load(buf, count)?, &nodes)?)
}

fn crecv<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, received: Received) -> Result<()> {
    let Received { wanted: Wanted { typesel, nodesel, ptypesel }, room } = received;
    if ptypesel != ANY && ptypesel != 0 {
        return Err(NxError::ProcessType { given: ptypesel }.into());
    }
    let (info, payload) = nx.receive(typesel, nodesel)?;
    Ok(process.host.deliver(room, info, &payload)?)
}

fn irecv<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Received { wanted: Wanted { typesel, nodesel, ptypesel }, room }: Received,
) -> Result<i64> {
    let host = process.host.clone();
    let deliver = move |info, payload| host.deliver(room, info, &payload);
    let mid = nx.ireceive(typesel, nodesel, ptypesel, deliver)?;
    Ok(process.add(mid).into())
}

/// Returns the number of the message of both.
fn send_and_receive<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Sent { mtype, buf, count, node, ptype }: Sent,
    Selector(typesel): Selector,
    room: Room,
) -> Result<i32> {
    let (host, data) = (process.host.clone(), process.host.load(buf, count)?);
    let receive = nx.ireceive(typesel, ANY, ANY, move |info, payload| host.deliver(room, info, &payload))?;
    match nx.isend(mtype, data, node, ptype) {
        Ok(send) => Ok(process.add(nx.msgmerge(send, receive))),
        Err(error) => {
            nx.msgcancel(receive);
            Err(error.into())
        }
    }
}

fn csendrecv<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    sent: Sent,
    typesel: Selector,
    room: Room,
) -> Result<i64> {
    let mid = send_and_receive(process, nx, sent, typesel, room)?;
    msgwait(process, nx, mid)?;
    Ok(nx.infocount()? as i64)
}

fn isendrecv<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    sent: Sent,
    typesel: Selector,
    room: Room,
) -> Result<i64> {
    let mid = send_and_receive(process, nx, sent, typesel, room)?;
    Ok(mid.into())
}

/// The arguments of a handler: type, count, node and process type of the message.
fn described(info: Info) -> [usize; 4] {
    [info.mtype as usize, info.count as usize, info.node as usize, info.ptype as usize]
}

fn hrecv<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Selector(typesel): Selector,
    buf: Address,
    count: Count,
    handler: Address,
) -> Result<()> {
    let (host, room) = (process.host.clone(), room(buf, count, Address(0), Count(0))?);
    Ok(nx.hrecv(typesel, move |info, payload| {
        host.deliver(room, info, &payload)?;
        host.call(handler, &described(info));
        Ok(())
    })?)
}

fn hrecvx<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Selector(typesel): Selector,
    buf: Address,
    count: Count,
    nodesel: i32,
    ptypesel: i32,
    xhandler: Address,
    Address(hparam): Address,
) -> Result<()> {
    let (host, room) = (process.host.clone(), room(buf, count, Address(0), Count(0))?);
    Ok(nx.hrecvx(typesel, nodesel, ptypesel, move |info, payload| {
        host.deliver(room, info, &payload)?;
        let [mtype, count, node, ptype] = described(info);
        host.call(xhandler, &[mtype, count, node, ptype, hparam]);
        Ok(())
    })?)
}

fn masktrap<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>, state: i32) -> Result<i64> {
    let before = nx.masktrap(state != 0)?;
    Ok(before.into())
}

fn flick<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<()> {
    nx.flick()?;
    Ok(process.clock.polled()?)
}

fn cprobe<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Wanted { typesel, nodesel, ptypesel }: Wanted,
    info: Address,
    width: Count,
) -> Result<()> {
    let found = nx.cprobex(typesel, nodesel, ptypesel)?;
    process.host.set_info(info, found, width);
    Ok(())
}

fn iprobe<'a, 'n>(
    process: &Process<'a, 'n>,
    nx: &Nx<'a, 'n>,
    Wanted { typesel, nodesel, ptypesel }: Wanted,
    info: Address,
    width: Count,
) -> Result<i64> {
    let found = nx.iprobex(typesel, nodesel, ptypesel)?;
    match found {
        Some(found) => process.host.set_info(info, found, width),
        None => process.clock.polled()?,
    }
    Ok(found.is_some().into())
}

fn msgwait<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, mid: i32) -> Result<()> {
    Ok(nx.msgwait(process.take(mid)?)?)
}

fn msgdone<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, mid: i32) -> Result<i64> {
    let mut message = process.take(mid)?;
    let is_done = nx.msgdone(&mut message)?;
    if !is_done {
        process.put_back(mid, message);
        process.clock.polled()?;
    }
    Ok(is_done.into())
}

fn msgignore<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, mid: i32) -> Result<()> {
    nx.msgignore(process.take(mid)?);
    Ok(())
}

fn msgcancel<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, mid: i32) -> Result<()> {
    nx.msgcancel(process.take(mid)?);
    Ok(())
}

/// A message number of -1 stands for no message.
fn msgmerge<'a, 'n>(process: &Process<'a, 'n>, nx: &Nx<'a, 'n>, mid1: i32, mid2: i32) -> Result<i64> {
    let merged = match (mid1, mid2) {
        (ANY, mid) | (mid, ANY) => mid,
        _ if mid1 == mid2 => {
            let text = format!("{mid1} was given twice");
            return Err(Error::argument(Code::MID, &["mid2"], text));
        }
        _ => process.add(nx.msgmerge(process.take(mid1)?, process.take(mid2)?)),
    };
    Ok(merged.into())
}

fn mynode<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<i64> {
    Ok(nx.mynode().into())
}

fn numnodes<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<i64> {
    Ok(nx.numnodes().into())
}

fn myptype<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<i64> {
    Ok(nx.myptype().into())
}

fn setptype<'a, 'n>(_: &Process<'a, 'n>, _: &Nx<'a, 'n>, ptype: i32) -> Result<()> {
    if ptype == 0 { Ok(()) } else { Err(NxError::ProcessType { given: ptype }.into()) }
}

fn mypart<'a, 'n>(
    process: &Process<'a, 'n>,
    _: &Nx<'a, 'n>,
    rows: Address,
    cols: Address,
    width: Count,
) -> Result<i64> {
    let shape = process.shape();
    process.host.set_long(rows, 0, shape.0 as i64, width);
    process.host.set_long(cols, 0, shape.1 as i64, width);
    Ok(0)
}

/// The dimension of the smallest hypercube with this number of nodes.
fn nodedim<'a, 'n>(_: &Process<'a, 'n>, nx: &Nx<'a, 'n>) -> Result<i64> {
    let nodes = nx.numnodes() as u32;
    Ok(nodes.next_power_of_two().ilog2().into())
}

fn gray<'a, 'n>(_: &Process<'a, 'n>, _: &Nx<'a, 'n>, n: i32) -> Result<i64> {
    Ok(Nx::gray(n as u32).into())
}

fn ginv<'a, 'n>(_: &Process<'a, 'n>, _: &Nx<'a, 'n>, n: i32) -> Result<i64> {
    Ok(Nx::ginv(n as u32).into())
}

fn dclock<'a, 'n>(process: &Process<'a, 'n>, _: &Nx<'a, 'n>) -> Result<f64> {
    Ok(process.clock.time()?.as_secs_f64())
}

fn mclock<'a, 'n>(process: &Process<'a, 'n>, _: &Nx<'a, 'n>) -> Result<i64> {
    let millis = process.clock.time()?.as_picos() / 1_000_000_000;
    Ok(millis as i64)
}

/// Stores the text of the last error, cut to `count` bytes with its zero byte.
fn nx_perror<'a, 'n>(process: &Process<'a, 'n>, _: &Nx<'a, 'n>, buf: Address, count: Count) -> Result<()> {
    let text = process.last_error.borrow();
    let length = text.len().min(count.0.saturating_sub(1));
    process.host.program.write(buf.0, &[&text.as_bytes()[..length], &[0]].concat());
    Ok(())
}
