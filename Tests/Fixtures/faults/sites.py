"""Finds places in Swift and C where a fault can be put behind a switch, and says what to write there.

Nothing is parsed: comments and strings are blanked, and each rule is a pattern for one line. A rule may be wrong about
types (`+` on strings); the compiler says so, and such a fault is taken back."""

import re
from dataclasses import dataclass
from typing import Callable

STRING = "\x01"


@dataclass
class Site:
    """One possible fault. `make(n)` gives edits as (start, end, text) in the file and declarations for the target."""

    path: str
    line: int
    kind: str
    make: Callable
    # An initial value, which is computed once in a process: not every test that depends on it runs it.
    once: bool = False


def blank(text, nested_comments):
    """The text with comments as spaces and the insides of strings as STRING; the length stays."""
    out = list(text)
    i, end = 0, len(text)

    def wipe(start, stop, filler):
        for k in range(start, min(stop, end)):
            if out[k] != "\n":
                out[k] = filler

    while i < end:
        if text.startswith("//", i):
            stop = text.find("\n", i)
            stop = end if stop < 0 else stop
            wipe(i, stop, " ")
            i = stop
        elif text.startswith("/*", i):
            depth, stop = 1, i + 2
            while stop < end and depth:
                if nested_comments and text.startswith("/*", stop):
                    depth, stop = depth + 1, stop + 2
                elif text.startswith("*/", stop):
                    depth, stop = depth - 1, stop + 2
                else:
                    stop += 1
            wipe(i, stop, " ")
            i = stop
        elif text[i] == '"' or (nested_comments and re.match(r'#+"', text[i:i + 4])):
            stop = swift_string_end(text, i) if nested_comments else c_literal_end(text, i)
            wipe(i, stop, STRING)
            out[i], out[stop - 1] = '"', '"'
            i = stop
        elif text[i] == "'" and not nested_comments:
            stop = c_literal_end(text, i)
            wipe(i, stop, STRING)
            i = stop
        else:
            i += 1
    return "".join(out)


def c_literal_end(text, i):
    quote, i = text[i], i + 1
    while i < len(text) and text[i] != quote:
        i += 2 if text[i] == "\\" else 1
    return i + 1


def swift_string_end(text, i):
    hashes = re.match(r"#*", text[i:]).group()
    quote = '"""' if text.startswith('"""', i + len(hashes)) else '"'
    i += len(hashes) + len(quote)
    close, escape = quote + hashes, "\\" + hashes
    while i < len(text) and not text.startswith(close, i):
        if text.startswith(escape + "(", i):
            i += len(escape) + 1
            depth = 1
            while depth:
                if text[i] == '"':
                    i = swift_string_end(text, i)
                    continue
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
        elif text.startswith(escape, i):
            i += len(escape) + 1
        else:
            i += 1
    return i + len(close)


# The blocks of `#if` that this platform compiles.
TRUE_HERE = {"os(Linux)", "canImport(Glibc)", "canImport(FoundationNetworking)", "DEBUG", "defined(__linux__)", "__linux__"}


def inactive_lines(lines):
    """The numbers of lines that are not compiled here."""
    gone, stack = set(), []
    for number, line in enumerate(lines):
        word = line.strip()
        if re.match(r"#\s*(if|ifdef|ifndef)\b", word):
            condition = re.sub(r"^#\s*\w+\s*", "", word).strip()
            negated = word.startswith("#ifndef") or condition.startswith("!")
            condition = condition.lstrip("! ")
            known = condition in TRUE_HERE or condition.startswith(("os(", "canImport(", "defined(__APPLE__", "__APPLE__"))
            stack.append(None if not known else (condition in TRUE_HERE) != negated)
        elif re.match(r"#\s*(else|elseif|elif)\b", word) and stack:
            stack[-1] = None if stack[-1] is None else not stack[-1]
        elif re.match(r"#\s*endif\b", word) and stack:
            stack.pop()
        if False in stack:
            gone.add(number)
    return gone


ARROWS = "←↑→↓↔↕↖↗↘↙"


def tag(n):
    return "".join(ARROWS[int(d)] for d in str(n))


def comparison(old, new, constraint):
    def declare(n):
        op = old + tag(n)
        return (
            f"infix operator {op} : ComparisonPrecedence\n"
            f"func {op} <T: {constraint}>(a: T, b: T) -> Bool {{ isFault({n}) ? a {new} b : a {old} b }}\n")
    return declare


