"""Numbers that cannot be: every number of every message, with every extreme, one at a time."""

import itertools

from bench import APPLIED, EXCHANGE, HELLO, PROGRESS, SHED, Failed, message, now, number, raw, text, varint, zigzag
import bench

SIGNED = [0, 1, -1, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 62, -(1 << 63), -(1 << 63) + 1, (1 << 63) - 1, -(1 << 53)]
VALUES = sorted({value & (1 << 64) - 1 for value in SIGNED} | {zigzag(v) & (1 << 64) - 1 for v in SIGNED}
                | {(1 << 64) - 1})


def fields(kind, key):
    """A message as a tree: (tag, number), (tag, text) or (tag, [fields])."""
    begun = zigzag(now())
    request = [(1, "GET"), (2, f"http://a.example/{key}"), (5, 0)]
    begin = [
        (1, key), (2, [(1, begun), (2, request), (3, 1), (4, 7), (5, 9)]),
        (3, [(1, 1), (2, "a stub"), (3, request)]), (4, [(1, zigzag(302)), (2, "http://a.example/"), (4, zigzag(400))])]
    head = [(6, [(1, zigzag(500)), (2, zigzag(200))]), (7, "body")]
    error = [(3, [(1, "NSURLErrorDomain"), (2, zigzag(-1001)), (3, "timedOut")])]

    def end(outcome, failure=()):
        return [(8, [(1, zigzag(900)), (2, outcome), *failure, (4, zigzag(5)), (5, zigzag(5)), (6, zigzag(5)), (7, 1),
                     (8, 1), (9, 1)])]

    return {
        "responded": begin + head + end(1), "failed": begin + end(2, error), "held": begin + [(5, 1)],
        "response held": begin + head + [(5, 2)], "open": begin + head,
    }[kind]


OTHERS = {
    APPLIED: [(1, 3)], PROGRESS: [(1, [(1, "flaky search"), (2, 3), (3, 1)])], SHED: [(1, 1), (2, 2), (3, 3)],
}


def encoded(tree):
    out = b""
    for tag, value in tree:
        if isinstance(value, int):
            out += number(tag, value)
        elif isinstance(value, str):
            out += text(tag, value)
        else:
            out += raw(tag, encoded(value))
    return out


def lies(tree, lie):
    """The tree once for each number in it, with that one replaced."""
    for place, (tag, value) in enumerate(tree):
        if isinstance(value, int):
            yield tree[:place] + [(tag, lie)] + tree[place + 1:]
        elif not isinstance(value, str):
            for changed in lies(value, lie):
                yield tree[:place] + [(tag, changed)] + tree[place + 1:]


def all_lies():
    keys = itertools.count(1)
    for lie in VALUES:
        for kind in ("responded", "failed", "held", "response held", "open"):
            for index, _ in enumerate(lies(fields(kind, 0), lie)):
                tree = list(lies(fields(kind, next(keys)), lie))[index]
                yield message(EXCHANGE, encoded(tree))
        for kind, tree in OTHERS.items():
            for changed in lies(tree, lie):
                yield message(kind, encoded(changed))


def tell(console):
    """Tells a console all of them. A lie may break its link, never more: then the rest comes on another."""
    link, count = console.link(), 0
    for lie in all_lies():
        try:
            link.sendall(lie)
        except OSError:
            console.alive()
            link = console.link()
        count += 1
    console.wait("the last of them", lambda: console.controller().ask(do="status")["ok"])
    console.alive()
    for pid, lie in enumerate(VALUES):
        tree = [(1, 1 << 16), (2, "liar"), (3, lie), (4, "/bin/liar"), (5, lie), (6, 2), (7, lie), (8, lie)]
        liar = bench.connect(console.socket)
        liar.sendall(message(HELLO, encoded(tree)) + bench.whole(1))
        liar.close()
        count += 1
    return count, link


def attack(binary, log=print):
    with bench.Console(binary, "--log", "log.jsonl") as console:
        count, _ = tell(console)
        took = console.stop()
        log(f"headless with --log: {count} lies, ended in {took:.2f} s")
        commands = [["history", "--json"], ["history", "--limit", "100000"]] + [
            ["export", kind, "--with-secrets", "-o", "out." + kind] for kind in ("har", "jsonl", "curl", "stubs", "swift")]
        for command in commands:
            status, _, errors = bench.run(binary, *command, folder=console.folder)
            if status:
                raise Failed(f"{command} ended with {status}: {errors[-500:]!r}")
        log(f"history and {len(commands) - 2} exports of what was recorded")
        screen(binary, console.folder, "what was recorded", log)
    with bench.Console(binary, screen=True) as console:
        count, _ = tell(console)
        walk(console)
        log(f"on screen: {count} lies, ended in {console.stop():.2f} s")
    with bench.Console(binary, screen=True, size=(24, 80)) as console:
        _, link = tell(console)
        walk(console)
        link.close()
        walk(console)
        log("on a small screen, and when the link has gone")
        console.stop()


def screen(binary, folder, what, log):
    with bench.Console(binary, screen=True, folder=folder) as console:
        walk(console)
        log(f"on screen: {what}, ended in {console.stop():.2f} s")


def walk(console):
    """Through every tab and the parts of an opened request, up and down the list."""
    console.keys("3", "j", "G", "g", "4", "G", "5", "2", "G", "1", "g", "\r", "\x1b[C", "\x1b[C", "\x1b[C", "\x1b")
    console.keys("G", "\r", "\x1b[C", "\x1b[C", "\x1b[C", *"jjj", "\x1b", *"kkkkkk", "\x1b[5~", "\x1b[5~", "g", "1")
