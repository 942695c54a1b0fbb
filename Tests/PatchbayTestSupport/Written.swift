import Foundation

/// What is written to standard error, or output, while that runs. Everybody's goes there: only for a test that is alone.
/// What the test library says of the test before comes a moment later than that one gave up its seat; it is passed on.
package func written<Value>(
  to descriptor: Int32 = STDERR_FILENO, isolation: isolated (any Actor)? = #isolation,
  by body: () async throws -> Value
) async throws -> (value: Value, text: String) {
  let folder = try TemporaryFolder()
  let file = open(folder.file("written"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
  fflush(nil)
  let before = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
  dup2(file, descriptor)
  close(file)
  func putBack() {
    fflush(nil)
    dup2(before, descriptor)
    close(before)
  }
  do {
    let value = try await body()
    putBack()
    let lines = try String(contentsOfFile: folder.file("written"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    func isOfTheLibrary(_ line: Substring) -> Bool { line.contains(/^(\u{1B}\[\d+m)?[✔✘◇↳⚠]/) }
    for line in lines where isOfTheLibrary(line) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
    return (value, lines.filter { !isOfTheLibrary($0) }.joined(separator: "\n"))
  } catch {
    putBack()
    throw error
  }
}
