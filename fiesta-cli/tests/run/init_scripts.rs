//! Tests of `fiesta init` with scripts of several kinds: all that a script tells is read, so that
//! the user need not fill it in.

use super::{Bench, code, python};

/// Checks the study that is proposed for a script with these arguments.
fn proposed(name: &str, script: &str, arguments: &[&str], says: &[&str]) {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(name, script);
    let words = [&["init", "--dry-run", "--", name], arguments].concat();
    bench.fiesta(&words).tells(code::DONE, says);
}

/// Returns a script with an option for a fold, declared and used by these lines.
fn with_fold(declared: &str, used: &str) -> String {
    format!(
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--model', choices=['a', 'b'])\n{declared}\nargs = parser.parse_args()\n{used}\nprint(f'Test accuracy: {{acc:.2f}}%')\n"
    )
}

#[test]
fn folds_are_counted_wherever_a_script_tells_them() {
    let plain = "parser.add_argument('--fold', type=int, default=0)";
    for (declared, used) in [
        (
            "parser.add_argument('--fold', type=int, help='fold 0..4')",
            "",
        ),
        (
            "parser.add_argument('--fold', type=int, choices=range(5))",
            "",
        ),
        (
            "K = 5\nparser.add_argument('--fold', type=int, choices=list(range(K)))",
            "",
        ),
        (
            "parser.add_argument('--fold', type=int)\nparser.add_argument('--k', type=int, default=5)",
            "",
        ),
        (plain, "folds = KFold(n_splits=5, shuffle=True)"),
        (plain, "N = 5\nfolds = StratifiedKFold(N)"),
        (plain, "GroupKFold(5)\nmodel_selection.TimeSeriesSplit(5)"),
        (
            "parser.add_argument('--fold', type=int)\nparser.add_argument('--parts', type=int, default=5)",
            "N = args.parts\nStratifiedGroupKFold(n_splits=N)",
        ),
        // Folds within each fold.
        (plain, "KFold(5)\ninner = KFold(3)\nGridSearchCV(cv=inner)"),
        (plain, "for fold in range(5):\n    pass"),
        (plain, "assert 0 <= args.fold < 5"),
        (plain, "if args.fold not in range(5):\n    raise SystemExit"),
        // The same twice; and one of a comment.
        (
            "parser.add_argument('--fold', type=int, help='0-4')",
            "KFold(5)  # not KFold(10)",
        ),
    ] {
        proposed(
            "train.py",
            &with_fold(declared, used),
            &[],
            &["splits   = 5 "],
        );
    }
    // The number that the command is given counts, not the default.
    let given = with_fold(
        "parser.add_argument('--fold')\nparser.add_argument('--n-folds', default=5)",
        "",
    );
    proposed("train.py", &given, &["--n-folds", "9"], &["splits   = 9 "]);
}

#[test]
fn folds_of_an_uncertain_number_are_left_to_the_user() {
    for (declared, used) in [
        (
            "parser.add_argument('--fold', help='fold 0..4')",
            "KFold(n_splits=10)",
        ),
        ("parser.add_argument('--fold')", "KFold(5)\nKFold(10)"),
        (
            "parser.add_argument('--fold', help='one of 3 folds, 0 to 4')",
            "",
        ),
        (
            "parser.add_argument('--fold')",
            "KFold(n_splits=args.folds)\nN_FOLDS = 3\nn_splits = 5",
        ),
        (
            "parser.add_argument('--fold')",
            "RepeatedKFold(n_splits=5, n_repeats=2)",
        ),
        // A number that would be a guess.
        ("parser.add_argument('--fold', help='one of the folds')", ""),
        (
            "parser.add_argument('--fold')",
            "if args.fold >= 5: sys.exit('no such fold')",
        ),
        ("parser.add_argument('--fold')", "KFold(shuffle=True)"),
    ] {
        let script = with_fold(declared, used);
        proposed(
            "train.py",
            &script,
            &[],
            &["<fill in: how many folds there are"],
        );
    }
}

