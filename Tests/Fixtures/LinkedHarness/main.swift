import Foundation
import HarnessCases
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The same cases as `plain-harness`, with the hook in each session's configuration and in force.
// To look at the log is what puts it in force, without a console and without stubs.
_ = Patchbay.exchanges
await HarnessMain.run { configuration in
  // Behind the program's own classes, before the first built-in one, as the preload does it.
  let classes = configuration.protocolClasses ?? []
  let index = classes.firstIndex { String(describing: $0).hasPrefix("_") } ?? classes.endIndex
  configuration.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
}
let exchanges = Patchbay.exchanges
let ended = exchanges.filter { $0.phase == .ended }
let bytes = ended.reduce(0) { $0 + $1.bytesReceived }
FileHandle.standardError.write(Data("started \(exchanges.count) ended \(ended.count) bytes \(bytes)\n".utf8))
