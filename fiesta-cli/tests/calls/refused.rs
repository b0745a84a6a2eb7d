//! Calls that the program refuses, with its messages.

use crate::snapshot::Group;

#[test]
fn refused() {
    let mut group = Group::new("refused");
    group.calls(
        "
        verb                    beleif scores.csv
        flag                    belief scores.csv --minimise
        missing-file            belief nothing.csv
        missing-study           run nothing.toml
        never-run               status gaussian.toml
        unknown-arm             belief scores.csv --arms high,lwo
        unknown-metric          belief scores.csv --metric scroe
        unknown-posterior       belief scores.csv --posterior pared
        unknown-policy          simulate scores.csv --policy tpts
        unknown-stopping        simulate scores.csv --stopping posteriors
        no-score                belief unfit.csv
        out-of-bounds           belief outside.csv --bounds 0,1
        unknown-clusters        belief answers.csv --metric accuracy --clusters topic
        clusters-without-items  belief scores.csv --clusters split
        one-arm                 belief one.csv
        one-arm-simulated       simulate one.csv
        all-equal               belief equal.csv
        paired-rows-and-splits  belief scores.csv --paired-rows
        counts-as-scores        belief counts.csv
        scores-as-counts        belief scores.csv --counts
        logit-of-zeros          belief bits.csv --logit
        seed-of-paired          belief scores.csv --method monte-carlo --draws 2000
        failed-trials           curve failed.csv
        confidence              simulate scores.csv --confidence 1.5
        nothing-to-plan         plan
        unknown-tool            import scores.csv --from sacred
        study-key               run unknown-key.toml
        study-placeholder       run unknown-arm.toml
        study-one-arm           run broken.toml
        study-retry             run gaussian.toml --retry hihg
        log-of-nothing          log gaussian.toml 0
        bounds-of-study         curve gaussian.toml --bounds 0,1
        budget-and-tolerance    simulate scores.csv --budget 12 --tolerance 0.01
        no-splits               simulate losses.csv --metric loss
        man-in-a-file           generate man scores.csv
        report-figures          report scores.csv --formats gif
        ",
    );
    group.end();
}
