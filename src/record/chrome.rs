use super::Event;
pub fn write_chrome_trace(_: &[Event], _: usize, _: &str, _: impl std::io::Write) -> std::io::Result<()> { Ok(()) }
