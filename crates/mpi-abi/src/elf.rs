//! What the loader reads and changes in an ELF file: the libraries that it needs, constructors and destructors, bindings of symbols.
//!
//! Only 64-bit little-endian files are read, which x86-64 and AArch64 have. Numbers are those of the System V ABI.

use std::ops::Range;

use thiserror::Error;

/// Why a file cannot be read as a shared object.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElfError {
    /// No ELF file.
    #[error("it is no ELF file")]
    Magic,
    /// An ELF file for another processor.
    #[error("it is for another kind of processor")]
    Processor,
    /// A program that cannot be loaded more than once.
    #[error("it is an executable with fixed addresses")]
    Fixed,
    /// A file without dynamic section.
    #[error("it is linked statically")]
    Static,
    /// A table lies outside of the file.
    #[error("it is damaged: a table lies outside of the file")]
    Damaged,
}

const EM_X86_64: u64 = 62;
const EM_AARCH64: u64 = 183;
const ET_DYN: u64 = 3;
const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const PT_GNU_RELRO: u64 = 0x6474_e552;
const SHT_DYNSYM: u64 = 11;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_INIT: u64 = 12;
const DT_FINI: u64 = 13;
const DT_SONAME: u64 = 14;
const DT_INIT_ARRAY: u64 = 25;
const DT_FINI_ARRAY: u64 = 26;
const DT_INIT_ARRAYSZ: u64 = 27;
const DT_FINI_ARRAYSZ: u64 = 28;
const DT_FLAGS: u64 = 30;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_STATIC_TLS: u64 = 0x10;
const DF_1_PIE: u64 = 0x0800_0000;
/// A tag in the range for operating systems that means nothing to the dynamic linker.
const DT_IGNORED: u64 = 0x6000_0fff;
/// The size of the header of a file.
const FILE_HEADER: usize = 64;
/// Fields of the header: the position of section headers; their number, and the section with their names.
const SECTION_TABLE: usize = 40;
const SECTION_COUNT: usize = 60;
const DT_PLTRELSZ: u64 = 2;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_TEXTREL: u64 = 22;
const DT_JMPREL: u64 = 23;
const DF_TEXTREL: u64 = 4;
/// Tables that the dynamic linker reads: DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_REL, DT_JMPREL, DT_RELR, DT_GNU_HASH, DT_VERSYM, DT_VERDEF,
/// DT_VERNEED.
const TABLES: [u64; 11] =
    [4, DT_STRTAB, 6, DT_RELA, 17, DT_JMPREL, 36, 0x6fff_fef5, 0x6fff_fff0, 0x6fff_fffc, 0x6fff_fffe];
const PF_X: u64 = 1;
const PF_W: u64 = 2;
const STT_GNU_IFUNC: u8 = 10;
const R_IRELATIVE: u64 = if cfg!(target_arch = "x86_64") { 37 } else { 1032 };
/// What the dynamic linker reads of a file before it maps it.
const HEADER: usize = 4096;
const STB_GLOBAL: u8 = 1;
const STB_GNU_UNIQUE: u8 = 10;

/// A shared object.
#[derive(Debug)]
pub(crate) struct Elf {
    bytes: Vec<u8>,
    segments: Vec<Segment>,
    dynamic: Vec<Dynamic>,
    strings: usize,
    /// The addresses that the dynamic linker protects against writing after it has bound symbols (PT_GNU_RELRO).
    protected: Option<Range<u64>>,
}

/// A part of the file, of which all copies have the same pages: where it is in the file, its address from the base, and its size in bytes, all
/// multiples of the page size; and whether it is code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) offset: usize,
    pub(crate) address: u64,
    pub(crate) size: usize,
    pub(crate) is_code: bool,
}

/// A part of the file that is mapped: offset, address and size in the file, and size in memory.
#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: usize,
    address: u64,
    size: u64,
    memory: u64,
    flags: u64,
}

impl Segment {
    /// Where the part ends in the file.
    fn end(&self) -> Option<usize> {
        self.offset.checked_add(usize::try_from(self.size).ok()?)
    }
}

/// An entry of the dynamic section, with its position in the file.
#[derive(Clone, Copy, Debug)]
struct Dynamic {
    offset: usize,
    tag: u64,
    value: u64,
}

/// A library that a file needs, or its own name: the name, and its position in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) offset: usize,
}

/// The functions of a file for its begin and its end, as addresses from its base; `None` if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Functions {
    pub(crate) init: Option<u64>,
    pub(crate) init_array: Option<(u64, usize)>,
    pub(crate) fini_array: Option<(u64, usize)>,
    pub(crate) fini: Option<u64>,
}

