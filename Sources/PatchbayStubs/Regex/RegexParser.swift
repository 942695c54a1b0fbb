/// Reads the usual syntax of regular expressions; what cannot be matched in linear time is refused with a sentence.
struct RegexParser: RegexCursor {
  let source: [Unicode.Scalar]
  var at = 0
  private var flags = Flags()
  private var depth = 0
  /// How many groups were begun that can be asked for.
  private(set) var groupCount = 0
  /// The numbers of those with a name.
  private(set) var groupNames: [String: Int] = [:]

  struct Flags {
    /// `(?i)`
    var folds = false
    /// `(?s)`: the dot takes line ends too.
    var dotAll = false
    /// `(?m)`: `^` and `$` stand at every line.
    var lines = false
  }

  init(_ pattern: String) { source = Array(pattern.unicodeScalars) }

  mutating func parse() throws(StubError) -> RegexNode {
    let node = try alternatives()
    guard at == source.count else { throw refuse("a `)` has no `(`") }
    return node
  }

  private mutating func alternatives() throws(StubError) -> RegexNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 50 else { throw refuse("its groups are nested deeper than 50 levels") }
    let outer = flags
    defer { flags = outer }
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .either(branches)
  }

  private mutating func sequence() throws(StubError) -> RegexNode {
    var parts: [RegexNode] = []
    while let next = peek, next != "|", next != ")" {
      let atom = try atom()
      parts.append(try quantified(atom))
    }
    return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .concat(parts)
  }

  private mutating func quantified(_ atom: RegexNode) throws(StubError) -> RegexNode {
    guard let bounds = try quantifier() else { return atom }
    if case .assert = atom { throw refuse("`^`, `$` and `\\b` cannot be repeated") }
    if take("+") { throw refuse("possessive quantifiers (`*+`) are not supported; leave the second sign out") }
    let isLazy = take("?")
    if let next = peek, next == "*" || next == "+" || next == "?" {
      throw refuse("`\(next)` follows another quantifier; put the first part in a group")
    }
    return .counted(atom, min: bounds.min, max: bounds.max, lazy: isLazy)
  }

  private mutating func quantifier() throws(StubError) -> (min: Int, max: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard peek == "{" else { return nil }
    let start = at
    at += 1
    let low = number()
    var high = low
    if take(",") { high = number() }
    let comma = source[at - 1] == ","
    guard low != nil, take("}") else {
      // Not a count: a literal brace, as most engines take it.
      at = start
      return nil
    }
    let maximum = comma ? nil : high
    if let low, let maximum, low > maximum { throw refuse("in `{\(low),\(maximum)}` the first number is the larger") }
    guard (low ?? 0) <= 1000, (maximum ?? 0) <= 1000 else { throw refuse("a count over 1000 is not supported") }
    return (low ?? 0, maximum)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let next = peek, ("0"..."9").contains(next) {
      value = min((value ?? 0) * 10 + Int(next.value - 0x30), 1_000_000)
      at += 1
    }
    return value
  }

  private mutating func atom() throws(StubError) -> RegexNode {
    let scalar = source[at]
    switch scalar {
    case "(": return try group()
    case "[":
      at += 1
      var reader = RegexSetReader(source, at: at, folds: flags.folds)
      let set = try reader.set()
      at = reader.at
      return .set(set)
    case ".":
      at += 1
      var set = ScalarSet()
      set.negated = true
      if !flags.dotAll { set.ranges = [10...10, 13...13, 0x2028...0x2029] }
      return .set(set.finished())
    case "^":
      at += 1
      return .assert(flags.lines ? .lineStart : .textStart)
    case "$":
      at += 1
      return .assert(flags.lines ? .lineEnd : .lastLineEnd)
    case "*", "+", "?": throw refuse("there is nothing before `\(scalar)` to repeat")
    case "\\": return try escape()
    default:
      at += 1
      return .set(.scalar(scalar, folds: flags.folds))
    }
  }

  private mutating func escape() throws(StubError) -> RegexNode {
    guard at + 1 < source.count else { throw refuse("a `\\` stands at the end") }
    let assertions: [Unicode.Scalar: RegexNode.Assertion] = [
      "A": .textStart, "z": .textEnd, "Z": .lastLineEnd, "b": .wordEdge, "B": .notWordEdge,
    ]
    if let assertion = assertions[source[at + 1]] {
      at += 2
      return .assert(assertion)
    }
    if source[at + 1] == "Q" {
      at += 2
      var parts: [RegexNode] = []
      while at < source.count {
        if source[at] == "\\", at + 1 < source.count, source[at + 1] == "E" {
          at += 2
          break
        }
        parts.append(.set(.scalar(source[at], folds: flags.folds)))
        at += 1
      }
      return .concat(parts)
    }
    var reader = RegexSetReader(source, at: at, folds: flags.folds)
    let set = try reader.escape()
    at = reader.at
    return .set(set.finished())
  }

  private mutating func group() throws(StubError) -> RegexNode {
    at += 1
    let outer = flags
    var number: Int?
    if take("?") {
      if take("=") || take("!") { throw refuse("lookahead, `(?=` and `(?!`, is not supported") }
      if take(">") { throw refuse("atomic groups, `(?>`, are not supported; use `(?:`") }
      if take("#") {
        while let next = peek, next != ")" { _ = take(next) }
        guard take(")") else { throw refuse("a comment `(?#` is not closed") }
        return .empty
      }
      _ = take("P")
      if take("<") {
        if take("=") || take("!") { throw refuse("lookbehind, `(?<=` and `(?<!`, is not supported") }
        var name = String.UnicodeScalarView()
        while let next = peek, next != ">" {
          name.append(next)
          _ = take(next)
        }
        guard take(">") else { throw refuse("the name of a group is not closed with `>`") }
        groupCount += 1
        number = groupCount
        if groupNames[String(name)] == nil { groupNames[String(name)] = groupCount }
      } else if try !setFlags() {
        return .empty
      }
    } else {
      groupCount += 1
      number = groupCount
    }
    let node = try alternatives()
    flags = outer
    guard take(")") else { throw refuse("a `(` is not closed") }
    return number.map { .group(node, $0) } ?? node
  }

  /// After `(?`: `:`, `i:` or `i)`. False when the group was flags only, which then hold for the rest of the group
  /// around it.
  private mutating func setFlags() throws(StubError) -> Bool {
    var on = true
    var changed = flags
    while let next = peek {
      at += 1
      switch next {
      case "-": on = false
      case "i": changed.folds = on
      case "s": changed.dotAll = on
      case "m": changed.lines = on
      case "u", "U": break
      case ":":
        flags = changed
        return true
      case ")":
        flags = changed
        return false
      default: throw refuse("`(?\(next)` is not supported; of the flags only i, m and s are")
      }
    }
    throw refuse("a `(` is not closed")
  }
}

/// A place in the text of a regular expression that moves on while it is read.
protocol RegexCursor {
  var source: [Unicode.Scalar] { get }
  /// The scalar that is next.
  var at: Int { get set }
}

extension RegexCursor {
  var peek: Unicode.Scalar? { at < source.count ? source[at] : nil }

  /// Whether that scalar is next; then it is passed.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    at += 1
    return true
  }

  /// The sentence that names the place.
  func refuse(_ reason: String) -> StubError {
    StubError("the regular expression cannot be used: \(reason) (character \(min(at, source.count) + 1))")
  }
}
