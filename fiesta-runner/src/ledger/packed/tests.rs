use super::*;
use crate::ledger::Entry;
use std::fs;
use tempfile::TempDir;

/// Makes test files for run number `n`, with 70 bytes of output for each earlier run.
fn run(n: usize) -> RunFiles {
    let files = [
        ("end.json.audit-a", Vec::new()),
        ("spec.json", format!("{{\"run\":\n{n}}}").into_bytes()),
        ("stdout", vec![n.to_le_bytes()[0]; n * 70]),
    ];
    RunFiles(
        files
            .map(|(name, content)| (name.to_owned(), content))
            .into(),
    )
}

fn piece(runs: impl IntoIterator<Item = usize>) -> Piece {
    let mut piece = Piece::default();
    for n in runs {
        piece.add(&format!("run-{n}"), &run(n));
    }
    piece.compressed()
}

fn packed(place: &TempDir, run: &str) -> Result<Option<RunFiles>, LedgerError> {
    Ledger::packed(place.path(), run)
}

#[test]
fn runs_come_back_as_they_were() {
    let place = TempDir::new().unwrap();
    drop(Ledger::open(place.path()).unwrap());
    assert_eq!(packed(&place, "run-0").unwrap(), None);
    for batch in 0..3 {
        let mut ledger = Ledger::open(place.path()).unwrap();
        // Each batch has the last run of the one before again.
        ledger
            .pack(&piece(batch * 100..=(batch + 1) * 100))
            .unwrap();
        for n in [0, batch * 100, (batch + 1) * 100] {
            assert_eq!(packed(&place, &format!("run-{n}")).unwrap(), Some(run(n)));
        }
        assert_eq!(packed(&place, "run-1000").unwrap(), None);
        assert_eq!(ledger.entries().unwrap(), []);
    }
}

#[test]
fn a_piece_may_have_the_largest_run() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    let of = |length| RunFiles(vec![("stdout".to_owned(), vec![7; length])]);
    let mut piece = Piece::default();
    piece.add("first", &of(FULL_FROM - 100));
    assert!(!piece.is_full());
    piece.add("largest", &of(16 << 20));
    assert!(piece.is_full());
    ledger.pack(&piece.compressed()).unwrap();
    assert_eq!(packed(&place, "largest").unwrap(), Some(of(16 << 20)));
}

/// Tests that a part of a packed and removed directory, which a power cut may bring back, does not
/// replace the packed run.
#[test]
fn what_is_left_of_a_directory_does_not_replace_a_packed_run() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    ledger.pack(&piece([1, 2])).unwrap();
    let mut torn = Piece::default();
    torn.add("run-1", &RunFiles(vec![("stdout".to_owned(), Vec::new())]));
    torn.add("run-3", &run(3));
    ledger.pack(&torn.compressed()).unwrap();
    for n in 1..=3 {
        assert_eq!(packed(&place, &format!("run-{n}")).unwrap(), Some(run(n)));
    }
}

#[test]
fn damage_is_told_and_is_none_of_the_entries() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    ledger.pack(&piece([1, 2])).unwrap();
    drop(ledger);
    let whole = fs::read(file(place.path())).unwrap();
    for damage in [
        "UPDATE packed SET content = zeroblob(length(content)) WHERE run IS NULL",
        "UPDATE packed SET content = substr(content, 1, 20) WHERE run IS NULL",
        "UPDATE packed SET content = NULL WHERE run IS NULL",
        "UPDATE packed SET piece = 77 WHERE run = 'run-1'",
        "UPDATE packed SET run = 'run-3' WHERE run = 'run-1'",
        "DELETE FROM packed WHERE run IS NULL",
    ] {
        let ledger = Ledger::open(place.path()).unwrap();
        ledger.connection.execute_batch(damage).unwrap();
        // One of the names is that of a run that is not in the piece.
        let got = ["run-1", "run-3"].map(|run| packed(&place, run));
        assert!(
            got.iter()
                .any(|got| matches!(got, Err(LedgerError::Packed { .. }))),
            "{damage}: {got:?}"
        );
        drop(ledger);
        fs::write(file(place.path()), &whole).unwrap();
    }
    assert_eq!(packed(&place, "run-1").unwrap(), Some(run(1)));
}

/// Tests that the ledger is still opened, read and written if pages of the packed runs are damaged.
#[test]
fn overwritten_pages_stop_packing_alone() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    ledger.pack(&piece(0..50)).unwrap();
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'packed'";
    let root: i64 = ledger
        .connection
        .query_row(root, [], |row| row.get(0))
        .unwrap();
    drop(ledger);
    let mut bytes = fs::read(file(place.path())).unwrap();
    let at = usize::try_from(root - 1).unwrap() * 4096;
    bytes[at..at + 512].fill(0x5a);
    fs::write(file(place.path()), &bytes).unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    let entry = Entry::Clock { seconds: 1.0 };
    ledger.append(std::slice::from_ref(&entry), true).unwrap();
    let refused = ledger.pack(&piece(50..60)).unwrap_err().to_string();
    assert!(refused.contains("table of packed runs"), "{refused}");
    assert!(matches!(
        packed(&place, "run-1"),
        Err(LedgerError::Packed { .. })
    ));
    ledger.append(std::slice::from_ref(&entry), true).unwrap();
    assert_eq!(ledger.entries().unwrap(), [entry.clone(), entry]);
    let rename = "ALTER TABLE packed RENAME TO damaged";
    ledger.connection.execute_batch(rename).unwrap();
    ledger.pack(&piece(50..60)).unwrap();
    assert_eq!(packed(&place, "run-1").unwrap(), None);
    assert_eq!(packed(&place, "run-55").unwrap(), Some(run(55)));
}

#[test]
fn nothing_is_said_to_be_packed_where_the_ledger_was_replaced() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    fs::rename(file(place.path()), place.path().join("other")).unwrap();
    let refused = ledger.pack(&piece([1]));
    assert!(
        matches!(refused, Err(LedgerError::Replaced { .. })),
        "{refused:?}"
    );
}
