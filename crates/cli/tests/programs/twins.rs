//! The programs of twins.c in Rust, over the library's public interface. Their times, counters and results are those of the C programs.

use std::sync::{Arc, Mutex};

use multicomputer::{
    ANY_SOURCE, Machine, MachineBuilder, Payload, Rank, Span, Tag,
    all_to_all::ManyToMany,
    collective::{Algorithm, Collective, Max, Sum},
    comm::{AnyRequest, Group, Node, Request, transport::Transport},
    error::Failure,
    plan::Effort,
    report::RunReport,
};

use super::Folder;

/// The result of a program on one rank.
type Result = std::result::Result<f64, Failure>;

/// The windows of all ranks.
type Windows = Arc<Vec<Mutex<[f64; 2]>>>;

/// A program: its name, its options of `multicomputer run`, its twin.
type Twin = (&'static str, &'static [&'static str], fn(&Here<'_, '_>) -> Result);

const TWINS: &[Twin] = &[
    ("ring", &[], ring),
    ("ping-pong", &[], ping_pong),
    ("jacobi", &[], jacobi),
    ("exchange", &[], exchange),
    ("workers", &[], workers),
    ("odd-even-sort", &[], odd_even_sort),
    ("cannon", &[], cannon),
    ("prefix", &[], prefix),
    ("conjugate-gradient", &[], conjugate_gradient),
    ("rooted", NAMED, rooted),
    ("rooted", &["--collective=openmpi"], rooted_as_in_open_mpi),
    ("rows-and-columns", &[], rows_and_columns),
    ("sample-sort", &[], sample_sort),
    ("put-and-fence", &[], put_and_fence),
];

/// Algorithms by name.
const NAMED: &[&str] = &[
    "--collective=bcast=binomial",
    "--collective=reduce=rabenseifner",
    "--collective=gather=short",
    "--collective=scatter=16:T",
];

/// The node of a program.
struct Here<'a, 'n> {
    node: &'a Node<'n>,
    world: &'a Group<'n>,
    rank: Rank,
    size: usize,
    /// The side of the square that the ranks form.
    side: usize,
    windows: &'a Windows,
}

impl Here<'_, '_> {
    fn next(&self) -> Rank {
        (self.rank + 1) % self.size
    }

    fn last(&self) -> Rank {
        (self.rank + self.size - 1) % self.size
    }
}

/// Runs a twin; returns the lines that the C program prints, sorted, and its report.
fn run(machine: &Machine, twin: fn(&Here<'_, '_>) -> Result) -> (Vec<String>, RunReport) {
    let nodes = machine.spec().nodes();
    let windows: Windows = Arc::new((0..nodes).map(|_| Mutex::default()).collect());
    let run = machine.run(|node| {
        let (world, rank, size) = (node.world(), node.rank(), node.size());
        twin(&Here { node, world, rank, size, side: size.isqrt(), windows: &windows })
    });
    let run = run.unwrap();
    let results = run.outputs.iter().enumerate();
    let mut lines: Vec<String> =
        results.map(|(rank, result)| format!("{rank} {:x}", result.to_bits())).collect();
    lines.sort_unstable();
    (lines, run.report)
}

/// The numbers of each node: when it finished, what it sent and received, how long it computed and waited.
fn counters(report: &RunReport) -> String {
    let mut text = Vec::new();
    report.write_nodes_csv(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn c_programs_take_the_time_of_their_rust_twins() {
    let folder = Folder::new("twins");
    if !folder.compile("cc", "gcc", "twins.c", &["-O1", "-ffp-contract=off"]) {
        return;
    }
    // Long messages of the first machine follow the rendezvous protocol.
    let rendezvous = ["--machine=hockney:4x4", "--rendezvous=8192"];
    let machines: [(MachineBuilder, &[&str]); 2] = [
        (Machine::hockney(4, 4).rendezvous(8192), &rendezvous),
        (Machine::paragon(4, 4), &["--machine=paragon:4x4"]),
    ];
    for (machine, options) in machines {
        // The default effort of `run`.
        let machine = machine.effort(Effort::Estimate).build().unwrap();
        for &(name, choices, twin) in TWINS {
            let arguments = [options, choices, &["--csv=nodes.csv", "./program", name]].concat();
            let ended = folder.run(&arguments, "");
            let (lines, report) = run(&machine, twin);
            let mut printed: Vec<&str> = ended.1.lines().collect();
            printed.sort_unstable();
            assert_eq!(
                (ended.0, printed, &ended.2[..]),
                (Some(0), lines.iter().map(|line| &line[..]).collect(), ""),
                "{name}"
            );
            let written = std::fs::read_to_string(folder.0.join("nodes.csv")).unwrap();
            assert_eq!(written, counters(&report), "{name} on {options:?}");
        }
    }
}

fn ring(here: &Here<'_, '_>) -> Result {
    let mut value = vec![here.rank as i32; 1];
    value.resize(100, 0);
    for _ in 0..3 {
        if here.rank > 0 {
            here.world.recv_into((here.last(), Tag(7)), &mut value)?;
        }
        value[0] += 1;
        here.world.send((here.next(), Tag(7)), &value[..])?;
        if here.rank == 0 {
            here.world.recv_into((here.last(), Tag(7)), &mut value)?;
        }
    }
    Ok(value[0].into())
}

fn ping_pong(here: &Here<'_, '_>) -> Result {
    let (world, other) = (here.world, here.size - 1);
    let mut data = vec![0_u8; 100_000];
    for (length, tag) in
        [0, 1, 100, 8191, 8192, 100_000].into_iter().zip(0..).map(|(length, tag)| (length, Tag(tag)))
    {
        if here.rank == 0 {
            data[0] += 1;
            world.send((other, tag), &data[..length])?;
            world.recv_into((other, tag), &mut data[..length])?;
            here.world.transport().ssend(world.to(other, tag), Payload::from(&data[..length]))?;
        } else if here.rank == other {
            world.recv_into((0, tag), &mut data[..length])?;
            world.send((0, tag), &data[..length])?;
            world.recv_into((0, tag), &mut data[..length])?;
        }
    }
    Ok(data[0].into())
}

/// The side of a block.
const N: usize = 20;

fn jacobi(here: &Here<'_, '_>) -> Result {
    let (world, side) = (here.world, here.side);
    let (row, column) = (here.rank / side, here.rank % side);
    let north = (row > 0).then(|| here.rank - side);
    let south = (row + 1 < side).then_some(here.rank + side);
    let west = (column > 0).then(|| here.rank - 1);
    let east = (column + 1 < side).then_some(here.rank + 1);
    let mut grid = [[here.rank as f64; N + 2]; N + 2];
    let mut all = 0.0;
    for _ in 0..5 {
        let received =
            [(north, Tag(0)), (south, Tag(1)), (west, Tag(2)), (east, Tag(3))].map(|from| world.irecv(from));
        let strip = |column: usize| grid[1..=N].iter().map(|row| row[column]).collect::<Vec<f64>>();
        let sent = [
            world.isend((south, Tag(0)), &grid[N][1..=N])?,
            world.isend((north, Tag(1)), &grid[1][1..=N])?,
            world.isend((east, Tag(2)), strip(N))?,
            world.isend((west, Tag(3)), strip(1))?,
        ];
        let mut requests: Vec<AnyRequest<'_>> = Vec::new();
        for request in received {
            requests.push(request?.into());
        }
        requests.extend(sent.map(AnyRequest::from));
        let edges = Request::wait_all(requests)?;
        let edge = |index: usize| -> std::result::Result<Option<Vec<f64>>, Failure> {
            let message = edges[index].as_ref().filter(|message| !message.is_null());
            Ok(message.map(|message| message.payload.to_vec()).transpose()?)
        };
        for (index, row) in [(0, 0), (1, N + 1)] {
            edge(index)?.iter().for_each(|edge| grid[row][1..=N].copy_from_slice(edge));
        }
        for (index, column) in [(2, 0), (3, N + 1)] {
            for (row, value) in edge(index)?.into_iter().flatten().enumerate() {
                grid[row + 1][column] = value;
            }
        }
        let (old, mut change) = (grid, 0.0);
        for i in 1..=N {
            for j in 1..=N {
                grid[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
                change = f64::max(change, (grid[i][j] - old[i][j]).abs());
            }
        }
        here.world.all_reduce(&mut change, Max)?;
        all = change;
    }
    Ok(all + grid[1][1] + grid[N][N])
}

fn exchange(here: &Here<'_, '_>) -> Result {
    let (world, size) = (here.world, here.size);
    let out: Vec<i32> = (0..50 * size).map(|i| (here.rank + i) as i32).collect();
    let mut requests: Vec<AnyRequest<'_>> = Vec::new();
    for step in 1..size {
        let (to, from) = ((here.rank + step) % size, (here.rank + size - step) % size);
        requests.push(world.irecv((from, Tag(step as u32)))?.into());
        requests.push(world.isend((to, Tag(step as u32)), &out[..50 * step])?.into());
    }
    let messages = Request::wait_all(requests)?;
    let heard = messages[0].as_ref().ok_or("the first request is a receive")?.to_vec::<i32>()?[49];
    let got = world.all_to_all(&out[..10 * size])?[10 * here.next()];
    Ok(f64::from(heard + 1000 * got))
}

fn workers(here: &Here<'_, '_>) -> Result {
    let (world, mut order) = (here.world, 0.0);
    if here.rank == 0 {
        let mut given = 0;
        for worker in 1..here.size {
            world.send((worker, Tag(1)), given)?;
            given += 1;
        }
        for _ in 0..40 {
            let message = world.recv(ANY_SOURCE)?;
            order = 3.0 * order + message.source as f64 + f64::from(message.to_value::<i32>()?);
            world.send((message.source, Tag(u32::from(given < 40))), given)?;
            given += 1;
        }
        return Ok(order);
    }
    loop {
        let message = world.recv((0, multicomputer::ANY_TAG))?;
        let task: i32 = message.to_value()?;
        if message.tag == Tag(0) {
            return Ok(order);
        }
        Transport::of(here.node).sleep(Span::from_micros(100 * (task as u64 % 7 + 1)))?;
        order += f64::from(task);
        world.send((0, Tag(1)), task)?;
    }
}

fn sorted_numbers(rank: Rank, count: usize) -> Vec<i32> {
    let mut state = rank as u32 + 1;
    let mut all: Vec<i32> = (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
            (state >> 8 & 0xffff) as i32
        })
        .collect();
    all.sort_unstable();
    all
}

fn odd_even_sort(here: &Here<'_, '_>) -> Result {
    let mut mine = sorted_numbers(here.rank, 64);
    for phase in 0..here.size {
        let is_low = (here.rank + phase).is_multiple_of(2);
        let other = if is_low { Some(here.rank + 1) } else { here.rank.checked_sub(1) };
        let Some(other) = other.filter(|&other| other < here.size) else { continue };
        let tag = Tag(phase as u32);
        let message = here.world.sendrecv((other, tag), &mine[..], (other, tag))?;
        let mut both = [mine, message.to_vec()?].concat();
        both.sort_unstable();
        mine = if is_low { both[..64].to_vec() } else { both[64..].to_vec() };
    }
    Ok(f64::from(mine[0]) + 65536.0 * f64::from(mine[63]))
}

fn cannon(here: &Here<'_, '_>) -> Result {
    const B: usize = 12;
    let grid = here.world.cartesian(&[here.side; 2], &[true; 2])?;
    let coordinates = grid.coordinates(here.rank)?;
    let filled = |value: fn(Rank, usize, usize) -> f64| -> Vec<f64> {
        (0..B * B).map(|at| value(here.rank, at / B, at % B)).collect()
    };
    let mut a = filled(|rank, i, _| (rank + i) as f64);
    let mut b = filled(|rank, _, j| rank as f64 - j as f64);
    let mut c = vec![0.0; B * B];
    for step in 0..here.side {
        for (dimension, block, tag) in [(1, &mut a, Tag(1)), (0, &mut b, Tag(2))] {
            let by = if step == 0 { -(coordinates[1 - dimension] as isize) } else { -1 };
            let shift = grid.shift(dimension, by)?;
            *block =
                grid.group().sendrecv((shift.destination, tag), &block[..], (shift.source, tag))?.to_vec()?;
        }
        for i in 0..B {
            for j in 0..B {
                for k in 0..B {
                    c[i * B + j] += a[i * B + k] * b[k * B + j];
                }
            }
        }
    }
    Ok(c[0] + c[B * B - 1])
}

fn prefix(here: &Here<'_, '_>) -> Result {
    let (world, rank) = (here.world, here.rank);
    let mut sums: Vec<i64> = (0..30).map(|i| (rank * i) as i64).collect();
    let mut before: Vec<f64> = (0..3000).map(|i| ((rank * 7 + i) % 100) as f64).collect();
    let mut offset = 10 * rank as i64 + 1;
    world.scan(&mut sums, Sum)?;
    world.exclusive_scan(&mut offset, Sum)?;
    world.exclusive_scan(&mut before, Max)?;
    let sum = sums[29] as f64;
    Ok(if rank == 0 { sum } else { sum + offset as f64 + before[2999] })
}

fn conjugate_gradient(here: &Here<'_, '_>) -> Result {
    const COUNT: usize = 64;
    let world = here.world;
    let (left, right) = (here.rank.checked_sub(1), Some(here.rank + 1).filter(|&right| right < here.size));
    let mut r: Vec<f64> = (0..COUNT).map(|i| here.rank as f64 + 0.01 * i as f64).collect();
    let mut p = [&[0.0], &r[..], &[0.0]].concat();
    let (mut x, mut q) = (vec![0.0; COUNT], vec![0.0; COUNT]);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b);
    let mut rho = dot(&r, &r);
    world.all_reduce(&mut rho, Sum)?;
    for _ in 0..10 {
        let message = world.sendrecv((left, Tag(0)), p[1], (right, Tag(0)))?;
        if !message.is_null() {
            p[COUNT + 1] = message.to_value()?;
        }
        let message = world.sendrecv((right, Tag(1)), p[COUNT], (left, Tag(1)))?;
        if !message.is_null() {
            p[0] = message.to_value()?;
        }
        for i in 0..COUNT {
            q[i] = 2.0 * p[i + 1] - p[i] - p[i + 2];
        }
        let mut pq = dot(&p[1..=COUNT], &q);
        world.all_reduce(&mut pq, Sum)?;
        for i in 0..COUNT {
            x[i] += rho / pq * p[i + 1];
            r[i] -= rho / pq * q[i];
        }
        let mut next = dot(&r, &r);
        world.all_reduce(&mut next, Sum)?;
        for i in 0..COUNT {
            p[i + 1] = r[i] + next / rho * p[i + 1];
        }
        rho = next;
    }
    Ok(rho + x[0])
}

/// The algorithms of a broadcast, a reduce, a gather and a scatter.
fn rooted_by(here: &Here<'_, '_>, [broadcast, reduce, gather, scatter]: [Algorithm; 4]) -> Result {
    let (world, all) = (here.world, 100 * here.size);
    let mut data: Vec<i32> = if here.rank == 3 { (0..5000).collect() } else { vec![0; 5000] };
    world.using(broadcast).broadcast(3, &mut data)?;
    data[4999] += here.rank as i32;
    let mut sum = data.clone();
    world.using(reduce).reduce(5, &mut sum, Sum)?;
    if here.rank != 5 {
        sum.fill(0);
    }
    let mine: Vec<f64> = (0..100).map(|i| f64::from(sum[4999 - i]) + here.rank as f64).collect();
    let gathered = world.using(gather).gather(1, &mine, all)?;
    let mine = world.using(scatter).scatter(1, &gathered, all)?;
    Ok(mine[0] + f64::from(data[4999]))
}

fn rooted(here: &Here<'_, '_>) -> Result {
    rooted_by(here, [Algorithm::SHORT, Algorithm::HALVING, Algorithm::SHORT, "16:T".parse()?])
}

fn rooted_as_in_open_mpi(here: &Here<'_, '_>) -> Result {
    rooted_by(here, [const { Algorithm::OPEN_MPI }; 4])
}

/// MPI's split, whose members know each other's colours and keys only when they have exchanged them.
fn split<'n>(here: &Here<'_, 'n>, [color, key]: [usize; 2]) -> std::result::Result<Group<'n>, Failure> {
    let all = here.world.all_gather(&[color as u64, key as u64], 2 * here.size)?;
    let mut members: Vec<Rank> = (0..here.size).filter(|&rank| all[2 * rank] == color as u64).collect();
    members.sort_by_key(|&rank| all[2 * rank + 1]);
    Ok(here.world.subgroup(&members)?)
}

fn rows_and_columns(here: &Here<'_, '_>) -> Result {
    let place = [here.rank / here.side, here.rank % here.side];
    let (row, column) = (split(here, place)?, split(here, [place[1], place[0]])?);
    let mut data = vec![here.rank as f64; 1];
    data.resize(1000, 0.0);
    row.broadcast(1, &mut data)?;
    column.broadcast(2, &mut data)?;
    Ok(data[0])
}

fn sample_sort(here: &Here<'_, '_>) -> Result {
    let (world, rank, size) = (here.world, here.rank, here.size);
    let mine = sorted_numbers(rank, 200);
    let own: Vec<i32> = (0..size).map(|i| mine[i * 200 / size]).collect();
    let mut samples = world.all_gather(&own, size * size)?;
    samples.sort_unstable();
    let mut starts: Vec<usize> = (0..size)
        .map(|to| if to == 0 { 0 } else { mine.partition_point(|&number| number < samples[to * size]) })
        .collect();
    starts.push(200);
    let counts: Vec<i32> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as i32).collect();
    world.all_to_all(&counts)?;
    // MPI_Alltoallv: no process knows the lengths of all messages, so they travel directly.
    let (mut requests, part) =
        (Vec::<AnyRequest<'_>>::new(), |to: Rank| mine[starts[to]..starts[to + 1]].to_vec());
    for step in 1..size {
        requests.push(world.irecv((rank + size - step) % size)?.into());
    }
    for step in 1..size {
        let to = (rank + step) % size;
        requests.push(world.isend(to, part(to))?.into());
    }
    let mut sorted = part(rank);
    for message in Request::wait_all(requests)?.into_iter().flatten() {
        sorted.extend(message.to_vec::<i32>()?);
    }
    Ok(sorted.len() as f64 + sorted.iter().max().map_or(0.0, |&largest| 1000.0 * f64::from(largest)))
}

fn put_and_fence(here: &Here<'_, '_>) -> Result {
    let (world, transport) = (here.world, here.world.transport());
    // MPI_Win_create: every process gets the address, the length and the unit of each window.
    world.all_gather(&[0_u64; 3], 3 * here.size)?;
    world.barrier()?;
    let mut value = here.rank as f64;
    for _ in 0..3 {
        let put = |to: Rank, at: usize| {
            let windows = here.windows.clone();
            transport.remote(world.to(to, Tag(0)), 8, Some(0), move || {
                windows[to].lock().unwrap()[at] = value;
                Payload::empty()
            })
        };
        let puts = [put(here.next(), 0)?, put(here.last(), 1)?];
        for put in puts {
            transport.wait(put)?;
        }
        world.barrier()?;
        let edges = *here.windows[here.rank].lock().unwrap();
        value = 0.5 * value + 0.25 * (edges[0] + edges[1]);
        world.barrier()?;
    }
    world.barrier()?;
    Ok(value)
}
