/// Finds the few stubs that may match a request without looking at the others one by one: each stub is filed under the
/// rarest thing that it needs of a request, and the request's things are looked up once.
struct StubIndex: Sendable {
  struct Entry: Sendable {
    var signature: URLSignature
    /// A bit for each method that fits.
    var methods: UInt32
    var position: Int
  }

  /// Stubs by what the head of a request must have, and by what its body must have.
  private var byHead: [IndexKey: [Entry]] = [:]
  private var byBody: [IndexKey: [Entry]] = [:]
  /// All that are filed under a body's keys, in order.
  private var bodied: [Entry] = []
  /// Those that need nothing in particular, in order.
  private var others: [Entry] = []
  private var keys = RequestKeys([], KeyCollector())
  let someNeedBody: Bool
  let isEmpty: Bool
  private let isFew: Bool

  /// For so few the request's keys are not worth looking for.
  private static let few = 4

  init(_ stubs: [CompiledStub], process: String?, pid: Int32?) {
    let usable = stubs.indices.filter { Self.isUsable(stubs[$0], process, pid) }
    someNeedBody = usable.contains { stubs[$0].needsBody }
    isEmpty = usable.isEmpty
    isFew = usable.count <= Self.few
    var collector = KeyCollector()
    let wanted = isFew ? [] : usable.map { collector.clauses(of: stubs[$0].pattern) }
    var counts: [IndexKey: Int] = [:]
    for clauses in wanted {
      for key in Set(clauses.lazy.flatMap(\.alternatives).joined()) { counts[key, default: 0] += 1 }
    }
    for (order, position) in usable.enumerated() {
      let entry = Entry(stubs[position], position)
      guard let filing = wanted.isEmpty ? nil : Filing.best(of: wanted[order], counts) else {
        others.append(entry)
        continue
      }
      if filing.isInBody {
        for key in filing.keys { byBody[key, default: []].append(entry) }
        bodied.append(entry)
      } else {
        for key in filing.keys { byHead[key, default: []].append(entry) }
      }
    }
    keys = RequestKeys(Array(byHead.keys) + Array(byBody.keys), collector)
  }

  /// Under which keys a stub is filed: one of each alternative of a clause, all in the head or all in the body.
  private struct Filing {
    var keys: Set<IndexKey>
    var isInBody: Bool
    /// How many stubs need one of the keys.
    var cost: Int

    /// The rarest; nil where no clause can be used.
    static func best(of clauses: [IndexClause], _ counts: [IndexKey: Int]) -> Filing? {
      let all = clauses.flatMap { clause in
        [false, true].compactMap { Filing(clause, inBody: $0, counts) }
      }
      return all.min { one, other in
        if one.cost != other.cost { return one.cost < other.cost }
        guard let left = one.keys.first, let right = other.keys.first else { return false }
        return left.place == right.place ? left.kind == .value && right.kind != .value : left.place < right.place
      }
    }

    init?(_ clause: IndexClause, inBody: Bool, _ counts: [IndexKey: Int]) {
      keys = []
      isInBody = inBody
      cost = 0
      for alternative in clause.alternatives {
        let rarest = alternative.lazy.filter { $0.place.isInBody == inBody }.min { one, other in
          let (left, right) = (counts[one] ?? 0, counts[other] ?? 0)
          return left == right ? one.kind == .value && other.kind != .value : left < right
        }
        guard let rarest else { return nil }
        if keys.insert(rarest).inserted { cost += counts[rarest] ?? 0 }
      }
    }
  }

  private static func isUsable(_ stub: CompiledStub, _ process: String?, _ pid: Int32?) -> Bool {
    guard stub.stub.enabled, stub.pattern.problems.isEmpty else { return false }
    guard let process, let pattern = stub.stub.when.process else { return true }
    return TextMatcher(pattern, for: .process).test(process: process, pid) != .fitsNot
  }

  /// Calls for each candidate, in order, until one says true; whether one did.
  ///
  /// - Parameter anyBody: the body is not known, so whatever stubs ask of it may be so.
  func candidates(
    for request: MatchedRequest, from start: Int, anyBody: Bool = false, _ visit: (Int) -> Bool
  ) -> Bool {
    if isEmpty { return false }
    let probe = Probe(request, from: start, signature: isFew ? .all : request.signature)
    var found: [Int] = []
    if !byHead.isEmpty {
      keys.visitHead(request) { key in
        for entry in byHead[key] ?? [] where probe.fits(entry) { found.append(entry.position) }
      }
    }
    var walk = Walk(found)
    walk.later = later(probe, anyBody: anyBody, &walk)
    return others.withUnsafeBufferPointer { others in
      var at = 0
      while true {
        while at < others.count, !probe.fits(others[at]) { at += 1 }
        let other = at < others.count ? others[at].position : nil
        let next = [walk.next, other].compactMap { $0 }.min()
        if let later = walk.later, next ?? .max > later {
          walk.later = nil
          keys.visitBody(request) { key in
            for entry in byBody[key] ?? [] where probe.fits(entry) { walk.add(entry.position) }
          }
          walk.sort()
          continue
        }
        guard let next else { return false }
        if next == other { at += 1 }
        walk.skip(next)
        if visit(next) { return true }
      }
    }
  }

  /// From which stub on the body's keys are needed; nil where they are not, the few that may match being added as they
  /// are.
  private func later(_ probe: Probe, anyBody: Bool, _ walk: inout Walk) -> Int? {
    var few: [Int] = []
    for entry in bodied where probe.fits(entry) {
      few.append(entry.position)
      if few.count > Self.few, !anyBody { return few[0] }
    }
    for position in few { walk.add(position) }
    walk.sort()
    return nil
  }

  /// What the URL and the method say of an entry.
  private struct Probe {
    let signature: URLSignature
    let method: UInt32
    let start: Int

    init(_ request: MatchedRequest, from start: Int, signature: URLSignature) {
      self.signature = signature
      self.start = start
      method = Entry.bit(request.facts.method)
    }

    @inline(__always)
    func fits(_ entry: Entry) -> Bool {
      entry.methods & method != 0 && entry.position >= start && entry.signature.isCovered(by: signature)
    }
  }

  /// Positions that were looked up, in order.
  private struct Walk {
    private var positions: [Int]
    private var at = 0
    var later: Int?

    init(_ positions: [Int]) {
      self.positions = positions
      sort()
    }

    var next: Int? { at < positions.count ? positions[at] : nil }

    mutating func add(_ position: Int) { positions.append(position) }

    mutating func sort() { positions[at...].sort() }

    /// Goes past that one, which may be there several times.
    mutating func skip(_ position: Int) {
      while at < positions.count, positions[at] <= position { at += 1 }
    }
  }
}

extension StubIndex.Entry {
  init(_ stub: CompiledStub, _ position: Int) {
    let names = stub.stub.when.methods
    methods = names.isEmpty ? .max : names.reduce(0) { $0 | Self.bit(HTTPMethod.normal($1)) }
    signature = stub.pattern.signature
    self.position = position
  }

  static func bit(_ method: String) -> UInt32 {
    // Methods that are not standard share a bit; their names are compared afterwards.
    1 << UInt32(HTTPMethod.standard.firstIndex(of: method) ?? 31)
  }
}
