//! Test of the study that `fiesta example` writes: it equals `examples/shell`, and names a winner.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn fiesta(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fiesta"));
    command.current_dir(directory).args(arguments);
    command.output().unwrap()
}

#[test]
fn it_is_written_and_runs_to_a_winner() {
    let place = tempfile::tempdir().unwrap();
    let written = fiesta(place.path(), &["example"]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/shell");
    for name in ["study.toml", "compress.sh"] {
        let own = fs::read_to_string(place.path().join("example").join(name)).unwrap();
        let shown = fs::read_to_string(here.join(name)).unwrap();
        assert!(
            own == shown,
            "fiesta-cli/example/{name} and examples/shell/{name} differ"
        );
    }
    let run = fiesta(place.path(), &["run", "--quiet", "example/study.toml"]);
    let said = String::from_utf8_lossy(&run.stdout);
    // That no more is known after the most evaluations is an answer, too, on a busy machine.
    assert!(matches!(run.status.code(), Some(0 | 3)), "{run:?}");
    assert!(said.contains("of 5 arms by seconds_per_mb"), "{said}");
}

#[test]
fn what_is_there_already_stays_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let written = fiesta(place.path(), &["example", "a/b"]);
        assert_eq!(written.status.code(), Some(0), "{written:?}");
    }
    let study = place.path().join("a/b/study.toml");
    fs::write(&study, "mine").unwrap();
    let refused = fiesta(place.path(), &["example", "a/b"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("a/b/study.toml is there already"), "{said}");
    assert!(said.contains("name another directory"), "{said}");
    assert_eq!(fs::read_to_string(study).unwrap(), "mine");
}
