"""Links that send more than anybody could keep. For each: the highest memory, whether a neighbour and a controller are
still served, and how long the console takes to end by SIGTERM in the middle of it."""

import os
import threading
import time

import bench
from bench import CODE_STUBS, EXCHANGE, NOTICE, PROGRESS, Failed, message, number, pair, raw, signed, text

MB = 1 << 20


def hops(scale):
    """Redirects of one open exchange."""
    yield bench.hello() + message(EXCHANGE, bench.start(1))
    hop = raw(4, signed(1, 302) + text(2, "http://a.example/" + "u" * 200) + pair(3, "Location", "x" * 2800))
    for _ in range(int(300 * scale)):
        yield message(EXCHANGE, number(1, 1) + hop * 340)


def edited(scale):
    """Edited bodies."""
    yield bench.hello()
    body = os.urandom(MB)
    for key in range(1, int(1454 * scale) + 1):
        answer = raw(3, number(1, 4) + raw(3, bench.request(body=body)))
        yield message(EXCHANGE, bench.start(key)) + message(EXCHANGE, number(1, key) + answer)


def headers(scale):
    """Header fields and URLs of open exchanges, some held."""
    yield bench.hello()
    fields = [(f"X-{i}", "v" * 90) for i in range(1000)]
    for key in range(1, int(11_408 * scale) + 1):
        begun = bench.start(key, "http://a.example/" + "u" * 100_000, headers=fields)
        yield message(EXCHANGE, begun + (number(5, 1) if key % 3 == 0 else b""))


def tiny(scale):
    """Header fields of no letters, ten million of them."""
    yield bench.hello()
    for key in range(1, int(10 * scale) + 1):
        fields = pair(3, "", "") * 1_000_000
        begun = raw(2, signed(1, bench.now()) + raw(2, text(1, "GET") + text(2, "http://a.example/") + fields))
        yield message(EXCHANGE, number(1, key) + begun)


def responses(scale):
    """Bodies of responses that do not end."""
    yield bench.hello()
    body = os.urandom(2 * MB)
    for key in range(1, int(2410 * scale) + 1):
        yield message(EXCHANGE, bench.start(key) + bench.head() + raw(7, body))


def requests(scale):
    """Bodies of requests that are held."""
    yield bench.hello()
    body = os.urandom(2 * MB)
    for key in range(1, int(1200 * scale) + 1):
        yield message(EXCHANGE, bench.start(key, body=body) + number(5, 1))


def unfinished(scale):
    """Messages whose end does not come."""
    yield bench.hello()
    part = bench.frame(0, os.urandom(MB))
    for _ in range(int(240 * scale)):
        yield part


def begun(scale):
    """Frames of 8 MB that stop before their end."""
    yield bench.hello()
    yield (8 * MB - 10).to_bytes(4, "big") + b"\0\3" + os.urandom(8 * MB - 1000)
    while True:
        yield b""


def progress(scale):
    """Counters of stubs that are not there."""
    yield bench.hello()
    for start in range(0, int(1_100_000 * scale), 1000):
        yield message(PROGRESS, b"".join(
            raw(1, text(1, f"a stub that is nowhere, number {start + i}") + number(2, 1)) for i in range(1000)))


def declared(scale):
    """Stubs in code, again and again."""
    yield bench.hello()
    for turn in range(int(60 * scale)):
        stubs = b"".join(
            text(1, '{"name":"code %d","when":{"url":"*/x%d/%d"},"then":{"respond":{"status":200}}}' % (i, turn, i))
            for i in range(20_000))
        yield message(CODE_STUBS, stubs)


def notices(scale):
    """Sentences."""
    yield bench.hello()
    for _ in range(int(300 * scale)):
        yield message(NOTICE, text(1, "n" * MB))


def ended(scale):
    """Exchanges that have ended, as fast as they can be sent."""
    yield bench.hello()
    body = os.urandom(MB)
    for key in range(1, int(1500 * scale) + 1):
        yield bench.whole(key, body=body)


