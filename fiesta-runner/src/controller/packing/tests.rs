use super::*;

#[test]
fn names_of_runs_are_told_from_others() {
    let parse = |name: &str| {
        OwnName::parse("my-study", name).map(|own| (own.evaluation.0, own.attempt, own.is_of_run()))
    };
    assert_eq!(parse("my-study-17-a0"), Some((17, 0, true)));
    assert_eq!(parse("my-study-17-a12"), Some((17, 12, true)));
    assert_eq!(
        parse("my-study-17-a0.stranger-1795355166"),
        Some((17, 0, false))
    );
    for other in [
        "my-study-17",
        "my-study-x-a0",
        "my-study-17-a",
        "my-study-17-a0.txt",
        "other-17-a0",
        ".packed-my-study-17-a0",
        "my-study-2-17-a0",
    ] {
        assert_eq!(parse(other), None, "{other}");
    }
}
