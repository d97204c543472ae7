//! Data of all lengths, shapes and types.

use std::fmt::Debug;

use bytes::Bytes;
use multicomputer::{
    Element, ElementType, PayloadError,
    bytemuck::{Pod, Zeroable},
    error::Failure,
    prelude::*,
};
use rand::RngExt;

use super::{bytes, neighbours, random};
use crate::conformance::{refused, same, same_all, same_bytes, within};

/// Sends to the next rank and receives from the one before.
fn pass(group: &Group<'_>, payload: impl Into<Payload>) -> Result<Payload, CommError> {
    let (next, previous) = neighbours(group);
    Ok(group.sendrecv(next, payload, previous)?.payload)
}

/// Where messages of one kind end and those of another begin, wherever that is.
pub(super) fn lengths(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (next, previous) = neighbours(group);
    let around = (3..18).flat_map(|power| [-1, 0, 1].map(|more| (1 << power) + more));
    let lengths: Vec<usize> =
        (0..4).chain(around).chain([12, 24, 40, 48, 56, 12_345]).map(|length| length as usize).collect();
    let mut started = Vec::new();
    for (nth, &length) in lengths.iter().enumerate() {
        started.push(group.isend((next, Tag(nth as u32 % 2)), bytes(group.rank(), nth, length))?);
    }
    for (nth, &length) in lengths.iter().enumerate() {
        let message = group.recv((previous, Tag(nth as u32 % 2)))?;
        within(format_args!("{length} bytes"), || {
            same_bytes(&message.payload, &bytes(previous, nth, length))
        })?;
    }
    Request::wait_all(started)?;
    Ok(())
}

/// From all to all at the same time.
pub(super) fn long(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, (_, previous)) = (group.rank(), neighbours(group));
    for (nth, length) in [(1 << 20) - 1, (1 << 20) + 1, 4 << 20].into_iter().enumerate() {
        let got = pass(group, bytes(rank, nth, length))?;
        within(format_args!("{length} bytes"), || same_bytes(&got, &bytes(previous, nth, length)))?;
    }
    Ok(())
}

/// Payloads of many pieces, cut at odd places before they are sent and after they have come.
pub(super) fn chains(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, (_, previous)) = (group.rank(), neighbours(group));
    for (nth, pieces, longest) in
        [(0, 2, 3), (1, 7, 20), (2, 40, 1), (3, 300, 200), (4, 1000, 9), (5, 5, 60_000)]
    {
        // The pieces of all are cut alike; what is in them is not.
        let mut random = random(nth);
        let cuts: Vec<usize> = (0..pieces).map(|_| random.random_range(0..=longest)).collect();
        let of = |rank: Rank| {
            cuts.iter().enumerate().map(move |(piece, &length)| bytes(rank, nth + piece, length))
        };
        let parts = of(rank).enumerate().map(|(piece, part)| match piece % 3 {
            // In memory of its own, a part of something longer, or text.
            0 => Payload::from(part),
            1 => {
                let end = part.len() + 3;
                Payload::from(Bytes::from([b"...", &part[..], b".."].concat()))
                    .slice(3..end as u64)
                    .unwrap_or_default()
            }
            _ => Payload::from(Bytes::from(part)),
        });
        let mut got = pass(group, Payload::concat(parts))?;
        let expected = of(previous).collect::<Vec<_>>().concat();
        within(format_args!("{pieces} pieces"), || same_bytes(&got, &expected))?;
        for _ in 0..4 {
            let at = random.random_range(0..=got.len());
            let rest = got.split_off(at)?;
            same_bytes(&got, &expected[..at as usize])?;
            got.append(rest);
            let (start, end) = (at / 3, at / 3 + (got.len() - at) / 2);
            same_bytes(&got.slice(start..end)?, &expected[start as usize..end as usize])?;
        }
    }
    // Elements that lie in several pieces, some cut in the middle, are elements still.
    let numbers: Vec<u32> = (0..500_u32).map(|number| number.wrapping_mul(77_777_777)).collect();
    let mut whole = Payload::from(&numbers);
    let mut parts = Vec::new();
    for at in [1999, 1602, 1600, 1004, 3, 0] {
        parts.push(whole.split_off(at)?);
    }
    let mixed = pass(group, Payload::concat(parts.into_iter().rev()))?;
    same_all(&mixed.to_vec::<u32>()?, &numbers)?;
    let even = [&numbers[..100], &numbers[100..101], &[], &numbers[101..]].map(Payload::from);
    let even = pass(group, Payload::concat(even))?;
    same("type", even.element(), Some(ElementType::of::<u32>()))?;
    same_all(&even.to_vec::<u32>()?, &numbers)
}

