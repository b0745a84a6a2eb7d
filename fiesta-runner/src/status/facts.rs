//! Facts of a study for its status and its report, from its file and its history.

use super::benchmarks::benchmarks;
use super::trace::{BeliefTrace, ended_by};
use crate::{
    answers::PAID_BEFORE,
    controller::{has_measured_cost, reports_cost},
    history::{Check, History, HistoryError, IdenticalScores, Record},
    ledger::{Entry, Ledger},
    study::{Items, Study},
};
use fiesta_core::{ArmId, Case, Conclusion, Marginal, Outcome, Posterior, Reason, finest};
use fiesta_policies::{
    gate::Limit,
    stopping::{RULES, assumption},
};
use fiesta_posterior::{lead, leads};
use fiesta_report::{
    CostUnit,
    analysis::gate::{
        ConstrainedQuantity, GateConstraint, GateDrift, GateFacts, GateVerdict, VersionFacts,
    },
    analysis::study::{
        ArmFacts, BeliefPath, EvaluationFacts, ExtensionFacts, LostAttempts, SearchFacts,
        SearchWinnerFacts, StudyBackground, StudyFacts,
    },
    cost_with_unit,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Returns the facts of a study with this history, without those that only a report needs.
pub fn facts(study: &Study, history: &History) -> StudyFacts {
    let view = history.selector.view();
    let belief = view
        .belief()
        .map(|own| match history.selector.posterior().finer() {
            Some(_) => printed(history).belief_of_top(view.top(), view.candidates(), None),
            None => own.clone(),
        });
    let mut facts = StudyFacts {
        belief,
        ..facts_now(study, history)
    };
    let drift = drift(study, history, &facts);
    if let Some(gate) = &mut facts.gate {
        facts
            .notes
            .extend({ drift.iter() }.flat_map(|drift| drift.sentences(gate.threshold)));
        gate.drift = drift;
    }
    facts
}

/// Returns the posterior whose numbers are shown: the study's own, with enough draws for its error.
fn printed(history: &History) -> &dyn Posterior {
    finest(history.selector.posterior())
}

/// Returns the facts of a study with the belief that the study itself uses, at no extra time. The
/// belief's error is larger than in [`facts`].
pub(super) fn facts_now(study: &Study, history: &History) -> StudyFacts {
    let view = history.selector.view();
    let arms = || study.arms().ids();
    let search = study.search().map(|search| SearchFacts {
        trials: search.trials(),
        spaces: arms().map(|arm| search.space(arm).clone()).collect(),
    });
    let cap = study.limits().evaluations;
    let records = history.records.values();
    let mut facts = StudyFacts {
        name: study.name().to_owned(),
        metric: study.metric().clone(),
        f_beta: study.f_beta(),
        of_mean_f: study.is_of_mean_f(),
        design: study.design,
        noun: study.items().map_or("split", |items| items.key().noun()),
        splits: study.splits(),
        repeats: study.repeats(),
        uses_splits_again: study.uses_splits_again(),
        items_target: study.target(),
        items: study
            .items()
            .filter(|items| items.strata().is_some())
            .map(|items| items.facts(false))
            .unwrap_or_default(),
        strata: study.items().and_then(Items::strata).map(str::to_owned),
        cost_unit: cost_unit(study, history),
        policy: study.policy().to_owned(),
        stopping: study.stopping().to_owned(),
        posterior: study.posterior().to_owned(),
        confidence: study.confidence(),
        top: study.top(),
        cheapest_within: study.cheapest_within(),
        gate: gate(study, history),
        default_cap: cap.filter(|_| study.capped_by_default()),
        arms: arms().map(|arm| of_arm(study, history, arm)).collect(),
        evaluations: records.map(|record| of_record(study, record)).collect(),
        belief: view.belief().cloned(),
        empirical_best: view.empirical_best(),
        conclusion: conclusion(study, history),
        ended: view.total_ended(),
        recorded: view.total_recorded(),
        extensions: extensions(history),
        search,
        search_winner: search_winner(study, history),
        benchmarks: benchmarks(study, history),
        notes: IdenticalScores::of(history).notices(study),
        background: StudyBackground::default(),
    };
    facts.notes.extend(history.two_scales(study));
    facts.notes.extend(facts.doubt());
    facts.notes.extend(earlier_rules(history));
    facts.notes.extend(study.note_of_posterior());
    let paid = paid_before(history);
    facts.notes.extend(paid);
    let winner = facts.search_winner_words();
    facts.notes.extend(winner);
    let of_benchmarks = facts.words_of_benchmarks();
    facts.notes.extend(of_benchmarks);
    facts
}

/// Returns the conclusion of a study. Where the cheapest arm that is good enough is sought and not named, P(best) of an arm
/// is no probability of it.
fn conclusion(study: &Study, history: &History) -> Option<Conclusion> {
    let mut conclusion = history.selector.conclusion().cloned()?;
    let is_named = matches!(conclusion.reason, Reason::CheapestWithin { .. });
    if study.cheapest_within().is_some() && !is_named {
        conclusion.probability = None;
    }
    Some(conclusion)
}

/// Returns the facts of a study with what only a report says: where things are, on which machines
/// the study ran, the posteriors of means and differences, and how the belief came about.
///
/// # Errors
/// [`HistoryError`] if the ledger cannot be read or replayed.
pub fn report_facts(study: &Study, history: &History) -> Result<StudyFacts, HistoryError> {
    let left = Ledger::read_what_is_left(&study.state_directory())?;
    let entries: Vec<Entry> = left.entries.into_iter().map(|(_, entry)| entry).collect();
    let table = &study.fingerprint["report"];
    let given = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
    let view = history.selector.view();
    let is_search = study.search().is_some();
    let believed = || study.arms().ids().filter(|_| !is_search);
    let printed = printed(history);
    let leads = leads(printed, &believed().collect::<Vec<_>>());
    let limit = study.limits().evaluations;
    let made = view.total_ended() - view.total_recorded();
    let facts = facts(study, history);
    let hosts = hosts(&entries);
    let belief_path = if is_search || !history.damage.is_empty() {
        BeliefPath::default()
    } else {
        let path = belief_path(study, history, entries)?;
        path.ending(facts.belief.as_ref())
    };
    let background = StudyBackground {
        evaluations_left: limit.map(|limit| limit.saturating_sub(made)),
        tolerance: study.tolerance(),
        order: match study.items() {
            Some(items) if items.strata().is_none() => view.pool().to_vec(),
            _ => Vec::new(),
        },
        seed: study.seed(),
        digest: study.digest(),
        code: given("code"),
        data: given("data"),
        validation_metric: given("validation_metric"),
        selection_criterion: given("selection_criterion"),
        parallel: study.parallel,
        hosts,
        engine: study.engine_name(),
        means: believed().map(|arm| printed.marginal(arm)).collect(),
        leads,
        belief_path,
    };
    let items = study.items().map(|items| items.facts(true));
    Ok(StudyFacts {
        background,
        items: items.unwrap_or_default(),
        ..facts
    })
}

/// Returns the unit of a study's costs. `None` if results report costs without a named unit, or the
/// unit was named after times had been measured.
pub fn cost_unit(study: &Study, history: &History) -> Option<CostUnit> {
    let unit = study.cost_unit()?;
    let mut records = history.records.values();
    let is_of_all = match unit {
        CostUnit::Named(_) => !records.any(|record| has_measured_cost(study, record)),
        _ => !records.any(|record| reports_cost(study, record)),
    };
    is_of_all.then_some(unit)
}

/// How the arms of a gate stand against its baseline; `None` if the study is no gate.
fn gate(study: &Study, history: &History) -> Option<GateFacts> {
    let question = study.terms.gate?;
    let view = history.selector.view();
    let is_shown = |one, other| view.evidence(one, other) == Some(f64::INFINITY);
    let baseline = question.baseline;
    let versions = study.arms().ids().filter(|&arm| arm != baseline);
    let verdict = |is_met: Option<bool>| match is_met {
        Some(true) => GateVerdict::Ships,
        Some(false) => GateVerdict::Blocked,
        None => GateVerdict::Undecided,
    };
    let constraints = |arm| {
        let all = (1..).zip(study.constraints());
        let all = all.filter_map(move |(number, own)| {
            let found = view.demand(arm, number)?;
            Some(GateConstraint {
                measure: own.measure.clone(),
                constraint: own.met.clone(),
                contrary: own.not_met.clone(),
                verdict: verdict(found.is_met),
                quantity: match own.constraint.limit {
                    Limit::Share { .. } => ConstrainedQuantity::Share,
                    Limit::Mean { .. } => ConstrainedQuantity::Mean,
                    Limit::OfBaseline { .. } => ConstrainedQuantity::Excess,
                },
                value: found.mean,
                lower: found.interval.map(|ends| ends.0),
                upper: found.interval.map(|ends| ends.1),
                evaluations: found.count,
            })
        });
        all.collect()
    };
    let versions = versions.map(|arm| VersionFacts {
        arm,
        score: verdict(view.demand(arm, 0).and_then(|found| found.is_met)),
        constraints: constraints(arm),
        verdict: match (is_shown(arm, baseline), is_shown(baseline, arm)) {
            (true, _) => GateVerdict::Ships,
            (false, true) => GateVerdict::Blocked,
            (false, false) => GateVerdict::Undecided,
        },
        interval: view.interval(arm, baseline),
    });
    Some(GateFacts {
        baseline,
        threshold: question.threshold,
        in_sd: question.in_sd,
        confidence: study.confidence()?,
        assumes: assumption(study.stopping()).unwrap_or_default(),
        until_first: question.until_first,
        fewest_items: study.fewest_items(),
        versions: versions.collect(),
        drift: None,
    })
}

/// How far the version that a gate recommends has drifted from the anchor of its kept baseline. `None` as long
/// as the baseline is the anchor and nothing ships.
fn drift(study: &Study, history: &History, facts: &StudyFacts) -> Option<GateDrift> {
    let baseline = facts.gate.as_ref()?.baseline;
    let kept = study.kept_baseline()?;
    let conclusion = history.selector.conclusion();
    let arm = conclusion.map_or(baseline, |conclusion| conclusion.arm);
    let [anchor, since] = kept.anchor();
    let shipped = (arm != baseline).then_some([baseline, arm]);
    let (gates, sum) = kept.gates(study, history, shipped);
    (gates > 0).then(|| {
        let pairs = kept.beside_anchor(study, history, arm);
        let names = [anchor, study.arms().name(arm)];
        let error = 1.0 - study.confidence().unwrap_or_default();
        let found = (pairs.as_slice(), facts.noun);
        GateDrift::new(names, since, (gates, sum), found, study.metric(), error)
    })
}

/// Returns the winner of the search whose best settings are the arms. `None` if the file names none.
fn search_winner(study: &Study, history: &History) -> Option<SearchWinnerFacts> {
    let winner = study.search_winner()?;
    let better = |default| lead(history.selector.posterior(), default, winner.arm);
    Some(SearchWinnerFacts {
        arm: winner.arm,
        score: winner.score,
        first: winner.first,
        default: winner.default,
        default_better: winner.default.and_then(better).map(|lead| lead.better),
    })
}

/// Returns the note that other rules than this program's concluded the study. `None` otherwise.
fn earlier_rules(history: &History) -> Option<String> {
    let conclusion = history.selector.conclusion()?;
    let is_of_rule = !matches!(
        conclusion.reason,
        Reason::Limit(_) | Reason::Schedule | Reason::Exhausted | Reason::OnlyCandidate
    );
    (is_of_rule && history.rules != Some(RULES)).then(|| {
        let version = match history.rules {
            Some(version) => format!("version {version} of the stopping rules"),
            None => "an earlier version of the stopping rules".to_owned(),
        };
        format!(
            "This study was decided by {version}; this program has version {RULES}, which may err less often and may have gone on. The conclusion stands as it was made; P(best) and intervals are this program's."
        )
    })
}

/// Returns a note on answers from the cache: number and cost. `None` if there are none.
fn paid_before(history: &History) -> Option<String> {
    let endings = history
        .records
        .values()
        .filter_map(|record| record.ending.as_ref());
    let paid = endings.filter_map(|ending| ending.extras.get(PAID_BEFORE));
    let (mut count, mut costs) = (0_u64, BTreeMap::<Option<&str>, f64>::new());
    for paid in paid {
        count += 1;
        *costs.entry(paid["unit"].as_str()).or_default() += paid["cost"].as_f64().unwrap_or(0.0);
    }
    let (s, were) = if count == 1 {
        ("", "was")
    } else {
        ("s", "were")
    };
    let shown = costs.iter().map(|(unit, cost)| {
        let unit = unit.map(CostUnit::of_name);
        cost_with_unit(*cost, unit.as_ref())
    });
    let shown: Vec<String> = shown.collect();
    (count > 0).then(|| {
        format!(
            "{count} answer{s} {were} paid for before and came from the cache: {} when given, which is not in this study's cost.",
            shown.join(" and ")
        )
    })
}

fn of_arm(study: &Study, history: &History, arm: ArmId) -> ArmFacts {
    let view = history.selector.view();
    ArmFacts {
        name: study.arms().name(arm).to_owned(),
        failed: view.failed(arm),
        cost: view.spent(arm),
        retired: !view.candidates().contains(&arm),
        of_pool: over_pool(study, history, arm),
        program: study.program(arm).map(ToOwned::to_owned),
        gpus: study.gpus_per_job(arm).map(|gpus| gpus.to_string()),
        cost_is_given: study.cost(arm).is_some(),
        names_no_case: study.names_no_case(arm),
    }
}

/// Returns the posterior of an arm's mean over the pool, and the share of items that it answered.
fn over_pool(study: &Study, history: &History, arm: ArmId) -> Option<(Marginal, f64)> {
    let view = history.selector.view();
    let items = study.items().filter(|_| study.is_over_items())?;
    let answered = if study.repeats() {
        answered(history, arm)
    } else {
        view.observed(arm)
    };
    let share = answered as f64 / items.len() as f64;
    Some((view.marginal(arm)?, share))
}

/// Returns the number of different items that an arm has answered.
fn answered(history: &History, arm: ArmId) -> u64 {
    let records = history.records.values();
    let of_arm = records.filter(|record| record.evaluation.arm == arm);
    let is_answer = |record: &&Record| {
        let ending = record.ending.as_ref();
        ending.is_some_and(|ending| matches!(ending.outcome, Outcome::Observed(_)))
    };
    let items = of_arm.filter(is_answer);
    let items: HashSet<u64> = items.map(|record| record.evaluation.case.split).collect();
    items.len() as u64
}

fn of_record(study: &Study, record: &Record) -> EvaluationFacts {
    let lost = record.all_lost();
    let case = record.evaluation.case;
    EvaluationFacts {
        number: record.evaluation.id.0 + 1,
        arm: record.evaluation.arm,
        case: Case {
            split: case.split.saturating_add(study.first_split()),
            ..case
        },
        setting: record.setting.clone(),
        outcome: record.ending.as_ref().map(|ending| ending.outcome),
        cost: record.cost(),
        seconds: record.seconds(),
        lost: LostAttempts {
            attempts: lost.attempts,
            cost: lost.spent.cost,
            seconds: lost.spent.seconds,
        },
        recorded: record.origin.is_some(),
        turn: record.turn,
    }
}

fn extensions(history: &History) -> Vec<ExtensionFacts> {
    let extensions = history.extensions.iter();
    let facts = extensions.map(|extension| ExtensionFacts {
        evaluations: extension.evaluations,
        arms: extension.arms.clone(),
        reinstated: extension.reinstated.clone(),
        set_aside: extension.set_aside.clone(),
        asserted: extension
            .asserted
            .iter()
            .map(|own| own.change.clone())
            .collect(),
        had_ended: extension.conclusion.is_some(),
    });
    facts.collect()
}

/// Returns the machines on which the study ran.
fn hosts(entries: &[Entry]) -> Vec<String> {
    let hosts = entries.iter().filter_map(|entry| match entry {
        Entry::Opened(session) => Some(match &session.machine {
            Some(machine) if !machine.is_empty() => format!("{} ({machine})", session.host),
            _ => session.host.clone(),
        }),
        _ => None,
    });
    hosts.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Computes the belief after each evaluation in the ledger, or after a selection of them.
fn belief_path(
    study: &Study,
    now: &History,
    entries: Vec<Entry>,
) -> Result<BeliefPath, HistoryError> {
    let counts = |entry: &Entry| ended_by(entry).is_some_and(|(_, counts)| counts);
    let arms = study.arms().len();
    let mut trace = BeliefTrace::of(entries.iter().filter(|entry| counts(entry)).count());
    let mut history = History::begin(study)?;
    for entry in entries {
        let is_counted = counts(&entry);
        history.take(study, entry, Check::Nothing)?;
        if is_counted {
            trace.count();
            trace.note(&history.selector.view(), arms);
        }
    }
    // The last point is what is known now, also where the study file asks for something else than
    // the ledger's last session did.
    Ok(trace.path(&now.selector.view(), arms))
}
