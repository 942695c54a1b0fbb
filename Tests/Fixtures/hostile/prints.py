"""Every kind of control character in every field that a program, a server, a file, an argument or the environment can
fill, and the raw bytes of everything that is printed of it: on the screen, on lines, in tables, exports and errors."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

import bench
from bench import CODE_STUBS, EXCHANGE, NOTICE, PROGRESS, Failed, message, number, raw, signed, text

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SEPARATORS = "\u2028\u2029"
C0 = "".join(map(chr, range(0x20)))
C1 = "\x7f" + "".join(map(chr, range(0x80, 0xA0)))
MARK = "zq"
# Each control stands before a mark, so that it is known where it comes from.
FIELD = "".join(control + MARK for control in C0 + C1 + BIDI + SEPARATORS)
SEQUENCES = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1bcowned\x9b31m\x9d0;owned\x9c\r"
HOSTILE = FIELD + SEQUENCES
# What a file may be called: no NUL, no slash, 255 bytes. The last byte alone is C1 where a terminal is not in UTF-8.
NAME = "".join(c + MARK for c in "\x01\x07\x1b\r\n\x08\x7f\x80\x85\x9b\x9d\u202e\u2066\u2028\u061c") + "\x1b]0;owned\x07"
BAD_NAME = NAME.encode() + b"\x9b" + MARK.encode()

FORBIDDEN = set(C0 + C1 + BIDI + SEPARATORS) - {"\n", "\t"}
BAD = re.compile("[" + re.escape("".join(sorted(FORBIDDEN))) + "]")
# Colours, and the line that says how far long work has come.
OWN = re.compile(r"\x1b\[[0-9;]*m|\r(?:(?:reading|writing)[^\r\n\x1b]*: \d+ %)?\x1b\[K")


class Findings:
    def __init__(self):
        self.found, self.looked_at, self.bytes = [], 0, 0

    def check(self, what, output, in_terminal=False):
        """What a command printed: text, lines, and on a terminal colours; nothing else."""
        self.looked_at += 1
        self.bytes += len(output)
        try:
            shown = output.decode("utf-8")
        except UnicodeDecodeError as error:
            self.found.append(f"{what}: not UTF-8: {output[max(0, error.start - 40):error.start + 10]!r}")
            return
        if in_terminal:
            shown = OWN.sub("", shown).replace("\r\n", "\n")
        bad = BAD.search(shown)
        if bad:
            place = bad.start()
            self.found.append(f"{what}: U+{ord(bad[0]):04X} in {shown[max(0, place - 40):place + 8]!r}")
            return
        # A shell's quotes may hold line ends.
        if "\n" + MARK in shown and "export curl" not in what:
            place = shown.index("\n" + MARK)
            self.found.append(f"{what}: a field begins a line of its own: {shown[max(0, place - 40):place + 8]!r}")

    def check_screen(self, what, output):
        """What a screen wrote: it has sequences of its own, and none that came from a field."""
        self.looked_at += 1
        self.bytes += len(output)
        shown = output.decode("utf-8", "replace")
        # The cursor goes back and down by these.
        own = set("\r\n\b\t")
        for control in C0 + C1 + BIDI + SEPARATORS:
            bad = control in shown if control in C1 + BIDI + SEPARATORS else control not in own and control + MARK in shown
            if bad:
                place = shown.index(control if control in C1 + BIDI + SEPARATORS else control + MARK)
                self.found.append(f"{what}: U+{ord(control):04X} in {shown[max(0, place - 40):place + 10]!r}")
        for sequence in ("\x1b]0;owned", "\x1b]52;c;b3duZWQ", "\x1bcowned"):
            if sequence in shown:
                self.found.append(f"{what}: {sequence!r}")


def exchanges():
    """One of each kind with every field hostile."""
    fields = [("X-" + HOSTILE, HOSTILE), ("Content-Type", "text/plain; charset=" + HOSTILE), ("Set-Cookie", HOSTILE),
              ("Content-Encoding", HOSTILE), ("Authorization", HOSTILE)]
    url = "http://" + HOSTILE + ".example/" + HOSTILE + "?" + HOSTILE + "=" + HOSTILE + "#" + HOSTILE
    error = raw(3, text(1, HOSTILE) + signed(2, -1001) + text(3, HOSTILE) + text(4, HOSTILE))
    url_error = raw(3, text(1, "NSURLErrorDomain") + signed(2, -1001) + text(3, HOSTILE) + text(4, HOSTILE))
    hop = raw(4, signed(1, 302) + text(2, url) + bench.pair(3, *fields[0]) + signed(4, 9))
    bodies = [
        ("text/plain", HOSTILE.encode()), ("application/json", json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False).encode()),
        ("application/json", HOSTILE.encode()), ("text/html", f"<p title='{HOSTILE}'>{HOSTILE}</p>".encode()),
        ("application/x-www-form-urlencoded", f"{HOSTILE}={HOSTILE}".encode()), ("image/png", b"\x89PNG" + HOSTILE.encode()),
        ("multipart/form-data; boundary=b", f'--b\r\nContent-Disposition: form-data; name="{HOSTILE}"\r\n\r\n{HOSTILE}\r\n--b--'
         .encode()), ("text/event-stream", f"event: {HOSTILE}\ndata: {HOSTILE}\n\n".encode()),
        ("application/octet-stream", bytes(range(256)) * 3), ("text/plain; charset=iso-8859-1", bytes(range(256))),
        ("application/x-ndjson", (json.dumps({"a": HOSTILE}, ensure_ascii=False) + "\n").encode() * 2),
        ("application/graphql+json", json.dumps({"query": HOSTILE, "operationName": HOSTILE}, ensure_ascii=False).encode()),
    ]
    key = 0
    for by, stub in ((1, None), (2, HOSTILE), (3, HOSTILE), (4, HOSTILE), (5, None)):
        answer = raw(3, number(1, by) + (text(2, stub) if stub else b"")
                     + (raw(3, bench.request(url, HOSTILE, fields, HOSTILE.encode())) if by == 4 else b""))
        for kind, body in bodies if by == 1 else bodies[:2]:
            key += 1
            begun = bench.start(key, url, HOSTILE, [*fields, ("Content-Type", kind)], body) + answer + hop
            yield message(EXCHANGE, begun + bench.head(200, [*fields, ("Content-Type", kind)]) + raw(7, body)
                          + bench.end(received=len(body)))
        for failure in (error, url_error):
            key += 1
            yield message(EXCHANGE, bench.start(key, url, HOSTILE, fields) + answer + bench.end(2, failure))
    plain = "http://plain.example/" + HOSTILE
    for method, status in (("GET", 200), ("POST", 404), ("PUT", 503)):
        key += 1
        yield message(EXCHANGE, bench.start(key, plain, method, fields, HOSTILE.encode()) + bench.head(status, fields)
                      + raw(7, HOSTILE.encode()) + bench.end())
    for held in (b"", number(5, 1), bench.head(200, fields) + raw(7, HOSTILE.encode()) + number(5, 2)):
        key += 1
        yield message(EXCHANGE, bench.start(key, plain, "GET", fields, HOSTILE.encode()) + held)


def stub(name=HOSTILE):
    return {
        "name": name, "when": {"method": "GET", "url": "*" + HOSTILE + "*", "headers": {"X-A": HOSTILE}, "host": HOSTILE,
                               "query": {HOSTILE: HOSTILE}, "body": {"contains": HOSTILE}},
        "then": {"respond": {"status": 200, "headers": {"X-A": "b"}, "body": HOSTILE}}}


def code_stubs():
    """As JSON has them, which need not escape what is not C0."""
    stubs = [stub(), stub("second " + HOSTILE), {"name": "fails " + HOSTILE, "then": {"fail": {
        "domain": HOSTILE, "code": 1, "message": HOSTILE}}}]
    return message(CODE_STUBS, b"".join(text(1, json.dumps(one, ensure_ascii=False)) for one in stubs))


def tell(console):
    """A linked process that says all of it. It stays linked."""
    link = console.link(name=HOSTILE, pid=6666, executable="/" + HOSTILE)
    link.sendall(code_stubs() + message(NOTICE, text(1, HOSTILE)) + message(PROGRESS, raw(1, text(1, HOSTILE) + number(2, 3))))
    for one in exchanges():
        link.sendall(one)
    second = console.link(name="second", pid=6667)
    second.sendall(bench.whole(1, "http://last.example/"))
    controller = console.controller()
    console.wait("the exchanges", lambda: len(controller.ask(do="hold.list").get("held", [])) >= 2)
    return link, second, controller


def in_pty(command, folder, cwd, keys=(), seconds=60, width=100, environment=()):
    """A command in a terminal: what it wrote there."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(
        command, env=bench.environment(folder, **dict(environment)), stdin=slave, stdout=slave, stderr=slave, cwd=cwd,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    output, deadline, waiting = b"", time.monotonic() + seconds * bench.patience(), list(keys)
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.4)[0]:
            try:
                piece = os.read(master, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            output += piece
        elif waiting:
            os.write(master, waiting.pop(0).encode())
        elif process.poll() is not None:
            break
    else:
        process.kill()
    process.wait()
    os.close(master)
    if process.returncode < 0:
        raise Failed(f"{command[1:]} in a terminal ended with {process.returncode}")
    return output


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


def yaml(value):
    return json.dumps(value)


def files(folder):
    """Files with hostile names and insides: the good, and those with a mistake in each place."""
    work = folder + "/work"
    os.makedirs(work, exist_ok=True)
    # One that is not UTF-8 cannot be named on the command line; it is only asked for in vain.
    named = os.path.join(work, NAME).encode()
    good = f"patchbay: 1\nstubs:\n- {yaml(stub())}\n"
    write(named + b".yaml", good)
    write(work + "/good.yaml", good)
    mistakes = {
        "key": f"patchbay: 1\nstubs:\n- name: a\n  {yaml(HOSTILE)}: 1\n",
        "value": f"patchbay: 1\nstubs:\n- name: a\n  then: {{ fail: {yaml(HOSTILE)} }}\n",
        "twice": f"patchbay: 1\nstubs:\n- name: {yaml(HOSTILE)}\n- name: {yaml(HOSTILE)}\n",
        "expression": f"patchbay: 1\nstubs:\n- name: a\n  when: {{ url: {{ matches: {yaml('(' + HOSTILE)} }} }}\n",
        "status": f"patchbay: 1\nstubs:\n- name: {yaml(HOSTILE)}\n  then: {{ respond: {{ status: {yaml(HOSTILE)} }} }}\n",
        "body": f"patchbay: 1\nstubs:\n- name: {yaml(HOSTILE)}\n  then: {{ respond: {{ file: {yaml(NAME)} }} }}\n",
        "raw": b"patchbay: 1\nstubs:\n- name: a\x1b]0;owned\x07\x9b\n",
        "unit": f"patchbay: 1\nstubs:\n- name: a\n  then: {{ respond: {{ delay: {yaml(HOSTILE)} }} }}\n",
        "header": f"patchbay: 1\nstubs:\n- name: a\n  then: {{ respond: {{ headers: {{ {yaml(HOSTILE)}: {yaml(HOSTILE)} }} }} }}\n",
        "tag": "patchbay: 1\nstubs: !<" + "x\x9by" + "> []\n",
    }
    for name, content in mistakes.items():
        write(f"{work}/{name}.yaml", content)
    theme = 'patchbay-theme: 1\nname: {}\nroles: {{}}\n'
    write(named + b".theme.yaml", theme.format(yaml(HOSTILE)))
    write(work + "/theme.yaml", f"name: {yaml(HOSTILE)}\nroles:\n  {yaml(HOSTILE)}: {{ fg: {yaml(HOSTILE)} }}\n")
    write(work + "/theme2.yaml", f"name: {yaml(HOSTILE)}\ncolors: {{ {yaml(HOSTILE)}: '#123456' }}\nroles:\n  text: {{ fg: {yaml(HOSTILE)} }}\n")
    entry = {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "request": {
        "method": HOSTILE, "url": "http://har.example/" + HOSTILE, "headers": [{"name": HOSTILE, "value": HOSTILE}]},
        "response": {"status": 200, "statusText": HOSTILE, "headers": [], "content": {"text": HOSTILE, "mimeType": HOSTILE}},
        "comment": HOSTILE}
    write(named + b".har", json.dumps({"log": {"entries": [entry, {"request": HOSTILE}, 7]}}, ensure_ascii=False))
    write(work + "/bad.har", "{" + HOSTILE)
    write(named, "#!/bin/sh\nexit 3\n")
    os.chmod(named, 0o755)
    write(work + "/talker", "#!/bin/sh\nprintf '" + SEQUENCES.replace("\x1b", "\\033").replace("\x07", "\\007") + "talked\\n'\n")
    os.chmod(work + "/talker", 0o755)
    return work, named


def commands(work, named):
    """Without a console that runs. Arguments as bytes, which need not be UTF-8."""
    argument = HOSTILE.replace("\0", "")
    both = [
        [], ["help"], ["--help"], [argument], ["--" + argument], ["history"], ["history", "--json"], ["history", argument],
        ["history", "status:" + argument], ["history", "~(" + argument], ["history", argument + ":x"], ["history", "id:" + argument],
        ["history", "--limit", argument], ["history", "--history", named], ["history", "--history", b"/nowhere/" + BAD_NAME],
        ["history", "--history", work + "/good.yaml"],
        *[["export", kind, *extra] for kind in ("har", "jsonl", "curl", "stubs", "swift", "wiremock")
          for extra in ([], ["--with-secrets"])],
        ["export", "bodies"], ["export", "bodies", "-o", "bodies"], ["export", argument], ["export", "har", argument],
        ["export", "har", "-o", b"/nowhere/" + BAD_NAME], ["export", "har", "-o", b"made " + BAD_NAME],
        ["import", named + b".har"], ["import", work + "/bad.har"], ["import", b"/nowhere/" + BAD_NAME],
        ["stubs", "check", named + b".yaml"], ["stubs", "check", b"/nowhere/" + BAD_NAME], ["stubs", "check", named],
        *[["stubs", "check", f"{work}/{name}"] for name in sorted(os.listdir(work)) if name.endswith(".yaml")],
        ["stubs", "explain", "--method", argument, "--url", argument, "--header", argument + ": " + argument, "--body", argument,
         work + "/good.yaml"], ["stubs", "explain", "--url", "http://x/", named + b".yaml"], ["stubs", argument],
        ["stubs", "explain", "--url", "http://x/", "--header", argument],
        ["stubs", "list", "--socket", b"/nowhere/" + BAD_NAME], ["stubs", "schema"], ["schema", "jsonl"], ["schema", argument],
        ["themes", "list"], ["themes", "check", named + b".theme.yaml"], ["themes", "check", b"/nowhere/" + BAD_NAME],
        ["themes", "check", work + "/theme.yaml", work + "/theme2.yaml", work + "/raw.yaml", work + "/key.yaml"],
        ["themes", "show", argument], ["themes", "show", named + b".theme.yaml"], ["themes", argument],
        ["attach", "--headless", argument], ["detach", argument], ["doctor"], ["doctor", argument], ["faults"], ["help", argument], ["help", "filter"], ["install", argument],
        ["install", "--prefix", b"/proc/" + BAD_NAME], ["hold", argument], ["hold", "list", "--socket", argument],
        ["log", argument], ["log", "--socket", b"/nowhere/" + BAD_NAME], ["run", "--headless", "--", b"/nowhere/" + BAD_NAME],
        ["run", "--headless", "--", named], ["run", "--headless", "--", b"nowhere" + BAD_NAME],
        ["run", "--headless", "--expect", argument, "--", "true"], ["run", "--headless", "--expect", f'url:"{argument}"', "--", "true"],
        ["run", "--headless", "--forbid", argument, "--", "true"],
        ["listen", "--headless", "--for", "100ms", "--stubs", named + b".yaml"],
        ["listen", "--headless", "--for", "100ms", "--stubs", work + "/body.yaml"],
        ["listen", "--headless", "--for", "100ms", "--stubs", work + "/key.yaml"],
        ["listen", "--headless", "--for", "100ms", "--stubs", b"/nowhere/" + BAD_NAME],
        ["listen", "--headless", "--for", "100ms", "--theme", argument], ["listen", "--headless", "--for", argument],
        ["listen", "--headless", "--for", "100ms", "--filter", "(" + argument], ["listen", "--headless", "--unmatched", argument],
        ["listen", "--headless", "--for", "100ms", "--socket", b"/nowhere/" + BAD_NAME],
        ["listen", "--headless", "--for", "100ms", "--socket", named],
        ["listen", "--headless", "--for", "100ms", "--socket", b"s" + BAD_NAME[:40]],
        ["listen", "--headless", "--for", "100ms", "--history", b"/proc/" + BAD_NAME],
        ["listen", "--headless", "--for", "100ms", "--history", named],
        ["listen", "--headless", "--for", "100ms", "--log", b"/nowhere/" + BAD_NAME],
        ["listen", "--headless", "--for", "100ms", "--record", b"/nowhere/" + BAD_NAME],
        ["listen", "--headless", "--for", "100ms", "--record", b"recorded " + BAD_NAME],
        ["listen", "--headless", "--body-limit", argument],
        ["demo", "--headless", "--for", "300ms", "--filter", argument],
    ]
    return both


def controlling(argument):
    """With a console that runs and has it all."""
    return [
        ["stubs", "list"], ["stubs", "list", "--json"], ["stubs", "disable", argument], ["stubs", "enable", argument],
        ["stubs", "remove", "no " + argument], ["stubs", "add", "good.yaml"], ["stubs", "add", "key.yaml"],
        ["stubs", "reset", argument], ["stubs", "explain", "--url", argument], ["stubs", "explain", "--url", "http://x/"],
        ["hold", "list"], ["hold", "list", "--json"], ["hold", "continue", argument], ["hold", "fail", "1", argument],
        ["hold", "respond", "1", "--status", "200", "--header", argument], ["hold", "respond", "1", "--status", argument],
        ["history"], ["history", "--json"], ["doctor"],
    ]


def attack(binary, quick=False, log=print):
    """Quick leaves out most of what is printed twice, in a pipe and in a terminal, and one size of the screen."""
    findings = Findings()
    try:
        print_all(binary, findings, quick, log)
    finally:
        for finding in findings.found:
            log("  " + finding)
    if findings.found:
        raise Failed(f"{len(findings.found)} of {findings.looked_at} outputs have a control in them")
    log(f"{findings.looked_at} outputs, {findings.bytes / 1e6:.1f} MB: no control of {len(FORBIDDEN)} came through")


def has_output(process):
    return bool(select.select([process.stdout], [], [], 0)[0])


def print_all(binary, findings, quick, log):
    with bench.Console(binary, "--log", "log.jsonl") as console:
        work, named = files(console.folder)
        _, second, _ = tell(console)
        argument = HOSTILE.replace("\0", "")
        followers = [
            subprocess.Popen([binary, "log", *extra], env=console.environment, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, cwd=work) for extra in ([], ["--json"])]
        late = console.link(name=HOSTILE, pid=6668)
        # What came before they followed is not theirs. One at a time: all of it is exported later, a dozen times.
        deadline = time.monotonic() + 20 * bench.patience()
        while time.monotonic() < deadline and not all(has_output(follower) for follower in followers):
            late.sendall(next(exchanges()))
            time.sleep(0.2)
        for one in exchanges():
            late.sendall(one)
        for number, command in enumerate(controlling(argument)):
            _, output, errors = bench.run(binary, *command, folder=console.folder, cwd=work)
            findings.check(" ".join(command[:2]) + " (console)", output + errors)
            if not quick or number % 4 == 0:
                output = in_pty([binary, *command], console.folder, work)
                findings.check(" ".join(command[:2]) + " (console, terminal)", output, True)
        time.sleep(0.5)
        late.close()
        second.close()
        console.stop()
        for follower in followers:
            output, errors = follower.communicate(timeout=20 * bench.patience())
            if output.count(b"\n") < 20:
                findings.found.append("log has not followed")
            findings.check("log", output + errors)
        if console.said().count("http://") < 20:
            findings.found.append("the lines without a screen are not there")
        findings.check("the lines without a screen", open(console.folder + "/errors", "rb").read())
        findings.check("--log FILE", open(console.folder + "/log.jsonl", "rb").read())
        log(f"with a console that runs: {findings.looked_at} outputs")
        headless_terminal(binary, console, work, findings)
        for command in commands(work, named):
            what = " ".join(part.decode("utf-8", "replace") if isinstance(part, bytes) else part for part in command)
            what = re.sub(r"[^ -~]+.*", "…", what)[:60]
            is_export = command[:1] == ["export"] and "--with-secrets" not in command
            in_terminal = not quick or findings.looked_at % 12 == 0 or is_export
            if command:
                _, output, errors = bench.run(binary, *command, folder=console.folder, cwd=work)
                findings.check(what, output + errors)
                if in_terminal:
                    findings.check(what + " (terminal)", in_pty([binary, *command], console.folder, work), True)
        log(f"without one: {findings.looked_at} outputs")
        environment(binary, console.folder, work, findings, quick)
        screens(binary, console.folder, work, named, findings, quick)


def headless_terminal(binary, console, work, findings):
    """The lines on a terminal, where they are coloured."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [binary, "listen", "--headless"], env=console.environment, stdin=slave, stdout=slave, stderr=slave, cwd=work)
    os.close(slave)
    deadline = time.monotonic() + 20 * bench.patience()
    while not console.listens() and time.monotonic() < deadline:
        time.sleep(0.05)
    link = console.link(name=HOSTILE, pid=6670)
    link.sendall(message(NOTICE, text(1, HOSTILE)))
    output = b""
    for one in exchanges():
        link.sendall(one)
        while select.select([master], [], [], 0.02)[0]:
            output += os.read(master, 1 << 16)
    link.close()
    time.sleep(1)
    process.terminate()
    process.wait()
    while select.select([master], [], [], 0.2)[0]:
        try:
            output += os.read(master, 1 << 16)
        except OSError:
            break
    os.close(master)
    findings.check("the lines on a terminal", output, True)


def environment(binary, folder, work, findings, quick):
    """Folders and variables with hostile names. Quick asks one command of each, in turn."""
    commands = [["doctor"], ["listen", "--headless", "--for", "100ms"], ["listen", "--for", "100ms"], ["history"],
                ["themes", "list"], ["run", "--headless", "--", "true"], ["stubs", "list"]]
    for number, (name, value) in enumerate({
        "TERM": HOSTILE.replace("\0", ""), "XDG_STATE_HOME": f"{work}/{NAME}", "XDG_CONFIG_HOME": f"{work}/{NAME}",
        "XDG_RUNTIME_DIR": f"{work}/{NAME}", "HOME": f"{work}/{NAME}", "PATCHBAY_SOCKET": "/" + NAME, "COLORTERM": NAME,
        "LANG": NAME, "EDITOR": NAME, "PATH": f"/{NAME}:/usr/bin:/bin",
    }.items()):
        for command in [commands[number % len(commands)]] if quick else commands:
            done = subprocess.run(
                [binary, *command], env=bench.environment(folder, **{name: value}), capture_output=True, cwd=work,
                stdin=subprocess.DEVNULL, timeout=60 * bench.patience())
            findings.check(f"{name} {' '.join(command)}", done.stdout + done.stderr)
    config = folder + "/config/patchbay"
    os.makedirs(config + "/themes", exist_ok=True)
    with open(work + "/theme.yaml", "rb") as theme:
        write(os.path.join(config.encode(), b"themes", BAD_NAME + b".yaml"), theme.read())
    asked = [["doctor"], ["listen", "--headless", "--for", "100ms"], ["themes", "list"]]
    contents = [
        f"theme: {yaml(HOSTILE)}\n", f"{yaml(HOSTILE)}: 1\n", f"filter: {yaml('(' + HOSTILE)}\n",
        f"keys: {{ {yaml(HOSTILE)}: {yaml(HOSTILE)} }}\n", f"stubs: [{yaml('/nowhere/' + NAME)}]\n",
        f"hosts: {{ {yaml(HOSTILE)}: {yaml(HOSTILE)} }}\n", f"history: {{ path: {yaml('/proc/' + NAME)} }}\n"]
    for number, content in enumerate(contents):
        write(config + "/config.yaml", content)
        for command in [asked[number % 3]] if quick else asked:
            _, output, errors = bench.run(binary, *command, folder=folder, cwd=work)
            findings.check("config.yaml " + " ".join(command), output + errors)
        # What was recorded is looked at by `screens`.
        output = in_pty([binary, "listen", "--for", "1s"], folder, work, environment={"XDG_STATE_HOME": work + "/state"})
        findings.check_screen("config.yaml on screen", output)
    os.remove(config + "/config.yaml")


def screens(binary, folder, work, named, findings, quick):
    """The screen: what was recorded, what comes live, every tab, every part, forms, boxes and toasts."""
    for size, extra in (((24, 80), ["--stubs", named + b".yaml"]), ((50, 200), []))[:1 if quick else 2]:
        with bench.Console(binary, *extra, screen=True, folder=folder, size=size, work=work) as console:
            tell(console)
            console.settle()
            console.keys("1", "g")
            for _ in range(3 if quick else 12):
                console.keys("\r", "\x1b[C", "\x1b[C", "\x1b[C", "b", "w", "\x1b[D", "\x1b[D", "\x1b[D", "\x1b", "j")
            console.keys("G", "k", "k", "\r", "e", "\x1b", "\x1b", "s", "\t", "\t", "\x1b", "n", "1", "x", "\x1b", "h", "y", "\x1b", "D")
            console.keys("1", "/", "u", "r", "l", ":", "z", "q", "\r", "/", "\x1b", "i", "\x1b")
            console.keys("2", "g", "j", "\r", "\x1b", " ", "u", "e", "\x1b", "d", "u", "w", "\x1b", "3", "j", "\r", "4", "j", "\r", "5")
            console.keys("?", "\x1b", ":", "s", "t", "\x1b", "T", "j", "j", "\x1b", "1", "r", "R", "\x1b", "m", "p", "z", "u")
            console.stop()
            findings.check_screen(f"the screen of {size[1]}x{size[0]}", console.output)
    output = in_pty([binary, "run", "--", work + "/talker"], folder, work, keys=["5", "G", "1", "q", "y"])
    findings.check_screen("run on screen", output)
    output = in_pty([binary, "run", "--", named], folder, work, keys=["5", "1", "q", "y"])
    findings.check_screen("run of a hostile name on screen", output)
