"""What the attacks have in common: the bytes of the wire, and a console to attack."""

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import time


# The wire (PatchbayWire.docc/Protocol.md), written by hand: the hook's own writer tells no lies.


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return (value << 1) ^ (value >> 63)


def raw(tag, value):
    return varint(tag) + varint(len(value)) + value


def number(tag, value):
    return raw(tag, varint(value))


def signed(tag, value):
    return number(tag, zigzag(value))


def text(tag, value):
    return raw(tag, value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)


def pair(tag, name, value):
    name, value = (part.encode() if isinstance(part, str) else part for part in (name, value))
    return raw(tag, varint(len(name)) + name + value)


def frame(kind, payload):
    return struct.pack(">IH", len(payload) + 2, kind) + payload


def message(kind, payload, piece=1 << 20):
    """A message in as many frames as it needs."""
    out = b""
    while len(payload) > piece:
        out += frame(0, payload[:piece])
        payload = payload[piece:]
    return out + frame(kind, payload)


HELLO, APPLIED, EXCHANGE, CODE_STUBS, PROGRESS, SHED, NOTICE = range(1, 8)


def hello(name="demo", pid=4711, executable="/bin/demo", instance=None):
    instance = instance or int.from_bytes(os.urandom(7), "big")
    return message(
        HELLO,
        number(1, 1 << 16) + text(2, name) + signed(3, pid) + text(4, executable) + signed(5, 1) + number(6, 2)
        + number(7, instance) + signed(8, now()))


def now():
    return int(time.time() * 1_000_000)


def request(url="http://a.example/", method="GET", headers=(), body=None):
    out = text(1, method) + text(2, url) + b"".join(pair(3, *field) for field in headers)
    return out + (raw(4, body) if body is not None else b"")


def start(key, *args, **named):
    """The first fields of an exchange."""
    return number(1, key) + raw(2, signed(1, now()) + raw(2, request(*args, **named)) + number(3, 1) + number(4, 1))


def head(status=200, headers=()):
    return raw(6, signed(1, 500) + signed(2, status) + b"".join(pair(3, *field) for field in headers))


def end(outcome=1, error=b"", received=0):
    return raw(8, signed(1, 900) + number(2, outcome) + error + signed(6, received) + number(9, 1))


def whole(key, url="http://a.example/", body=b"ok"):
    return message(EXCHANGE, start(key, url) + head() + raw(7, body) + end(received=len(body)))


def connect(path, timeout=20):
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(timeout)
    while True:
        try:
            link.connect(path)
            return link
        except BlockingIOError:
            # So many wait already that the system does not queue one more.
            time.sleep(0.005)


class Failed(Exception):
    pass


