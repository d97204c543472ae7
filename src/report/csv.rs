#[derive(Debug)]
pub struct CsvError;