impl Elf {
    /// Reads the tables of a file.
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Elf, ElfError> {
        if !bytes.starts_with(b"\x7fELF\x02\x01") {
            return Err(ElfError::Magic);
        }
        if bytes.len() < FILE_HEADER {
            return Err(ElfError::Damaged);
        }
        let field = |offset, size| number(&bytes, offset, size).ok_or(ElfError::Damaged);
        let processor = if cfg!(target_arch = "x86_64") { EM_X86_64 } else { EM_AARCH64 };
        if field(18, 2)? != processor {
            return Err(ElfError::Processor);
        }
        if field(16, 2)? != ET_DYN {
            return Err(ElfError::Fixed);
        }
        let (table, size, count) = (field(32, 8)? as usize, field(54, 2)? as usize, field(56, 2)? as usize);
        let (mut segments, mut section, mut protected) = (Vec::new(), None, None);
        for at in (0..count).map(|number| table.saturating_add(number * size).min(bytes.len())) {
            let segment = Segment {
                offset: field(at + 8, 8)? as usize,
                address: field(at + 16, 8)?,
                size: field(at + 32, 8)?,
                memory: field(at + 40, 8)?,
                flags: field(at + 4, 4)?,
            };
            // Later sums of these numbers do not overflow.
            let is_inside = segment.end().is_some_and(|end| end <= bytes.len())
                && segment.address < 1 << 47
                && segment.memory < 1 << 47;
            match field(at, 4)? {
                PT_LOAD | PT_DYNAMIC | PT_GNU_RELRO if !is_inside => return Err(ElfError::Damaged),
                PT_LOAD => segments.push(segment),
                PT_DYNAMIC => section = Some(segment),
                PT_GNU_RELRO => protected = Some(segment.address..segment.address + segment.memory),
                _ => {}
            }
        }
        let section = section.ok_or(ElfError::Static)?;
        let mut dynamic = Vec::new();
        for offset in (section.offset..section.offset + section.size as usize).step_by(16) {
            let entry = Dynamic { offset, tag: field(offset, 8)?, value: field(offset + 8, 8)? };
            if entry.tag == 0 {
                break;
            }
            dynamic.push(entry);
        }
        let mut elf = Elf { bytes, segments, dynamic, strings: 0, protected };
        let strings = elf.value(DT_STRTAB).ok_or(ElfError::Damaged)?;
        elf.strings = elf.offset_of(strings).ok_or(ElfError::Damaged)?;
        Ok(elf)
    }