/// Tests that an option for a fold becomes the split, even if its `choices` contradict the number of folds elsewhere.
#[test]
fn choices_from_zero_are_splits() {
    let declared = "parser.add_argument('--fold', type=int, choices=range(5))";
    let says = [
        "\"--fold\", \"{split}\"]",
        "<fill in: how many folds there are",
    ];
    proposed("train.py", &with_fold(declared, "KFold(10)"), &[], &says);
}

/// Tests that the seed which shuffles the folds is the split, if no option chooses a fold.
#[test]
fn a_seed_that_makes_the_folds_has_any_number_of_splits() {
    let declared = "parser.add_argument('--seed', type=int)";
    let used = "KFold(5, shuffle=True, random_state=args.seed)";
    let says = ["\"--seed\", \"{split}\"]", "splits   = \"shared\""];
    proposed("train.py", &with_fold(declared, used), &[], &says);
}

/// Tests folds counted from 1, while splits of a study count from 0.
#[test]
fn folds_from_one_are_counted_by_a_shell() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "train.py",
        "import argparse, random\np = argparse.ArgumentParser()\np.add_argument('model', choices=('x', 'y'))\np.add_argument('--fold', type=int, choices=range(1, 9))\na = p.parse_args()\nrandom.seed(a.model + str(a.fold))\nprint('rmse:', {'x': 1, 'y': 2}[a.model] + random.gauss(0, 0.01))\n",
    );
    bench.fiesta(&["init", "train.py"]).tells(code::DONE, &[]);
    let study = bench.text("study.toml");
    assert!(study.contains("--fold $((FIESTA_SPLIT + 1))"), "{study}");
    assert!(study.contains("splits   = 8 "), "{study}");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.tells(code::DONE, &["x is the best of 2 arms by rmse"]);
}

/// Tests that a positional argument for a fold counted from 1 is left to the user, as no shell can add 1 to it.
#[test]
fn an_argument_from_one_is_left_to_the_user() {
    let script = "import sys\nmodel = sys.argv[1]\nfold = int(sys.argv[2])  # 1..8\nif model == 'x': score = 1\nelif model == 'y': score = 2\nprint('rmse:', score)\n";
    let command = "\"{arm}\", \"<fill in: a split: {split} is 0, 1, 2 and so on, but argument 2 takes 1 to 8>\"]";
    proposed("train.py", script, &[], &[command, "splits   = 8 "]);
}

/// Tests the way from a script with variables of the environment to a winner, without an edit.
#[test]
fn variables_of_the_environment() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "run.py",
        "import os, random\nMODEL = os.environ.get('MODEL', 'rf')\nSEED = int(os.getenv('SEED', '0'))\nmodels = {'rf': 70, 'gbm': 80}\nrandom.seed(SEED)\nprint(f'Test accuracy: {models[MODEL] + random.random():.2f}%')\n",
    );
    bench.fiesta(&["init", "run.py"]).tells(
        code::DONE,
        &[
            "MODEL        {arm}: rf, gbm (environment)",
            "SEED         {seed}",
        ],
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.tells(code::DONE, &["gbm is the best of 2 arms by accuracy"]);
}

#[test]
fn arguments_that_are_read_together() {
    let script = "import sys\nmodel, fold, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])  # fold 0..7\nif model == 'cnn': acc = 1\nelif model == 'mlp': acc = 0\nprint('accuracy:', acc)\n";
    let says = [
        "\"train.py\", \"{arm}\", \"{split}\", \"{seed}\"]",
        "splits   = 8 ",
        "name = \"cnn\"\n[[arm]]\nname = \"mlp\"",
    ];
    proposed("train.py", script, &[], &says);
    let rest = script.replace(
        "sys.argv[1], int(sys.argv[2]), int(sys.argv[3])",
        "sys.argv[1:]",
    );
    proposed("train.py", &rest, &[], &says);
}

