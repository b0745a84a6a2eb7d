use super::*;
use crate::run::{End, Ended, RunId};
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A directory with these files, and what is read from it.
fn files(of: &[(&str, &[u8])]) -> RunFiles {
    let place = TempDir::new().unwrap();
    for (name, content) in of {
        fs::write(place.path().join(name), content).unwrap();
    }
    RunFiles::read(place.path()).unwrap().unwrap()
}

fn run(n: usize) -> RunFiles {
    let (spec, printed) = (
        format!("{{\"run\":{n}}}"),
        vec![n.to_le_bytes()[0]; n * 700],
    );
    files(&[
        ("spec.json", spec.as_bytes()),
        ("stdout", &printed),
        ("end.json.audit-a", b""),
    ])
}

#[test]
fn runs_come_back_as_they_were() {
    let place = TempDir::new().unwrap();
    assert!(Archive::open_to_read(place.path()).unwrap().is_none());
    for batch in 0..3 {
        let mut archive = Archive::open(place.path()).unwrap();
        let mut batch_of = archive.begin().unwrap();
        // Several pieces; each batch writes the last run of the one before again.
        for n in batch * 100..=(batch + 1) * 100 {
            batch_of.add(&format!("run-{n}"), &run(n)).unwrap();
        }
        assert!(batch_of.bytes() > PIECE);
        batch_of.commit().unwrap();
        // Not committed: nothing of it is there.
        let mut dropped = archive.begin().unwrap();
        dropped.add("dropped", &run(1)).unwrap();
        drop(dropped);
        let reader = Archive::open_to_read(place.path()).unwrap().unwrap();
        assert_eq!(reader.get("dropped").unwrap(), None);
        assert_eq!(reader.names().unwrap().len(), (batch + 1) * 100 + 1);
        for n in [0, (batch + 1) * 100] {
            assert_eq!(reader.get(&format!("run-{n}")).unwrap(), Some(run(n)));
        }
    }
}

#[test]
fn what_is_not_ours_alone_is_not_packed() {
    let place = TempDir::new().unwrap();
    let run = place.path().join("run");
    fs::create_dir(&run).unwrap();
    let read = || RunFiles::read(&run).unwrap();
    fs::write(run.join("spec.json"), "{}").unwrap();
    fs::write(run.join("end.json.17"), "").unwrap();
    assert!(read().is_some());
    fs::write(run.join("model.bin"), "weights").unwrap();
    assert!(read().is_none());
    fs::rename(run.join("model.bin"), run.join("result.json.tmp")).unwrap();
    assert!(read().is_none());
    fs::remove_file(run.join("result.json.tmp")).unwrap();
    fs::create_dir(run.join("stdout")).unwrap();
    assert!(read().is_none());
    fs::remove_dir(run.join("stdout")).unwrap();
    std::os::unix::fs::symlink("spec.json", run.join("result.json")).unwrap();
    assert!(read().is_none());
    fs::remove_file(run.join("result.json")).unwrap();
    // More than is worth packing.
    fs::File::create(run.join("stdout"))
        .unwrap()
        .set_len(17 << 20)
        .unwrap();
    assert!(read().is_none());
}

#[test]
fn files_are_put_back_with_their_modes() {
    let place = TempDir::new().unwrap();
    let from = place.path().join("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("spec.json"), "{}").unwrap();
    fs::write(from.join("stdout"), [0, 255, 10]).unwrap();
    fs::set_permissions(from.join("spec.json"), fs::Permissions::from_mode(0o600)).unwrap();
    let read = RunFiles::read(&from).unwrap().unwrap();
    let to = place.path().join("to");
    read.write(&to, true).unwrap();
    assert_eq!(RunFiles::read(&to).unwrap(), Some(read));
}

#[test]
fn what_is_left_of_a_directory_does_not_replace_a_packed_run() {
    let place = TempDir::new().unwrap();
    let mut archive = Archive::open(place.path()).unwrap();
    let end = Ended::unmeasured(RunId::new("study", 1, 0).unwrap(), End::Exited(0));
    let end = serde_json::to_vec(&end).unwrap();
    let whole = files(&[("end.json", &end), ("stdout", b"0.5")]);
    let again = files(&[("end.json", &end), ("stdout", b"0.6")]);
    let torn = files(&[("end.json", b""), ("stdout", b"")]);
    for (added, expected) in [
        (&torn, &torn),
        (&whole, &whole),
        (&torn, &whole),
        (&again, &again),
    ] {
        let mut batch = archive.begin().unwrap();
        batch.add("run", added).unwrap();
        batch.commit().unwrap();
        assert_eq!(archive.get("run").unwrap().as_ref(), Some(expected));
    }
}

#[test]
fn damage_is_told() {
    let place = TempDir::new().unwrap();
    let mut archive = Archive::open(place.path()).unwrap();
    let mut batch = archive.begin().unwrap();
    batch.add("run-1", &run(1)).unwrap();
    batch.commit().unwrap();
    for damage in [
        "UPDATE piece SET content = zeroblob(length(content))",
        "UPDATE piece SET length = 1",
        "UPDATE run SET start = 5",
        "UPDATE run SET length = -1",
        "DELETE FROM piece",
    ] {
        archive
            .connection
            .execute_batch(&format!("BEGIN; {damage}"))
            .unwrap();
        let got = archive.get("run-1");
        assert!(
            matches!(got, Err(ArchiveError::Damaged { .. })),
            "{damage}: {got:?}"
        );
        archive.connection.execute_batch("ROLLBACK").unwrap();
    }
    assert_eq!(archive.get("run-1").unwrap(), Some(run(1)));
    drop(archive);
    fs::write(place.path().join("runs.db"), vec![b'x'; 9000]).unwrap();
    for opened in [
        Archive::open(place.path()).err(),
        Archive::open_to_read(place.path()).err(),
    ] {
        assert!(
            matches!(opened, Some(ArchiveError::Damaged { .. })),
            "{opened:?}"
        );
    }
}

#[test]
fn only_its_owner_may_read_it() {
    let place = TempDir::new().unwrap();
    drop(Archive::open(place.path()).unwrap());
    let mode = fs::metadata(place.path().join("runs.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// As a controller leaves it that is killed while it creates it.
#[test]
fn a_database_without_tables_is_no_archive_yet() {
    let place = TempDir::new().unwrap();
    let connection = Connection::open(file(place.path())).unwrap();
    let mode: String = connection
        .query_row("PRAGMA journal_mode = wal", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    drop(connection);
    assert!(fs::metadata(file(place.path())).unwrap().len() > 0);
    assert!(Archive::open_to_read(place.path()).unwrap().is_none());
    Archive::open(place.path()).unwrap();
    assert!(Archive::open_to_read(place.path()).unwrap().is_some());
}
