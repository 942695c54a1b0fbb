import PatchbayStubs
import PatchbayWire

/// What the server tells its sink. Events come in batches, one batch after the other, on a queue of the server's own;
/// a sink that blocks slows the harnesses' reports down, and nothing else.
public enum ServerEvent: Sendable {
  case linked(LinkInfo)
  case linkChanged(LinkInfo)
  case unlinked(LinkInfo)
  /// The board after one or more changes by that author. It comes before any exchange that the new stubs decided.
  case board(StubBoard, by: Author)
  /// Settings of the whole stub set, when they change.
  case switches(unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?, by: Author)
  /// New and changed exchanges as whole values by rising id; one that changed several times comes once.
  case exchanges([Exchange])
  /// How far the stubs of that process are; only those that changed.
  case progress(HarnessProcess, [StubProgress])
  /// A sentence for the person; nil is the console itself.
  case notice(HarnessProcess?, String)
}

/// Takes the server's events; called on the server's delivery queue, never at the same time as itself.
public typealias ServerSink = @Sendable (ServerEvent) -> Void