# How many links do it at once.
ATTACKS = {
    hops: 1, edited: 1, headers: 1, tiny: 1, responses: 1, requests: 1, unfinished: 24, begun: 100, progress: 1,
    declared: 1, notices: 1, ended: 2,
}


class Attacker(threading.Thread):
    def __init__(self, console, pieces, pid):
        super().__init__(daemon=True)
        self.console, self.pieces, self.pid = console, pieces, pid
        self.sent, self.over = 0, False

    def run(self):
        try:
            link = bench.connect(self.console.socket, timeout=None)
            for piece in self.pieces:
                link.sendall(piece)
                self.sent += len(piece)
                if not piece:
                    self.over = True
                    time.sleep(0.1)
            self.over = True
            while not self.console.process.poll():
                time.sleep(0.2)
        except OSError:
            self.over = True


def one(binary, attack, links, scale, seconds, screen=False):
    with bench.Console(binary, screen=screen) as console:
        neighbour = console.link(name="neighbour", pid=1)
        controller = console.controller()
        attackers = [Attacker(console, attack(scale), 100 + i) for i in range(links)]
        for attacker in attackers:
            attacker.start()
        highest = slowest = later = 0.0
        began, key = time.monotonic(), 0
        while time.monotonic() < began + seconds:
            highest = max(highest, console.memory())
            console.alive()
            asked = time.monotonic()
            controller.ask(do="status", seconds=60)
            slowest = max(slowest, time.monotonic() - asked)
            if all(attacker.over for attacker in attackers):
                later += 0.1
                if later > 1:
                    break
            time.sleep(0.05)
            key += 1
            neighbour.sendall(bench.whole(key, f"http://neighbour.example/{key}"))
        # What the neighbour sent last may be in its socket still: the console is to have read it before it ends.
        until = time.monotonic() + 60
        while time.monotonic() < until:
            kept = controller.ask(do="history", filter="host:neighbour.example", limit=100_000, seconds=60)
            if len(kept.get("exchanges", [])) >= key:
                break
            time.sleep(0.05)
        status = controller.ask(do="status", seconds=60)
        took = console.stop()
        said = console.said()
        shed = sum(link["shed"]["exchanges"] + link["shed"]["bodies"] for link in status["links"])
        sent = sum(attacker.sent for attacker in attackers)
        told = said.count("more than the console keeps") + said.count("are shown") + said.count("Left out of the record")
        seen = None
        if not screen:
            _, lines, _ = bench.run(binary, "history", "host:neighbour.example", "--limit", "100000", folder=console.folder)
            seen = lines.count(b"neighbour.example")
        return sent / 1e6, highest, slowest, took, shed, told, (seen, key)


def attack(binary, scale, seconds, only=None, most=512, longest=1.0, slowest=1.0, log=print):
    failures = []
    log(f"{'what one link sends':14}{'links':>6}{'sent MB':>9}{'highest MB':>12}{'control s':>11}{'SIGTERM s':>11}"
        f"{'left out':>10}  neighbour")
    for what, links in ATTACKS.items():
        if only and what.__name__ not in only:
            continue
        try:
            sent, highest, slow, took, shed, told, (seen, key) = one(binary, what, links, scale, seconds)
        except (Failed, OSError) as error:
            log(f"{what.__name__:14}{links:6}  {str(error)[:300]}")
            failures.append(what.__name__)
            continue
        log(f"{what.__name__:14}{links:6}{sent:9.0f}{highest:12.0f}{slow:11.2f}{took:11.2f}{shed:10}  {seen} of {key}")
        if highest > most or slow > slowest * bench.patience() or took > longest * bench.patience() or seen != key:
            failures.append(what.__name__)
        if shed and not told:
            failures.append(what.__name__ + " (not told)")
    if failures:
        raise Failed("too much: " + ", ".join(failures))