/// Passes elements on and asks for them as what they are, and as what they are not.
fn typed<T: Element + Send + PartialEq + Debug, Other: Element + Debug>(
    group: &Group<'_>,
    of: impl Fn(Rank, usize) -> T,
) -> Result<(), Failure> {
    let (rank, (_, previous)) = (group.rank(), neighbours(group));
    for count in [1, 5, 3000] {
        let all = |rank: Rank| (0..count).map(|nth| of(rank, nth)).collect::<Vec<T>>();
        let got = pass(group, all(rank))?;
        within(format_args!("{count} of {}", ElementType::of::<T>()), || {
            same_all(&got.to_vec::<T>()?, &all(previous))?;
            same("bytes", got.len(), (count * size_of::<T>()) as u64)?;
            same("bytes", got.to_vec::<u8>()?.len(), count * size_of::<T>())?;
            if ElementType::of::<T>().name() != "u8" {
                same("type", got.element(), Some(ElementType::of::<T>()))?;
                refused(got.to_vec::<Other>(), |error| matches!(error, PayloadError::TypeMismatch { .. }))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// What a program defines.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[bytemuck(crate = "multicomputer::bytemuck")]
#[repr(C)]
struct Particle {
    place: [f64; 3],
    charge: i32,
    spare: [u8; 4],
}

pub(super) fn elements(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    typed::<u8, i8>(group, |rank, nth| (rank + 3 * nth) as u8)?;
    typed::<i8, bool>(group, |rank, nth| (rank + 3 * nth) as i8)?;
    typed::<u16, i16>(group, |rank, nth| (rank * 300 + nth) as u16)?;
    typed::<i32, f32>(group, |rank, nth| (nth as i32 - 7).wrapping_mul(1_000_003 * (rank as i32 + 1)))?;
    typed::<u64, f64>(group, |rank, nth| ((rank as u64) << 60) + nth as u64)?;
    typed::<i128, [u64; 2]>(group, |rank, nth| -((rank as i128) << 100) - nth as i128)?;
    typed::<usize, u64>(group, |rank, nth| rank * 1000 + nth)?;
    typed::<f32, u32>(group, |rank, nth| {
        [-0.0, f32::MIN_POSITIVE, f32::INFINITY, rank as f32 / 3.0][nth % 4]
    })?;
    typed::<f64, u64>(group, |rank, nth| {
        [-0.0, f64::EPSILON, f64::NEG_INFINITY, rank as f64 / 3.0][nth % 4]
    })?;
    typed::<bool, u16>(group, |rank, nth| (rank + nth).is_multiple_of(3))?;
    typed::<char, u32>(group, |rank, nth| ['a', '\u{e9}', '\u{1f980}', char::from(rank as u8)][nth % 4])?;
    typed::<[u16; 3], u16>(group, |rank, nth| [rank as u16, nth as u16, 65_535])?;
    typed::<Particle, f64>(group, |rank, nth| Particle {
        place: [rank as f64, nth as f64, 0.5],
        charge: -(nth as i32),
        spare: [0; 4],
    })?;
    // The bits of what is no number.
    let odd = [0x7FF8_0000_0000_1234, 0xFFF0_0000_0000_0001_u64].map(f64::from_bits);
    let got = pass(group, odd)?.to_vec::<f64>()?;
    same_all(&got.iter().map(|x| x.to_bits()).collect::<Vec<u64>>(), &odd.map(f64::to_bits))?;
    // Plain bytes are whatever they can be.
    let got = pass(group, [1_u8, 0, 2])?;
    refused(got.to_vec::<u16>(), |error| matches!(error, PayloadError::PartialElement { .. }))?;
    same("whether 2 is a truth value", got.to_vec::<bool>().is_err(), true)?;
    same_all(&got.slice(0..2)?.to_vec::<bool>()?, &[true, false])?;
    same_all(&pass(group, "text")?.to_vec::<u8>()?, b"text")
}

/// Bytes without data have a length, and stay where they are among others.
pub(super) fn phantoms(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, (_, previous)) = (group.rank(), neighbours(group));
    for length in [1, 1000, 1 << 22, 1 << 30] {
        let got = pass(group, Payload::phantom(length))?;
        same("phantom bytes", (got.len(), got.is_phantom()), (length, true))?;
        refused(got.to_bytes(), |error| matches!(error, PayloadError::Phantom { .. }))?;
    }
    let mixed = |rank: Rank| {
        let data = |nth, length| Payload::from(bytes(rank, nth, length));
        [
            data(0, 11),
            Payload::phantom(5_000),
            data(1, 70_001),
            Payload::phantom(1),
            data(2, 1),
            Payload::phantom(9),
        ]
    };
    let got = pass(group, Payload::concat(mixed(rank)))?;
    let mut start = 0;
    for part in mixed(previous) {
        let there = got.slice(start..start + part.len())?;
        start += part.len();
        same("bytes and kind", (there.len(), there.is_phantom()), (part.len(), part.is_phantom()))?;
        if !part.is_phantom() {
            same_bytes(&there, &part.to_bytes()?)?;
        }
    }
    same("bytes", got.len(), start)
}

/// Each rank puts something before, something behind and something into what it got, and cuts some of it away.
pub(super) fn passed_on(_: &Node<'_>, group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let (next, previous) = neighbours(group);
    let changed = |mut payload: Payload, rank: Rank| -> Result<Payload, PayloadError> {
        let rest = payload.split_off(payload.len() / 3)?;
        let kept = rest.slice(rest.len() / 50..)?;
        let own = |nth| Payload::from(bytes(rank, nth, 100 + rank * 7));
        Ok(Payload::concat([own(0), kept, own(1), payload, own(2)]))
    };
    // As it leaves rank 0, and as it leaves each rank after it.
    let mut expected = changed(bytes(0, 9, 300_000).into(), 0)?;
    let mut whole = expected.clone();
    for rank in 1..=if rank == 0 { size - 1 } else { rank } {
        whole = std::mem::take(&mut expected);
        expected = changed(whole.clone(), rank)?;
    }
    if rank > 0 {
        let got = group.recv(previous)?.payload;
        same_bytes(&got, &whole.to_bytes()?)?;
        group.send(next, changed(got, rank)?)?;
    } else {
        let started = group.isend(next, changed(bytes(0, 9, 300_000).into(), 0)?)?;
        same_bytes(&group.recv(previous)?.payload, &expected.to_bytes()?)?;
        started.wait()?;
    }
    Ok(())
}
