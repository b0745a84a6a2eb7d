//! Messages about tests that are skipped, as a program or a feature of the machine is missing.

/// Says that a test is skipped because a program or package is missing, which can be installed.
/// With `FIESTA_REQUIRE_ALL` in the environment the test fails.
///
/// # Panics
/// If `FIESTA_REQUIRE_ALL` is set.
#[track_caller]
#[allow(dead_code)]
pub(crate) fn skipped(reason: impl std::fmt::Display) {
    eprintln!("SKIPPED: {reason}");
    assert!(
        std::env::var_os("FIESTA_REQUIRE_ALL").is_none(),
        "skipped, and FIESTA_REQUIRE_ALL is set: {reason}"
    );
}

/// Says that a test is skipped because the machine lacks what nobody can install on it: root's
/// rights, file systems that can be mounted, control groups, a GPU.
#[allow(dead_code)]
pub(crate) fn skipped_on_this_machine(reason: impl std::fmt::Display) {
    eprintln!("SKIPPED, for lack of a machine: {reason}");
}
