"""A stand-in for an API with latency: answers requests line by line, up to any number of them at once.

A real worker would call a service or a model that it loaded once. Each line of stdin is a case,
{"id": …, "arm": …, "split": …, "seed": …}; each answer is one line of stdout with the same id. Answers may come in any order.
"""

import json
import random
import sys
import threading
import time

# How good each prompt really is; what is measured scatters around it, and some splits are harder for all.
QUALITY = {"plain": 0.62, "few-shot": 0.68, "step-by-step": 0.73, "translated": 0.60}
PRICE = 0.002


def ask(case):
    time.sleep(random.uniform(0.02, 0.2))
    noise = random.Random(f"{case['arm']} {case['split']} {case['seed']}")
    hardness = random.Random(case["split"]).gauss(0, 0.03)
    accuracy = QUALITY[case["arm"]] + hardness + noise.gauss(0, 0.02)
    return {"accuracy": round(min(max(accuracy, 0.0), 1.0), 4), "cost": PRICE}


def answer(case):
    try:
        result = ask(case)
    except Exception as error:
        # A failed evaluation, and not the end of the worker.
        result = {"error": f"{type(error).__name__}: {error}"}
    # One write, so that no two lines mix; flushed, so that nobody waits for it.
    sys.stdout.write(json.dumps({"id": case["id"], **result}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),)).start()
