import Foundation

/// Names in the working directory that nothing has yet.
enum FreeName {
  /// `name`, or `name` with the first number behind it (`name-2`), so that nothing is there with any of these endings.
  static func stem(_ name: String, endings: [String] = [""]) -> String {
    func isTaken(_ stem: String) -> Bool {
      endings.contains { FileManager.default.fileExists(atPath: stem + $0) }
    }
    guard isTaken(name) else { return name }
    var number = 2
    while isTaken("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }
}
