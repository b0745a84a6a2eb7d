//! Tests of ledgers that earlier versions wrote: verbs print the same of them, and their studies go on.
//!
//! A study's times are those in its ledger, and nothing but the directory it was copied to is left
//! out of the snapshots.

use crate::{data, snapshot::Group};

#[test]
fn finished() {
    let mut group = Group::within("ledger-finished", data::with_ledger("finished"));
    group.both(
        "
        status  status study.toml
        log     log study.toml 3
        run     run study.toml
        curve   curve study.toml --time
        ",
    );
    group.calls(
        "
        export        export study.toml
        export-jsonl  export study.toml --format jsonl
        report        report study.toml --formats svg --resamples 100
        ",
    );
    group.end();
}

#[test]
fn of_a_random_search() {
    let mut group = Group::within("ledger-search", data::with_ledger("search"));
    group.both(
        "
        status  status study.toml
        log     log study.toml 2
        run     run study.toml
        ",
    );
    group.call("export", "export study.toml");
    group.end();
}

#[test]
fn of_documents() {
    let mut group = Group::within("ledger-documents", data::with_ledger("documents"));
    group.both(
        "
        status  status study.toml
        log     log study.toml 2
        run     run study.toml
        ",
    );
    group.call("export", "export study.toml");
    group.end();
}

/// Tests a ledger of a program that was killed before the job of evaluation 7 ended.
#[test]
fn unfinished() {
    let mut group = Group::within("ledger-unfinished", data::with_ledger("unfinished"));
    group.both(
        "
        status  status study.toml
        log     log study.toml 7
        ",
    );
    group.call("export", "export study.toml");
    let mut group = group.timed();
    group.call("run", "run study.toml");
    group.both(
        "
        status-after  status study.toml
        log-after     log study.toml 7
        ",
    );
    group.call("export-after", "export study.toml");
    group.end();
}
