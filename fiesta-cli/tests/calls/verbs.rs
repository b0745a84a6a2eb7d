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
        battery                   battery --help
        report                    report --help
        reproduce                 reproduce --help
        reproduce-fiesta          reproduce fiesta --help
        reproduce-haffari         reproduce haffari --help
        reproduce-show-your-work  reproduce show-your-work --help
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

#[test]
fn battery() {
    let mut group = Group::new("battery");
    group.both(
        "
        two  battery --family two-1 --runs 5 --seed 3 --parallel 1,4 --policy ttps,uniform --oracle
        ",
    );
    group.calls(
        "
        list      battery --list
        markdown  battery --family two-1 --runs 3 --stopping anytime --format markdown
        ",
    );
    group.end();
}

#[test]
fn reproduced() {
    let mut group = Group::new("reproduce");
    group.both(
        "
        fiesta          reproduce fiesta --runs 1 --seed 5
        haffari         reproduce haffari --runs 1 --alphas 1 --lengths 25 --policy ts --draws 50
        show-your-work  reproduce show-your-work
        ",
    );
    group.call(
        "synthetic",
        "reproduce fiesta --only synthetic --runs 1 --seed 2",
    );
    group.end();
}
