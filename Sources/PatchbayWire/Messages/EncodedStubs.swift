import Foundation
import PatchbayStubs

/// Stubs as they travel: JSON texts in the stub file's schema, with bodies of bytes beside them.
struct EncodedStubs {
  var texts: [[UInt8]] = []
  var bodies: [Data] = []

  init() {}

  init(_ stubs: [Stub]) {
    var bodies: [Data] = []
    texts = stubs.map { stub in
      var stub = stub
      stub.chance = stub.chance.map { min(max($0, 0), 1) }
      stub.times = stub.times.map { max($0, 0) }
      stub.then = stub.then.mapBodies { body in
        guard case .data(let data) = body else { return body }
        bodies.append(data)
        return .file("\(Self.mark)\(bodies.count - 1)")
      }
      return Array(stub.json.compact.utf8)
    }
    self.bodies = bodies
  }

  /// The stubs, with their bodies back in place.
  func stubs() throws(WireError) -> [Stub] {
    var stubs: [Stub] = []
    stubs.reserveCapacity(texts.count)
    for text in texts {
      var stub = try Self.stub(text)
      var missing = false
      stub.then = stub.then.mapBodies { body in
        guard case .file(let path) = body, path.first == Self.mark else { return body }
        guard let index = Int(path.dropFirst()), bodies.indices.contains(index) else {
          missing = true
          return body
        }
        return .data(bodies[index])
      }
      if missing { throw .stub("\(stub.name): a body is missing") }
      stubs.append(stub)
    }
    return stubs
  }

  /// Takes what the schema can express, sensible or not: it was checked where it was entered.
  private static func stub(_ text: [UInt8]) throws(WireError) -> Stub {
    do throws(StubError) {
      return try Stub(json: try JSONValue(parsing: Data(text)), checked: false)
    } catch {
      throw .stub(error.description)
    }
  }

  /// Begins the `file` of a body that travels beside; no path holds that character.
  private static let mark: Character = "\0"
}

extension FieldWriter {
  mutating func stubs(_ stubs: [Stub], stubTag: UInt64, bodyTag: UInt64) {
    let encoded = EncodedStubs(stubs)
    for text in encoded.texts {
      varint(stubTag)
      varint(UInt64(text.count))
      bytes.append(contentsOf: text)
    }
    for body in encoded.bodies { data(bodyTag, body) }
  }
}

extension FieldReader {
  /// - Parameter limit: how many are read, as a count; those beyond are skipped.
  func stubs(stubTag: UInt64, bodyTag: UInt64, limit: Int = .max) throws(WireError) -> [Stub] {
    var fields = self
    var encoded = EncodedStubs()
    while let (tag, value) = try fields.next() {
      if tag == stubTag, encoded.texts.count < limit { encoded.texts.append(value.array()) }
      if tag == bodyTag { encoded.bodies.append(value.data()) }
    }
    return try encoded.stubs()
  }
}

extension Action {
  /// The same action with each response's body replaced.
  fileprivate func mapBodies(_ change: (CannedResponse.Body) -> CannedResponse.Body) -> Action {
    switch self {
    case .respond(var response):
      response.body = change(response.body)
      return .respond(response)
    case .fail(var fault):
      if var partial = fault.after {
        partial.response.body = change(partial.response.body)
        fault.after = partial
      }
      return .fail(fault)
    case .sequence(let steps, _) where steps.isEmpty: return .pass(PassChanges())
    case .sequence(let steps, let afterwards):
      return .sequence(steps.map { $0.mapBodies(change) }, afterwards: afterwards)
    case .pass(var changes):
      if var request = changes.request {
        request.body = change(request.body)
        changes.request = request
      }
      return .pass(changes)
    case .hold, .code: return self
    }
  }
}