    /// The contents of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn value(&self, tag: u64) -> Option<u64> {
        self.dynamic.iter().find(|entry| entry.tag == tag).map(|entry| entry.value)
    }

    fn offset_of(&self, address: u64) -> Option<usize> {
        let segment =
            self.segments.iter().find(|part| (part.address..part.address + part.size).contains(&address))?;
        Some(segment.offset + (address - segment.address) as usize)
    }

    fn name(&self, entry: Dynamic) -> Option<Name> {
        let offset = self.strings.checked_add(entry.value as usize)?;
        let bytes = self.bytes.get(offset..)?;
        let length = bytes.iter().position(|&byte| byte == 0)?;
        Some(Name { name: String::from_utf8_lossy(&bytes[..length]).into_owned(), offset })
    }

    /// The libraries that the file needs, in order.
    pub(crate) fn needed(&self) -> Vec<Name> {
        let entries = self.dynamic.iter().filter(|entry| entry.tag == DT_NEEDED);
        entries.filter_map(|&entry| self.name(entry)).collect()
    }

    /// The name by which other files need this one.
    pub(crate) fn soname(&self) -> Option<Name> {
        self.dynamic.iter().find(|entry| entry.tag == DT_SONAME).and_then(|&entry| self.name(entry))
    }

    /// Whether the file is a position-independent executable, which the dynamic linker does not load.
    pub(crate) fn is_executable(&self) -> bool {
        self.value(DT_FLAGS_1).is_some_and(|flags| flags & DF_1_PIE != 0)
    }

    /// Whether thread-local variables of the file need static space, which is there for few files.
    pub(crate) fn has_static_tls(&self) -> bool {
        self.value(DT_FLAGS).is_some_and(|flags| flags & DF_STATIC_TLS != 0)
    }

    /// The addresses that the file occupies, from its base.
    pub(crate) fn range(&self) -> Range<u64> {
        let begin = self.segments.iter().map(|part| part.address).min().unwrap_or_default();
        let end = self.segments.iter().map(|part| part.address + part.memory).max().unwrap_or_default();
        begin..end
    }

    /// The variables of the file, without constants that the dynamic linker protects: for each part the addresses, and the number of bytes at its
    /// beginning that the file gives.
    pub(crate) fn variables(&self, page: u64) -> Vec<(Range<u64>, u64)> {
        let protected = self
            .protected
            .clone()
            .map_or(0..0, |range| range.start - range.start % page..range.end - range.end % page);
        let writable = self.segments.iter().filter(|part| part.flags & PF_W != 0);
        let parts = writable.flat_map(|part| {
            let (end, file) = (part.address + part.memory, part.address + part.size);
            let before = part.address..protected.start.clamp(part.address, end);
            let after = protected.end.clamp(part.address, end)..end;
            let ranges = if protected.is_empty() { [part.address..end, end..end] } else { [before, after] };
            ranges.map(|range| (range.clone(), file.clamp(range.start, range.end) - range.start))
        });
        parts.filter(|(range, _)| !range.is_empty()).collect()
    }

    /// The functions for its begin and its end.
    pub(crate) fn functions(&self) -> Functions {
        let array = |tag, size| {
            let (address, size) = (self.value(tag)?, self.value(size)?);
            (size >= 8).then_some((address, size as usize / 8))
        };
        Functions {
            init: self.value(DT_INIT),
            init_array: array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ),
            fini_array: array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ),
            fini: self.value(DT_FINI),
        }
    }

    /// The parts of the file that neither the dynamic linker nor [`make_private`](Elf::make_private) reads or changes: code and constants.
    /// There are none if the dynamic linker calls functions of the file, or changes its code.
    pub(crate) fn constants(&self, page: usize) -> Vec<Constant> {
        let page_size = page as u64;
        let flags = self.value(DT_FLAGS).unwrap_or_default();
        if self.value(DT_TEXTREL).is_some() || flags & DF_TEXTREL != 0 || self.has_resolvers() {
            return Vec::new();
        }
        let is_read = |part: &Segment| {
            let addresses = part.address..part.address + part.memory;
            let tables = self.dynamic.iter().filter(|entry| TABLES.contains(&entry.tag));
            part.offset == 0 || tables.into_iter().any(|entry| addresses.contains(&entry.value))
        };
        let is_aligned = |part: &Segment| part.offset as u64 % page_size == part.address % page_size;
        let is_constant = |part: &&Segment| part.flags & PF_W == 0 && is_aligned(part) && !is_read(part);
        let constant = self.segments.iter().filter(is_constant);
        let constants = constant.map(|part| {
            let before = part.address % page_size;
            Constant {
                offset: part.offset - before as usize,
                address: part.address - before,
                size: (before + part.memory).next_multiple_of(page_size) as usize,
                is_code: part.flags & PF_X != 0,
            }
        });
        let fits = |constant: &Constant| {
            constant.offset.is_multiple_of(page) && constant.offset + constant.size <= self.end() + page
        };
        constants.filter(fits).collect()
    }

    /// The parts of the file that a copy must have on disk, if `constants` are mapped from the file itself.
    pub(crate) fn varying(&self, constants: &[Constant], page: usize) -> Vec<Range<usize>> {
        let is_constant = |part: &Segment| {
            // Two parts may share a page of the file, but not one of memory.
            let address = part.address - part.address % page as u64;
            constants.iter().any(|constant| constant.address == address)
        };
        let varying = self.segments.iter().filter(|part| !is_constant(part));
        let mut ranges: Vec<Range<usize>> = varying
            .map(|part| part.offset - part.offset % page..part.offset + part.size as usize)
            .filter(|range| !range.is_empty())
            .collect();
        ranges.push(0..HEADER.min(self.end()));
        ranges
    }

    /// Where the last mapped part of the file ends, or its header.
    fn end(&self) -> usize {
        self.segments.iter().filter_map(Segment::end).max().unwrap_or_default().max(FILE_HEADER)
    }

    /// Whether the dynamic linker calls functions of the file to bind symbols.
    fn has_resolvers(&self) -> bool {
        let is_resolver = |table, size| {
            let (Some(table), Some(size)) =
                (self.value(table).and_then(|at| self.offset_of(at)), self.value(size))
            else {
                return false;
            };
            let kinds = (table..table.saturating_add(size as usize)).step_by(24);
            kinds.map_while(|at| number(&self.bytes, at + 8, 4)).any(|kind| kind == R_IRELATIVE)
        };
        let symbols = self.symbols().unwrap_or_default();
        let is_defined =
            |symbol: usize| number(&self.bytes, symbol + 6, 2).is_some_and(|section| section != 0);
        is_resolver(DT_RELA, DT_RELASZ)
            || is_resolver(DT_JMPREL, DT_PLTRELSZ)
            || symbols.into_iter().any(|at| {
                self.bytes.get(at + 4).is_some_and(|info| info & 0xf == STT_GNU_IFUNC) && is_defined(at)
            })
    }

    /// Changes the contents, and not what the other functions return, so that the dynamic linker calls none of the [functions](Elf::functions)
    /// and binds every symbol within its copy: symbols that are unique in a process, as static variables of C++ templates, become global ones.
    pub(crate) fn make_private(&mut self) {
        let dynamic = self.dynamic.clone();
        for entry in dynamic {
            match entry.tag {
                DT_INIT | DT_FINI => self.store(entry.offset, DT_IGNORED),
                DT_INIT_ARRAYSZ | DT_FINI_ARRAYSZ => self.store(entry.offset + 8, 0),
                _ => {}
            }
        }
        for symbol in self.symbols().unwrap_or_default() {
            if let Some(info) = self.bytes.get_mut(symbol + 4).filter(|info| **info >> 4 == STB_GNU_UNIQUE) {
                *info = STB_GLOBAL << 4 | *info & 0xf;
            }
        }
        // Behind what is mapped are debug information and section headers, which copies do not need.
        self.bytes.truncate(self.end());
        self.store(SECTION_TABLE, 0);
        self.bytes[SECTION_COUNT..SECTION_COUNT + 4].fill(0);
    }

    /// The positions of the dynamic symbols. A file without section headers tells their number nowhere, and is left as it is.
    fn symbols(&self) -> Option<Vec<usize>> {
        let field = |offset, size| number(&self.bytes, offset, size).map(|value| value as usize);
        let (table, size, count) = (field(40, 8)?, field(58, 2)?, field(60, 2)?);
        let mut headers = (0..count).filter_map(|header| table.checked_add(header.checked_mul(size)?));
        let header = headers.find(|header| number(&self.bytes, header + 4, 4) == Some(SHT_DYNSYM))?;
        let (begin, length) = (field(header + 24, 8)?, field(header + 32, 8)?);
        let end = begin.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        Some((begin..end).step_by(24).collect())
    }

    fn store(&mut self, offset: usize, value: u64) {
        self.bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
    }
}

