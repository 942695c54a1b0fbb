import Foundation
import PatchbayConsole
import PatchbayServer
import PatchbayStubs
import PatchbayWire

extension ScreenWorker {
  /// The server keeps the order of edits; the new board comes back as an event of its own.
  func edit(_ edits: [PatchbayStubs.StubEdit], _ runtime: any ScreenHost) {
    do {
      try bench.server.edit(edits, by: .person)
    } catch {
      runtime.send([.notice(Notice(.error, "\(error)")), .board(bench.server.board, by: nil)])
    }
  }

  func writeStubs(_ runtime: any ScreenHost) {
    attempt(runtime) { [bench] in
      runtime.send(.notice(Notice(.good, try bench.stubFiles.write(bench.server))))
    }
  }

  func loadStubFile(_ path: String, isAgain: Bool, _ runtime: any ScreenHost) {
    attempt(runtime) { [bench] in
      let known = bench.server.board.files
      let file = try bench.stubFiles.add(path, to: bench.server)
      guard !isAgain else { return }
      runtime.send([
        .board(bench.server.board, by: nil),
        .stubFileLoaded(path: file.path, count: file.stubs.count, isNew: !known.contains(file.path)),
      ])
    }
  }

  func forgetStubFile(_ path: String, _ runtime: any ScreenHost) {
    attempt(runtime) { [bench] in
      try bench.stubFiles.forget(path, on: bench.server)
    }
  }

  func decide(_ decisions: [HeldDecision], _ runtime: any ScreenHost) {
    for decision in decisions {
      do {
        try bench.server.decide(decision.id, decision.decision.withFiles)
      } catch {
        runtime.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }

  func replay(_ id: Int64, _ edited: RecordedRequest?, _ runtime: any ScreenHost) {
    let bench = bench
    attempt(runtime) {
      guard let original = try await bench.history.exchange(id) else {
        throw RuntimeError("Exchange \(id) is no longer recorded, so it cannot be sent again.")
      }
      let route = try bench.server.replay(edited ?? original.request, of: id, in: original.process)
      let place =
        switch route {
        case .harness(let link): "from \(link.process.name) \(link.process.pid)"
        case .console: "from the console, because its process has gone; stubs do not apply"
        }
      runtime.send(.notice(Notice(.good, "Sent again \(place).")))
    }
  }

  func setDegree(_ instance: UInt64, _ degree: HookSettings.Degree, _ runtime: any ScreenHost) {
    attempt(runtime) { [bench] in
      guard let link = bench.server.links.last(where: { $0.instance == instance }) else { throw ServerError.noSuchLink }
      try bench.server.setDegree(degree, of: link.id)
    }
  }
}

extension Verdict.Decision {
  /// With the files of an answer's body read: the process that gets it may not see them.
  fileprivate var withFiles: Verdict.Decision {
    let action: Action
    switch self {
    case .respond(let response): action = .respond(response)
    case .fail(let fault): action = .fail(fault)
    default: return self
    }
    let paths = action.bodyFiles
    guard !paths.isEmpty else { return self }
    let bodies = paths.map { ($0, FileManager.default.contents(atPath: $0) ?? Data()) }
    switch action.withFiles(Dictionary(bodies, uniquingKeysWith: { first, _ in first })) {
    case .respond(let response): return .respond(response)
    case .fail(let fault): return .fail(fault)
    default: return self
    }
  }
}
