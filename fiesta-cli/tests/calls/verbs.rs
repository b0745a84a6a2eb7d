//! Calls for the help of every verb, and calls of verbs that read no results.

use crate::snapshot::Group;

#[test]
fn help() {
    let mut group = Group::new("help");
    group.calls(
        "
        all                       --help
        short                     -h
        none
        version                   --version
        run                       run --help
        status                    status --help
        log                       log --help
        belief                    belief --help
        compare                   compare --help
        gate                      gate --help
        simulate                  simulate --help
        export                    export --help
        import                    import --help
        curve                     curve --help
        plan                      plan --help
        report                    report --help
        generate                  generate --help
        generate-completions      generate completions --help
        generate-man              generate man --help
        ",
    );
    group.end();
}

#[test]
fn generated() {
    let mut group = Group::new("generate");
    group.calls(
        "
        bash  generate completions bash
        man   generate man man
        ",
    );
    for page in ["fiesta", "fiesta-belief"] {
        let text = group.bench.text(&format!("man/{page}.1"));
        group.text(page, &text);
    }
    group.end();
}

/// Tests the figure of each analysis that draws one, in each format.
#[test]
fn figures() {
    let mut group = Group::new("figures");
    group.calls(
        "
        belief    belief scores.csv -o belief.svg
        compare   compare scores.csv -o compare.svg
        curve     curve scores.csv -o curve.pdf
        simulate  simulate --gaussian 0.65:0.03,0.63:0.03 --budget 6,12,24 --runs 50 -o figures/success.svg
        refused   belief scores.csv -o belief.jpg
        ",
    );
    for (file, begins) in [
        ("belief.svg", "<svg "),
        ("compare.svg", "<svg "),
        ("curve.pdf", "%PDF"),
        ("figures/success.svg", "<svg "),
    ] {
        let bytes = std::fs::read(group.bench.path(file)).unwrap();
        assert!(bytes.starts_with(begins.as_bytes()), "{file}");
    }
    group.end();
}
