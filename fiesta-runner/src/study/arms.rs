//! The arms of a study file: their names and their order.

use super::{StudyError, error::Source, file::ArmTable};
use fiesta_core::{Arms, ArmsError};
use serde_json::Value;

/// Puts arms that a ledger knows before those that were added, in its order: it knows them by their numbers.
pub(super) fn in_order_of_ledger(arms: &mut [ArmTable], ledger: Option<&Value>) {
    let Some(known) = ledger.and_then(|ledger| ledger["arm"].as_array()) else {
        return;
    };
    arms.sort_by_key(|arm| {
        let name = arm.name.get_ref().as_str();
        let place = known.iter().position(|known| known["name"] == name);
        place.unwrap_or(usize::MAX)
    });
}

/// The arms; a random search may be of one alone.
pub(super) fn arms(
    source: &Source<'_>,
    tables: &[ArmTable],
    is_search: bool,
) -> Result<Arms, StudyError> {
    let names = tables.iter().map(|arm| arm.name.get_ref().clone());
    let arms = if is_search {
        Arms::even_one(names)
    } else {
        Arms::new(names)
    };
    arms.map_err(|error| {
        // The last arm of that name is the one that came too much.
        let named = |name: &String| {
            tables
                .iter()
                .rev()
                .find(|arm| arm.name.get_ref() == name)
                .map(|arm| arm.name.span())
        };
        let (span, advice) = match &error {
            ArmsError::None => (None, "; add [[arm]] tables with a name each"),
            ArmsError::One(name) => (named(name), "; add another [[arm]] table"),
            ArmsError::Duplicate(name) => (named(name), ""),
            ArmsError::Empty(number) => (Some(tables[number - 1].name.span()), ""),
            _ => (None, ""),
        };
        source.wrong(span, format!("{error}{advice}"))
    })
}
