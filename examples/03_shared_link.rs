//! Example 3: two messages that share a link.
//!
//! ```text
//!      0 --------> 1 ========> 2 --------> 3      0 sends 1000 bytes to 2
//!                   both messages                 1 sends 1000 bytes to 3
//! ```
//!
//! Both routes lead over the link from node 1 to node 2. If it carries no more than a node can send (k = 1), each
//! message gets half of it and needs twice as long to leave. Links that are faster than the nodes by a factor of k,
//! as those of the Paragon are, make the conflict smaller, and from k = 2 on it is gone.
//!
//! Run it with `cargo run --release --example 03_shared_link`. Next: `04_rows_and_columns`.

use std::error::Error;

use multicomputer::{Payload, Run, model::Parameters, prelude::*};

/// Runs the two messages on a line of four nodes whose links have `k` times the bandwidth of a node.
pub fn two_messages(k: f64) -> Result<Run<()>, Box<dyn Error>> {
    let parameters = Parameters::hockney().to_builder().link_excess(k).build()?;
    let machine = Machine::mesh(1, 4).parameters(parameters).build()?;
    let run = machine.run(|node| {
        match node.rank() {
            // A phantom payload has a length but no data.
            sender @ (0 | 1) => node.world().send(sender + 2, Payload::phantom(1000))?,
            receiver => drop(node.world().recv(receiver - 2)?),
        }
        Ok(())
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for k in [1.0, 1.5, 2.0] {
        let report = two_messages(k)?.report;
        let (sender, receiver) = (report.nodes[0].finished, report.nodes[2].finished);
        println!("k = {k}: senders are done at {sender}, receivers at {receiver}");
        println!("         lost to sharing, both messages together: {}", report.lost_to_sharing);
    }
    Ok(())
}
