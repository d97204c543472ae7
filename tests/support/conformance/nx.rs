//! The calls of NX, with either library behind the global ones.

use multicomputer::{
    error::Failure,
    nx::{ANY, Info, Library, MAX_TYPE, Nx, NxError},
    prelude::*,
};

use super::{Runner, case, refused, same, same_all};

type Check = fn(&Nx<'_, '_>, &Node<'_>) -> Result<(), Failure>;

const CHECKS: [(&str, Check); 7] = [
    ("messages by type", |nx, _| by_type(nx)),
    ("requests", requests),
    ("messages to all", |nx, _| broadcasts(nx)),
    ("global operations", |nx, _| global(nx)),
    ("a function that does not commute", |nx, _| function(nx)),
    ("vectors that are collected", |nx, _| collected(nx)),
    ("long vectors", |nx, _| long(nx)),
];

pub(crate) fn nx(runner: &dyn Runner) {
    for (library, name) in [(Library::Nx, "NX"), (Library::InterCom, "InterCom")] {
        runner.run(&format!("calls of NX, global ones by {name}"), &|node| {
            let nx = Nx::new(node)?.with_library(library);
            for (name, check) in CHECKS {
                case(node.world(), name, || check(&nx, node))?;
                nx.gsync()?;
            }
            Ok(())
        });
    }
}

/// The nodes after and before this one.
fn neighbours(nx: &Nx<'_, '_>) -> (i32, i32) {
    let (node, nodes) = (nx.mynode(), nx.numnodes());
    ((node + 1) % nodes, (node + nodes - 1) % nodes)
}

/// A receive selects by type, and any takes the first; what it is told of a message is so.
fn by_type(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(nx);
    let own = f64::from(nx.mynode());
    let mut sends = Vec::new();
    for mtype in [3, 1, 2, 0, MAX_TYPE] {
        sends.push(nx.isend(mtype, [f64::from(mtype), own], next, 0)?);
    }
    let mut order = Vec::new();
    for typesel in [1, ANY, ANY, MAX_TYPE, 0] {
        let mut buf = [-1.0; 3];
        same("elements", nx.crecv(typesel, &mut buf)?, 2)?;
        let info = (nx.infotype()?, nx.infocount()?, nx.infonode()?, nx.infoptype()?);
        same("info", info, (info.0, 16, previous, 0))?;
        same_all(&buf, &[f64::from(info.0), f64::from(previous), -1.0])?;
        order.push(info.0);
    }
    same_all(&order, &[1, 3, 2, MAX_TYPE, 0])?;
    sends.into_iter().try_for_each(|mid| nx.msgwait(mid))?;
    // From here on there are messages of others, which any receive could take.
    nx.gsync()?;
    let mut sends = Vec::new();
    for node in 0..nx.numnodes() {
        sends.push(nx.isend(9, [nx.mynode(), node], node, 0)?);
    }
    for node in (0..nx.numnodes()).rev() {
        let mut buf = [-1; 2];
        let info = Info { mtype: 9, count: 8, node, ptype: 0 };
        same("probe", nx.cprobex(9, node, ANY)?, info)?;
        same("receive", nx.crecvx(ANY, &mut buf, node, 0)?, info)?;
        same_all(&buf, &[node, nx.mynode()])?;
    }
    sends.into_iter().try_for_each(|mid| nx.msgwait(mid))?;
    // What does not fit is an error and is lost.
    let mid = nx.isend(6, [1.5, 2.5], next, 0)?;
    let is_short = |error: &NxError| matches!(error, NxError::BufferTooShort { buffer: 8, .. });
    refused(nx.crecv(6, &mut [0.0]), is_short)?;
    nx.msgwait(mid)?;
    let mid = nx.isend(6, [1.5, 2.5], next, 0)?;
    refused(nx.crecv(6, &mut [0_i32; 4]), |error| matches!(error, NxError::Data(_)))?;
    nx.msgwait(mid)?;
    same("messages that are left", nx.iprobe(ANY)?, false)
}

/// Posted receives, message numbers that are merged, exchanges, and looks in vain.
fn requests(nx: &Nx<'_, '_>, node: &Node<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(nx);
    for bytes in [0, 1000, 100_000] {
        let mine = |node: i32| (0..bytes).map(|at| (at * 3 + node) as u8).collect::<Vec<u8>>();
        let mut buf = vec![0_u8; bytes as usize];
        let mid = nx.irecv(5, &mut buf)?;
        nx.csend(5, mine(nx.mynode()), next, 0)?;
        nx.msgwait(mid)?;
        same_all(&buf, &mine(previous))?;
        buf.fill(0);
        let count = nx.csendrecv(6, mine(nx.mynode()), next, 0, 6, &mut buf)?;
        same("bytes", count, bytes as usize)?;
        same_all(&buf, &mine(previous))?;
    }
    let (mut first, mut second) = ([0_i32], [0_i32]);
    let a = nx.irecv(2, &mut first)?;
    let b = nx.irecvx(1, &mut second, previous, ANY)?;
    let mut both = nx.msgmerge(a, b);
    nx.gsync()?;
    let sends =
        nx.msgmerge(nx.isend(1, [10 + nx.mynode()], next, 0)?, nx.isend(2, [20 + nx.mynode()], next, 0)?);
    while !nx.msgdone(&mut both)? {
        node.compute(Span::from_micros(3))?;
    }
    drop(both);
    same("merged", (first, second), ([20 + previous], [10 + previous]))?;
    nx.msgwait(sends)?;
    same("messages of a type that nobody sends", nx.iprobe(4)?, false)?;
    let mid = nx.isend(3, [7_u16; 3], next, 0)?;
    while !nx.iprobe(3)? {
        node.compute(Span::from_micros(3))?;
    }
    same("probed", (nx.infotype()?, nx.infocount()?, nx.infonode()?), (3, 6, previous))?;
    nx.cprobe(ANY)?;
    let (info, payload) = nx.receive(ANY, previous)?;
    same("received", (info.mtype, payload.to_vec::<u16>()?), (3, vec![7; 3]))?;
    Ok(nx.msgwait(mid)?)
}

/// From every node in turn to all others, which receive it as any message.
pub(crate) fn broadcasts(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    for root in 0..nx.numnodes() {
        let data = [root, 10 * root];
        if nx.mynode() == root {
            match root % 3 {
                0 => nx.msgwait(nx.isend(root, data, -1, 0)?)?,
                _ => nx.csend(root, data, -1, 0)?,
            }
            continue;
        }
        let mut buf = [0; 3];
        if root % 2 == 0 {
            same("elements", nx.crecv(root, &mut buf)?, 2)?;
            same("info", (nx.infonode()?, nx.infotype()?, nx.infocount()?), (root, root, 8))?;
        } else {
            let info = nx.crecvx(ANY, &mut buf, root, 0)?;
            same("info", (info.node, info.mtype, info.count), (root, root, 8))?;
        }
        same_all(&buf[..2], &data)?;
    }
    Ok(())
}

/// `T` of every node, combined in order.
fn folded<T: Copy>(nodes: i32, of: impl Fn(i32) -> T, operator: impl Fn(T, T) -> T) -> T {
    (1..nodes).fold(of(0), |sum, node| operator(sum, of(node)))
}

/// Every global operation, against a serial loop.
pub(crate) fn global(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    let nodes = nx.numnodes();
    let real = |node: i32| f64::from(node * 37 % 11) - 4.5;
    let single = |node: i32| real(node) as f32;
    let whole = |node: i32| node.wrapping_mul(0x1234_5677).wrapping_add(node) ^ (node << 13);
    let truth = |node: i32| (node * 7 + 3) % 4;
    macro_rules! check {
        ($($call:ident, $of:expr, $operator:expr;)*) => {$(
            // Two elements; the second is that of the next node.
            let mut x = [$of(nx.mynode()), $of(nx.mynode() + 1)];
            nx.$call(&mut x)?;
            let expected = [folded(nodes, $of, $operator), folded(nodes, |node| $of(node + 1), $operator)];
            same(stringify!($call), x, expected)?;
        )*};
    }
    // Sums of halves are exact in any order.
    check! {
        gdsum, real, |x, y| x + y; gdhigh, real, f64::max; gdlow, real, f64::min;
        gssum, single, |x, y| x + y; gshigh, single, f32::max; gslow, single, f32::min;
        gisum, whole, i32::wrapping_add; giprod, whole, i32::wrapping_mul;
        gihigh, whole, i32::max; gilow, whole, i32::min;
        giand, whole, |x, y| x & y; gior, whole, |x, y| x | y; gixor, whole, |x, y| x ^ y;
    }
    let logical = |node: i32| truth(node) != 0;
    let mut x = [[truth(nx.mynode())]; 3];
    nx.gland(&mut x[0])?;
    nx.glor(&mut x[1])?;
    nx.glxor(&mut x[2])?;
    let expected = [
        folded(nodes, logical, |x, y| x && y),
        folded(nodes, logical, |x, y| x || y),
        folded(nodes, logical, |x, y| x != y),
    ];
    same("gland, glor, glxor", x, expected.map(|truth| [i32::from(truth)]))?;
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-12 * y.abs();
    let mut x = [real(nx.mynode())];
    nx.gdprod(&mut x)?;
    let product = folded(nodes, real, |x, y| x * y);
    same("whether gdprod is near", (near(x[0], product), x[0], product), (true, x[0], product))?;
    let mut x = [1.0 + single(nx.mynode()) / 64.0];
    nx.gsprod(&mut x)?;
    let product = folded(nodes, |node| 1.0 + single(node) / 64.0, |x, y| x * y);
    let is_near = (x[0] - product).abs() < 1e-4;
    same("whether gsprod is near", (is_near, x[0], product), (true, x[0], product))?;
    let mut nothing: [f64; 0] = [];
    nx.gdsum(&mut nothing)?;
    Ok(nx.gsync()?)
}

/// A function of the program need not be commutative.
pub(crate) fn function(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    // x -> a x + b, one after the other.
    let of = |node: i32| [(node % 5 + 2) as u64, node as u64];
    let then = |[a, b]: [u64; 2], [c, d]: [u64; 2]| [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)];
    let mut x = of(nx.mynode());
    nx.gopf(&mut x, |x, other| x.copy_from_slice(&then([x[0], x[1]], [other[0], other[1]])))?;
    same_all(&x, &folded(nx.numnodes(), of, then))
}

