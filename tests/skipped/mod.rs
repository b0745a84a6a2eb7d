//! Tests that this machine cannot run: said, or failed where `FIESTA_REQUIRE_ALL` is set.

/// Says that a test is skipped, and why. With `FIESTA_REQUIRE_ALL` in the environment it fails.
///
/// # Panics
/// If `FIESTA_REQUIRE_ALL` is set.
#[track_caller]
pub(crate) fn skipped(reason: impl std::fmt::Display) {
    eprintln!("SKIPPED: {reason}");
    assert!(
        std::env::var_os("FIESTA_REQUIRE_ALL").is_none(),
        "skipped, and FIESTA_REQUIRE_ALL is set: {reason}"
    );
}
