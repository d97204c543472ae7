//! The representation "external32" (MPI 5.0, section 15.5.2): big-endian, with sizes that are the same on all machines.

use std::ops::ControlFlow;

use crate::error::{Class as ErrorClass, Error, Result};

use super::{
    basic::{Basic, Class},
    layout::Layout,
};

/// Whether `long double` is the 80-bit format of the x87, rather than IEEE 754's with 128 bits.
pub(crate) const IS_X87: bool = cfg!(target_arch = "x86_64");

impl Layout {
    /// Bytes of data in "external32".
    pub fn external_size(&self) -> u64 {
        let mut size = 0;
        let _ = self.basics(1, &mut |basic, count| {
            size += u64::from(basic.external) * count;
            ControlFlow::Continue(())
        });
        size
    }

    /// Converts packed data of `count` elements to "external32".
    pub(crate) fn to_external(&self, count: u64, packed: &[u8]) -> Result<Vec<u8>> {
        let mut external = Vec::with_capacity(packed.len());
        let mut rest = packed;
        let mut result = Ok(());
        let _ = self.basics(count, &mut |basic, count| {
            let (now, after) = rest.split_at(usize::from(basic.size) * count as usize);
            rest = after;
            for value in now.chunks_exact(basic.size.into()) {
                if let Err(error) = encode(basic, value, &mut external) {
                    result = Err(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        result.map(|()| external)
    }

    /// Converts data of `count` elements in "external32" to packed data.
    pub(crate) fn of_external(&self, count: u64, external: &[u8]) -> Vec<u8> {
        let mut packed = Vec::with_capacity(external.len());
        let mut rest = external;
        let _ = self.basics(count, &mut |basic, count| {
            let (now, after) = rest.split_at(usize::from(basic.external) * count as usize);
            rest = after;
            now.chunks_exact(basic.external.into()).for_each(|value| decode(basic, value, &mut packed));
            ControlFlow::Continue(())
        });
        packed
    }
}

/// Appends a little-endian or big-endian value in the other order.
fn reverse(value: &[u8], into: &mut Vec<u8>) {
    if cfg!(target_endian = "little") {
        into.extend(value.iter().rev());
    } else {
        into.extend_from_slice(value);
    }
}

fn encode(basic: Basic, value: &[u8], into: &mut Vec<u8>) -> Result<()> {
    let (size, external) = (usize::from(basic.size), usize::from(basic.external));
    match basic.class {
        Class::Complex => value.chunks_exact(size / 2).for_each(|part| reverse(part, into)),
        Class::LongDouble | Class::LongDoubleComplex if IS_X87 => {
            for part in value.chunks_exact(16) {
                into.extend_from_slice(&quad_of_x87(part).to_be_bytes());
            }
        }
        Class::LongDouble | Class::LongDoubleComplex => {
            value.chunks_exact(16).for_each(|part| reverse(part, into));
        }
        _ if size == external => reverse(value, into),
        // `long` and `wchar_t`, which are shorter.
        _ => {
            let mut bytes = Vec::with_capacity(size);
            reverse(value, &mut bytes);
            let (high, low) = bytes.split_at(size - external);
            let fill = match basic.class {
                Class::Signed if low[0] >= 0x80 => 0xff,
                _ => 0,
            };
            if high.iter().any(|&byte| byte != fill) {
                let text = format!("a value of {size} bytes does not fit the {external} bytes of external32");
                return Err(Error::new(ErrorClass::CONVERSION, text));
            }
            into.extend_from_slice(low);
        }
    }
    Ok(())
}

fn decode(basic: Basic, value: &[u8], into: &mut Vec<u8>) {
    let (size, external) = (usize::from(basic.size), usize::from(basic.external));
    match basic.class {
        Class::Complex => value.chunks_exact(external / 2).for_each(|part| reverse(part, into)),
        Class::LongDouble | Class::LongDoubleComplex if IS_X87 => {
            for part in value.chunks_exact(16) {
                let mut quad = [0; 16];
                quad.copy_from_slice(part);
                into.extend_from_slice(&x87_of_quad(u128::from_be_bytes(quad)));
            }
        }
        Class::LongDouble | Class::LongDoubleComplex => {
            value.chunks_exact(16).for_each(|part| reverse(part, into));
        }
        _ if size == external => reverse(value, into),
        _ => {
            let is_negative = basic.class == Class::Signed && value[0] >= 0x80;
            let mut bytes = vec![if is_negative { 0xff } else { 0 }; size - external];
            bytes.extend_from_slice(value);
            reverse(&bytes, into);
        }
    }
}

/// The number of 128 bits that is equal to an 80-bit number. The latter has a fraction of 63 bits and, before it, a bit for the integer part.
fn quad_of_x87(bytes: &[u8]) -> u128 {
    let mut number = [0; 16];
    number[..10].copy_from_slice(&bytes[..10]);
    let number = u128::from_le_bytes(number);
    let (sign, exponent) = (number >> 79 & 1, number >> 64 & 0x7fff);
    let mantissa = number as u64;
    if exponent == 0 && mantissa >> 63 == 0 {
        // Zero, or a subnormal number: both formats have the same exponent there.
        return sign << 127 | u128::from(mantissa) << 49;
    }
    let exponent = exponent.max(1);
    sign << 127 | exponent << 112 | u128::from(mantissa << 1) << 48
}

/// The 80-bit number that is nearest to one of 128 bits; ties go to even.
fn x87_of_quad(quad: u128) -> [u8; 16] {
    let (sign, mut exponent) = (quad >> 127, quad >> 112 & 0x7fff);
    let fraction = quad & ((1 << 112) - 1);
    // 64 bits with the integer bit, and 49 bits that are rounded.
    let full = fraction | u128::from(exponent != 0) << 112;
    let (mut mantissa, rest) = (full >> 49, full & ((1 << 49) - 1));
    let half = 1 << 48;
    if exponent == 0x7fff {
        // Infinity stays infinity, and what is not a number stays so.
        mantissa |= u128::from(fraction != 0) << 62;
    } else if rest > half || rest == half && mantissa & 1 == 1 {
        mantissa += 1;
        if mantissa >> 64 == 1 {
            mantissa >>= 1;
            exponent += 1;
        } else if exponent == 0 && mantissa >> 63 == 1 {
            exponent = 1;
        }
    }
    (sign << 79 | exponent << 64 | mantissa).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::basic::NAMED;

    fn layout(name: &str) -> std::sync::Arc<Layout> {
        Layout::of_element(NAMED.iter().find(|named| named.name == name).unwrap().element)
    }

    #[test]
    fn integers_and_reals_are_big_endian() {
        let external = |name, bytes: &[u8]| layout(name).to_external(1, bytes).unwrap();
        assert_eq!(external("MPI_INT", &0x0102_0304_i32.to_ne_bytes()), [1, 2, 3, 4]);
        assert_eq!(external("MPI_LONG", &(-2_i64).to_ne_bytes()), [0xff, 0xff, 0xff, 0xfe]);
        assert_eq!(external("MPI_LONG_LONG", &(-2_i64).to_ne_bytes()), (-2_i64).to_be_bytes());
        assert_eq!(external("MPI_DOUBLE", &1.5_f64.to_ne_bytes()), [0x3f, 0xf8, 0, 0, 0, 0, 0, 0]);
        let complex: Vec<u8> = [1.0_f32, -2.0].iter().flat_map(|part| part.to_ne_bytes()).collect();
        assert_eq!(external("MPI_COMPLEX", &complex), [0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0]);
        assert_eq!(external("MPI_WCHAR", &0xe4_u32.to_ne_bytes()), [0, 0xe4]);
        assert_eq!(external("MPI_CHAR", b"x"), *b"x");
        assert!(layout("MPI_LONG").to_external(1, &(1_i64 << 40).to_ne_bytes()).is_err());
        assert_eq!(layout("MPI_LONG").of_external(1, &[0x80, 0, 0, 1]), (-0x7fff_ffff_i64).to_ne_bytes());
    }

    #[test]
    fn a_structure_is_converted_member_by_member() {
        let pair = layout("MPI_DOUBLE_INT");
        let packed = [&2.0_f64.to_ne_bytes()[..], &7_i32.to_ne_bytes()].concat();
        let twice = [&packed[..], &packed].concat();
        let external = pair.to_external(2, &twice).unwrap();
        let one = [0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];
        assert_eq!(external, [one, one].concat());
        assert_eq!(pair.of_external(2, &external), twice);
        assert_eq!(pair.external_size(), 12);
    }

    #[test]
    fn numbers_of_80_bits() {
        // 1.5: the integer bit and the highest bit of the fraction.
        let mut number = [0; 16];
        number[6..10].copy_from_slice(&[0, 0xc0, 0xff, 0x3f]);
        assert_eq!(quad_of_x87(&number), 0x3fff_8000 << 96);
        assert_eq!(x87_of_quad(0x3fff_8000 << 96), number);
        // Infinity, zero, and the largest subnormal number.
        let mut infinity = [0; 16];
        infinity[7..10].copy_from_slice(&[0x80, 0xff, 0x7f]);
        assert_eq!(quad_of_x87(&infinity), 0x7fff << 112);
        assert_eq!(x87_of_quad(0x7fff << 112), infinity);
        assert_eq!(x87_of_quad(1 << 127)[..10], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
        let mut tiny = [0xff; 16];
        tiny[7..].copy_from_slice(&[0x7f, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(x87_of_quad(quad_of_x87(&tiny)), tiny);
        // A fraction of all ones is rounded up to the next power of two.
        let two = x87_of_quad(0x4000 << 112);
        assert_eq!(x87_of_quad((0x3fff << 112) | ((1 << 112) - 1)), two);
    }
}