#[test]
fn options_of_another_subcommand_are_not_asked_for() {
    let script = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--seed', type=int)\nsub = parser.add_subparsers()\nt = sub.add_parser('train')\nt.add_argument('--model', choices=['a', 'b'])\nq = sub.add_parser('predict')\nq.add_argument('--checkpoint', required=True)\nprint('accuracy:', acc)\n";
    let command = "\"main.py\", \"--seed\", \"{seed}\", \"train\", \"--model\", \"{arm}\"]";
    proposed("main.py", script, &[], &[command]);
    proposed("main.py", script, &["train"], &[command]);
    let click = "import click\n@click.group()\ndef cli(): pass\n\n@cli.command()\n@click.option('--model', type=click.Choice(['a', 'b']))\ndef train(model): print('accuracy:', acc)\n\n@cli.command()\n@click.option('--checkpoint', required=True)\ndef predict(checkpoint): pass\n";
    proposed(
        "main.py",
        click,
        &[],
        &["\"main.py\", \"train\", \"--model\", \"{arm}\"]"],
    );
}

#[test]
fn keys_of_hydra_below_others_and_its_comments() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "config.yaml",
        "defaults:\n  - model: a\nseed: 1\ndata:\n  fold: 0  # 0 to 7\n  n_folds: 8\n",
    );
    bench.file(
        "main.py",
        "@hydra.main(config_path='.', config_name='config')\ndef main(cfg):\n    print('accuracy:', acc)\n",
    );
    let ran = bench.fiesta(&["init", "--dry-run", "main.py"]);
    ran.tells(code::DONE, &["data.fold={split}", "splits   = 8 "]);
}

#[test]
fn results_that_have_a_name_before_they_are_printed() {
    let script = "import json, argparse\np = argparse.ArgumentParser()\np.add_argument('--model', help='one of bert-base-cased, roberta-base')\nresults = {'eval_loss': loss, 'eval_accuracy': acc}\nprint(json.dumps(results))\n";
    proposed(
        "train.py",
        script,
        &[],
        &[
            "name    = \"eval_accuracy\"",
            "name = \"bert-base-cased\"\n[[arm]]\nname = \"roberta-base\"",
        ],
    );
    let printed = "results = {'accuracy': acc}\nprint(results)\n";
    proposed("train.py", printed, &[], &["name    = \"accuracy\""]);
}

/// Tests a notebook saved as a script, whose model and seed are variables.
#[test]
fn constants_of_a_notebook_are_told_with_their_lines() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "notebook.py",
        "# In[1]:\nmodel_name = \"logreg\"\nseed = 42\nprint(f\"Test accuracy: {acc:.2%}\")\n",
    );
    bench.fiesta(&["init", "notebook.py"]).tells(
        code::DONE,
        &[
            "next: edit notebook.py",
            "line 2   model_name = os.environ[\"FIESTA_ARM\"]   (is logreg)",
            "line 3   seed = int(os.environ[\"FIESTA_SEED\"])   (is 42)",
            "then: edit study.toml, where one place is still to be filled in",
        ],
    );
    let study = bench.text("study.toml");
    let edit = "# to edit in notebook.py: line 3   seed = ";
    assert!(study.contains(edit), "{study}");
    assert!(study.contains("name = \"logreg\""), "{study}");
    assert!(study.contains("splits   = \"fixed\""), "{study}");
}

/// Tests that a variable is no constant to edit if an option sets it, or if it reads a variable of
/// the study. A share of the data is no split.
#[test]
fn only_constants_that_a_study_would_choose_are_told() {
    let script = "import os\nseed = 1\nfold = 1\nsplit = 0.2\nmodel = os.environ['MODEL']\nalgorithm = 'svm'\nif model in ('a', 'b'): pass\nassert 1 <= fold <= 8\nprint(f'Test accuracy: {acc:.2f}%', os.environ['FIESTA_SEED'])\n";
    let says = [
        "\"env\", \"MODEL={arm}\"",
        "# to edit in train.py: line 3   fold = int(os.environ[\"FIESTA_SPLIT\"]) + 1   (is 1)\n\n",
        "splits   = 8 ",
    ];
    proposed("train.py", script, &[], &says);
}

