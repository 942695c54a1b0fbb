"""Random messages on the harness socket, most of them nearly right, beside a neighbour that is served all the while."""

import random
import time

import bench
from bench import CODE_STUBS, EXCHANGE, HELLO, NOTICE, PROGRESS, SHED, Failed, message, number, raw, text, varint

NUMBERS = [0, 1, 2, 3, 5, 6, 7, 199, 200, 302, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
TEXTS = [
    b"", b"x", b"GET", b"http://a.example/", b"http://[::1", b"/", b"\0", b"\xff\xfe", b"\x1b]0;owned\x07", b"Location", b"a" * 5000,
    b"flaky", b'{"name":"c","then":{"respond":{"status":200}}}', b'{"name":1}', b"[" * 3000, "日本語".encode(), b"%zz", b"Content-Length",
]


class Fuzz:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def fields(self, depth=0):
        """Any fields: tags mostly those that there are."""
        out = b""
        for _ in range(self.random.randrange(7)):
            tag = self.random.choice([*range(1, 11), *range(1, 11), 0, 99, 1 << 40])
            kind = self.random.randrange(4 if depth < 3 else 3)
            if kind == 0:
                out += number(tag, self.random.choice(NUMBERS))
            elif kind == 3:
                out += raw(tag, self.fields(depth + 1))
            else:
                value = self.random.choice(TEXTS)
                out += raw(tag, varint(self.random.randrange(9)) + value if kind == 2 else value)
        return out

    def exchange(self):
        key = self.random.choice([1, 2, 3, self.random.randrange(60), self.random.choice(NUMBERS)])
        url = self.random.choice(TEXTS)
        hop = raw(4, bench.signed(1, 302) + text(2, url) + bench.pair(3, "Location", self.random.choice(TEXTS)) + text(5, url))
        parts = [
            bench.start(key, url, headers=[("A", self.random.choice(TEXTS))], body=self.random.choice(TEXTS)),
            raw(3, number(1, self.random.randrange(9)) + text(2, url)), hop, number(5, self.random.randrange(5)),
            bench.head(self.random.choice([200, 404, 0, -1, 1 << 40])), raw(7, self.random.choice(TEXTS)),
            bench.end(self.random.randrange(6)), raw(9, bench.request(url)), raw(10, text(1, url)), self.fields(),
        ]
        chosen = [part for part in parts if self.random.random() < 0.5]
        if self.random.random() < 0.2:
            self.random.shuffle(chosen)
        return message(EXCHANGE, (b"" if parts[0] in chosen else number(1, key)) + b"".join(chosen))

    def message(self):
        kind = self.random.randrange(10)
        if kind < 5:
            return self.exchange()
        if kind < 8:
            return message(self.random.choice([HELLO, 2, EXCHANGE, CODE_STUBS, PROGRESS, SHED, NOTICE, 8, 9, 0, 300]), self.fields())
        if kind == 8:
            return message(PROGRESS, raw(1, text(1, self.random.choice(TEXTS)) + number(2, self.random.choice(NUMBERS))))
        return message(CODE_STUBS, b"".join(text(1, self.random.choice(TEXTS)) for _ in range(3)))

    def connection(self):
        """All that one connection sends, and how many messages that are."""
        messages = [bench.hello("fuzz", self.random.randrange(1, 9999))] if self.random.random() < 0.9 else []
        messages += [self.message() for _ in range(self.random.randrange(1, 30))]
        data = b"".join(messages)
        if self.random.random() < 0.3:
            place = self.random.randrange(len(data))
            data = self.random.choice([
                data[:place], data[:place] + bytes([self.random.randrange(256)]) + data[place + 1:],
                data[:place] + b"\xff" * 6 + data[place:], data[:place] + data[place + 1:],
            ])
        return data, len(messages)


def attack(binary, count, seed, log=print):
    fuzz, done, turn, began = Fuzz(seed), 0, 0, time.monotonic()
    with bench.Console(binary) as console:
        neighbour = console.link(name="neighbour", pid=1)
        while done < count:
            data, messages = fuzz.connection()
            done, turn = done + messages, turn + 1
            link = bench.connect(console.socket)
            try:
                link.sendall(data)
            except (ConnectionError, TimeoutError):
                pass
            link.close()
            if turn % 50 == 0 or done >= count:
                neighbour.sendall(bench.whole(turn, f"http://neighbour.example/{turn}."))
                console.wait(f"the neighbour's {turn} (seed {seed})", lambda: f"neighbour.example/{turn}." in console.said())
                while bench.readable(neighbour):
                    if not neighbour.recv(1 << 20):
                        raise Failed(f"the neighbour's link was closed (seed {seed})")
                console.errors.truncate(0)
        memory = console.memory()
        took = console.stop()
    log(f"seed {seed}: {done} messages on {turn} links, 0 crashes; {time.monotonic() - began:.0f} s, {memory:.0f} MB; ended in {took:.2f} s")
    return done
