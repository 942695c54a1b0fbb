import Foundation
import PatchbayStubs

/// One stub as JSON text in the stub file's schema.
enum StubText {
  static func encode(_ stub: Stub) -> [UInt8] { Array(stub.name.utf8) }

  static func decode(_ text: [UInt8]) throws(WireError) -> Stub { throw .stub("no") }
}