/// Reads an unsigned number of `size` bytes, at most 8.
fn number(bytes: &[u8], offset: usize, size: usize) -> Option<u64> {
    let mut value = [0; 8];
    value[..size].copy_from_slice(bytes.get(offset..offset.checked_add(size)?)?);
    Some(u64::from_le_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_refused_and_own_libraries_are_read() {
        assert_eq!(Elf::parse(b"#!/bin/sh".to_vec()).unwrap_err(), ElfError::Magic);
        let mut elf = Elf::parse(crate::files::LIBRARY.to_vec()).unwrap();
        assert_eq!(elf.soname().unwrap().name, "libmpi_abi.so.0");
        assert!(elf.needed().iter().any(|library| library.name == "libc.so.6"));
        let functions = elf.functions();
        assert!(functions.fini_array.is_some_and(|(_, count)| count > 0));
        let (variables, range) = (elf.variables(4096), elf.range());
        assert!(!variables.is_empty());
        for (addresses, given) in variables {
            assert!(
                range.start <= addresses.start
                    && addresses.end <= range.end
                    && given <= addresses.end - addresses.start
            );
            assert!(!elf.protected.as_ref().unwrap().contains(&addresses.start));
        }
        elf.make_private();
        assert_eq!(elf.functions(), functions);
        let private = Elf::parse(elf.bytes().to_vec()).unwrap().functions();
        assert_eq!((private.init, private.init_array, private.fini_array), (None, None, None));
        let mut cut = elf.bytes().to_vec();
        cut.truncate(100);
        assert_eq!(Elf::parse(cut).unwrap_err(), ElfError::Damaged);
    }

    /// Tests that files with wrong numbers in their tables are refused or read, without a panic and without an endless loop.
    #[test]
    fn damaged_files_are_read_or_refused() {
        let whole = crate::files::LIBRARY;
        let sound = Elf::parse(whole.to_vec()).unwrap();
        let places: Vec<usize> =
            (0..1024).chain(sound.dynamic.iter().flat_map(|at| at.offset..at.offset + 16)).collect();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut refused = 0;
        let turns = if cfg!(miri) { 3 } else { 3000 };
        for _ in 0..turns {
            let mut bytes = whole.to_vec();
            for _ in 0..=random(3) {
                bytes[places[random(places.len())]] = [0, 0xff, random(256) as u8][random(3)];
            }
            let Ok(mut elf) = Elf::parse(bytes) else {
                refused += 1;
                continue;
            };
            let (constants, _) =
                (elf.constants(4096), (elf.needed(), elf.soname(), elf.functions(), elf.variables(4096)));
            let varying = elf.varying(&constants, 4096);
            elf.make_private();
            assert!(varying.iter().all(|range| elf.bytes().get(range.clone()).is_some()));
        }
        assert!(cfg!(miri) || (100..turns - 100).contains(&refused), "{refused} of {turns}");
    }
}
