//! The help of every verb, and the verbs that read no results.

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
    std::fs::create_dir(group.bench.path("man")).unwrap();
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
