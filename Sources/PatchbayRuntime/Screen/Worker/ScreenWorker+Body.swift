import PatchbayConsole
import PatchbayStubs
import PatchbayWire

extension ScreenWorker {
  /// Compares two exchanges with large bodies, away from the keys.
  func compare(_ exchanges: [Exchange], _ purpose: FetchPurpose, _ runtime: ScreenRuntime) {
    guard exchanges.count == 2 else { return }
    let work = Task.detached { ComparePage(exchanges[0], exchanges[1]) }
    Task { [weak runtime] in runtime?.send(.compared(await work.value, exchanges, for: purpose)) }
  }

  /// Reads a large text as JSON, away from the keys.
  func readJSON(_ token: Int, _ lines: EditedLines, _ formats: Bool, _ runtime: ScreenRuntime) {
    let work = Task.detached { () -> (problem: StubError?, text: EditedLines?) in
      do throws(StubError) {
        let value = try JSONValue(parsing: lines.text)
        return (nil, formats ? EditedLines(value.indented()) : nil)
      } catch {
        return (error, nil)
      }
    }
    Task { [weak runtime] in
      let result = await work.value
      runtime?.send(.jsonRead(token: token, problem: result.problem, text: result.text))
    }
  }
}
