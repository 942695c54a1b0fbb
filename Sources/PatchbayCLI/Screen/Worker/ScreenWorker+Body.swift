import PatchbayConsole
import PatchbayStubs

extension ScreenWorker {
  /// Reads a large text as JSON, away from the keys.
  func readJSON(_ token: Int, _ lines: [String], _ formats: Bool, _ runtime: ScreenRuntime) {
    let work = Task.detached { () -> (problem: String?, text: String?) in
      do throws(StubError) {
        let value = try JSONValue(parsing: lines.joined(separator: "\n"))
        return (nil, formats ? value.indented() : nil)
      } catch {
        return (error.description, nil)
      }
    }
    Task { [weak runtime] in
      let result = await work.value
      runtime?.send(.jsonRead(token: token, problem: result.problem, text: result.text))
    }
  }
}
