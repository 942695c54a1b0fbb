"""Requests to the control socket, most of them nearly right."""

import json
import random
import time

import bench
from bench import Failed

COMMANDS = [
    "status", "stubs.list", "stubs.add", "stubs.replace", "stubs.enable", "stubs.disable", "stubs.remove", "stubs.edit",
    "stubs.reset", "stubs.explain", "stubs.revert", "stubs.pause", "stubs.resume", "stubs.scenario", "hold.list",
    "hold.continue", "hold.drop", "hold.respond", "hold.fail", "hold.release", "hold.all", "links.degree", "log", "history",
    "run", "", "stubs", "status.x",
]
MEMBERS = [
    "id", "do", "by", "name", "stub", "stubs", "file", "edit", "filter", "limit", "status", "headers", "body", "fault",
    "point", "degree", "method", "url", "process", "link", "state", "at", "enabled", "request", "response", "to", "pid",
]
NUMBERS = [
    0, 1, -1, 2, 200, 999, 65536, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 53, -(1 << 53), (1 << 63) - 1, -(1 << 63),
    1 << 63, (1 << 64) - 1, 10**30, -(10**30), 0.5, -0.0, 1e308, 1e-308,
]
TEXTS = [
    "", " ", "x", "~", ".", "..", "/", "//", "~root", "a/b", "\0", "a\0b", "\u001b]0;owned\u0007", "\u202e", "\u2028",
    "\ud800", "é", "日本語", "👩‍👩‍👧", "GET", "timedOut", "request", "response", "both", "full", "observe", "bypass", "demo",
    "http://a.example/x", "*", "~(", "status:", "(", "-", "|", "is:failed", "id:1..", "time:>", "a" * 3000, "flaky", "-1",
    "../../etc/passwd", "/dev/zero", "/dev/full", "/proc/self/mem", "/nowhere/x", "x.yaml", "http://[::1", "%", "%zz",
]
STUB = {"name": "flaky", "when": {"url": "*/x", "method": "GET"}, "then": {"respond": {"status": 503, "body": "b"}}}
STUBS = [
    STUB, {"name": "a", "then": {"fail": "timedOut"}}, {"name": "f", "then": {"respond": {"file": "x"}}},
    {"name": "g", "then": {"respond": {"file": "~"}}}, {"name": "h", "then": {"hold": "request"}},
    {"name": "s", "then": {"sequence": [{"respond": {"status": 500}}, {"pass": {}}], "afterwards": "last"}},
    {"name": "r", "when": {"path": {"matches": "^(a|a)*$"}}, "then": {"respond": {"status": 200, "delay": "1ms"}}},
]


class Fuzz:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth=0):
        kind = self.random.randrange(9 if depth < 4 else 5)
        if kind == 0:
            return self.random.choice(NUMBERS)
        if kind in (1, 2):
            return self.random.choice(TEXTS)
        if kind == 3:
            return self.random.choice([None, True, False])
        if kind == 4:
            return self.random.randrange(-5, 50)
        if kind == 5:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if kind == 6:
            return {self.name(): self.value(depth + 1) for _ in range(self.random.randrange(5))}
        if kind == 7:
            return self.stub()
        return [["Accept", self.random.choice(TEXTS)]]

    def name(self):
        return self.random.choice(MEMBERS + ["when", "then", "respond", "fail", "pass", "hold", "sequence", "times", "skip",
                                             "chance", "seed", "delay", "json", "base64", "query", "path", "host", "port"])

    def stub(self):
        stub = json.loads(json.dumps(self.random.choice(STUBS)))
        for _ in range(self.random.randrange(3)):
            part = self.random.choice([stub, stub.get("then") or {}, stub.get("when") or {}])
            if isinstance(part, dict):
                part[self.name()] = self.value(2)
        return stub

    def edit(self):
        kind = self.random.choice(["add", "replace", "remove", "rename", "move", "setEnabled", "enable", "revert", "undo"])
        return self.random.choice([{kind: self.value()}, {"edit": kind, "name": "flaky", "at": self.value(), "stub": STUB}])

    def line(self):
        members = {"id": self.random.choice([1, 7, "x", None, -1, 10**30]), "do": self.random.choice(COMMANDS)}
        for _ in range(self.random.randrange(6)):
            members[self.random.choice(MEMBERS[2:])] = self.value()
        likely = {
            "stubs.add": lambda: {"stubs": [self.stub()], "file": self.random.choice(TEXTS)},
            "stubs.replace": lambda: {"name": "flaky", "stub": self.stub()}, "stubs.edit": lambda: {"edit": self.edit()},
            "history": lambda: {"limit": self.random.choice(NUMBERS), "filter": self.random.choice(TEXTS)},
            "stubs.explain": lambda: {"url": self.random.choice(TEXTS), "headers": [["a", "b"]]},
            "links.degree": lambda: {"degree": "full", "link": self.random.choice(NUMBERS)},
        }
        if members["do"] in likely and self.random.random() < 0.7:
            members.update(likely[members["do"]]())
        elif members["do"].startswith("hold.") and self.random.random() < 0.5:
            members["id"] = members["exchange"] = self.random.randrange(0, 60)
        # A log never ends, and one client follows many by and by.
        line = json.dumps(members, ensure_ascii=self.random.random() < 0.5).encode("utf-8", "surrogatepass")
        if self.random.random() < 0.1:
            line = self.broken(line)
        return line.replace(b"\n", b" ")

    def broken(self, line):
        place = self.random.randrange(len(line) + 1)
        return self.random.choice([
            lambda: line[:place], lambda: line[:place] + bytes([self.random.randrange(256)]) + line[place:],
            lambda: line[:place] + b"[" * 5000, lambda: line[:place] + line[place + 1:], lambda: b"\0" * 20,
            lambda: bytes(self.random.randrange(256) for _ in range(40)),
        ])()


