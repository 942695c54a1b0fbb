import PatchbayInspect
import PatchbayStubs

/// An exchange of the control socket as one readable line.
enum LogLine {
  static func text(_ value: JSONValue) -> String {
    let status = value["status"]?.integer.map(String.init)
    let error = value["error"]?["name"]?.text ?? value["error"]?["domain"]?.text
    let outcome = value["outcome"]?.text ?? ""
    let result = outcome == "responded" ? status ?? outcome : error ?? outcome
    let time = value["startedAt"]?.text.map { String($0.dropFirst(11).prefix(12)) } ?? ""
    let by = value["stub"]?.text.map { "\(value["by"]?.text ?? "") \($0)" } ?? value["by"]?.text ?? ""
    return [
      time, value["method"]?.text ?? "", result, value["url"]?.text ?? "",
      Quantity.bytes(Int64(value["bytesReceived"]?.integer ?? 0)), "\(value["durationMs"]?.integer ?? 0) ms", by,
    ].joined(separator: "  ")
  }
}
