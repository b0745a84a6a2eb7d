//! Calls on scores, counts and trials that exist already.

use crate::{data, snapshot::Group};

#[test]
fn belief() {
    let mut group = Group::new("belief");
    group.both(
        "
        shared-splits   belief scores.csv
        json-lines      belief results.jsonl --metric macro_f1
        uniform         belief scores.json --posterior uniform --direction maximize
        paired-rows     belief results.jsonl --metric macro_f1 --paired-rows
        wide            belief wide.csv --arms high,low --bounds 0,1 --direction maximize
        wide-unsaid     belief wide.csv
        ties            belief ties.csv --posterior pooled
        bits            belief bits.csv --bounds 0,1
        logit           belief bits.csv --logit=0.05
        losses          belief losses.csv --metric loss --minimize --posterior pooled --method monte-carlo --draws 2000
        counts          belief counts.csv --counts --draws 200
        counts-shared   belief counts.csv --counts --alpha shared --f-beta 2 --draws 200 --seed 3
        counts-prior    belief counts.csv --counts --theta0 4,1,4,1 --alpha0 5 --precision-weight 0.3 --draws 200
        counts-pooled   belief counts.csv --counts --posterior pooled
        items           belief answers.csv --metric accuracy
        clusters        belief answers.csv --metric accuracy --clusters passage --arms medium,large
        standard-input  belief - --posterior jeffreys < scores.csv
        ",
    );
    group.end();
}

#[test]
fn compare() {
    let mut group = Group::new("compare");
    group.both(
        "
        pairs        compare scores.csv
        two          compare scores.csv --arms mid,high --tolerance 0.02
        items        compare answers.csv --metric accuracy
        ties         compare ties.csv --paired-rows --tolerance 0.01
        losses       compare losses.csv --metric loss --minimize --confidence 0.9
        wide-unsaid  compare wide.csv
        one          compare one.csv
        ",
    );
    group.end();
}

#[test]
fn gate() {
    let mut group = Group::new("gate");
    group.both(
        "
        no-margin    gate answers.csv --metric accuracy --baseline medium
        few          gate answers.csv --metric accuracy --baseline medium --margin 0.1 --clusters passage
        these-items  gate answers.csv --metric accuracy --baseline medium --arms medium,large --margin 0.1 --target these-items
        ",
    );
    group.end();
}

#[test]
fn simulate() {
    let mut group = Group::new("simulate");
    group.both(
        "
        recorded     simulate scores.csv --runs 10 --confidence 0.9,0.8
        independent  simulate scores.csv --splits independent --policy bts --batch 4 --runs 10
        gaussian     simulate --gaussian 0.65:0.03,0.63:0.03 --parallel 4 --durations exponential --runs 10
        budget       simulate scores.csv --policy sequential-halving --extended --budget 12,24 --runs 50
        bits         simulate bits.csv --stopping anytime --posterior pooled --runs 5
        losses       simulate losses.csv --metric loss --minimize --policy t3c --tie-break balanced --paired-rows --runs 10 --seed 4
        counts       simulate counts.csv --counts --runs 5 --min-documents 4
        wide         simulate wide.csv --direction maximize --runs 10 --policy uniform --cap 20 --tolerance 0.01
        ",
    );
    group.call("list", "simulate --list");
    group.end();
}

#[test]
fn plan() {
    let mut group = Group::new("plan");
    group.both(
        "
        gap       plan --arms 4 --gap 0.03 --sd 0.03 --split-sd 0.02 --runs 20
        pilot     plan scores.csv --runs 10 --cost-per-evaluation 40m --parallel 4
        gaussian  plan --gaussian 0.65:0.03,0.6:0.03 --splits independent --confidence 0.95,0.8 --runs 10
        bits      plan bits.csv --runs 5 --cap 40 --power 0.9
        ",
    );
    group.end();
}

#[test]
fn curve() {
    let mut group = Group::new("curve");
    data::copy_foreign(&group.bench);
    group.both(
        "
        medians          curve trials.csv
        means            curve trials.csv --bounds 0,1 --reach 0.65,0.7 --time
        one-arm          curve trials.csv --arms forest --bands dkw --band-of median
        highest-density  curve trials.csv --bounds 0,1 --bands highest-density --max-n 20 --confidence 0.9
        unbiased         curve trials.csv --estimator unbiased --max-n 5 --bands none
        failed-worst     curve failed.csv --failed worst
        failed-drop      curve failed.csv --failed drop --minimize --bands ks
        allentune        curve allentune.jsonl --metric best_validation_accuracy
        choices          curve optuna_5_0.db --study lstm
        choice           curve failed.csv
        ",
    );
    group.end();
}

#[test]
fn import_and_export() {
    let mut group = Group::new("import-export");
    data::copy_foreign(&group.bench);
    group.calls(
        "
        allentune           import allentune.jsonl --metric best_validation_accuracy
        allentune-earlier   import allentune_earlier.jsonl --metric best_validation_accuracy
        mlflow-page         import mlflow_page.csv --metric val_ll
        mlflow-search-runs  import mlflow_search_runs.csv --metric val_acc --format jsonl
        wandb               import wandb_page.csv --metric val_acc --missing fail
        wandb-undecided     import wandb_page.csv --metric val_loss
        optuna-2-10         import optuna_2_10.db --pruned score --missing fail
        optuna-5-0          import optuna_5_0.db --pruned drop --missing drop --study lstm --format jsonl
        optuna-undecided    import optuna_5_0.db
        standard-input      import - --from wandb --metric val_acc --missing drop < wandb_page.csv
        lm-eval             import logs/lm_eval/org__large/samples_colours_2026-11-23T03-39-12.490047.jsonl logs/lm_eval/org__small/samples_colours_2026-11-23T03-39-25.340112.jsonl --metric acc
        lm-eval-undecided   import logs/lm_eval/org__large/samples_sums_2026-11-23T03-39-12.490047.jsonl
        lm-eval-filter      import logs/lm_eval/org__large/samples_sums_2026-11-23T03-39-12.490047.jsonl --filter any --arm mine --format jsonl
        inspect             import logs/inspect/large.eval logs/inspect/small.eval --format csv
        inspect-epochs      import logs/inspect/epochs.json --metric close
        inspect-arms        import logs/inspect/large.eval logs/inspect/small.eval --arm mine
        promptfoo           import logs/promptfoo/sums.json
        promptfoo-input     import - < logs/promptfoo/repeated.json
        several-tools       import logs/promptfoo/sums.json logs/inspect/large.eval
        several-of-one      import wandb_page.csv wandb_page.csv --metric val_acc
        export-csv          export scores.json
        export-jsonl        export scores.csv --format jsonl --arms high,low
        export-wide         export wide.csv
        export-file         export trials.csv -o trials.jsonl
        ",
    );
    let written = group.bench.text("trials.jsonl");
    group.text("export-file-written", &written);
    group.end();
}
