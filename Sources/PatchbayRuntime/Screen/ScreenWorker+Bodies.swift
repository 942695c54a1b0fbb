import Foundation
import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbaySystem
import PatchbayWire

extension ScreenWorker {
  /// Writes a body as it came to a file in the working directory, or to a temporary one for the system's viewer.
  func saveBody(_ id: Int64, _ side: BodySide, opens: Bool, _ runtime: any ScreenHost) {
    let history = bench.history
    attempt(runtime) {
      guard let exchange = try await history.exchange(id) else {
        throw RuntimeError("Exchange \(id) is no longer recorded, so there is no body to save.")
      }
      let body = side == .request ? exchange.request.body : exchange.response?.body
      guard let body, !body.isEmpty else {
        return runtime.send(.notice(Notice(.info, "There is no \(side == .request ? "request" : "response") body.")))
      }
      let name = side == .request ? BodyFileName.request(exchange) : BodyFileName.response(exchange)
      let path = opens ? try PrivateFolders().bodies() + "/" + name : Self.free(name)
      do {
        _ = try OutputFile.write(body, to: path, access: .secret)
      } catch let error as FileWriteError {
        throw RuntimeError("\(path) cannot be written (\(error.reason)): free some space, or start elsewhere.")
      }
      let cut = (side == .request ? exchange.request.truncated : exchange.response?.truncated) == true
      let rest = cut ? " Only a part of it was recorded." : ""
      guard opens else {
        let size = Quantity.bytes(Int64(body.count))
        return runtime.send(.notice(Notice(.good, "Saved \(size) to \(AbsolutePath.of(path)).\(rest)")))
      }
      guard let viewer = BodyViewer.program else {
        throw RuntimeError("There is no xdg-open here to show it with; the body is in \(path).")
      }
      try BodyViewer.show(path, with: viewer)
      runtime.send(.notice(Notice(.good, "Opened \(name) with \(Path.name(of: viewer)).\(rest)")))
    }
  }

  /// The name, with a number before its ending where something is there already.
  private static func free(_ name: String) -> String {
    let ending = name.lastIndex(of: ".").map { String(name[$0...]) } ?? ""
    let stem = String(name.dropLast(ending.count))
    return FreePath.stem(stem, endings: [ending]) + ending
  }
}

/// What shows a file on this system.
enum BodyViewer {
  static var program: String? { program(in: ProcessInfo.processInfo.environment["PATH"]) }

  static func program(in path: String?) -> String? {
    let folders = (path ?? "").split(separator: ":")
    return ["xdg-open", "open"].flatMap { name in folders.map { "\($0)/\(name)" } }.first { access($0, X_OK) == 0 }
  }

  /// It is not waited for.
  static func show(_ path: String, with viewer: String) throws {
    guard let program = BackgroundProgram.start(viewer, [path]) else {
      throw RuntimeError("\(viewer) cannot be started; the body is in \(path).")
    }
    program.leave()
  }
}
