/// What the groups of a regular expression took, where it is found first: greedy or lazy as it is written, in time linear
/// in the text (Pike's way: all threads at once, each with what its groups took). It costs ten times what a search does,
/// so it is asked only where a template names a group.
struct RegexGroups: Sendable {
  private let node: RegexNode
  /// The numbers of the groups that have a name.
  let names: [String: Int]
  let count: Int

  /// What the groups took in one text.
  struct Match {
    /// By number; 0 is all that was found.
    var texts: [String?]
    fileprivate var names: [String: Int]

    /// By number or name; nil where there is none, or it took no part.
    subscript(_ name: String) -> String? {
      guard let number = Int(name) ?? names[name], texts.indices.contains(number) else { return nil }
      return texts[number]
    }
  }

  init(_ node: RegexNode, names: [String: Int], count: Int) {
    self.node = node
    self.names = names
    self.count = count
  }

  /// nil where nothing is found, or it takes too many steps to tell.
  func match(_ text: [UInt8], budget: Int = PatternRegex.stepBudget) -> Match? {
    var code: [Instruction] = [.save(0)]
    guard emit(node, &code) else { return nil }
    code += [.save(1), .accept]
    var run = Run(code, text, slots: 2 * (count + 1), budget: budget)
    guard let slots = run.find() else { return nil }
    let texts = (0...count).map { group -> String? in
      let (start, end) = (slots[2 * group], slots[2 * group + 1])
      return start >= 0 && end >= start ? String(decoding: text[start..<end], as: UTF8.self) : nil
    }
    return Match(texts: texts, names: names)
  }

  fileprivate enum Instruction {
    case set(ScalarSet)
    /// The first is tried before the second.
    case split(Int, Int)
    case jump(Int)
    case assert(RegexNode.Assertion)
    case save(Int)
    case accept
  }

  /// False where the program becomes too large.
  private func emit(_ node: RegexNode, _ code: inout [Instruction]) -> Bool {
    guard code.count < 20_000 else { return false }
    switch node {
    case .empty: return true
    case .set(let set): code.append(.set(set))
    case .assert(let assertion): code.append(.assert(assertion))
    case .concat(let parts): return parts.allSatisfy { emit($0, &code) }
    case .group(let inner, let number):
      code.append(.save(2 * number))
      guard emit(inner, &code) else { return false }
      code.append(.save(2 * number + 1))
    case .either(let branches):
      var ends: [Int] = []
      for branch in branches.dropLast() {
        let split = code.count
        code.append(.jump(0))
        guard emit(branch, &code) else { return false }
        ends.append(code.count)
        code.append(.jump(0))
        code[split] = .split(split + 1, code.count)
      }
      guard let last = branches.last, emit(last, &code) else { return false }
      for end in ends { code[end] = .jump(code.count) }
    case .counted(let inner, let min, let max, let isLazy):
      for _ in 0..<min {
        let before = code.count
        guard emit(inner, &code) else { return false }
        if code.count == before { break }
      }
      guard let max else {
        let loop = code.count
        code.append(.jump(0))
        guard emit(inner, &code) else { return false }
        code.append(.jump(loop))
        code[loop] = isLazy ? .split(code.count, loop + 1) : .split(loop + 1, code.count)
        return true
      }
      var splits: [Int] = []
      for _ in min..<Swift.max(min, max) {
        splits.append(code.count)
        code.append(.jump(0))
        guard emit(inner, &code) else { return false }
      }
      for split in splits { code[split] = isLazy ? .split(code.count, split + 1) : .split(split + 1, code.count) }
    }
    return true
  }

  private struct Run {
    private let code: [Instruction]
    private let text: [UInt8]
    private let slots: Int
    private var steps: Int
    private var marks: [Int]
    private var threads: [(at: Int, slots: [Int])] = []

    init(_ code: [Instruction], _ text: [UInt8], slots: Int, budget: Int) {
      self.code = code
      self.text = text
      self.slots = slots
      steps = budget
      marks = Array(repeating: -1, count: code.count)
    }

    mutating func find() -> [Int]? {
      text.withUnsafeBufferPointer { text in
        var found: [Int]?
        var before: Unicode.Scalar?
        var place = 0
        while true {
          let here = place < text.count ? RegexScalar(text, at: place) : nil
          // A thread that begins later comes after all that began before.
          if found == nil { add(0, Array(repeating: -1, count: slots), at: place, before, here?.scalar) }
          if threads.isEmpty, found != nil { return found }
          let current = threads
          threads = []
          let next = place + (here?.length ?? 0)
          let following = here.flatMap { _ in next < text.count ? RegexScalar(text, at: next).scalar : nil }
          for thread in current {
            if case .accept = code[thread.at] {
              found = thread.slots
              // What follows has less to say than what was found.
              break
            }
            guard let here, case .set(let set) = code[thread.at], set.contains(here.scalar) else { continue }
            add(thread.at + 1, thread.slots, at: next, here.scalar, following)
          }
          guard let here, steps > 0 else { return steps > 0 ? found : nil }
          if threads.isEmpty, found != nil { return found }
          before = here.scalar
          place = next
        }
      }
    }

    /// Adds the threads that an instruction leads to without a scalar, in the order in which they are to be tried.
    private mutating func add(
      _ start: Int, _ slots: [Int], at place: Int, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
    ) {
      var open = [(at: start, slots: slots)]
      while var thread = open.popLast() {
        guard marks[thread.at] != place else { continue }
        marks[thread.at] = place
        steps -= 1 + slots.count / 8
        guard steps > 0 else { return }
        switch code[thread.at] {
        case .jump(let target): open.append((target, thread.slots))
        case .split(let one, let other):
          open.append((other, thread.slots))
          open.append((one, thread.slots))
        case .save(let slot):
          thread.slots[slot] = place
          open.append((thread.at + 1, thread.slots))
        case .assert(let assertion):
          if holds(assertion, place, before, after) { open.append((thread.at + 1, thread.slots)) }
        case .set, .accept: threads.append(thread)
        }
      }
    }

