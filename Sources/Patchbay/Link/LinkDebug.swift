import Foundation

/// Notes on standard error, only where `PATCHBAY_DEBUG` is set to something other than 0.
enum LinkDebug {
  private static let isOn: Bool = {
    guard let value = LinkAddress.variable("PATCHBAY_DEBUG") else { return false }
    return !value.isEmpty && value != "0"
  }()

  static func note(_ sentence: @autoclosure () -> String) {
    guard isOn else { return }
    let line = Array("patchbay: \(sentence())\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
