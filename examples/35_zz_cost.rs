//! Cost of tracing.
use std::time::Instant;
use multicomputer::{Machine, prelude::*};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (rows, bytes) in [(8usize, 1000u64), (16, 1000)] {
        for traced in [false, true] {
            let machine = Machine::paragon(rows, rows).trace(traced).build()?;
            let mut best = f64::MAX;
            let mut figures = (0, 0);
 let mut last = None;
            for _ in 0..5 {
                let begun = Instant::now();
                let run = machine.run(|node| {
                    let world = node.world();
                    let (me, n) = (world.rank(), world.size());
                    let data = vec![0u8; bytes as usize];
                    let mut requests = Vec::new();
                    for k in 1..n {
                        requests.push(world.isend((me + k) % n, data.clone())?);
                    }
                    for k in 1..n {
                        world.recv((me + n - k) % n)?;
                    }
                    world.wait_all(requests)?;
                    Ok(())
                })?;
                best = best.min(begun.elapsed().as_secs_f64());
                figures = (run.report.messages, run.trace.shares.len());
 last = Some(run);
            }
            println!("{rows}x{rows} traced {traced}: {:.1} ms, {figures:?}", best * 1e3);
 if traced { let b = Instant::now(); let r = last.unwrap(); let p = r.critical_path()?; let t1 = b.elapsed(); let bl = r.blame()?; println!("path {t1:?} {} pieces; blame {:?} {} losses", p.pieces.len(), b.elapsed()-t1, bl.losses.len()); }
        }
    }
    Ok(())
}
