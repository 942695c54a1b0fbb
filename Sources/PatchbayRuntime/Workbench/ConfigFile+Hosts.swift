import PatchbayFiles
import PatchbayWire

extension ConfigFile {
  /// Degrees by host, as hooks are told them.
  var hostDegrees: [HookSettings.HostDegree] {
    hosts.map { rule in
      HookSettings.HostDegree(host: rule.host, degree: HookSettings.Degree(rawValue: rule.degree.rawValue) ?? .full)
    }
  }
}