def logical(old, new):
    group = {"&&": "LogicalConjunctionPrecedence", "||": "LogicalDisjunctionPrecedence"}[old]

    def declare(n):
        op = old + tag(n)
        return (
            f"infix operator {op} : {group}\n"
            f"func {op} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{\n"
            f"  isFault({n}) ? try (a {new} b()) : try (a {old} b())\n}}\n")
    return declare


def arithmetic(old, new):
    def declare(n):
        op = old + tag(n)
        if old in ("+=", "-="):
            return (
                f"infix operator {op} : AssignmentPrecedence\n"
                f"func {op} <T: AdditiveArithmetic>(a: inout T, b: T) {{ if isFault({n}) {{ a {new} b }} else {{ a {old} b }} }}\n")
        return (
            f"infix operator {op} : AdditionPrecedence\n"
            f"func {op} <T: AdditiveArithmetic>(a: T, b: T) -> T {{ isFault({n}) ? a {new} b : a {old} b }}\n")
    return declare


def shorter_range(n):
    op = "..<" + tag(n)
    return (
        f"infix operator {op} : RangeFormationPrecedence\n"
        f"func {op} <T: BinaryInteger>(a: T, b: T) -> Range<T> {{ isFault({n}) && a < b ? a..<(b - 1) : a..<b }}\n")


def extreme(old, new):
    def declare(n):
        return (
            f"func {old}{n}<T: Comparable>(_ a: T, _ b: T) -> T {{ isFault({n}) ? Swift.{new}(a, b) : Swift.{old}(a, b) }}\n"
            f"func {old}{n}<T: Comparable>(_ a: T, _ b: T, _ c: T) -> T {{\n"
            f"  isFault({n}) ? Swift.{new}(a, b, c) : Swift.{old}(a, b, c)\n}}\n")
    return declare


def end_of_collection(old, new):
    def declare(n):
        return f"extension BidirectionalCollection {{ var {old}{n}: Element? {{ isFault({n}) ? {new} : {old} }} }}\n"
    return declare


def nothing(_):
    return ""


COMPARISONS = [
    ("<", ">=", "comparison turned", "Comparable"), ("<", "<=", "bound shifted", "Comparable"),
    (">", "<=", "comparison turned", "Comparable"), (">", ">=", "bound shifted", "Comparable"),
    ("<=", ">", "comparison turned", "Comparable"), ("<=", "<", "bound shifted", "Comparable"),
    (">=", "<", "comparison turned", "Comparable"), (">=", ">", "bound shifted", "Comparable"),
    ("==", "!=", "comparison turned", "Equatable"), ("!=", "==", "comparison turned", "Equatable"),
]

# What has no effect that a test can see: room kept in advance, sizes of pieces, checks for a debugger.
NO_EFFECT = re.compile(
    r"reserveCapacity|keepingCapacity|minimumCapacity|precondition|\bassert|fatalError|assumingMemoryBound|initialCapacity"
    r"|withExtendedLifetime|\bqos|stackSize|setThreadPriority|\bname = \"patchbay|backtrace")
KEYWORDS = set(
    "return throw if guard for while switch case let var func init do defer break continue else catch repeat import "
    "struct enum extension static private package public internal lazy weak override final typealias mutating "
    "nonisolated fileprivate indirect class actor default subscript get set deinit unowned consume yield protocol "
    "associatedtype where in is as typedef goto sizeof".split())
TYPE_WORDS = {"struct", "class", "enum", "extension", "protocol", "actor"}
HEADER = re.compile(
    r"\b(func|init|deinit|subscript|get|set|didSet|willSet|var|let|struct|class|enum|extension|protocol|actor|if|guard|for"
    r"|while|switch|do|else|catch|return|in)\b")


def contexts(masked):
    """For each line: the brackets open at its start, each with what opened it; `{once` where a constant is made by a closure."""
    result, stack, since = [[]], [], 0
    for i, c in enumerate(masked):
        if c == "\n":
            result.append(list(stack))
        elif c in "([":
            stack.append(c)
        elif c in ")]":
            if stack:
                stack.pop()
        elif c == "{":
            head = masked[since:i]
            words = HEADER.findall(head)
            makes_constant = re.search(r"\bstatic let\b[^\n]*=\s*$", head) or not stack and re.search(r"\blet\b[^\n]*=\s*$", head)
            stack.append("{once" if makes_constant else "{" + (words[-1] if words else ""))
            since = i + 1
        elif c == "}":
            while stack and not stack.pop().startswith("{"):
                pass
            since = i + 1
        elif c == ";":
            since = i + 1
    return result


