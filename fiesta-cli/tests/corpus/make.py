"""Writes every file of this corpus and corpus.tsv from one fixed seed: `python3 make.py` (numpy, scipy, and the program zstd).

Each function below makes the variants of one habit; `answered` computes what a right answer says, from the numbers as they are written.
"""

import csv
import gzip
import hashlib
import io
import json
import pickle
import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
from scipy import stats

HERE = Path(__file__).resolve().parent
DATA = [
    "harbour",
    "meadow",
    "quarry",
    "orchard",
    "lagoon",
    "summit",
    "prairie",
    "delta",
    "canyon",
    "tundra",
    "glacier",
    "marsh",
    "island",
    "valley",
    "forest",
    "steppe",
]
THINGS = [
    "kettle",
    "lantern",
    "ladder",
    "basket",
    "anchor",
    "saddle",
    "mirror",
    "whistle",
    "hammer",
    "compass",
    "blanket",
    "bottle",
    "drum",
    "needle",
    "shovel",
    "candle",
    "bucket",
    "thread",
    "wheel",
    "feather",
]
rows_of_corpus = []


# ---- scores ---------------------------------------------------------------------------------------------------------


def generator(name):
    """One stream of random numbers per case, so that a change of one case changes no other."""
    return np.random.default_rng(int(hashlib.sha256(f"corpus 1 {name}".encode()).hexdigest()[:12], 16))


def interval(kind, best, rival):
    """The lead of `best` and its 95 % interval; `best` and `rival` map keys to scores (or are (mean, standard error))."""
    if kind == "normal":
        lead = best[0] - rival[0]
        half = stats.norm.ppf(0.975) * np.hypot(best[1], rival[1])
    elif kind == "paired":
        shared = [key for key in best if key in rival]
        d = np.array([best[key] - rival[key] for key in shared])
        lead = d.mean()
        half = stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
    else:
        a, b = np.array(list(best.values())), np.array(list(rival.values()))
        found = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
        lead, half = a.mean() - b.mean(), (found.high - found.low) / 2
    return lead, lead - half, lead + half


def verdict(scores, direction, kind):
    """Best, rival, lead, low, high. `scores` maps arms to {key: score}; the lead is positive for losses too, and 0 if two arms are second."""
    sign = 1 if direction == "maximize" else -1
    if kind == "normal":
        signed = {arm: (sign * mean, se) for arm, (mean, se) in scores.items()}
        means = {arm: mean for arm, (mean, _) in signed.items()}
    else:
        signed = {arm: {k: sign * v for k, v in by.items()} for arm, by in scores.items()}
        means = {arm: float(np.mean(list(by.values()))) for arm, by in signed.items()}
    best, rival, *others = sorted(means, key=means.get, reverse=True)
    told = not others or means[rival] > means[others[0]] + 1e-9
    return best, rival, *(interval(kind, signed[best], signed[rival]) if told else (0, 0, 0))


def fits(scores, direction, kind, wanted):
    """Whether the best is clear-cut (the interval excludes 0) or close (it does not), as the case wants it."""
    _, _, lead, low, _ = verdict(scores, direction, kind)
    return lead > 0 and (low > 0.1 * lead if wanted == "clear" else low < -0.1 * lead)


def numbers(
    name, arms, keys, wanted, direction="maximize", kind="paired", centre=0.8, step=0.02, shared=0.03, noise=0.01, digits=4, low=None, high=None, drop=()
):
    """Real scores {arm: {key: score}}: a level per arm, an effect of the key that arms share, and noise. `drop` lacks (arm, key)."""
    rng = generator(name)
    sign = 1 if direction == "maximize" else -1
    for _ in range(5000):
        lead = step if wanted == "clear" else step / 8
        levels = [centre] + [centre - sign * (lead + step * i / 2) for i in range(len(arms) - 1)]
        order = rng.permutation(len(arms))
        effect = {key: rng.normal(0, shared) for key in keys}
        scores = {}
        for place, arm in zip(order, arms):
            by = {key: levels[place] + effect[key] + rng.normal(0, noise) for key in keys if (arm, key) not in drop}
            scores[arm] = {key: round(float(np.clip(v, low, high) if low is not None or high is not None else v), digits) for key, v in by.items()}
        if fits(scores, direction, kind, wanted):
            return scores
    raise SystemExit(f"{name}: no draw fits")


def answers(name, arms, keys, wanted, rates=None, pick=lambda scores: True):
    """Right and wrong answers {arm: {key: 0 or 1}}: hard questions are hard for every arm."""
    rng = generator(name)
    rates = rates or ([0.85, 0.55, 0.45, 0.4, 0.35] if wanted == "clear" else [0.7, 0.64, 0.5, 0.45, 0.4])
    for _ in range(5000):
        order = rng.permutation(len(arms))
        hard = rng.normal(0, 1, len(keys))
        scores = {}
        for place, arm in zip(order, arms):
            latent = stats.norm.ppf(rates[place]) * np.sqrt(2) - hard + rng.normal(0, 1, len(keys))
            scores[arm] = {key: int(v > 0) for key, v in zip(keys, latent)}
        if fits(scores, "maximize", "paired", wanted) and pick(scores):
            return scores
    raise SystemExit(f"{name}: no draw fits")


# ---- files and rows -------------------------------------------------------------------------------------------------


def write(path, data):
    target = HERE / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data.encode() if isinstance(data, str) else data)


def table(header, rows, sep=",", end="\n", quoted=False):
    out = io.StringIO()
    style = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=style)
    writer.writerows([header, *rows] if header else rows)
    return out.getvalue()


