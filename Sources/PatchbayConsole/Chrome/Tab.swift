/// The screens of the console.
package enum Tab: Int, CaseIterable, Sendable {
  case requests, stubs, traffic, processes, output

  var title: String {
    switch self {
    case .requests: "Requests"
    case .stubs: "Stubs"
    case .traffic: "Traffic"
    case .processes: "Processes"
    case .output: "Output"
    }
  }
}
