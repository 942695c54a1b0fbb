import PatchbayWire

/// Who changed something.
public enum Author: Hashable, Sendable {
  /// The person at this console.
  case person
  /// A controller, by the name that it gave.
  case controller(String)
  /// A stub file that was read or read again, by its path.
  case file(String)
  /// A linked process: its stubs in code.
  case process(HarnessProcess)
  /// The console by itself.
  case console
}

extension Author: CustomStringConvertible {
  public var description: String {
    switch self {
    case .person: "you"
    case .controller(let name): name
    case .file(let path): path
    case .process(let process): "\(process.name) \(process.pid)"
    case .console: "patchbay"
    }
  }
}