def lines(objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


def packed(value):
    return json.dumps(value, separators=(",", ":"))


def packed_lines(objects):
    return "".join(packed(o) + "\n" for o in objects)


def comma(value):
    return str(value).replace(".", ",")


def show(value):
    return format(float(value), ".6g") if value != "" else ""


def row(name, path, flags, expected, follows, best="", rival="", direction="", lead="", low="", high="", why=""):
    rows_of_corpus.append([name, path, flags, expected, best, rival, direction, show(lead), show(low), show(high), follows, why])


def answered(name, path, scores, follows, flags="", direction="maximize", kind="paired", why=""):
    best, rival, lead, low, high = verdict(scores, direction, kind)
    row(name, path, flags, "answered", follows, best, rival, direction, lead, low, high, why)


def refused(name, path, follows, why, flags=""):
    row(name, path, flags, "refused", follows, why=why)


def mean(by):
    return float(np.mean(list(by.values())))


# ---- tables that people write ---------------------------------------------------------------------------------------


def habit_01():
    """Data sets × methods, as in a paper."""
    follows = "https://jmlr.org/papers/v7/demsar06a.html"
    arms, keys = ["red", "blue", "green"], DATA[:10]
    s = numbers("01a", arms, keys, "clear", centre=84, step=2, shared=6, noise=1, digits=1)
    body = [[i, key, *(s[a][key] for a in arms)] for i, key in enumerate(keys)]
    body.append([len(keys), "Average", *(round(mean(s[a]), 1) for a in arms)])
    write("01a/results.csv", table(["", "Dataset", *arms], body))
    answered("01a", "01a/results.csv", s, follows)

    arms, keys = ["Amber", "Coral", "Teal", "Violet"], DATA[2:14]
    gap = ("Violet", keys[4])
    for attempt in range(50):
        s = numbers(f"01b {attempt}", arms, keys, "close", "minimize", centre=14, step=2, shared=4, noise=1.2, digits=1, low=0.5, drop=[gap])
        if "Violet" not in verdict(s, "minimize", "paired")[:2]:
            break
    cell = lambda a, k: f"{comma(s[a][k])} %" if k in s[a] else "-"
    body = [[key, *(cell(a, key) for a in arms)] for key in keys]
    body.insert(6, ["", "", "", "", ""])
    body.append(["Mean", *(f"{comma(round(mean(s[a]), 1))} %" for a in arms)])
    write("01b/error-rates.csv", "\ufeff" + table(["Data set", *arms], body, ";", "\r\n"))
    answered("01b", "01b/error-rates.csv", s, follows, "--minimize", "minimize", why="a cell is missing in an arm that is neither best nor second")


def habit_02():
    """Models as rows, tasks as columns, with an average: a leaderboard."""
    arms = ["lab/red-7b", "lab/blue-8b", "hill/green-7b", "hill/grey-3b", "bay/teal-9b", "bay/coral-2b"]
    keys = DATA[:8]
    s = numbers("02a", arms, keys, "close", centre=62, step=3, shared=9, noise=2, digits=2)
    order = sorted(arms, key=lambda a: -mean(s[a]))
    body = [[a, round(mean(s[a]), 2), *(s[a][k] for k in keys), a.split("-")[1][:-1]] for a in order]
    write("02a/leaderboard.csv", table(["Model", "Average", *(k.title() for k in keys), "#Params (B)"], body))
    answered("02a", "02a/leaderboard.csv", s, "https://huggingface.co/docs/leaderboards/open_llm_leaderboard/about")

    arms, keys = ["red-large", "red-small", "blue-v2", "amber", "violet-ctc"], DATA[3:11]
    gap = ("violet-ctc", keys[6])
    for attempt in range(50):
        s = numbers(f"02b {attempt}", arms, keys, "clear", "minimize", centre=9, step=2, shared=3, noise=0.8, digits=2, low=0.8, drop=[gap])
        if gap[0] not in verdict(s, "minimize", "paired")[:2]:
            break
    order = sorted(arms, key=lambda a: mean(s[a]))
    speed = dict(zip(arms, [145.4, 402.1, 88.7, 230.9, 510.2]))
    body = [[a, round(mean(s[a]), 2), speed[a], *(s[a].get(k, "N/A") for k in keys)] for a in order]
    write("02b/asr.csv", table(["model", "Average WER", "RTFx", *(f"{k.title()} WER" for k in keys)], body))
    answered(
        "02b",
        "02b/asr.csv",
        s,
        "https://huggingface.co/spaces/hf-audio/open_asr_leaderboard",
        direction="minimize",
        why="a cell is N/A in an arm that is neither best nor second; RTFx is a speed, no task",
    )


def habit_03():
    """Long form: model, fold, accuracy."""
    follows = "https://scikit-learn.org/stable/modules/cross_validation.html"
    arms, keys = ["red", "green", "blue"], range(10)
    s = numbers("03a", arms, keys, "clear", centre=0.86, shared=0.03, noise=0.012)
    write("03a/cv.csv", table(["model", "fold", "accuracy"], [[a, k, s[a][k]] for a in arms for k in keys]) + "\n\n")
    answered("03a", "03a/cv.csv", s, follows)

    arms, keys = ["Forest Red", "Forest Blue", "Linear Grey", "Boosted Teal"], range(1, 6)
    s = numbers("03b", arms, keys, "close", centre=78, step=3, shared=3, noise=1.5, digits=1)
    notes = {("Linear Grey", 2): "rerun, first run was stopped", ("Forest Red", 5): "new machine"}
    body = [[k, f"{s[a][k]}%", a, notes.get((a, k), "")] for k in keys for a in arms]
    head = "# five folds, stratified\r\n# settings: defaults\r\n"
    write("03b/folds.csv", head + table(["Fold", "Test Accuracy (%)", "Classifier", "Notes"], body, end="\r\n"))
    answered("03b", "03b/folds.csv", s, follows)


def habit_04():
    """Long form with seeds and a loss; a seed is no split, so that arms are not paired."""
    arms, keys = ["adam-red", "adam-blue", "sgd-green", "sgd-grey"], range(8)
    s = numbers("04a", arms, keys, "close", "minimize", "welch", centre=0.42, step=0.05, shared=0, noise=0.03)
    write("04a/losses.tsv", table(["method", "seed", "val_loss"], [[a, k, s[a][k]] for k in keys for a in arms], "\t"))
    answered("04a", "04a/losses.tsv", s, "https://docs.pytorch.org/docs/stable/notes/randomness.html", "", "minimize", "welch")

    arms, keys = ["teal", "coral", "amber"], [11, 12, 13, 14, 15, 16, 17]
    gap = ("amber", 14)
    for attempt in range(200):
        s = numbers(f"04b {attempt}", arms, keys, "clear", "minimize", "welch", centre=1.9, step=0.2, shared=0, noise=0.08, drop=[gap])
        if "amber" not in verdict(s, "minimize", "welch")[:2]:
            break
    out = [{"seed": k, "algorithm": a, "dataset_version": "v2", "nll": s[a].get(k), "status": "ok" if k in s[a] else "failed"} for a in arms for k in keys]
    write("04b/runs.json", json.dumps(out))
    answered(
        "04b",
        "04b/runs.json",
        s,
        "https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_json.html",
        "--failed drop",
        "minimize",
        "welch",
        why="one run of the worst arm failed",
    )


def spread(name, arms, counts, wanted, direction, centre, step, sd, digits, is_se=False):
    """Means with spreads as a paper rounds them: {arm: (mean, spread)} and {arm: (mean, standard error)}."""
    rng = generator(name)
    sign = 1 if direction == "maximize" else -1
    for _ in range(5000):
        lead = step if wanted == "clear" else step / 4
        levels = [centre] + [centre - sign * (lead + step * i) for i in range(len(arms) - 1)]
        cells, errors = {}, {}
        for place, arm in zip(rng.permutation(len(arms)), arms):
            m, sp = (round(levels[place] + rng.normal(0, sd / 4), digits), round(sd * rng.uniform(0.7, 1.3), digits))
            cells[arm], errors[arm] = (m, sp), (m, sp if is_se else sp / np.sqrt(counts[arm]))
        if fits(errors, direction, "normal", wanted):
            return cells, errors
    raise SystemExit(f"{name}: no draw fits")


def habit_05():
    """Mean ± spread in one cell, n in a column."""
    follows = "https://jmlr.org/papers/v22/20-303.html"
    arms = ["red", "blue", "green", "grey"]
    n = dict.fromkeys(arms, 10)
    cells, errors = spread("05a", arms, n, "clear", "maximize", 0.81, 0.03, 0.02, 2)
    write("05a/table2.csv", table(["Method", "Accuracy (mean ± std)", "n"], [[a, f"{cells[a][0]:.2f} ± {cells[a][1]:.2f}", n[a]] for a in arms]))
    answered("05a", "05a/table2.csv", errors, follows, kind="normal")

    arms = ["Amber", "Coral", "Teal"]
    n = dict(zip(arms, [5, 5, 8]))
    cells, errors = spread("05b", arms, n, "close", "minimize", 12.4, 1.2, 0.6, 1, is_se=True)
    body = [[a, n[a], f"{comma(f'{cells[a][0]:.1f}')} ± {comma(f'{cells[a][1]:.1f}')}"] for a in arms]
    write("05b/tabelle.csv", "\ufeff" + table(["System", "Runs", "Error rate (%)"], body, ";", "\r\n"))
    answered("05b", "05b/tabelle.csv", errors, follows, "--spread se", "minimize", "normal")


def habit_06():
    """Columns mean, std, n."""
    arms = ["red", "blue", "violet", "teal", "grey"]
    n = dict(zip(arms, [20, 20, 20, 18, 20]))
    cells, errors = spread("06a", arms, n, "close", "maximize", 0.734, 0.01, 0.025, 4)
    write("06a/accuracy.csv", table(["model", "mean_accuracy", "std_accuracy", "n"], [[a, *cells[a], n[a]] for a in arms]))
    answered("06a", "06a/accuracy.csv", errors, "https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.ttest_ind_from_stats.html", kind="normal")

    arms = ["boosted-amber", "forest-teal", "linear-coral"]
    n = dict.fromkeys(arms, 12)
    cells, errors = spread("06b", arms, n, "clear", "minimize", 3.21, 0.3, 0.2, 4)
    body = [["", "rmse", "rmse", "rmse"], ["", "mean", "std", "count"], ["model", "", "", ""], *([a, *cells[a], n[a]] for a in arms)]
    write("06b/grouped.csv", table(None, body))
    answered(
        "06b",
        "06b/grouped.csv",
        errors,
        "https://pandas.pydata.org/docs/user_guide/groupby.html#applying-multiple-functions-at-once",
        "",
        "minimize",
        "normal",
        why="pandas writes three lines of header",
    )


# ---- answers to questions -------------------------------------------------------------------------------------------


def predictions(rng, s, arms, keys, gold, labels):
    other = lambda k: str(rng.choice([x for x in labels if x != gold[k]]))
    return {a: {k: gold[k] if s[a][k] else other(k) for k in keys} for a in arms}


def habit_07():
    """Predictions as texts, with a gold label."""
    arms, keys, labels = ["modelA", "modelB", "modelC"], range(1, 41), ["sport", "travel", "food"]
    s = answers("07a", arms, keys, "clear")
    rng = generator("07a labels")
    gold = {k: str(rng.choice(labels)) for k in keys}
    p = predictions(rng, s, arms, keys, gold, labels)
    write("07a/predictions.csv", table(["id", "label", *arms], [[k, gold[k], *(p[a][k] for a in arms)] for k in keys]))
    answered("07a", "07a/predictions.csv", s, "https://scikit-learn.org/stable/modules/generated/sklearn.metrics.accuracy_score.html", "--gold label")

    arms, keys, labels = ["red-7b", "blue-8b"], [f"q{i:03}" for i in range(30)], list("ABCD")
    s = answers("07b", arms, keys, "close")
    rng = generator("07b labels")
    gold = {k: str(rng.choice(labels)) for k in keys}
    p = predictions(rng, s, arms, keys, gold, labels)
    out = [{"qid": k, "answer": gold[k], **{a: p[a][k] for a in arms}} for i, k in enumerate(keys)]
    write("07b/choices.jsonl", lines(out))
    answered("07b", "07b/choices.jsonl", s, "https://huggingface.co/datasets/cais/mmlu", "--gold answer")

    arms, keys, labels = ["red", "blue"], range(40), ["spam", "ham"]
    s = answers("07c", arms, keys, "clear", [0.9, 0.5])
    rng = generator("07c labels")
    gold = {k: str(rng.choice(labels)) for k in keys}
    p = predictions(rng, s, arms, keys, gold, labels)
    write("07c/mails.csv", table(["", "gold", *arms], [[k, gold[k], *(p[a][k] for a in arms)] for k in keys]))

    def f1(arm, idx):
        hit = sum(p[arm][k] == "spam" == gold[k] for k in idx)
        wrong = sum((p[arm][k] == "spam") != (gold[k] == "spam") for k in idx)
        return 2 * hit / (2 * hit + wrong)

    best, rival = sorted(arms, key=lambda a: -f1(a, keys))
    lead = lambda idx: f1(best, idx) - f1(rival, idx)
    found = stats.bootstrap(
        (np.array(keys),), lambda idx: lead(list(idx)), n_resamples=2000, vectorized=False, method="percentile", rng=generator("07c bootstrap")
    ).confidence_interval
    row(
        "07c",
        "07c/mails.csv",
        "--gold gold --positive spam",
        "answered",
        "https://scikit-learn.org/stable/modules/generated/sklearn.metrics.f1_score.html",
        best,
        rival,
        "maximize",
        lead(keys),
        found.low,
        found.high,
        "F1 of the positive label; the interval is a percentile bootstrap over mails",
    )


def habit_08():
    """A directory with one CSV file per model."""
    follows = "https://pandas.pydata.org/docs/user_guide/merging.html"
    arms, keys = ["red", "blue", "green"], range(100, 136)
    s = answers("08a", arms, keys, "close")
    for a in arms:
        write(f"08a/{a}.csv", table(["id", "correct"], [[k, s[a][k]] for k in keys]))
    answered("08a", "08a", s, follows)

    arms, keys = ["amber", "coral", "teal", "grey"], range(1, 9)
    s = numbers("08b", arms, keys, "clear", "minimize", centre=4.1, step=0.4, shared=0.6, noise=0.2, digits=3)
    for a in arms:
        write(f"08b/{a}.csv", table(["", "fold", "rmse", "seconds"], [[i, k, s[a][k], 10 + 3 * i % 7] for i, k in enumerate(keys)]))
    write("08b/notes.txt", "Ten folds of the same split for all models.\n")
    answered("08b", "08b", s, follows, direction="minimize")


def habit_09():
    """Pass and fail by question."""
    follows = "https://inspect.aisi.org.uk/scorers.html"
    arms, keys = (["red", "blue", "green"], [f"Where does the {t}, once lost, turn up?" for t in THINGS] + [f"Who mended the {t}?" for t in THINGS[:8]])
    s = answers("09a", arms, keys, "clear")
    write("09a/matrix.csv", table(["question", *arms], [[k, *("pass" if s[a][k] else "fail" for a in arms)] for k in keys]))
    answered("09a", "09a/matrix.csv", s, follows)

    arms, keys = ["teal-small", "teal-large"], [f"T{i:02}" for i in range(1, 21)]
    s = answers("09b", arms, keys, "close", [0.7, 0.6])
    worse = verdict(s, "maximize", "paired")[1]
    stuck = [k for k in keys if not s[worse][k]][:2]
    body = [[k, "ERROR" if a == worse and k in stuck else "PASS" if s[a][k] else "FAIL", a, 3 + i % 5] for i, k in enumerate(keys) for a in arms]
    write("09b/tests.csv", table(["test_id", "outcome", "model", "attempt_seconds"], body, end="\r\n"))
    answered("09b", "09b/tests.csv", s, follows, "--failed worst", why="two answers of the second arm are errors, counted as failed questions")


def habit_10():
    """Correct and incorrect in JSON lines."""
    follows = "https://jsonlines.org/examples/"
    arms, keys = ["red", "blue", "green"], [f"q{i}" for i in range(13)]
    s = answers("10a", arms, keys, "close")
    write("10a/answers.jsonl", lines({"model": a, "id": k, "correct": bool(s[a][k])} for k in keys for a in arms))
    answered("10a", "10a/answers.jsonl", s, follows)

    arms, keys = ["amber chat", "violet chat"], [f"{DATA[i % 16]}-{i}" for i in range(13)]
    s = answers("10b", arms, keys, "clear")
    rng = generator("10b times")
    out = [
        {"question_id": k, "verdict": "correct" if s[a][k] else "incorrect", "latency_ms": int(rng.integers(200, 900)), "system": a} for a in arms for k in keys
    ]
    write("10b/verdicts.jsonl", "\n".join(json.dumps(o) for o in out))
    answered("10b", "10b/verdicts.jsonl", s, follows)


# ---- searches and trackers ------------------------------------------------------------------------------------------


def clock(i, seconds=0):
    return f"2026-0{1 + i % 3}-{1 + i % 27:02} {8 + i % 12:02}:{(7 * i) % 60:02}:{seconds % 60:02}.{100000 + 7919 * i % 800000:06}"


def habit_11():
    """Optuna: study.trials_dataframe().to_csv()."""
    follows = "https://optuna.readthedocs.io/en/stable/reference/generated/optuna.study.Study.html#optuna.study.Study.trials_dataframe"
    head = ["", "number", "value", "datetime_start", "datetime_complete", "duration"]
    arms, keys = ["red", "blue", "green"], range(6)
    s = numbers("11a", arms, keys, "clear", centre=0.88, noise=0.01, shared=0.03)
    body = []
    for k in keys:
        for a in arms:
            i = len(body)
            body.append([i, i, s[a][k], clock(i, 1), clock(i, 9), f"0 days 00:00:08.{100000 + i}", k, a, "COMPLETE"])
    write("11a/trials.csv", table([*head, "params_fold", "params_model", "state"], body))
    answered("11a", "11a/trials.csv", s, follows, "--arm params_model --split params_fold --direction maximize")

    arms = ["forest", "boosted", "linear"]
    s = numbers("11b", arms, range(8), "close", "minimize", "welch", centre=0.31, step=0.03, shared=0, noise=0.03, digits=6)
    rng = generator("11b settings")
    order = [(a, k) for k in range(8) for a in arms]
    worst = max(arms, key=lambda a: mean(s[a]))
    for k in (3, 7):
        del s[worst][k]
    body = []
    for i, (a, k) in enumerate(order):
        value = s[a].get(k, "")
        lr = f"{10 ** rng.uniform(-4, -1):.17g}"
        body.append([i, i, value, clock(i, 2), clock(i, 5), f"0 days 00:00:03.{200000 + i}", lr, a, "COMPLETE" if value != "" else "FAIL"])
    write("11b/study.csv", table([*head, "params_lr", "params_model", "state"], body))
    answered("11b", "11b/study.csv", s, follows, "--arm params_model --minimize --failed drop", "minimize", "welch", "two trials of the worst arm failed")


def key32(*parts):
    return hashlib.md5(" ".join(map(str, parts)).encode()).hexdigest()


def habit_12():
    """MLflow: mlflow.search_runs().to_csv()."""
    follows = "https://mlflow.org/docs/latest/ml/search/search-runs/"
    head = ["", "run_id", "experiment_id", "status", "artifact_uri", "start_time", "end_time"]
    tail = ["tags.mlflow.runName", "tags.mlflow.source.name", "tags.mlflow.source.type", "tags.mlflow.user"]
    arms, keys = ["red", "blue", "green"], range(5)
    s = numbers("12a", arms, keys, "close", kind="welch", centre=0.77, step=0.03, shared=0, noise=0.02, digits=6)
    body, names = [], ["bold-crane", "calm-otter", "keen-heron", "sly-vole", "tall-moth"]
    for a in arms:
        for k in keys:
            i, run = len(body), key32("12a", a, k)
            body.append(
                [
                    i,
                    run,
                    "3188",
                    "FINISHED",
                    f"mlruns/3188/{run}/artifacts",
                    clock(i)[:-3] + "+00:00",
                    clock(i, 40)[:-3] + "+00:00",
                    s[a][k],
                    a,
                    k,
                    f"{names[k]}-{100 + i}",
                    "train.py",
                    "LOCAL",
                    "me",
                ]
            )
    write("12a/runs.csv", table([*head, "metrics.test_accuracy", "params.model", "params.seed", *tail], body))
    answered("12a", "12a/runs.csv", s, follows, "--arm params.model", kind="welch")

    arms, keys = ["amber", "coral", "teal"], range(5)
    gap = ("coral", 4)
    for attempt in range(200):
        s = numbers(f"12b {attempt}", arms, keys, "clear", "minimize", centre=5.2, step=0.5, shared=0.8, noise=0.2, digits=6, drop=[gap])
        if "coral" not in verdict(s, "minimize", "paired")[:2]:
            break
    body = []
    for k in keys:
        for a in arms:
            i, run, value = len(body), key32("12b", a, k), s[a].get(k, "")
            body.append(
                [
                    i,
                    run,
                    "0",
                    "FAILED" if value == "" else "FINISHED",
                    f"./mlruns/0/{run}/artifacts",
                    clock(i)[:-3] + "+00:00",
                    clock(i, 30)[:-3] + "+00:00",
                    round(value * 0.8, 6) if value != "" else "",
                    value,
                    k,
                    a,
                    f"{a}-{k}",
                    "run.py",
                    "LOCAL",
                    "me",
                ]
            )
    write("12b/search_runs.csv", table([*head, "metrics.mae", "metrics.rmse", "params.fold", "params.model", *tail], body))
    answered(
        "12b",
        "12b/search_runs.csv",
        s,
        follows,
        "--metric metrics.rmse --arm params.model --split params.fold --failed drop",
        "minimize",
        why="one run of the worst arm failed",
    )


def mlruns(root, experiment, runs, history):
    """MLflow's file store. `runs` is [(name, params, {metric: [values]})]."""
    write(
        f"{root}/mlruns/{experiment}/meta.yaml",
        f"artifact_location: file:///home/me/mlruns/{experiment}\ncreation_time: 1767225600000\nexperiment_id: '{experiment}'\n"
        f"last_update_time: 1767225600000\nlifecycle_stage: active\nname: colours\n",
    )
    for i, (name, params, metrics) in enumerate(runs):
        run, start = key32(root, name), 1767225600000 + 60000 * i
        at = f"{root}/mlruns/{experiment}/{run}"
        write(
            f"{at}/meta.yaml",
            f"artifact_uri: mlruns/{experiment}/{run}/artifacts\nend_time: {start + 41000}\nentry_point_name: ''\n"
            f"experiment_id: '{experiment}'\nlifecycle_stage: active\nrun_id: {run}\nrun_name: {name}\nrun_uuid: {run}\nsource_name: ''\nsource_type: 4\n"
            f"source_version: ''\nstart_time: {start}\nstatus: 3\ntags: []\nuser_id: me\n",
        )
        for metric, values in metrics.items():
            write(f"{at}/metrics/{metric}", "".join(f"{start + 1000 * (j + 1)} {v} {j if history else 0}\n" for j, v in enumerate(values)))
        for param, value in params.items():
            write(f"{at}/params/{param}", str(value))
        write(f"{at}/tags/mlflow.runName", name)


def habit_13():
    """MLflow's directory mlruns/."""
    follows = "https://github.com/mlflow/mlflow/blob/master/mlflow/store/tracking/file_store.py"
    arms, keys = ["red", "blue"], range(4)
    s = numbers("13a", arms, keys, "clear", centre=0.91, step=0.03, noise=0.008)
    mlruns("13a", "471120983365120077", [(f"{a}-{k}", {"model": a, "fold": k}, {"accuracy": [s[a][k]]}) for a in arms for k in keys], False)
    answered("13a", "13a/mlruns", s, follows, "--arm params.model --split params.fold")

    arms, keys = ["teal", "coral"], range(4)
    s = numbers("13b", arms, keys, "close", "minimize", "welch", centre=0.52, step=0.05, shared=0, noise=0.03)
    runs = [(f"{a}-{k}", {"arch": a, "seed": k}, {"val_loss": [round(s[a][k] + 0.1, 4), s[a][k]]}) for k in keys for a in arms]
    mlruns("13b", "0", runs, True)
    answered("13b", "13b/mlruns", s, follows, "--arm params.arch", "minimize", "welch", "a metric has a line per step; the last step counts")


def tune(root, trials, progress):
    """Ray Tune's directory of one experiment. `trials` is [(config, [results by iteration])]."""
    for i, (config, results) in enumerate(trials):
        trial = f"9f2c1_{i:05}"
        tag = ",".join(f"{k}={v}" for k, v in config.items())
        at = f"{root}/train_{trial}_{i}_{tag}_2026-02-03_10-0{i // 6}-{10 + i}"
        write(f"{at}/params.json", json.dumps(config))
        out = []
        for j, metrics in enumerate(results):
            out.append(
                {
                    **metrics,
                    "timestamp": 1770112800 + 10 * i + j,
                    "checkpoint_dir_name": None,
                    "done": j == len(results) - 1,
                    "training_iteration": j + 1,
                    "trial_id": trial,
                    "date": f"2026-02-03_10-0{i // 6}-{20 + j}",
                    "time_total_s": 1.5 * (j + 1),
                    "pid": 4000 + i,
                    "hostname": "node",
                    "config": config,
                    "iterations_since_restore": j + 1,
                }
            )
        write(f"{at}/result.json", packed_lines(out))
        if progress:
            flat = [{k: v for k, v in o.items() if k != "config"} for o in out]
            write(f"{at}/progress.csv", table(list(flat[0]), [["" if v is None else v for v in o.values()] for o in flat]))


def habit_14():
    """Ray Tune: a directory per trial with result.json and progress.csv."""
    follows = "https://docs.ray.io/en/latest/tune/tutorials/tune-output.html"
    arms, keys = ["red", "blue"], range(3)
    s = numbers("14a", arms, keys, "close", kind="welch", centre=0.83, step=0.03, shared=0, noise=0.02)
    tune(
        "14a/train_2026-02-03_10-00-00",
        [({"model": a, "seed": k}, [{"accuracy": round(s[a][k] - 0.2, 4)}, {"accuracy": s[a][k]}]) for k in keys for a in arms],
        True,
    )
    answered(
        "14a", "14a/train_2026-02-03_10-00-00", s, follows, "--metric accuracy --arm config/model", kind="welch", why="the last iteration of a trial counts"
    )

    arms, keys = ["teal", "coral"], range(4)
    s = numbers("14b", arms, keys, "clear", "minimize", centre=1.2, step=0.15, shared=0.1, noise=0.03)
    tune("14b/colours", [({"encoder": a, "fold": k}, [{"loss": round(s[a][k] + 0.5, 4)}, {"loss": s[a][k]}]) for a in arms for k in keys], False)
    answered("14b", "14b/colours", s, follows, "--metric loss --arm config/encoder --split config/fold", "minimize", why="the last iteration of a trial counts")


def habit_15():
    """Weights & Biases: the table of runs as CSV, paired by seed on request."""
    follows = "https://docs.wandb.ai/models/runs/customize-run-display"
    head = ["Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep"]
    arms, keys = ["red", "blue", "green"], range(6)
    s = numbers("15a", arms, keys, "clear", centre=0.79, step=0.02, shared=0.02, noise=0.008)
    body = [
        [f"{w}-{i}", "finished", "-", "me", "", f"2026-03-{1 + i % 28:02}T09:{i:02}:00.000Z", 60 + i, "", a, k, s[a][k]]
        for i, (w, a, k) in enumerate((THINGS[(3 * k + j) % 20], a, k) for j, a in enumerate(arms) for k in keys)
    ]
    write("15a/wandb_export.csv", table([*head, "model", "seed", "test_accuracy"], body, quoted=True))
    answered("15a", "15a/wandb_export.csv", s, follows, "--arm model --split seed")

    arms, keys = ["amber", "teal"], [1, 2, 3, 4, 5, 6, 7, 8]
    s = numbers("15b", arms, keys, "close", "minimize", centre=0.61, step=0.04, shared=0.05, noise=0.025)
    body, i = [], 0
    for k in keys:
        for a in arms:
            body.append(
                [f"{a}-s{k}", "finished", "", "me", "main", f"2026-04-{1 + i:02}T11:00:00.000Z", 300 + i, a, "none", k, round(s[a][k] * 0.7, 4), s[a][k]]
            )
            i += 1
    body.insert(3, ["grey-s1", "crashed", "out of memory", "me", "main", "2026-04-01T08:00:00.000Z", 12, "grey", "none", 1, "", ""])
    header = ["Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Group", "schedule", "seed", "train/loss", "val/loss"]
    write("15b/wandb_runs.csv", table(header, body, quoted=True))
    answered(
        "15b",
        "15b/wandb_runs.csv",
        s,
        follows,
        "--metric val/loss --arm Group --split seed --failed drop",
        "minimize",
        why="the only run of a third arm crashed",
    )


def habit_16():
    """scikit-learn: cv_results_ of a search, with a score that begins with neg_."""
    follows = "https://scikit-learn.org/stable/modules/generated/sklearn.model_selection.GridSearchCV.html"
    timing = ["mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"]

    def results(path, s, arms, keys, param, name):
        rng = generator(path)
        rank = {a: i + 1 for i, a in enumerate(sorted(arms, key=lambda a: -mean(s[a])))}
        body = [
            [
                i,
                *(f"{x:.6f}" for x in rng.uniform(0.01, 0.2, 4)),
                a,
                f"{{'{param}': {a}}}" if "(" in a else str({param: a}),
                *(s[a][k] for k in keys),
                round(mean(s[a]), 9),
                round(float(np.std(list(s[a].values()))), 9),
                rank[a],
            ]
            for i, a in enumerate(arms)
        ]
        write(
            path,
            table(
                [
                    "",
                    *timing,
                    f"param_{param}",
                    "params",
                    *(f"split{k}_test_{name}" for k in keys),
                    f"mean_test_{name}",
                    f"std_test_{name}",
                    f"rank_test_{name}",
                ],
                body,
            ),
        )

    arms, keys = ["Ridge()", "Lasso()", "SVR()", "KNeighborsRegressor()"], range(5)
    s = numbers("16a", arms, keys, "close", centre=-3.4, step=0.4, shared=0.4, noise=0.2, digits=6)
    results("16a/cv_results.csv", s, arms, keys, "regressor", "score")
    answered(
        "16a", "16a/cv_results.csv", s, follows, "--arm param_regressor", why="scoring was neg_mean_absolute_error: larger is better, and scores are below zero"
    )

    arms, keys = ["red", "blue", "green"], range(10)
    s = numbers("16b", arms, keys, "clear", centre=-0.45, step=0.05, shared=0.06, noise=0.02, digits=6)
    results("16b/search.csv", s, arms, keys, "kind", "neg_log_loss")
    answered("16b", "16b/search.csv", s, follows, "--arm param_kind", why="neg_log_loss: larger is better")


def habit_17():
    """scikit-learn: frames of cross_validate."""
    follows = "https://scikit-learn.org/stable/modules/generated/sklearn.model_selection.cross_validate.html"
    arms, keys = ["red", "blue"], range(10)
    s = numbers("17a", arms, keys, "clear", centre=0.93, step=0.02, shared=0.02, noise=0.01, digits=6)
    rng = generator("17a times")
    for a in arms:
        body = [[k, *(f"{x:.6f}" for x in rng.uniform(0.01, 0.3, 2)), s[a][k], round(s[a][k] - 0.03 + float(rng.normal(0, 0.01)), 6)] for k in keys]
        write(f"17a/{a}.csv", table(["", "fit_time", "score_time", "test_accuracy", "test_f1_macro"], body))
    answered("17a", "17a/red.csv 17a/blue.csv", s, follows, "--metric test_accuracy")

    arms, keys = ["Linear", "Forest"], range(8)
    s = numbers("17b", arms, keys, "close", centre=-2.1, step=0.3, shared=0.3, noise=0.15, digits=6)
    body = [[a, k, *(f"{x:.6f}" for x in rng.uniform(0.01, 0.3, 2)), s[a][k]] for a in arms for k in keys]
    write("17b/both.csv", table(["model", "fold", "fit_time", "score_time", "test_neg_root_mean_squared_error"], body))
    answered("17b", "17b/both.csv", s, follows, why="a score that begins with neg_: larger is better")


# ---- logs of answers ------------------------------------------------------------------------------------------------


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def lm_eval(root, model, stamp, tasks, higher):
    """Results and samples of lm-eval. `tasks` is {task: (metric, {filter: {doc: value}}, generated)}."""
    folder = f"{root}/{model.replace('/', '__')}"
    results = {"results": {}, "configs": {}, "versions": {}, "n-shot": {}, "higher_is_better": {}, "n-samples": {}}
    for task, (metric, by_filter) in tasks.items():
        docs = list(next(iter(by_filter.values())))
        results["results"][task] = {"alias": task}
        for kind, values in by_filter.items():
            n = len(values)
            results["results"][task][f"{metric},{kind}"] = mean(values)
            results["results"][task][f"{metric}_stderr,{kind}"] = float(np.std(list(values.values()), ddof=1) / np.sqrt(n))
        results["configs"][task] = {"task": task, "metric_list": [{"metric": metric, "aggregation": "mean", "higher_is_better": higher}]}
        results["versions"][task], results["n-shot"][task] = 1.0, 0
        results["higher_is_better"][task] = {metric: higher}
        results["n-samples"][task] = {"original": len(docs), "effective": len(docs)}
        out = []
        for kind, values in by_filter.items():
            for d, value in values.items():
                question = f"{task} {d}?"
                reply = f"{d}." if value else "?"
                out.append(
                    {
                        "doc_id": d,
                        "doc": {"q": question},
                        "target": str(d),
                        "arguments": {"gen_args_0": {"arg_0": question}},
                        "resps": [[reply]],
                        "filtered_resps": [str(d) if value else "[invalid]"],
                        "filter": kind,
                        "metrics": [metric],
                        "doc_hash": digest(question)[:6],
                        metric: float(value),
                    }
                )
        write(f"{folder}/samples_{task}_{stamp}.jsonl", packed_lines(out))
    results.update(
        {
            "config": {"model": "hf", "model_args": {"pretrained": model}, "batch_size": "8", "limit": None},
            "model_source": "hf",
            "model_name": model,
            "model_name_sanitized": model.replace("/", "__"),
            "lm_eval_version": "0.4.9",
        }
    )
    write(f"{folder}/results_{stamp}.json", packed(results))


def habit_18():
    """lm-eval: samples of two models, and the results file that tells the direction."""
    follows = "https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/interface.md"
    arms, keys = ["lab/red", "lab/blue"], range(8)
    s = answers("18a", arms, keys, "close")
    for i, a in enumerate(arms):
        lm_eval("18a", a, f"2026-02-03T10-0{i}-12.490047", {"boats": ("acc", {"none": s[a]})}, True)
    answered("18a", "18a", s, follows)

    arms, keys = ["hill/teal-1b", "hill/coral-1b"], range(6)
    s = numbers("18b", arms, keys, "clear", "minimize", centre=6, step=2, shared=1.5, noise=1, digits=0, low=0)
    for i, a in enumerate(arms):
        lm_eval("18b", a, f"2026-02-04T11-1{i}-40.100200", {"spelling": ("edit_distance", {"none": s[a]})}, False)
    answered("18b", "18b", s, follows, direction="minimize", why="the results file says that higher is not better")


def habit_19():
    """lm-eval: a directory with several tasks."""
    follows = "https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/interface.md"

    def run(name, arms, tasks, n, wanted, filters):
        keys = [(t, d) for t in tasks for d in range(n)]
        s = answers(name, arms, keys, wanted)
        rng = generator(name + " filters")
        for i, a in enumerate(arms):
            made = {}
            for t in tasks:
                strict = {d: s[a][t, d] for d in range(n)}
                loose = {d: max(v, int(rng.random() < 0.3)) for d, v in strict.items()}
                made[t] = ("exact_match", {"strict-match": strict, "flexible-extract": loose}) if filters else ("acc", {"none": strict})
            lm_eval(name, a, f"2026-03-0{i + 1}T08-00-00.000001", made, True)
        return s

    s = run("19a", ["lab/red", "lab/blue"], ["rivers", "hills"], 4, "clear", False)
    answered("19a", "19a", s, follows, why="all documents of all tasks count the same; tasks have the same number")
    s = run("19b", ["bay/amber", "bay/teal"], ["sums", "ages"], 3, "close", True)
    answered("19b", "19b", s, follows, "--filter strict-match")


def inspect(path, model, task, scorer, values, metric):
    """A log of Inspect AI in JSON, without messages and events."""
    made = "2026-02-05T09:00:00+00:00"
    samples = [
        {
            "id": k,
            "epoch": 1,
            "input": f"Thing {k}?",
            "target": str(k),
            "messages": [],
            "output": {"choices": [], "completion": str(v)},
            "scores": {scorer: {"value": v, "answer": str(v)}},
            "metadata": {},
            "store": {},
            "events": [],
        }
        for k, v in values.items()
    ]
    plain = [1.0 if v == "C" else 0.0 if v == "I" else float(v) for v in values.values()]
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": key32(path)[:22],
            "run_id": key32(path, "run")[:22],
            "created": made,
            "task": task,
            "task_id": key32(task)[:22],
            "task_version": 0,
            "task_args": {},
            "dataset": {"samples": len(values), "sample_ids": list(values), "shuffled": False},
            "model": model,
            "model_args": {},
            "config": {"epochs": 1},
            "packages": {"inspect_ai": "0.3.100"},
            "scorers": [{"name": scorer, "options": {}, "metrics": [{"name": f"inspect_ai/{metric}", "options": {}}], "metadata": {}}],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": len(values),
            "completed_samples": len(values),
            "scores": [{"name": scorer, "scorer": scorer, "params": {}, "metrics": {metric: {"name": metric, "value": float(np.mean(plain))}}}],
        },
        "stats": {"started_at": made, "completed_at": made, "model_usage": {}},
        "samples": samples,
    }
    write(path, packed(log))