def is_body(stack):
    return any(s.startswith("{") and s[1:] not in TYPE_WORDS for s in stack)


def balanced(code):
    depth = 0
    for c in code:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
        if depth < 0:
            return False
    return depth == 0


def statement_kind(lines, number, stack, semicolon=False):
    """‘call’ or ‘assignment’ if the line is one whole statement of that kind."""
    if not stack or not stack[-1].startswith("{") or not is_body(stack):
        return None
    code = lines[number].strip()
    if semicolon:
        if not code.endswith(";") or code.count(";") != 1:
            return None
        code = code[:-1]
    if not code or not balanced(code) or STRING in code[:1]:
        return None
    before = next((l.strip() for l in reversed(lines[:number]) if l.strip()), "")
    after = next((l.strip() for l in lines[number + 1:] if l.strip()), "")
    if semicolon:
        if before[-1:] not in ";{}:" or before.startswith(("if", "for", "while")) and before[-1:] not in "{;}":
            return None
    else:
        if before[-1:] in ",([=+-*/%&|<?" or re.search(r"(\breturn|->|\?|\s:)$", before):
            return None
        if before[-1:] == ":" and not before.startswith(("case", "default")):
            return None
        if re.match(r"[.?:&|+*/<>=-]|else\b", after):
            return None
    plain = re.sub(r"^(try[?!]? )?(await )?", "", code)
    if re.match(r"[A-Za-z_$*(][\w.\[\]()?!$>*-]* ([-+*|&]?=) \S", plain) and plain.split()[0] not in KEYWORDS:
        # In an initializer the compiler wants every property set.
        if any(s == "{init" for s in stack):
            return None
        return "assignment"
    word = re.match(r"[A-Za-z_]\w*", plain)
    if not word or word.group() in KEYWORDS or re.match(r"(self|super)\.init\b", plain):
        return None
    if plain[-1] not in (")" if semicolon else ")}") or "(" not in plain and "{" not in plain:
        return None
    if re.search(r" (=|==|<|>|\?|\?\?|&&|\|\|) ", re.sub(r"[({].*[)}]", "", plain)):
        return None
    return "call"


def touched(code, kind):
    """What a statement changes: the path that is assigned, or the receiver of a call (empty: the type's own method)."""
    plain = re.sub(r"^(try[?!]? )?(await )?", "", code)
    path = plain.split(" ")[0] if kind == "assignment" else re.match(r"[\w.?!$]*", plain).group().rpartition(".")[0]
    return re.sub(r"[?!]|\[.*", "", path).removeprefix("self.")


def depend(first, kind, second, next_kind):
    """Whether the order of two statements can matter: one changes what the other reads or changes, as far as names tell.

    Of 100 faults nine were such a pair, and six of those were things that have nothing to do with each other."""
    a, b = touched(first, kind), touched(second, next_kind)
    if not a or not b:
        return True
    if set(re.findall(r"&\w+", first)) & set(re.findall(r"&\w+", second)):
        return True

    def uses(code, path):
        # The path itself, what lies in it, or the whole that it lies in.
        wholes = [path[:i] for i, c in enumerate(path) if c == "."]
        return re.search(rf"(?<![\w.]){re.escape(path)}(?!\w)", code) or any(
            re.search(rf"(?<![\w.]){re.escape(w)}(?![\w.])", code) for w in wholes)

    return bool(uses(second, a) or uses(first, b))


