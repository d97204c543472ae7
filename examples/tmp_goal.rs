//! Temporary.
use multicomputer::{goal::{Program, Sends, predict}, model::Description, pattern::*, plan};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let d = Description::from_file(&args[1])?;
    if args[2] == "sched" {
        let nodes = d.nodes();
        let own: Vec<Blocks> = (0..nodes as u32).map(|b| [b].into()).collect();
        let origins: Vec<usize> = (0..nodes).collect();
        let mut b = Builder::new(nodes, &origins, &vec![8; nodes], Exchange::Together);
        let mut s = 1;
        while s < nodes {
            b.iteration((0..nodes).map(|r| Transfer { from: r, to: (r + s) % nodes, blocks: own[r].clone() }));
            s *= 2;
        }
        let s = b.finish();
        let start = std::time::Instant::now();
        let p = plan::predict(&d, &s).unwrap();
        println!("schedule {} {:?}", p.modeled, start.elapsed());
        return Ok(());
    }
    let n: usize = args[3].parse()?;
    for _ in 0..n {
        let start = std::time::Instant::now();
        let program = Program::read(std::io::BufReader::with_capacity(1 << 16, std::fs::File::open(&args[2])?))?;
        let read = start.elapsed();
        let p = predict(&d, &program, Sends::Eager)?;
        let all = start.elapsed();
        println!("{} {}: read {read:?} all {all:?} = {:.0} messages/s", args[2], p.modeled, program.messages() as f64 / all.as_secs_f64());
    }
    Ok(())
}