    private func holds(
      _ assertion: RegexNode.Assertion, _ place: Int, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
    ) -> Bool {
      switch assertion {
      case .textStart: return before == nil
      case .textEnd: return after == nil
      case .lastLineEnd: return after == nil || (after == "\n" && place == text.count - 1)
      case .lineStart: return before == nil || before == "\n"
      case .lineEnd: return after == nil || after == "\n" || (after == "\r" && before != "\r")
      case .wordEdge, .notWordEdge:
        let isEdge = (before.map(ScalarSet.Class.isWord) ?? false) != (after.map(ScalarSet.Class.isWord) ?? false)
        return isEdge == (assertion == .wordEdge)
      }
    }
  }
}

extension CompiledPattern {
  /// What the groups of its regular expressions took, of those that fit the request, in the order of its conditions.
  func groups(of request: MatchedRequest) -> [RegexGroups.Match] {
    conditions.flatMap { $0.groups(of: request) }
  }
}

extension RequestCondition {
  fileprivate func groups(of request: MatchedRequest) -> [RegexGroups.Match] {
    let url = request.url
    switch self {
    case .scheme(let matcher): return matcher.groups(in: [Array(url.text[url.scheme])])
    case .host(let matcher):
      let ascii = request.text(url.host)
      return matcher.groups(in: [Array(ascii.utf8), Array(HostName.unicode(ascii).utf8)])
    case .path(let matcher): return matcher.groups(inEncoded: url.text[url.path])
    case .url(let matcher): return matcher.groups(inEncoded: url.text[...])
    case .process(let matcher): return matcher.groups(in: [Array(request.facts.process.utf8)])
    case .query(let name, let matcher?):
      return matcher.groups(in: request.queryItems.filter { $0.name == name }.map(\.value))
    case .header(let name, let matcher?):
      let values = request.facts.headers.all(named: name)
      return matcher.groups(in: (values + [values.joined(separator: ", ")]).map { Array($0.utf8) })
    case .body(.contains(let matcher)), .body(.matches(let matcher)): return matcher.groups(in: [request.bodyBytes])
    case .body(.form(let name, let matcher?)):
      return matcher.groups(in: request.formFields.filter { $0.name == name }.map(\.value))
    case .body(.multipart(let name, let matcher?)):
      return matcher.groups(in: request.multipartParts.filter { $0.name == name }.map(\.value))
    case .body(.graphql(let operation?, _)):
      return operation.groups(in: request.graphqlOperations.map { Array($0.name.utf8) })
    case .any(let patterns):
      return patterns.filter { $0.firstFailure(request) == nil }.flatMap { $0.groups(of: request) }
    case .not, .method, .port, .query, .header, .body: return []
    }
  }
}

extension TextMatcher {
  /// Of each expression in it, in the first of the texts in which it is found; what `not` says took nothing.
  fileprivate func groups(in texts: [[UInt8]]) -> [RegexGroups.Match] {
    switch self {
    case .regex(let regex):
      for text in texts {
        if let match = regex.groups.match(text) { return [match] }
      }
      return []
    case .any(let parts), .all(let parts): return parts.flatMap { $0.groups(in: texts) }
    case .globs, .part, .process, .never, .not: return []
    }
  }

  /// Groups of a URL are told decoded, as its segments are.
  fileprivate func groups(inEncoded text: ArraySlice<UInt8>) -> [RegexGroups.Match] {
    groups(in: [Array(text), PercentEncoding.decode(text)]).map { match in
      var match = match
      match.texts = match.texts.map {
        $0.map { String(decoding: PercentEncoding.decode(Array($0.utf8)[...]), as: UTF8.self) }
      }
      return match
    }
  }

  /// Its regular expressions, of which a request must fit some.
  fileprivate var regexes: [PatternRegex] {
    switch self {
    case .regex(let regex): [regex]
    case .any(let parts), .all(let parts): parts.flatMap(\.regexes)
    case .globs, .part, .process, .never, .not: []
    }
  }
}

/// Which groups templates of a stub may name.
struct KnownGroups {
  private var names: Set<String> = []
  private var count: Int?

  init(_ pattern: RequestPattern) { add(CompiledPattern(pattern)) }

  private mutating func add(_ pattern: CompiledPattern) {
    for condition in pattern.conditions {
      switch condition {
      case .scheme(let matcher), .host(let matcher), .path(let matcher), .url(let matcher), .process(let matcher),
        .query(_, let matcher?), .header(_, let matcher?), .body(.contains(let matcher)), .body(.matches(let matcher)),
        .body(.form(_, let matcher?)), .body(.multipart(_, let matcher?)), .body(.graphql(let matcher?, _)):
        for regex in matcher.regexes {
          names.formUnion(regex.groups.names.keys)
          count = max(count ?? 0, regex.groups.count)
        }
      case .any(let patterns): for pattern in patterns { add(pattern) }
      default: break
      }
    }
  }

  /// A clause where no expression of the pattern has that group.
  func mistake(inName name: String) -> String? {
    guard let count else { return "`{{match.\(name)}}` needs an expression, `{ matches: … }`, in `when`" }
    if let number = Int(name) {
      if number <= count { return nil }
      return
        "`{{match.\(name)}}`: the expressions in `when` have \(count == 0 ? "no groups" : count == 1 ? "one group" : "\(count) groups")"
    }
    if names.contains(name) { return nil }
    return "`{{match.\(name)}}`: no group in `when` has that name; write it as `(?<\(name)>…)`"
  }
}