def habit_20():
    """Inspect AI: logs in JSON."""
    follows = "https://inspect.aisi.org.uk/eval-logs.html"
    arms, keys = ["lab/red", "lab/blue"], range(1, 8)
    s = answers("20a", arms, keys, "close")
    paths = []
    for i, a in enumerate(arms):
        paths.append(f"20a/2026-02-05T09-0{i}-00+00-00_things_{key32(a)[:8]}.json")
        inspect(paths[-1], a, "things", "match", {k: "C" if v else "I" for k, v in s[a].items()}, "accuracy")
    answered("20a", " ".join(paths), s, follows)

    arms, keys = ["bay/teal", "bay/coral"], range(1, 8)
    s = numbers("20b", arms, keys, "clear", "minimize", centre=2.5, step=1.5, shared=0.8, noise=0.6, digits=2, low=0)
    for i, a in enumerate(arms):
        inspect(f"20b/2026-02-06T10-0{i}-00+00-00_lengths_{key32(a)[:8]}.json", a, "lengths", "distance", s[a], "mean")
    answered("20b", "20b", s, follows, "--minimize", "minimize", why="a scorer of numbers does not tell the direction")


def habit_21():
    """promptfoo: promptfoo eval -o output.json."""
    follows = "https://www.promptfoo.dev/docs/configuration/outputs/"
    usage = {"prompt": 12, "completion": 3, "cached": 0, "total": 15, "numRequests": 1}

    def output(path, providers, prompts, scores, tests):
        results, heads = [], []
        for p, label in enumerate(prompts):
            for provider in providers:
                by = scores[provider, label]
                heads.append(
                    {
                        "id": digest(label)[:8],
                        "raw": f"{label}: {{{{thing}}}}",
                        "label": label,
                        "provider": provider,
                        "metrics": {
                            "score": sum(by.values()),
                            "testPassCount": sum(v >= 0.5 for v in by.values()),
                            "testFailCount": sum(v < 0.5 for v in by.values()),
                            "testErrorCount": 0,
                        },
                    }
                )
        for t, thing in enumerate(tests):
            for p, label in enumerate(prompts):
                for provider in providers:
                    v = scores[provider, label][t]
                    results.append(
                        {
                            "cost": 0,
                            "gradingResult": None,
                            "id": key32(path, t, p, provider)[:6],
                            "latencyMs": 100 + t,
                            "prompt": {"raw": f"{label}: {thing}", "label": label},
                            "promptId": digest(label)[:8],
                            "promptIdx": len(providers) * p + providers.index(provider),
                            "provider": {"id": provider, "label": ""},
                            "response": {"output": thing, "cached": False},
                            "score": v,
                            "success": v >= 0.5,
                            "testCase": {"vars": {"thing": thing}},
                            "testIdx": t,
                            "vars": {"thing": thing},
                            "failureReason": 0 if v >= 0.5 else 1,
                        }
                    )
        ok = sum(r["success"] for r in results)
        write(
            path,
            packed(
                {
                    "evalId": "eval-aBc-2026-02-07T08:00:00",
                    "results": {
                        "version": 3,
                        "timestamp": "2026-02-07T08:00:00.000Z",
                        "prompts": heads,
                        "results": results,
                        "stats": {"successes": ok, "failures": len(results) - ok, "errors": 0, "tokenUsage": usage},
                    },
                    "config": {"description": "Things", "prompts": prompts, "providers": providers},
                    "shareableUrl": None,
                    "metadata": {"promptfooVersion": "0.118.0", "nodeVersion": "v22.0.0", "exportedAt": "2026-02-07T08:00:05.000Z"},
                }
            ),
        )

    arms, tests = ["lab:red", "lab:blue"], THINGS[:6]
    s = answers("21a", arms, range(6), "clear", [0.95, 0.35])
    output("21a/output.json", arms, ["Name it"], {(a, "Name it"): s[a] for a in arms}, tests)
    answered("21a", "21a/output.json", s, follows)

    arms, tests = ["terse", "polite"], THINGS[:5]
    s = numbers("21b", arms, range(5), "close", centre=0.7, step=0.15, shared=0.12, noise=0.12, digits=2, low=0, high=1)
    output("21b/results.json", ["bay:teal"], arms, {("bay:teal", a): s[a] for a in arms}, tests)
    answered("21b", "21b/results.json", s, follows, "--arm prompt")


