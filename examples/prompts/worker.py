"""Asks an API each question with the prompt of an arm, and grades the answer.

Each line of stdin is {"id": …, "arm": …, "item": {…the question…}, "item_id": …, "seed": …}; each answer is one line of stdout with the
same id, in any order: {"id": …, "accuracy": 1, "tokens": {"in": 31, "out": 4}}. The tokens are billed at the prices of the study file.

What a service asks for is done here: 429 and 5xx are answered by waiting, as long as it says or twice as long each time. A question
that could not be asked at all is {"error": …, "status": 503}: a failed evaluation, and not the end of the worker. FIESTA asks it again
at the end of the study, as far as it needs the answer.
"""

import http.client
import json
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOST, PORT = "127.0.0.1", int(os.environ.get("PROMPTS_PORT", "8462"))
PATIENCE = float(os.environ.get("PROMPTS_PATIENCE", "60"))  # seconds, of waiting for one answer
PROMPTS = {}  # by the names of the arms, as far as they were asked for
local = threading.local()


class Refused(Exception):
    """The service gave no answer, for whatever reason its status says."""

    def __init__(self, status, retry_after, words):
        super().__init__(words)
        self.said = {"status": status, "retry_after": retry_after}


def request(prompt, name):
    """One request over this thread's connection: status, seconds to wait, body."""
    question = json.dumps({"prompt": prompt, "user": name})
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(HOST, PORT, timeout=60)
    try:
        local.connection.request("POST", "/v1/answer", question, {"Content-Type": "application/json"})
        response = local.connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException):
        local.connection.close()
        raise
    return response.status, float(response.headers.get("Retry-After", 0)), body


def ask(prompt, name):
    """The answer to a prompt, waited for while the service is busy."""
    began, pause = time.monotonic(), 0.1
    while True:
        status, asked_to_wait, body = request(prompt, name)
        if status == 200:
            return json.loads(body)
        if status != 429 and status < 500:
            raise Refused(status, None, f"the service refuses with {status}: {body[:200]!r}")
        if time.monotonic() - began >= PATIENCE:
            raise Refused(status, asked_to_wait, f"the service said {status} for {PATIENCE:.0f} s")
        # Not all at once when it has room again.
        time.sleep(max(asked_to_wait, pause) * random.uniform(1, 1.5))
        pause = min(2 * pause, 5)


def prompt_of(arm):
    """The prompt of an arm, which a file of its own holds: who edits it pays for the answers of that arm only."""
    if arm not in PROMPTS:
        PROMPTS[arm] = Path("prompts", f"{arm}.txt").read_text(encoding="utf-8").rstrip("\n")
    return PROMPTS[arm]


def grade(case):
    item = case["item"]
    answer = ask(prompt_of(case["arm"]).format(question=item["question"]), case["id"])
    right = answer["text"].split()[-1] == item["answer"]
    return {"accuracy": int(right), "tokens": answer["usage"], "answer": answer["text"]}


def answer(case):
    try:
        result = grade(case)
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}", **getattr(error, "said", {})}
    # One write, so that no two lines mix; flushed, so that nobody waits for it.
    sys.stdout.write(json.dumps({"id": case["id"], **result}) + "\n")
    sys.stdout.flush()


with ThreadPoolExecutor(64) as threads:
    for line in sys.stdin:
        threads.submit(answer, json.loads(line))
