use super::RunReport;
impl std::fmt::Display for RunReport { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") } }
