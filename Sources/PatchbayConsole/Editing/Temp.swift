import PatchbayGrid
import PatchbayStubs
import PatchbayWire

struct StubForm: Sendable {
  init(editing: Stub) {}
  init(adding: String) {}
  mutating func paste(_ text: String) {}
}
struct ExchangeForm: Sendable {
  init(replaying: Exchange) {}
  init(editing: Exchange) {}
  init(answering: Exchange) {}
  mutating func paste(_ text: String) {}
}
struct ComparePage: Sendable { init(_ a: Exchange, _ b: Exchange) {} }
extension ConsoleState {
  mutating func handle(_ key: Key, in form: StubForm) {}
  mutating func handle(_ key: Key, in form: ExchangeForm) {}
  mutating func handle(_ key: Key, in form: ComparePage) {}
  mutating func handle(_ e: MouseEvent) {}
  mutating func formChanged(_ f: StubForm) {}
  mutating func save(_ f: StubForm) {}
  mutating func send(_ f: ExchangeForm) {}
  mutating func answerInForm(_ p: Prompt.Purpose, _ t: String) {}
  mutating func take(_ r: PreviewResult, token: Int) {}
  mutating func take(_ r: EditorResult, token: Int) {}
  func drawCompare(_ p: ComparePage, _ g: inout Grid, _ r: Rect) {}
  func drawStubForm(_ p: StubForm, _ g: inout Grid, _ r: Rect) {}
  func drawExchangeForm(_ p: ExchangeForm, _ g: inout Grid, _ r: Rect) {}
}