class Console:
    """A console in folders of its own, headless or on a screen that nobody looks at."""

    def __init__(self, binary, *arguments, screen=False, folder=None, limit=None, size=(50, 200), work=None):
        self.binary = binary
        self.folder = folder or tempfile.mkdtemp(prefix="pb-hostile-", dir="/tmp")
        self.owns_folder = folder is None
        self.environment = environment(self.folder)
        self.socket = self.folder + "/run/patchbay/default.sock"
        self.control = self.socket + ".control"
        command = [binary, "listen", *([] if screen else ["--headless"]), *arguments]
        if limit:
            command = ["/bin/sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *command]
        self.output = b""
        self.errors = open(self.folder + "/errors", "ab+")
        self.master = None
        if screen:
            self.master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            self.process = subprocess.Popen(
                command, env=self.environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), cwd=work or self.folder)
            os.close(slave)
            threading.Thread(target=self._drain, daemon=True).start()
        else:
            self.process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors,
                start_new_session=True, cwd=work or self.folder)
        self.wait("a console that listens", self.listens)

    def _drain(self):
        while True:
            try:
                piece = os.read(self.master, 1 << 16)
            except OSError:
                return
            if not piece:
                return
            self.output += piece

    def listens(self):
        try:
            connect(self.socket).close()
            connect(self.control).close()
            return True
        except OSError:
            return False

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def wait(self, what, condition, seconds=None):
        # The load's mean comes late to what it is: the limit grows with it.
        began = time.monotonic()
        while time.monotonic() < began + (seconds or 20 * patience()):
            if self.process.poll() is not None:
                raise Failed(f"the console ended with {self.process.returncode} ({what}):\n{self.said()[-3000:]}{self.output[-2000:]!r}")
            if condition():
                return
            time.sleep(0.01)
        raise Failed(f"waited in vain for {what}:\n{self.said()[-3000:]}")

    def alive(self):
        if self.process.poll() is not None:
            raise Failed(f"the console ended with {self.process.returncode}:\n{self.said()[-3000:]}")

    def link(self, **named):
        link = connect(self.socket)
        link.sendall(hello(**named))
        return link

    def controller(self):
        return Controller(connect(self.control))

    def keys(self, *keys):
        for key in keys:
            os.write(self.master, key.encode())
            self.settle()
            self.alive()

    def settle(self, quiet=0.1):
        """Until the screen has not changed for a moment."""
        deadline = time.monotonic() + 5 * patience()
        while time.monotonic() < deadline:
            before = len(self.output)
            time.sleep(quiet)
            if len(self.output) == before:
                return

    def memory(self):
        """Resident, in MB."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1000
        return 0

    def processor(self):
        """Seconds of processor time."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, number=signal.SIGTERM, most=30):
        """Ends it. Returns how long that took, in seconds."""
        self.alive()
        begin = time.monotonic()
        self.process.send_signal(number)
        try:
            self.process.wait(most * patience())
        except subprocess.TimeoutExpired:
            waits = threads(self.process.pid)
            self.kill()
            raise Failed(f"not ended {most} s after signal {number}; it waited in:\n{waits}{self.said()[-2000:]}")
        took = time.monotonic() - begin
        if self.process.returncode not in (0, 128 + number, -number):
            raise Failed(f"the console ended with {self.process.returncode}:\n{self.said()[-3000:]}")
        return took

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self.errors.close()
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Controller:
    """A controller's connection."""

    def __init__(self, link):
        self.link = link
        self.rest = b""

    def line(self, seconds=20):
        self.link.settimeout(seconds)
        while b"\n" not in self.rest:
            piece = self.link.recv(1 << 16)
            if not piece:
                raise ConnectionError("closed")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def ask(self, seconds=20, **members):
        self.link.sendall(json.dumps({"id": 1, **members}).encode() + b"\n")
        return json.loads(self.line(seconds))

    def close(self):
        self.link.close()


def environment(folder, **changes):
    for name in ("run", "state", "config"):
        os.makedirs(f"{folder}/{name}", mode=0o700, exist_ok=True)
    result = {
        "XDG_RUNTIME_DIR": folder + "/run", "XDG_STATE_HOME": folder + "/state", "XDG_CONFIG_HOME": folder + "/config",
        "HOME": folder, "TZ": "UTC", "TERM": "xterm-256color", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        "PATCHBAY_PAGER": "cat",
    }
    for name in ("PATH", "LD_LIBRARY_PATH"):
        if name in os.environ:
            result[name] = os.environ[name]
    result.update(changes)
    return result


def run(binary, *arguments, folder, seconds=60, cwd=None, stdin=None):
    """A command to its end: status, output, errors."""
    done = subprocess.run(
        [binary, *arguments], env=environment(folder), capture_output=True, timeout=seconds * patience(),
        cwd=cwd or folder, stdin=stdin or subprocess.DEVNULL)
    if done.returncode < 0 or done.returncode in (132, 133, 134, 136, 139):
        raise Failed(f"{arguments[0]} ended with {done.returncode}: {done.stderr[-2000:]!r}")
    return done.returncode, done.stdout, done.stderr


def threads(pid):
    """What a process does with signals and what each of its threads waits in, for who looks for a hang."""
    def lines(path):
        try:
            return open(path).read().splitlines()
        except OSError:
            return []

    kept = ("State", "TracerPid", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt")
    text = " ".join(line.replace("\t", " ") for line in lines(f"/proc/{pid}/status") if line.startswith(kept)) + "\n"
    for task in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        place = f"/proc/{pid}/task/{task}"
        pending = [line.split()[1] for line in lines(place + "/status") if line.startswith(("SigPnd", "SigBlk"))]
        parts = lines(place + "/comm") + lines(place + "/wchan") + lines(place + "/syscall")[:1] + pending
        text += f"  {task} {' '.join(parts)}\n"
    return text


def patience():
    """What limits are multiplied by: more where more than four for each processor want to run."""
    busyness = os.getloadavg()[0] / (4 * (os.cpu_count() or 1))
    return float(os.environ.get("PATCHBAY_PATIENCE", "1")) * min(8, max(1, busyness))


def readable(link):
    return bool(select.select([link], [], [], 0)[0])