/// Vectors of any lengths are collected.
pub(crate) fn collected(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    let (me, nodes) = (nx.mynode() as usize, nx.numnodes() as usize);
    let lengths: [fn(usize) -> usize; 4] =
        [|_| 2, |node| node % 3, |_| 0, |node| if node == 4 { 9 } else { 0 }];
    for length in lengths {
        let xlens: Vec<usize> = (0..nodes).map(length).collect();
        let part = |node: usize| (0..length(node)).map(move |at| (node * 100 + at) as f64);
        let whole: Vec<f64> = (0..nodes).flat_map(part).collect();
        let x: Vec<f64> = part(me).collect();
        let mut y = vec![-1.0; whole.len() + 1];
        same("elements", nx.gcol(&x, &mut y)?, whole.len())?;
        same_all(&y, &[&whole[..], &[-1.0]].concat())?;
        let mut y = vec![-1.0; whole.len()];
        nx.gcolx(&x, &xlens, &mut y)?;
        same_all(&y, &whole)?;
    }
    Ok(())
}

fn long(nx: &Nx<'_, '_>) -> Result<(), Failure> {
    let (me, nodes) = (nx.mynode(), nx.numnodes());
    let mut sums: Vec<f64> = (0..10_000).map(|index| f64::from(me * index % 17)).collect();
    nx.gdsum(&mut sums)?;
    let sum = |index: i32| (0..nodes).map(|node| f64::from(node * index % 17)).sum();
    same_all(&sums, &(0..10_000).map(sum).collect::<Vec<f64>>())?;
    let mut parts = vec![0; 3000 * nodes as usize];
    let count = nx.gcol(&vec![me; me as usize % 3 * 1000], &mut parts)?;
    let expected: Vec<i32> = (0..nodes).flat_map(|node| vec![node; node as usize % 3 * 1000]).collect();
    same_all(&parts[..count], &expected)
}
