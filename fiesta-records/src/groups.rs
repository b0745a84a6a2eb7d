//! Check that a key divides the items of a pool into groups.

use crate::excerpt;
use std::collections::HashSet;

/// Refuses values of this key that make no groups: fewer than two different ones, or so many that
/// items have one each rather than share them (more than half as many as items).
///
/// # Errors
/// What is wrong, and what to do.
pub fn check_groups<'a>(groups: impl Iterator<Item = &'a str>, name: &str) -> Result<(), String> {
    let (mut different, mut items, mut last) = (HashSet::new(), 0, "");
    for group in groups {
        items += 1;
        last = group;
        different.insert(group);
    }
    match different.len() {
        0 => Err(format!("there is no item to group by `{name}`")),
        1 => Err(format!(
            "all {items} items have the same `{name}`, `{}`: groups need at least two values",
            excerpt(last)
        )),
        count if 2 * count > items => Err(format!(
            "`{name}` has {count} values for {items} items: groups need two items each on average, better ten; name a key whose values items share"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_groups_can_be_is_refused() {
        let check = |groups: &[&str]| check_groups(groups.iter().copied(), "kind");
        assert!(check(&["a", "a", "b", "b"]).is_ok());
        assert!(
            check(&["a", "a"])
                .unwrap_err()
                .contains("all 2 items have the same `kind`, `a`")
        );
        assert!(
            check(&["a", "b", "c"])
                .unwrap_err()
                .contains("3 values for 3 items")
        );
        assert!(check(&[]).is_err());
    }
}