def helm(folder, scenario, model, metric, values, others):
    stat = lambda name, v: {
        "name": {"name": name, "split": "test"},
        "count": 1,
        "sum": v,
        "sum_squared": round(v * v, 6),
        "min": v,
        "max": v,
        "mean": v,
        "variance": 0.0,
        "stddev": 0.0,
    }
    stats_of = lambda k, v: [stat(metric, v), *(stat(n, f(v)) for n, f in others.items())]
    per = [{"instance_id": f"id{k}", "train_trial_index": 0, "stats": stats_of(k, v)} for k, v in values.items()]
    write(f"{folder}/per_instance_stats.json", packed(per))
    write(
        f"{folder}/run_spec.json",
        json.dumps(
            {
                "name": f"{scenario},model={model.replace('/', '_')}",
                "scenario_spec": {"class_name": "colours.Scenario", "args": {}},
                "adapter_spec": {"method": "generation", "model_deployment": model, "model": model, "max_eval_instances": len(values), "num_outputs": 1},
                "metric_specs": [{"class_name": "helm.benchmark.metrics.basic_metrics.BasicMetric", "args": {"names": [metric, *others]}}],
                "groups": [scenario.split(":")[0]],
            }
        ),
    )


def habit_22():
    """HELM: per_instance_stats.json of two runs. HELM's directories have a colon in their names, which some file systems refuse: here it is `_`."""
    follows = "https://crfm-helm.readthedocs.io/en/latest/tutorial/"
    arms, keys = ["lab/red", "lab/blue"], range(10, 15)
    s = answers("22a", arms, keys, "clear", [0.95, 0.4])
    for a in arms:
        helm(
            f"22a/runs/v1/rivers_subject=delta,model={a.replace('/', '_')}",
            "rivers:subject=delta",
            a,
            "exact_match",
            s[a],
            {"inference_runtime": lambda v: 0.25},
        )
    answered("22a", "22a/runs/v1", s, follows, "--metric exact_match")

    arms, keys = ["hill/teal", "hill/grey"], range(5)
    s = numbers("22b", arms, keys, "close", "minimize", centre=0.92, step=0.06, shared=0.1, noise=0.06)
    for a in arms:
        helm(f"22b/pages_subset=hill,model={a.replace('/', '_')}", "pages:subset=hill", a, "bits_per_byte", s[a], {"logprob": lambda v: round(-40 * v, 3)})
    both = " ".join(f"22b/pages_subset=hill,model={a.replace('/', '_')}" for a in arms)
    answered("22b", both, s, follows, "--metric bits_per_byte", "minimize", why="a loss by its name; the runs are two directories")


