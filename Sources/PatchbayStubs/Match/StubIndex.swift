/// Finds the few stubs that may match a request without looking at the others one by one.
struct StubIndex: Sendable {
  private struct Entry: Sendable {
    var signature: URLSignature
    /// A bit for each method that fits.
    var methods: UInt32
    var position: Int
  }

  /// Stubs for one host only, by its normal name.
  private var byHost: [[UInt8]: [Entry]] = [:]
  private var anyHost: [Entry] = []
  let someNeedBody: Bool

  var isEmpty: Bool { byHost.isEmpty && anyHost.isEmpty }

  init(_ stubs: [CompiledStub], process: String?) {
    var needBody = false
    for (position, entry) in stubs.enumerated() where entry.stub.enabled {
      if let process, let pattern = entry.stub.when.process,
        TextMatcher(pattern, for: .plain).test(Array(process.utf8)[...]) == .fitsNot
      {
        continue
      }
      guard entry.pattern.problems.isEmpty else { continue }
      needBody = needBody || entry.needsBody
      let methods = entry.stub.when.methods
      let bits = methods.isEmpty ? UInt32.max : methods.reduce(0) { $0 | Self.bit(HTTPMethod.normal($1)) }
      let row = Entry(signature: entry.pattern.signature, methods: bits, position: position)
      if let host = entry.pattern.host {
        byHost[Array(host.utf8), default: []].append(row)
      } else {
        anyHost.append(row)
      }
    }
    someNeedBody = needBody
  }

  private static func bit(_ method: String) -> UInt32 {
    // Methods that are not standard share a bit; their names are compared afterwards.
    1 << UInt32(HTTPMethod.standard.firstIndex(of: method) ?? 31)
  }

  /// Calls for each candidate, in order, until one says true; whether one did.
  func candidates(for request: MatchedRequest, from start: Int, _ visit: (Int) -> Bool) -> Bool {
    if isEmpty { return false }
    let host = byHost.isEmpty ? [] : byHost[Array(request.url.text[request.url.host])] ?? []
    // For a few it is not worth its making.
    let signature = host.count + anyHost.count > 4 ? request.signature : .all
    let method = Self.bit(request.facts.method)
    return host.withUnsafeBufferPointer { host in
      anyHost.withUnsafeBufferPointer { any in
        var left = 0
        var right = 0
        while left < host.count || right < any.count {
          let takeHost = right == any.count || (left < host.count && host[left].position < any[right].position)
          let entry = takeHost ? host[left] : any[right]
          if takeHost { left += 1 } else { right += 1 }
          guard entry.methods & method != 0, entry.position >= start, entry.signature.isCovered(by: signature) else {
            continue
          }
          if visit(entry.position) { return true }
        }
        return false
      }
    }
  }
}
