/// The tabs of an opened request.
enum DetailTab: Int, CaseIterable, Sendable {
  case response, request, timing, why

  var title: String {
    switch self {
    case .response: "Response"
    case .request: "Request"
    case .timing: "Timing"
    case .why: "Why"
    }
  }
}
