import PatchbayStubs

/// Tells the header fields that the loader adds to every request from those that the program meant.
enum RoutineFields {
  /// Whether the field is one that nobody set, as far as its value tells.
  static func contain(_ field: HeaderField) -> Bool {
    switch field.name.lowercased() {
    case "accept-encoding", "accept-language", "connection", "content-length", "host": true
    case "accept": field.value == "*/*"
    case "user-agent": field.value.contains("curl/")
    default: false
    }
  }
}
