import Foundation
import HarnessCases
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The same cases as `plain-harness`, with the hook in each session's configuration and in force.
let trial = HookTrial()
trial.begin()
await HarnessMain.run { configuration in
  // Behind the program's own classes, before the first built-in one, as the preload does it.
  let classes = configuration.protocolClasses ?? []
  let index = classes.firstIndex { String(describing: $0).hasPrefix("_") } ?? classes.endIndex
  configuration.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
}
let counts = trial.reported
FileHandle.standardError.write(Data("started \(counts.started) ended \(counts.ended) bytes \(counts.bytes)\n".utf8))
