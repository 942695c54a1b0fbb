import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayServer

extension TestConsole {
  /// Says these lines to the control socket, one after the other, and returns what was answered. What differs each time
  /// stands there as a word: the moment, this process and its socket.
  func answers(_ lines: String...) async throws -> [String] {
    let controller = try await RawController.connect(control)
    for (count, line) in lines.enumerated() {
      controller.send(line + "\n")
      try await eventually { controller.lines.count > count }
    }
    await controller.close()
    return controller.lines.map(plain)
  }

  private func plain(_ line: String) -> String {
    line.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "NOW")
      .replacing(socket, with: "SOCKET").replacing("\"pid\":\(getpid()),", with: "\"pid\":OURS,")
  }
}