def habit_23():
    """SWE-bench: reports of two models."""
    follows = "https://github.com/SWE-bench/SWE-bench/blob/main/swebench/harness/reporting.py"

    def report(path, by, empty, error, extra):
        ids = sorted(by)
        done = [k for k in ids if k not in empty and k not in error]
        solved = [k for k in done if by[k]]
        left = [k for k in done if not by[k]]
        write(
            path,
            json.dumps(
                {
                    "total_instances": len(ids) + len(extra),
                    "submitted_instances": len(ids),
                    "completed_instances": len(done),
                    "resolved_instances": len(solved),
                    "unresolved_instances": len(left),
                    "empty_patch_instances": len(empty),
                    "error_instances": len(error),
                    "completed_ids": done,
                    "incomplete_ids": extra,
                    "empty_patch_ids": sorted(empty),
                    "submitted_ids": ids,
                    "resolved_ids": solved,
                    "unresolved_ids": left,
                    "error_ids": sorted(error),
                    "schema_version": 2,
                },
                indent=1,
            ),
        )

    arms, keys = (["red", "blue"], [f"{DATA[i % 6]}__{THINGS[i % 5]}-{1000 + 37 * i}" for i in range(14)])
    s = answers("23a", arms, keys, "close")
    for a in arms:
        report(f"23a/{a}.first-run.json", s[a], [], [], [])
    answered("23a", "23a/red.first-run.json 23a/blue.first-run.json", s, follows)

    arms, keys = (["hill__amber", "hill__teal", "hill__grey"], [f"{DATA[i % 7]}__{THINGS[i % 9]}-{200 + 11 * i}" for i in range(11)])
    s = answers("23b", arms, keys, "clear")
    for j, a in enumerate(arms):
        failed = [k for k in keys if not s[a][k]]
        report(f"23b/{a}.verified.json", s[a], failed[:2], failed[2 : 2 + j], ["delta__drum-9001", "marsh__wheel-9002"])
    answered("23b", "23b", s, follows, why="an empty patch and an error count as not resolved; two tasks were submitted by nobody")


