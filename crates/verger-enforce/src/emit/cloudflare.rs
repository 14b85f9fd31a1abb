use super::{Choices, EmitError, Output};
use crate::plan::Plan;
pub(super) fn write(_: &Plan, _: &Choices<'_>) -> Result<Output, EmitError> {
    Err(EmitError::Choice("TODO"))
}