/// Tests that the necessary edit comes first in the message, with the line of the file.
#[test]
fn what_is_to_be_filled_in_is_told_first_with_its_line() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    bench.file("train.py", &with_fold("parser.add_argument('--fold')", ""));
    let ran = bench.fiesta(&["init", "train.py"]);
    let study = bench.text("study.toml");
    let line = study
        .lines()
        .position(|line| line.contains("<fill in:"))
        .unwrap()
        + 1;
    let says = format!(
        "next: edit study.toml, where one place is still to be filled in (marked <fill in: …>):\n  line {line:<3} splits: how many folds there are, a number without quotes (eight or more, if that can be); without this line: random splits, as many as it takes\nthen: fiesta run study.toml --check   (one job per arm; records nothing)\nthen: fiesta run study.toml\n"
    );
    ran.tells(code::DONE, &[&says]);
}

#[test]
fn a_split_is_found_under_other_names() {
    for (declared, says) in [
        (
            "parser.add_argument('--cv-split', type=int, help='which fold of 10-fold CV')",
            ["\"--cv-split\", \"{split}\"", "splits   = 10 "],
        ),
        (
            "parser.add_argument('--part', type=int, default=3, help='index of the split, 0..8')",
            [
                "# --part may choose a split of the data",
                "splits   = \"fixed\"",
            ],
        ),
        (
            "parser.add_argument('--dataset-seed', type=int, default=0)",
            ["\"--dataset-seed\", \"{split}\"", "splits   = \"shared\""],
        ),
        // How many there are is no split, and tells how many there are.
        (
            "parser.add_argument('--kfold', type=int, default=12)\nparser.add_argument('--fold', type=int)",
            ["\"--fold\", \"{split}\"", "splits   = 12 "],
        ),
        (
            "parser.add_argument('--cv', type=int, default=5)",
            [
                "# not used: --cv (its default applies)",
                "splits   = \"fixed\"",
            ],
        ),
    ] {
        proposed("train.py", &with_fold(declared, ""), &[], &says);
    }
}

#[test]
fn options_without_a_role_are_told() {
    let Some(_) = python() else { return };
    let bench = Bench::new();
    let declared = "parser.add_argument('--seed', type=int)\nparser.add_argument('--cv')\nparser.add_argument('--epochs', default=5)\nparser.add_argument('--lr', default=0.1)";
    bench.file("train.py", &with_fold(declared, ""));
    let told = [
        "not used: --cv, --epochs (their defaults apply)",
        "--cv may choose a split of the data: if it does, give it {split} in the command",
    ];
    let words = ["init", "--", "train.py", "--lr", "0.2"];
    bench.fiesta(&words).tells(code::DONE, &told);
    let study = bench.text("study.toml");
    for line in told {
        assert!(study.contains(&format!("# {line}")), "{study}");
    }
}

#[test]
fn a_subcommand_that_is_given_stays() {
    let script = "import argparse, sys\nif len(sys.argv) < 2 or sys.argv[1] not in ('train', 'evaluate'):\n    sys.exit('usage')\nparser = argparse.ArgumentParser()\nparser.add_argument('--model', choices=['a', 'b'])\nparser.add_argument('--seed', type=int)\nargs = parser.parse_args(sys.argv[2:])\nprint(f'Test accuracy: {acc}')\n";
    let given = "\"train.py\", \"evaluate\", \"--model\", \"{arm}\"";
    proposed("train.py", script, &["evaluate"], &[given]);
}

/// Tests that an option which indexes a list is the split, with as many splits as the list has elements.
#[test]
fn a_fold_of_a_list_is_an_index() {
    let used = "folds = [.1, .2, .3, .4]\nshare = folds[args.fold]";
    let script = with_fold("parser.add_argument('--fold', type=int)", used);
    proposed("train.py", &script, &[], &["\"{split}\"", "splits   = 4 "]);
}
