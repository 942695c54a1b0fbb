import Foundation
import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A big body for a delegate: how much memory it takes at most.
enum BigBench {
  static func run(_ base: String, megabytes: Int) async {
    // Puts the hook in force, without a console.
    _ = Patchbay.exchanges
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? [])
    let delegate = EndDelegate()
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    await delegate.load(URL(string: base + "/big?mb=\(megabytes)")!, in: session)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? "VmHWM unknown"
    print("\(delegate.bytes) bytes came, \(Patchbay.exchanges.last?.bytesReceived ?? 0) reported; \(peak)")
  }
}
