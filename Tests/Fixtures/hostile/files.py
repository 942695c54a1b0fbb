"""Files of all kinds that are read, with something wrong in them: a sentence and a status, never a crash or a hang."""

import json
import os
import random
import tempfile
import time

import bench
from bench import Failed

YAML = """patchbay: 1
stubs:
- name: a
  when: { method: GET, url: "*/x", path: { matches: "^/v1/[0-9]+$" }, query: { page: "2", debug: null }, any: [ { method: PUT } ] }
  then: { respond: { status: 503, headers: { A: [b, c] }, json: { a: [1, 2.50, null], b: "{{request.path.1}}" }, delay: 300ms } }
  times: 3
- name: b
  enabled: false
  scenario: { name: s, in: Started, to: done }
  then:
    sequence:
    - fail: { error: networkConnectionLost, after: { status: 200, body: "half", bytes: 2 } }
    - pass: { to: "http://127.0.0.1:1/m", request: { method: PUT }, mergePatch: { a: null }, replace: [ { find: x, with: y } ] }
    afterwards: repeat
"""
ENTRY = {
    "startedDateTime": "2026-11-22T12:00:00.000Z", "time": 12.5,
    "request": {"method": "POST", "url": "http://a.example/x?y=1", "headers": [{"name": "A", "value": "b"}],
                "postData": {"mimeType": "text/plain", "text": "hi"}},
    "response": {"status": 200, "headers": [], "content": {"size": 2, "text": "b2s=", "encoding": "base64"}},
    "timings": {"send": 0, "wait": 5, "receive": 1},
}
HAR = json.dumps({"log": {"version": "1.2", "entries": [ENTRY, ENTRY]}})
THEME = "name: mine\ncolors: { fg: \"#ffffff\", bg: black }\nroles: { text: { fg: fg, bg: bg } }\n"
PIECES = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\t", b"\r", b"&a ", b"*a ", b"!!binary ", b"<<: ", b"{", b"[" * 2000, b"]", b"}", b":", b"- ", b'"',
    b"'", b"{{", b"}}", b"|\n", b"\n---\n", b"~", b"9" * 400, b"-1", b"1e999", b"\\u0000", b"\\ud800", "‮".encode(), b"\x1b[2J", b"null", b"NO",
]


def mutated(data, draw):
    data = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(data) + 1)
        end = min(len(data), place + draw.choice([1, 1, 2, 10, 80]))
        what = draw.randrange(5)
        if what == 0:
            data[place:end] = b""
        elif what == 1:
            data[place:place] = draw.choice(PIECES)
        elif what == 2:
            data[place:end] = draw.choice(PIECES)
        elif what == 3:
            data[place:place] = data[place:end] * draw.randrange(1, 40)
        elif place < len(data):
            data[place] = draw.randrange(256)
    return bytes(data)


# A command with the file at its end, the file's name, and what it is made of.
KINDS = [
    (["stubs", "check"], "s.yaml", YAML), (["stubs", "explain", "--url", "http://a/v1/7"], "s.yaml", YAML),
    (["import", "--history", "h.sqlite"], "a.har", HAR), (["themes", "check"], "t.yaml", THEME),
    (["stubs", "import"], "w.json", '{"mappings":[{"request":{"method":"GET","urlPath":"/a"},"response":{"status":200,"jsonBody":{"a":1}}}]}'),
    (["stubs", "import"], "o.yaml", "openapi: 3.0.0\npaths:\n  /a/{id}:\n    get:\n      responses:\n        '200':\n          content:\n"
     "            application/json:\n              schema: { type: object, properties: { a: { $ref: '#/components/schemas/B' } } }\n"
     "components: { schemas: { B: { type: array, items: { $ref: '#/components/schemas/B' } } } }\n"),
    (["stubs", "import"], "c.sh", "curl -X POST 'http://a/x' -H 'A: b' --data '{\"a\":1}'\n"),
]


def attack(binary, count, seed, log=print):
    draw, began, refused, slowest = random.Random(seed), time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="pb-hostile-") as folder:
        for done in range(count):
            words, name, text = draw.choice(KINDS)
            content = mutated(text.encode(), draw)
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
            at = time.monotonic()
            try:
                status, output, errors = bench.run(binary, *words, name, folder=folder, seconds=20)
            except (Failed, bench.subprocess.TimeoutExpired) as failure:
                kept = os.path.join(tempfile.gettempdir(), f"hostile-{seed}-{done}-{name}")
                with open(kept, "wb") as file:
                    file.write(content)
                raise Failed(f"{' '.join(words)} {kept} (seed {seed}): {failure}") from None
            slowest = max(slowest, time.monotonic() - at)
            refused += status != 0
            if status not in (0, 1) or status == 1 and not errors.strip():
                raise Failed(f"{' '.join(words)} ended with {status} and said {errors[:300]!r} (seed {seed}, input {done})")
            if any(control in output + errors for control in (b"\x1b", b"\0", "‮".encode())):
                raise Failed(f"{' '.join(words)} printed a control (seed {seed}, input {done}): {(output + errors)[:300]!r}")
    log(f"seed {seed}: {count} files, {refused} refused, 0 crashes; slowest {slowest:.2f} s; {time.monotonic() - began:.0f} s")
    return count