def swift_sites(path, text):
    masked = blank(text, True)
    lines, originals = masked.split("\n"), text.split("\n")
    gone = inactive_lines(lines)
    context = contexts(masked)
    offsets = [0]
    for line in originals:
        offsets.append(offsets[-1] + len(line) + 1)
    sites = []
    kinds = [
        None if i in gone else statement_kind(lines, i, context[i]) for i in range(len(lines))]
    for number, line in enumerate(lines):
        code = line.strip()
        if not code or number in gone or code[0] in "@#" or code.startswith("import ") or NO_EFFECT.search(code):
            continue
        if re.search(r"\boperator\b|@inlinable|static func [<>=+-]", code):
            continue
        base = offsets[number]
        stack = context[number]
        body = is_body(stack)
        start = 0
        if re.match(r"(case|default)\b", code):
            start = line.rfind(": ") + 1
            if start == 0:
                continue
        is_header = re.search(r"\b(func|extension|struct|init|subscript|protocol|typealias|associatedtype)\b", code)

        def add(kind, at, end, replacement, declare=nothing, base=base, body=body):
            def make(n):
                return [(base + at, base + end, replacement(n))], declare(n)
            sites.append(Site(path, number + 1, kind, make, once="{once" in stack or not body and "{" not in line[:at]))

        # Comparisons and logic.
        for match in re.finditer(r"(?<=[\w)\]\"?!}] )(<=|>=|==|!=|<|>)(?= \S)|(?<=\s)(&&|\|\|)(?=\s)", line):
            op = match.group()
            if match.start() < start:
                continue
            if op in ("==", "!=") and (re.search(r"\bnil\s*$", line[:match.start()]) or re.match(r"\s*nil\b", line[match.end():])):
                continue
            if is_header and op not in ("&&", "||"):
                continue
            if op in ("&&", "||"):
                other = "||" if op == "&&" else "&&"
                add("logic turned", match.start(), match.end(), lambda n, op=op: op + tag(n), logical(op, other))
            for old, new, kind, constraint in COMPARISONS:
                if old == op:
                    add(kind, match.start(), match.end(), lambda n, op=op: op + tag(n), comparison(old, new, constraint))
        # Sums with a number or a count in them.
        for match in re.finditer(r"(?<=[\w)\]] )(\+=|-=|\+|-)(?= (\d|[\w.]+\.(count|width|height)\b))|(?<=\.count )[+-](?= [\w(])", line):
            op = match.group()
            if match.start() < start or '"' in line[match.end():match.end() + 2]:
                continue
            new = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}[op]
            add("sum turned", match.start(), match.end(), lambda n, op=op: op + tag(n), arithmetic(op, new))
        if re.match(r"for\b", code):
            for match in re.finditer(r"(?<=[\w)\]])\.\.<(?=[\w(])", line):
                add("bound shifted", match.start(), match.end(), lambda n: "..<" + tag(n), shorter_range)
        # Constants.
        for match in re.finditer(r"(?<![\w.$\x01\"#\\])(0x[0-9a-fA-F_]+|\d[\d_]*)(?![\w\x01]|\.\d)", line):
            literal = match.group()
            if match.start() < start or re.search(r"\$$|\bcase$", line[:match.start()]):
                continue
            value = int(literal.replace("_", ""), 0) if not re.match(r"0\d", literal) else int(literal.replace("_", ""))
            new = value + 1 if value <= 256 else value // 2
            add("constant changed", match.start(), match.end(), lambda n, a=new, b=literal: f"(isFault({n}) ? {a} : {b})")
        for match in re.finditer(r"(?<![\w.])(true|false)(?!\w)", line):
            if match.start() < start:
                continue
            add(
                "constant changed", match.start(), match.end(),
                lambda n, b=match.group(): f"(!isFault({n}))" if b == "true" else f"isFault({n})")
        # The wrong end.
        for match in re.finditer(r"(?<![\w.])(min|max)\((?=[^()]*[,(])", line):
            old = match.group(1)
            new = "max" if old == "min" else "min"
            add("order reversed", match.start(), match.start() + 3, lambda n, o=old: f"{o}{n}", extreme(old, new))
        for match in re.finditer(r"(?<=[\w)\]?!])\.(first|last)\b(?!\s*[({:]|\s*=[^=])", line):
            old = match.group(1)
            new = "last" if old == "first" else "first"
            add(
                "order reversed", match.start() + 1, match.end(), lambda n, o=old: f"{o}{n}", end_of_collection(old, new))
        # Conditions.
        condition = re.match(r"(\s*(?:\} else )?(?:if|guard|while) )(.+?)( else \{.*| \{(?: [^{}]*\})?)$", line)
        if condition and balanced(condition.group(2)):
            place = condition.start(2)
            for clause_start, clause_end in clauses(condition.group(2)):
                clause = condition.group(2)[clause_start:clause_end]
                if re.match(r"(let|var|case|#|_ =)", clause.strip()) or not clause.strip() or "{" in clause:
                    continue
                at = place + clause_start + (len(clause) - len(clause.lstrip()))
                end = place + clause_end
                original = originals[number][at:end]
                add("condition negated", at, end, lambda n, o=original: f"negated({n}, {o})")
        # Statements.
        indent = len(line) - len(line.lstrip())
        last = len(line.rstrip())
        if kinds[number]:
            original = originals[number][indent:last]
            add(
                kinds[number] + " dropped", indent, last, lambda n, o=original: f"if !isFault({n}) {{ {o} }}")
            follows = number + 1 < len(lines) and kinds[number + 1]
            if follows and len(lines[number + 1]) - len(lines[number + 1].lstrip()) == indent and depend(
                    code, kinds[number], lines[number + 1].strip(), kinds[number + 1]):
                next_last = len(lines[number + 1].rstrip())
                second = originals[number + 1][indent:next_last]
                there = offsets[number + 1]

                def make(n, a=original, b=second, base=base, there=there, indent=indent, last=last, next_last=next_last):
                    return [
                        (base + indent, base + last, f"if isFault({n}) {{ {b}; {a} }} else {{ {a}"),
                        (there + indent, there + next_last, f"{b} }}"),
                    ], ""
                sites.append(Site(path, number + 1, "order reversed", make))
        elif code in ("return", "continue") and body and stack[-1] != "{else":
            # (The block of a `guard` must end so.)
            add(
                "call dropped", indent, last, lambda n, o=code: f"if !isFault({n}) {{ {o} }}")
    return sites