def habit_24():
    """EvalPlus: eval_results.json of two models."""
    follows = "https://github.com/evalplus/evalplus/blob/master/evalplus/evaluate.py"

    def results(path, samples, plus):
        made = {
            task: [
                {
                    "task_id": task,
                    "solution": f"f = {j}",
                    "base_status": "pass" if b else "fail",
                    "plus_status": ("pass" if p else "fail") if plus else None,
                    "base_fail_tests": [] if b else [[1, 2]],
                    "plus_fail_tests": [] if p or not plus else [[0]],
                }
                for j, (b, p) in enumerate(by)
            ]
            for task, by in samples.items()
        }
        write(path, json.dumps({"date": "2026-02-08 10:00", "hash": key32("problems"), "eval": made}))

    arms, keys = ["red", "blue"], [f"HumanEval/{i}" for i in range(9)]
    s = answers("24a", arms, keys, "clear", [0.9, 0.45])
    rng = generator("24a base")
    for a in arms:
        results(f"24a/{a}/eval_results.json", {k: [(s[a][k] or rng.random() < 0.3, s[a][k])] for k in keys}, True)
    answered(
        "24a",
        "24a/red/eval_results.json 24a/blue/eval_results.json",
        s,
        follows,
        "--metric plus",
        why="base and plus tests are two metrics; plus needs both to pass",
    )

    arms, keys = ["amber", "teal"], [f"Mbpp/{2 + 3 * i}" for i in range(6)]
    first, second = answers("24b", arms, keys, "close"), answers("24b again", arms, keys, "close")
    s = {a: {k: (first[a][k] + second[a][k]) / 2 for k in keys} for a in arms}
    for a in arms:
        results(f"24b/{a}_eval_results.json", {k: [(first[a][k], False), (second[a][k], False)] for k in keys}, False)
    answered("24b", "24b", s, follows, why="only base tests were run, with two samples of each task")


