import PatchbayTestSupport

extension TemporaryFolder {
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(text, to: name) }

  func read(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}
