import PatchbayTestSupport

/// What suites of whole programs start from: for each test a desk and a server on loopback, which go with it.
class DeskSuite {
  let desk: Desk
  let server: LoopbackServer

  init(desk: Desk? = nil) throws {
    self.desk = try desk ?? Desk()
    server = try LoopbackServer()
  }

  deinit { server.stop() }

  /// Writes a stub file with this list of stubs and returns its path.
  func stubs(_ list: String, to name: String = "stubs.yaml") throws -> String {
    try desk.folder.write("patchbay: 1\nstubs:\n\(list)", to: name)
  }
}
