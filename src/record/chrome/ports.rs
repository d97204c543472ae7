//! The tracks of out-ports: a slice for the interval in which each message left its sender, even if the sender did not wait.

use std::io::{self, Write};

use super::{
    super::Transfer,
    file::{Args, FIRST_PORT, File, NETWORK, Picos, Record},
};

/// Writes a slice for each message that took time to leave. A port transmits one message at a time. Nodes have `ports` ports.
pub(super) fn write<W: Write>(transfers: &[Transfer], ports: usize, file: &mut File<W>) -> io::Result<()> {
    let mut leaving: Vec<&Transfer> =
        transfers.iter().filter(|transfer| transfer.entered < transfer.left).collect();
    leaving.sort_by_key(|transfer| (transfer.from, transfer.port, transfer.entered));
    let mut last = None;
    for &&Transfer { from, to, seq, bytes, port, entered, left, arrived, .. } in &leaving {
        let place = from * ports + port as usize;
        let track = FIRST_PORT + place;
        if last != Some(place) {
            let name = match ports {
                1 => format!("out-port of node {from}"),
                _ => format!("out-port {port} of node {from}"),
            };
            file.name_track(NETWORK, track, &name, place)?;
            last = Some(place);
        }
        let name = format!("message to {to}");
        let args = Some(Args::Transfer { peer: to, bytes, seq, arrived: Picos(arrived) });
        let begin = Record::on(NETWORK, track, "B", entered);
        file.append(&Record { name: Some(&name), cat: Some("transfer"), args, ..begin })?;
        file.append(&Record::on(NETWORK, track, "E", left))?;
    }
    Ok(())
}