def habit_25():
    """DeepEval: the JSON file of a test run, one per model."""
    follows = "https://github.com/confident-ai/deepeval/blob/main/deepeval/test_run/test_run.py"

    def run(path, model, metrics, questions):
        names = list(metrics)
        cases = []
        for i, q in enumerate(questions):
            data = [
                {"name": n, "threshold": 0.5, "success": bool(ok(metrics[n][0][i])), "score": metrics[n][0][i], "evaluationModel": "judge"}
                for n in names
                for ok in [metrics[n][1]]
            ]
            cases.append(
                {
                    "name": f"test_case_{i}",
                    "input": q,
                    "actualOutput": f"A {q.split()[-1][:-1]}",
                    "success": all(d["success"] for d in data),
                    "metricsData": data,
                    "runDuration": 1.5,
                    "order": i,
                }
            )
        write(
            path,
            packed(
                {
                    "testCases": cases,
                    "conversationalTestCases": [],
                    "metricsScores": [
                        {
                            "metric": n,
                            "scores": list(metrics[n][0].values()),
                            "passes": sum(bool(metrics[n][1](v)) for v in metrics[n][0].values()),
                            "fails": sum(not metrics[n][1](v) for v in metrics[n][0].values()),
                            "errors": 0,
                        }
                        for n in names
                    ],
                    "hyperparameters": {"model": model},
                    "testPassed": sum(c["success"] for c in cases),
                    "testFailed": sum(not c["success"] for c in cases),
                    "runDuration": 20.5,
                    "evaluationCost": 0.02,
                }
            ),
        )

    questions = [f"Beside the {t}?" for t in THINGS[:7]]
    good = lambda v: v >= 0.5
    arms = ["red", "blue"]
    s = numbers("25a", arms, range(7), "close", centre=0.68, step=0.15, shared=0.1, noise=0.12, digits=2, low=0, high=1)
    for a in arms:
        run(f"25a/{a}.json", a, {"Correctness [GEval]": (s[a], good)}, questions)
    answered("25a", "25a/red.json 25a/blue.json", s, follows)

    arms = ["teal", "coral"]
    s = numbers("25b", arms, range(7), "clear", "minimize", centre=0.2, step=0.2, shared=0.08, noise=0.08, digits=2, low=0, high=1)
    other = numbers("25b other", arms, range(7), "close", centre=0.8, step=0.1, shared=0.05, noise=0.08, digits=2, low=0, high=1)
    for a in arms:
        run(f"25b/{a}.json", a, {"Answer Relevancy": (other[a], good), "Hallucination": (s[a], lambda v: v <= 0.5)}, questions)
    answered(
        "25b", "25b", s, follows, "--metric Hallucination", "minimize", why="of this metric a smaller score is better, as its threshold and who passed say"
    )


def openai_evals(path, model, name, by, sampling):
    run = "260209100000" + key32(path)[:8].upper()
    made = "2026-02-09 10:00:0"
    out = [
        {
            "spec": {
                "completion_fns": [model],
                "eval_name": name,
                "base_eval": name.split(".")[0],
                "split": name.split(".")[1],
                "run_config": {
                    "completion_fns": [model],
                    "eval_spec": {"cls": "evals.elsuite.basic.match:Match", "args": {"samples_jsonl": "things/samples.jsonl"}, "key": name, "group": "things"},
                    "seed": 20220722,
                },
                "created_by": "",
                "run_id": run,
                "created_at": f"{made}0.000001",
            }
        }
    ]
    for i, (k, v) in enumerate(by.items()):
        sample = f"{name.rsplit('.', 1)[0]}.{k}"
        common = {"run_id": run, "sample_id": sample, "created_by": "", "created_at": f"{made}{i % 10}.500000+00:00"}
        if sampling:
            out.append(
                {
                    "run_id": run,
                    "event_id": len(out) - 1,
                    "sample_id": sample,
                    "type": "sampling",
                    "data": {"prompt": [{"role": "user", "content": f"Thing {k}?"}], "sampled": [f"{k}"]},
                    "created_by": "",
                    "created_at": common["created_at"],
                }
            )
        out.append(
            {
                "run_id": run,
                "event_id": len(out) - 1,
                "sample_id": sample,
                "type": "match",
                "data": {"correct": bool(v), "expected": str(k), "picked": str(k) if v else None, "sampled": str(k) if v else "none"},
                "created_by": "",
                "created_at": common["created_at"],
            }
        )
    out.append({"final_report": {"accuracy": mean(by), "boostrap_std": 0.05}})
    write(path, packed_lines(out))


def habit_26():
    """OpenAI evals: the log of a run."""
    follows = "https://github.com/openai/evals/blob/main/evals/record.py"
    arms = ["red", "blue"]
    s = answers("26a", arms, range(7), "close", [0.7, 0.6])
    paths = []
    for a in arms:
        paths.append(f"26a/260209100000{key32('26a' + a)[:8].upper()}_{a}_things.jsonl")
        openai_evals(paths[-1], a, "things.s1.simple-v0", s[a], False)
    answered("26a", " ".join(paths), s, follows)

    arms = ["lab/amber", "lab/grey"]
    s = answers("26b", arms, range(5), "clear", [0.95, 0.3])
    for a in arms:
        openai_evals(f"26b/{a.replace('/', '_')}.jsonl", a, "roads.dev.v1", dict(reversed(s[a].items())) if a == "lab/grey" else s[a], True)
    answered("26b", "26b", s, follows, why="events of sampling stand between those of matches")


def habit_27():
    """AlpacaEval: annotations.json. preference is 1 if the first output is preferred, 2 if the second."""
    follows = "https://github.com/tatsu-lab/alpaca_eval#evaluating-a-model"

    def annotations(path, reference, model, prefer, annotator):
        out = [
            {
                "instruction": f"Why a {THINGS[k]}?",
                "output_1": "It is old.",
                "generator_1": reference,
                "dataset": "things",
                "output_2": "It has a use.",
                "generator_2": model,
                "datasplit": "eval",
                "annotator": annotator,
                "preference": p,
                "price_per_example": 0.002,
                "time_per_example": 0.5,
            }
            for k, p in prefer.items()
        ]
        write(path, packed(out))

    rng = generator("27a")
    while True:
        win = {k: int(rng.random() < 0.8) for k in range(10)}
        s = {"violet": {k: float(v) for k, v in win.items()}, "baseline": {k: 1.0 - v for k, v in win.items()}}
        if fits(s, "maximize", "paired", "clear"):
            break
    annotations("27a/annotations.json", "baseline", "violet", {k: 1.0 + v for k, v in win.items()}, "judge_pairs")
    answered("27a", "27a/annotations.json", s, follows, why="two arms: the model and the reference; the score is 1 for the output that is preferred")

    arms = ["red", "blue"]
    for attempt in range(500):
        s = numbers(f"27b {attempt}", arms, range(8), "close", centre=0.7, step=0.2, shared=0.15, noise=0.15, digits=6, low=0.01, high=0.99)
        if min(mean(by) for by in s.values()) > 0.58:
            break
    for a in arms:
        annotations(f"27b/{a}/annotations.json", "baseline", a, {k: round(1 + v, 6) for k, v in s[a].items()}, "weighted_judge")
    answered(
        "27b", "27b/red/annotations.json 27b/blue/annotations.json", s, follows, why="win rates of two models over the same reference; weights between 1 and 2"
    )


