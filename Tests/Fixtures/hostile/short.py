"""Links that go before they are looked at, and connections for which there are no descriptors."""

import os
import signal
import time

import bench
from bench import Failed


def early(binary, log=print):
    """Hello, exchanges and the end, all before the console accepts: nothing is lost, and it is a hook all the same."""
    for rounds, (links, count) in enumerate([(1, 500), (1, 1), (20, 200), (100, 20)]):
        with bench.Console(binary) as console:
            console.process.send_signal(signal.SIGSTOP)
            for link in range(links):
                connection = bench.connect(console.socket)
                connection.sendall(bench.hello(f"early{link}", 1000 + link) + b"".join(
                    bench.whole(key, f"http://early.example/{link}/{key}") for key in range(1, count + 1)))
                connection.close()
            console.process.send_signal(signal.SIGCONT)
            console.wait(
                f"{links * count} exchanges", lambda: console.said().count("http://early.example/") >= links * count)
            console.stop()
            if "not a Patchbay hook" in console.said():
                raise Failed("a hook that closed early was called none")
            log(f"{links} links × {count} exchanges, closed before they were accepted: all are there")
    with bench.Console(binary) as console:
        # Changes of the stubs are written to links that have gone with something unread. At most 16 are not answered yet: who
        # reads no answers is not read either in the end, and a link that is still here then never says that it has them.
        controller = console.controller()
        for turn in range(200):
            if turn >= 16:
                controller.line()
            connection = console.link(pid=2000 + turn)
            connection.sendall(b"".join(bench.whole(key, f"http://push.example/{turn}/{key}") for key in range(1, 21)))
            controller.link.sendall(
                b'{"id":1,"do":"stubs.add","stubs":[{"name":"a","then":{"respond":{"status":%d}}}]}\n' % (200 + turn))
            connection.close()
        console.wait("4,000 exchanges", lambda: console.said().count("http://push.example/") >= 4_000)
        console.stop()
        log("200 links that closed while stubs were pushed: all 4,000 exchanges are there")


def quickest_answer(console, times=5):
    """Seconds until a controller that comes now is answered, and how many links it is told of. A machine that is busy makes an
    answer late by itself, but not each: one in time is enough."""
    quickest, answer = float("inf"), None
    for _ in range(times):
        asked = time.monotonic()
        controller = console.controller()
        answer = controller.ask(do="status")
        quickest = min(quickest, time.monotonic() - asked)
        controller.close()
        if quickest <= bench.patience():
            break
    return quickest, len(answer["links"])


def descriptors(binary, log=print):
    """Short of descriptors it waits, says so, answers controllers, and goes on when there is room."""
    for limit in (64, 48, 40):
        with bench.Console(binary, limit=limit) as console:
            links = []
            for pid in range(100):
                link = bench.connect(console.socket)
                link.setblocking(False)
                try:
                    link.send(bench.hello(f"many{pid}", 3000 + pid))
                except BlockingIOError:
                    pass
                links.append(link)
            console.wait("the sentence", lambda: "Descriptors are short" in console.said())
            before, began = console.processor(), time.monotonic()
            time.sleep(2)
            used = (console.processor() - before) / (time.monotonic() - began)
            answered, linked = quickest_answer(console)
            if used > 0.1 or answered > bench.patience():
                raise Failed(f"with {limit} descriptors {used:.0%} of a processor, an answer after {answered:.1f} s")
            if console.said().count("Descriptors are short") > 2:
                raise Failed("it says again and again that descriptors are short")
            for link in links:
                link.close()
            link = console.link(name="later", pid=9999)
            link.sendall(bench.whole(1, "http://later.example/"))
            console.wait("the link that comes later", lambda: "http://later.example/" in console.said())
            took = console.stop()
            log(f"{limit} descriptors: {linked} linked, {used:.1%} of a processor, an answer after {answered * 1000:.0f} ms, "
                f"recovered, ended in {took:.2f} s")
