import Foundation
import PatchbayStubs

/// One stub as JSON text in the stub file's schema.
enum StubText {
  static func encode(_ stub: Stub) -> [UInt8] { Array(stub.json.compact.utf8) }

  /// Takes what the schema can express, sensible or not: it was checked where it was entered.
  static func decode(_ text: [UInt8]) throws(WireError) -> Stub {
    do throws(StubError) {
      return try Stub(json: try JSONValue(parsing: Data(text)), checked: false)
    } catch {
      throw .stub(error.description)
    }
  }
}