# ---- files that cannot be answered as they are ----------------------------------------------------------------------


def habit_28():
    """A log of training: steps of one training are no systems."""
    rng = generator("28")
    curve = lambda top, n: [round(float(top * np.exp(-i / 8) + 0.3 + rng.normal(0, 0.02)), 5) for i in range(n)]
    a, b = curve(2, 12), curve(1.8, 12)
    body = [[50 * (i + 1), a[i], a[i], a[i], b[i], b[i], b[i]] for i in range(12)]
    names = [f"{r} - val/loss{x}" for r in ("red-1", "blue-1") for x in ("", "__MIN", "__MAX")]
    write("28a/wandb_export.csv", table(["Step", *names], body, quoted=True))
    refused(
        "28a",
        "28a/wandb_export.csv",
        "https://docs.wandb.ai/models/app/features/panels/line-plot",
        "rows are steps of a training; give one final score of each run",
    )
    loss, vloss = curve(1.5, 14), curve(1.6, 14)
    body = [[i, round(1 - loss[i] / 3, 5), loss[i], round(1 - vloss[i] / 3, 5), vloss[i]] for i in range(14)]
    write("28b/training.log", table(["epoch", "accuracy", "loss", "val_accuracy", "val_loss"], body))
    refused("28b", "28b/training.log", "https://keras.io/api/callbacks/csv_logger/", "rows are epochs of one training; metrics are no systems")


def habit_29():
    """A table of hyperparameters: settings are no systems."""
    rng = generator("29a")
    body = [[lr, bs, d, round(float(0.7 + 0.05 * rng.normal()), 4)] for lr in (0.1, 0.01, 0.001) for bs in (32, 64) for d in (0.0, 0.3)]
    write("29a/grid.csv", table(["lr", "batch_size", "dropout", "val_accuracy"], body))
    refused("29a", "29a/grid.csv", "https://docs.wandb.ai/models/sweeps", "settings with one score each; name the column of systems with --arm")

    arms = ["sgd", "adam", "lion"]
    s = numbers("29b", arms, range(9), "close", "minimize", "welch", centre=0.48, step=0.05, shared=0, noise=0.04)
    body = [
        [i, f"{10 ** rng.uniform(-4, -1):.5f}", a, s[a][k], int(rng.choice([32, 64, 128]))] for i, (k, a) in enumerate((k, a) for k in range(9) for a in arms)
    ]
    write("29b/sweep.csv", table(["", "learning_rate", "optimizer", "val_loss", "batch_size"], body))
    answered(
        "29b",
        "29b/sweep.csv",
        s,
        "https://docs.wandb.ai/models/sweeps",
        "--arm optimizer",
        "minimize",
        "welch",
        "without the flag it is refused: settings are no systems",
    )


def habit_30():
    """Texts of items with line breaks."""
    arms = ["red", "blue", "green"]
    keys = [f'Read:\nThe {t} is in the {d}.\n\nWhere is the "{t}"?' for t, d in zip(THINGS[:16], DATA)] + [f"Count,\nthen name: {t}; {t}" for t in THINGS[:4]]
    s = answers("30a", arms, keys, "close")
    write("30a/questions.csv", table(["question", *arms], [[k, *(bool(s[a][k]) for a in arms)] for k in keys], end="\r\n"))
    answered("30a", "30a/questions.csv", s, "https://www.rfc-editor.org/rfc/rfc4180")

    arms = ["amber", "teal"]
    keys = [f"You have a {t}.\n\n1. Clean it\n2. Use it\n\nWhat is next?" for t in THINGS[:8]]
    s = numbers("30b", arms, keys, "clear", centre=0.75, step=0.15, shared=0.08, noise=0.08, digits=2, low=0, high=1)
    write("30b/graded.json", json.dumps([{"prompt": k, "model": a, "score": s[a][k]} for k in keys for a in arms]))
    answered("30b", "30b/graded.json", s, "https://www.rfc-editor.org/rfc/rfc8259")


def habit_31():
    """Compressed CSV."""
    follows = "https://pandas.pydata.org/docs/reference/api/pandas.DataFrame.to_csv.html"
    arms, keys = ["red", "blue", "green"], range(40)
    s = answers("31a", arms, keys, "clear")
    write(
        "31a/correct.csv.gz",
        gzip.compress(table(["", "item", *arms], [[i, f"q{k}", *(bool(s[a][k]) for a in arms)] for i, k in enumerate(keys)]).encode(), mtime=0),
    )
    answered("31a", "31a/correct.csv.gz", s, follows)

    arms, keys = ["amber", "coral", "teal"], range(10)
    s = numbers("31b", arms, keys, "close", "minimize", centre=21, step=2, shared=2, noise=1, digits=2)
    text = table(["system", "fold", "perplexity"], [[a, k, s[a][k]] for k in keys for a in arms])
    write("31b/ppl.csv.zst", subprocess.run(["zstd", "-q", "-c", "-19"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)
    answered("31b", "31b/ppl.csv.zst", s, follows, direction="minimize")


def habit_32():
    """Binary files, which are refused with what to do."""
    arms, keys = ["red", "blue"], DATA[:6]
    s = numbers("32", arms, keys, "clear", centre=0.8)
    letters = "ABC"
    cells = [["Dataset", *arms], *([k, *(s[a][k] for a in arms)] for k in keys)]
    one = lambda r, c, v: (
        f'<c r="{letters[c]}{r + 1}"><v>{v}</v></c>' if isinstance(v, float) else f'<c r="{letters[c]}{r + 1}" t="inlineStr"><is><t>{v}</t></is></c>'
    )
    sheet = "".join(f'<row r="{r + 1}">{"".join(one(r, c, v) for c, v in enumerate(line))}</row>' for r, line in enumerate(cells))
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    office, package = ("http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://schemas.openxmlformats.org/package/2006")
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), head + text, zipfile.ZIP_DEFLATED)
    write("32a/results.xlsx", out.getvalue())
    refused(
        "32a",
        "32a/results.xlsx",
        "https://learn.microsoft.com/en-us/office/open-xml/spreadsheet/structure-of-a-spreadsheetml-document",
        "a workbook; save the sheet as CSV",
    )
    write("32b/scores.pkl", pickle.dumps({a: list(s[a].values()) for a in arms}, protocol=4))
    refused("32b", "32b/scores.pkl", "https://docs.python.org/3/library/pickle.html", "a binary file of Python (pickle); write CSV or JSON with pandas")


def habit_33():
    """Arms told by two columns."""
    arms, keys = ([(m, p) for m in ("red", "blue") for p in ("short", "stepwise")], [f"q{i:02}" for i in range(10)])
    s = answers("33a", arms, keys, "clear")
    write("33a/grid.csv", table(["model", "prompt", "question_id", "correct"], [[*a, k, s[a][k]] for k in keys for a in arms]))
    answered("33a", "33a/grid.csv", {"+".join(a): by for a, by in s.items()}, "https://www.promptfoo.dev/docs/configuration/parameters/", "--arm model+prompt")

    arms, keys = [(m, t) for m in ("teal", "grey") for t in ("plain", "quoted", "list")], range(5)
    s = numbers("33b", arms, keys, "close", "minimize", "welch", centre=0.35, step=0.04, shared=0, noise=0.02)
    write("33b/templates.jsonl", lines({"llm": a[0], "template": a[1], "seed": k, "brier": s[a][k]} for a in arms for k in keys))
    answered(
        "33b",
        "33b/templates.jsonl",
        {"+".join(a): by for a, by in s.items()},
        "https://www.promptfoo.dev/docs/configuration/parameters/",
        "--arm llm+template",
        "minimize",
        "welch",
    )


def main():
    for old in HERE.iterdir():
        if old.is_dir() and old.name[:2].isdigit():
            shutil.rmtree(old)
    for number in range(1, 34):
        globals()[f"habit_{number:02}"]()
    header = ["name", "path", "flags", "expected", "best", "rival", "direction", "difference", "low", "high", "follows", "why"]
    write("corpus.tsv", "\t".join(header) + "\n" + "".join("\t".join(r) + "\n" for r in rows_of_corpus))


main()
