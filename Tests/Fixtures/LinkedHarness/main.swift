import Foundation
import HarnessCases
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The same cases as `plain-harness`, in a program that links the hook; `HARNESS_HOOK` says what it does about it.
switch ProcessInfo.processInfo.environment["HARNESS_HOOK"] {
case "idle":
  // Nothing, so that the hook is in no session.
  await HarnessMain.run()
case "stub":
  // A stub that no case meets: it puts the hook into each session.
  Patchbay.stub(.get("http://nobody.example/*"), respond: .status(204))
  await HarnessMain.run()
default:
  // Into each session's configuration by hand. To look at the log is what puts the hook in force, without a console and
  // without stubs.
  _ = Patchbay.exchanges
  await HarnessMain.run { configuration in
    // Behind the program's own classes, before the first built-in one, as it is done for a session.
    let classes = configuration.protocolClasses ?? []
    let index = classes.firstIndex { String(describing: $0).hasPrefix("_") } ?? classes.endIndex
    configuration.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
  }
}
let exchanges = Patchbay.exchanges
let ended = exchanges.filter { $0.phase == .ended }
let bytes = ended.reduce(0) { $0 + $1.bytesReceived }
FileHandle.standardError.write(Data("started \(exchanges.count) ended \(ended.count) bytes \(bytes)\n".utf8))
