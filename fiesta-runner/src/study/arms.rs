//! The arms of a study file: their names and their order.

use super::{StudyError, error::Source, file::ArmTable};
use fiesta_core::{Arms, ArmsError};
use serde_json::Value;

/// Returns the arms of a study, as a ledger records them.
pub(super) fn recorded(study: &Value) -> &[Value] {
    study["arm"].as_array().map_or(&[], Vec::as_slice)
}

/// Finds the arm with this name among those that a ledger records.
pub(super) fn named<'a>(arms: &'a [Value], name: &Value) -> Option<&'a Value> {
    arms.iter().find(|arm| arm["name"] == *name)
}

/// Numbers the arms by their order in the study file, and puts the ledger's arms first, in the
/// ledger's order, as it knows them by their numbers.
pub(super) fn in_order_of_ledger(arms: &mut [ArmTable], ledger: Option<&Value>) {
    for (place, arm) in arms.iter_mut().enumerate() {
        arm.place = place.to_string();
    }
    let known = ledger.map(recorded).unwrap_or_default();
    arms.sort_by_key(|arm| {
        let place = known.iter().position(|known| known["name"] == arm.name);
        place.unwrap_or(usize::MAX)
    });
}

/// Reads the arms of a study file. A random search may be of one arm alone.
pub(super) fn arms(
    source: &Source<'_>,
    tables: &[ArmTable],
    is_search: bool,
) -> Result<Arms, StudyError> {
    let names = tables.iter().map(|arm| arm.name.clone());
    let arms = if is_search {
        Arms::even_one(names)
    } else {
        Arms::new(names)
    };
    arms.map_err(|error| {
        // The last arm of that name is the one that came too much.
        let named = |name: &String| tables.iter().rev().find(|arm| arm.name == *name);
        let (arm, advice) = match &error {
            ArmsError::None => (None, "; add [[arm]] tables with a name each"),
            ArmsError::One(name) => (named(name), "; add another [[arm]] table"),
            ArmsError::Duplicate(name) | ArmsError::Alike(_, name) | ArmsError::Control(name) => {
                (named(name), "")
            }
            ArmsError::Empty(number) => (tables.get(number - 1), ""),
            _ => (None, ""),
        };
        let place = arm.map_or("", |arm| &arm.place);
        source.wrong(&["arm", place, "name"], format!("{error}{advice}"))
    })
}