class Hook:
    """A process that is linked, answers each push, and has requests of all kinds."""

    def __init__(self, console):
        self.link = console.link()
        self.link.setblocking(False)
        self.rest = b""
        kinds = [
            bench.head() + bench.raw(7, b"{}") + bench.end(), bench.number(5, 1), bench.head() + bench.number(5, 2), b"",
        ]
        for key in range(1, 41):
            url = f"http://a.example/x?{key}"
            self.link.sendall(bench.message(bench.EXCHANGE, bench.start(key, url) + kinds[key % 4]))

    def answer(self):
        """Acknowledges what has come."""
        while bench.readable(self.link):
            try:
                piece = self.link.recv(1 << 20)
            except BlockingIOError:
                break
            if not piece:
                break
            self.rest += piece
        while len(self.rest) >= 6:
            length = int.from_bytes(self.rest[:4], "big")
            if len(self.rest) < 4 + length:
                break
            kind, payload = int.from_bytes(self.rest[4:6], "big"), self.rest[6:4 + length]
            self.rest = self.rest[4 + length:]
            if kind == 258:
                self.link.sendall(bench.message(bench.APPLIED, payload[:2 + payload[1]]))


def attack(binary, count, seed, log=print):
    fuzz, done, began = Fuzz(seed), 0, time.monotonic()
    with bench.Console(binary) as console:
        hook, controller, refused = Hook(console), None, 0
        while done < count:
            if controller is None or done % 500 == 0:
                controller = console.controller()
            line = fuzz.line()
            try:
                controller.link.sendall(line + b"\n")
                answer = ask(console, controller, hook, line)
            except (ConnectionError, BrokenPipeError):
                console.alive()
                controller, answer = None, {}
            refused += answer.get("ok") is False
            done += 1
            if done % 10_000 == 0:
                log(f"{done} requests, {refused} refused, {done / (time.monotonic() - began):.0f}/s")
        took = console.stop()
    log(f"seed {seed}: {done} requests, {refused} refused, 0 crashes; {time.monotonic() - began:.0f} s; ended in {took:.2f} s")


def ask(console, controller, hook, line):
    """The answer to a line, while the process answers pushes."""
    if not line.strip(b" \t\r"):
        return {}
    deadline = time.monotonic() + 20 * bench.patience()
    while time.monotonic() < deadline:
        try:
            answer = json.loads(controller.line(0.002))
        except TimeoutError:
            hook.answer()
            if console.process.poll() is not None:
                raise Failed(f"the console ended with {console.process.returncode} after {line!r}:\n{console.said()[-2000:]}")
            continue
        # A line of a log; the answer about a held exchange names it too.
        if "ok" not in answer:
            continue
        return answer
    raise Failed(f"no answer to {line!r}")
