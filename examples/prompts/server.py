"""A stand-in for a language model behind an API: it answers sums, often wrongly, and bills the tokens.

It has what makes such services hard to use: latency, a limit of requests (429 with Retry-After), and now and then a failure of
its own (503), which costs nothing. The same prompt always gets the same answer. Every answer that is billed is a line of the file
--bill, written before the answer is sent.

    python3 server.py --port 8462 --bill bill.jsonl

A request is POST /v1/answer with {"prompt": "…", "user": "anything, for the bill"}; the answer is {"text": "…", "usage": {"in": 31, "out": 4}}.
"""

import argparse
import json
import operator
import random
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SUM = re.compile(r"What is (\d+) (\+|-|\*|mod) (\d+)\?")
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "mod": operator.mod}
# How often a prompt with these words in it is answered rightly, and with how many tokens.
STYLES = {"step by step": (0.80, 60), "Examples:": (0.71, 4), "JSON": (0.66, 12), "Please": (0.63, 6), "Quanto fa": (0.58, 5)}
PLAIN = (0.62, 4)
# What is harder for every prompt alike.
HARDER = {"+": 0.12, "-": 0.06, "*": -0.06, "mod": -0.12}


def answered(prompt):
    """The answer to a prompt, and the tokens of both."""
    asked = SUM.findall(prompt)
    if not asked:
        return "I do not know.", {"in": len(prompt) // 4, "out": 5}
    a, sign, b = asked[-1]
    right = SIGNS[sign](int(a), int(b))
    share, out = next((style for words, style in STYLES.items() if words in prompt), PLAIN)
    # Half of the luck is the question's: what is hard for one prompt is hard for another.
    of_question, of_prompt = random.Random(f"{a}{sign}{b}").random(), random.Random(prompt).random()
    luck = of_question if random.Random(prompt + "?").random() < 0.5 else of_prompt
    text = str(right if luck < share + HARDER[sign] else right + 1)
    return text, {"in": len(prompt) // 4, "out": out}


class Limit:
    """At most so many requests a second, over a tenth of one."""

    def __init__(self, per_second):
        self.per_slice, self.slice, self.count, self.lock = max(1, per_second // 10), 0, 0, threading.Lock()

    def allows(self):
        with self.lock:
            now = int(time.monotonic() * 10)
            if now != self.slice:
                self.slice, self.count = now, 0
            self.count += 1
            return self.count <= self.per_slice


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body of an answer in one packet, and no waiting for more.
    wbufsize, disable_nagle_algorithm = -1, True

    def do_POST(self):
        server = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not server.limit.allows():
            return self.send(429, {"error": "too many requests"}, {"Retry-After": "0.1"})
        if random.random() < server.failing:
            return self.send(503, {"error": "overloaded"})
        time.sleep(random.uniform(0.2, 1.8) * server.latency)
        text, usage = answered(request["prompt"])
        with server.lock:
            server.bill.write(json.dumps({"user": request.get("user"), "prompt": request["prompt"], "usage": usage}) + "\n")
            server.bill.flush()
        self.send(200, {"text": text, "usage": usage})

    def send(self, code, body, headers=()):
        content = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            pass  # Whoever asked is gone; it is billed all the same.

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, *_):
        pass  # A client that was killed.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8462, help="0 for a free one")
    parser.add_argument("--bill", default="bill.jsonl")
    parser.add_argument("--latency", type=float, default=0.05, help="mean seconds of an answer")
    parser.add_argument("--per-second", type=int, default=400, help="requests before it says 429")
    parser.add_argument("--failing", type=float, default=0.02, help="share of requests that fail with 503")
    arguments = parser.parse_args()
    server = Server(("127.0.0.1", arguments.port), Handler)
    server.limit, server.failing, server.latency = Limit(arguments.per_second), arguments.failing, arguments.latency
    server.bill, server.lock = open(arguments.bill, "a"), threading.Lock()
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
