# A worker that does what each request tells it to under "do".
import json, os, signal, subprocess, sys, threading, time

lock = threading.Lock()
asked = os.open("asked", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
setting = os.environ.get("WORKER", "")


def say(text):
    with lock:
        os.write(1, text.encode() if isinstance(text, str) else text)


def answer(request, **more):
    say(json.dumps({"id": request["id"], "f1": request.get("score", 0.5), **more}) + "\n")


in_flight = 0


def later(request):
    global in_flight
    time.sleep(request["seconds"])
    with lock:
        in_flight -= 1
    answer(request)


if "child" in setting:
    # Hears of nothing, and has neither our session nor our group.
    subprocess.Popen(["setsid", "sh", "-c", "trap '' TERM; echo $$ > child.pid; while :; do sleep 1000; done"])
if "stubborn" in setting:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "pair" in setting:
    open(f"pair.{os.getpid()}", "w").close()
    while sum(name.startswith("pair.") for name in os.listdir(".")) < 2:
        time.sleep(0.01)
if "chatter" in setting:
    # More than a pipe holds, before anything is read.
    for _ in range(4096):
        say("x" * 1023 + "\n")
        sys.stderr.write("y" * 1023 + "\n")
if "loading" in setting:
    while not os.path.exists("loaded"):
        time.sleep(0.01)
    say('{"ready": true}\n')
with open("workers", "a") as pids:
    pids.write(f"{os.getpid()}\n")

for line in sys.stdin:
    request = json.loads(line)
    os.write(asked, f"{time.monotonic()} {request['id']} {os.getpid()} {line}".encode())
    do = request.get("do", "answer")
    if do == "answer":
        answer(request)
    elif do == "later":
        with lock:
            in_flight += 1
            with open("load", "a") as load:
                load.write(f"{os.getpid()} {in_flight}\n")
        threading.Thread(target=later, args=(request,), daemon=True).start()
    elif do == "hang":
        while not os.path.exists("go"):
            time.sleep(0.01)
        answer(request)
    elif do == "never":
        pass
    elif do == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif do == "fail":
        sys.exit("no such model")
    elif do == "leave":
        answer(request)
        sys.exit(0)
    elif do == "partial":
        say(json.dumps({"id": request["id"], "f1": 0.123456})[:-3])
        os.kill(os.getpid(), signal.SIGKILL)
    elif do == "unended":
        say(json.dumps({"id": request["id"], "f1": 0.25}))
        os.kill(os.getpid(), signal.SIGKILL)
    elif do == "close":
        os.close(1)
        time.sleep(1000)
    elif do == "say":
        say(request["what"].replace("ID", request["id"]))
    elif do == "huge":
        say(json.dumps({"id": request["id"], "f1": 0.5, "junk": "z" * (3 << 20)}) + "\n")
    elif do == "bytes":
        say(b"\xff\xfe\x00 garbage\n" + b'{"id": "' + request["id"].encode() + b'", "f1": 0.5, "text": "\xe9"}\n')
    elif do == "environment":
        answer(request, environment=dict(os.environ))

if "lingering" in setting:
    time.sleep(1000)