def clauses(code):
    """The parts of a condition between commas that stand in no bracket."""
    depth, start = 0, 0
    for i, c in enumerate(code):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            yield start, i
            start = i + 1
    yield start, len(code)


C_TURNED = {"<": [">=", "<="], ">": ["<=", ">="], "<=": [">", "<"], ">=": ["<", ">"], "==": ["!="], "!=": ["=="]}


def c_sites(path, text):
    masked = blank(text, False)
    lines, originals = masked.split("\n"), text.split("\n")
    gone = inactive_lines(lines)
    context = contexts(masked)
    offsets = [0]
    for line in originals:
        offsets.append(offsets[-1] + len(line) + 1)
    sites = []
    for number, line in enumerate(lines):
        code = line.strip()
        if not code or code[0] == "#" or number in gone or code.startswith(("case", "static", "const", "extern", "__asm")):
            continue
        if not any(s.startswith("{") for s in context[number]):
            continue
        base = offsets[number]

        def add(kind, at, end, replacement, base=base):
            def make(n):
                return [(base + at, base + end, replacement(n))], ""
            sites.append(Site(path, number + 1, kind, make))

        condition = re.search(r"\bif \((.*)\)", line)
        if condition and balanced(condition.group(1)) and re.search(r"\bif \(([^()]|\([^()]*\))*\)", line):
            inner = re.search(r"\bif \(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)", line)
            if inner:
                at, end = inner.start(1), inner.end(1)
                original = originals[number][at:end]
                add("condition negated", at, end, lambda n, o=original: f"negated({n}, {o})")
        operand = r"[A-Za-z_][\w.]*(?:->\w+)*(?:\([^()]*\))?"
        # Whole operands only: beside a sum or a cast the two ways would be read differently.
        before, after = r"(?:(?<=[(!])|(?<=&& )|(?<=\|\| )|(?<=return )|(?<=[=;?:] ))", r"(?=\)|;| &&| \|\|| \?)"
        for match in re.finditer(rf"{before}({operand}) (<=|>=|==|!=|<|>) ({operand}|-?\d+){after}", line):
            left, op, right = (originals[number][match.start(g):match.end(g)] for g in (1, 2, 3))
            for new in C_TURNED[op]:
                kind = "comparison turned" if new in (">=", "<=", "!=", "==") and C_TURNED[op][0] == new else "bound shifted"
                add(
                    kind, match.start(), match.end(),
                    lambda n, l=left, o=op, w=new, r=right: f"(isFault({n}) ? {l} {w} {r} : {l} {o} {r})")
        for match in re.finditer(r"(?<![\w.\[\x01\"-])(0x[0-9a-fA-F]+|\d+)(?![\w.\x01\]])", line):
            value = int(match.group(), 0) if not re.match(r"0\d", match.group()) else None
            if value is None or re.search(r"\[[^\]]*$", line[:match.start()]) or re.match(r"\w[\w ]*\[", code):
                continue
            new = value + 1 if value <= 256 else value // 2
            add("constant changed", match.start(), match.end(), lambda n, a=new, b=match.group(): f"(isFault({n}) ? {a} : {b})")
        kind = statement_kind(lines, number, context[number], semicolon=True)
        if kind:
            indent, last = len(line) - len(line.lstrip()), len(line.rstrip())
            original = originals[number][indent:last]
            add(f"{kind} dropped", indent, last, lambda n, o=original: f"if (!isFault({n})) {{ {o} }}")
    return sites


def find(path, text):
    return c_sites(path, text) if path.endswith(".c") else swift_sites(path, text)
