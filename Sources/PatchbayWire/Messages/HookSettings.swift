import Foundation
import PatchbayStubs

/// What a hook may do in its process, and how much it reports.
package struct HookSettings: Hashable, Sendable {
  package var degree: Degree
  /// Degrees for hosts that differ, a glob each; the first that fits counts.
  package var hosts: [HostDegree]
  /// The stubs stay in force when the console has gone.
  package var keepStubs: Bool
  /// The program's timeout runs on while a person holds a request.
  package var timeoutRunsWhileHeld: Bool
  /// At most that many bytes of a request's body are reported; the rest is counted.
  package var requestBodyLimit: UInt64
  /// At most that many bytes of a response's body are reported; the rest is counted.
  package var bodyLimit: UInt64

  package enum Degree: String, Hashable, Sendable, CaseIterable {
    case full
    /// Requests are reported when they start; nothing is intercepted.
    case observe
    case bypass
  }

  package struct HostDegree: Hashable, Sendable {
    package var host: String
    package var degree: Degree

    package init(host: String, degree: Degree) {
      self.host = host
      self.degree = degree
    }
  }

  package init(
    degree: Degree = .full, hosts: [HostDegree] = [], keepStubs: Bool = false, timeoutRunsWhileHeld: Bool = false,
    requestBodyLimit: UInt64 = 4 << 20, bodyLimit: UInt64 = 64 << 20
  ) {
    self.degree = degree
    self.hosts = hosts
    self.keepStubs = keepStubs
    self.timeoutRunsWhileHeld = timeoutRunsWhileHeld
    self.requestBodyLimit = requestBodyLimit
    self.bodyLimit = bodyLimit
  }
}

extension FieldWriter {
  mutating func settings(_ tag: UInt64, _ settings: HookSettings) {
    record(tag) {
      $0.number(1, settings.degree.wireCode)
      for host in settings.hosts {
        $0.record(2) {
          $0.text(1, host.host)
          $0.number(2, host.degree.wireCode)
        }
      }
      $0.flag(3, settings.keepStubs)
      $0.flag(4, settings.timeoutRunsWhileHeld)
      $0.nonzero(5, settings.bodyLimit)
      $0.nonzero(6, settings.requestBodyLimit)
    }
  }
}

extension FieldReader {
  func settings() throws(WireError) -> HookSettings {
    var fields = self
    var settings = HookSettings(requestBodyLimit: 0, bodyLimit: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: settings.degree = HookSettings.Degree(wireCode: try value.number()) ?? .full
      case 2: settings.hosts.append(try value.hostDegree())
      case 3: settings.keepStubs = try value.flag()
      case 4: settings.timeoutRunsWhileHeld = try value.flag()
      case 5: settings.bodyLimit = try value.number()
      case 6: settings.requestBodyLimit = try value.number()
      default: break
      }
    }
    return settings
  }

  private func hostDegree() throws(WireError) -> HookSettings.HostDegree {
    var fields = self
    var host = HookSettings.HostDegree(host: "", degree: .full)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: host.host = value.text()
      case 2: host.degree = HookSettings.Degree(wireCode: try value.number()) ?? .full
      default: break
      }
    }
    return host
  }
}
