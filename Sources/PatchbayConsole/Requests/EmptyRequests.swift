import PatchbayGrid

/// What to do where there are no requests to show.
enum EmptyRequests {
  static func attachLines(_ setup: ConsoleSetup) -> [PageLine] {
    switch setup.mode {
    case .demo: return [PageLine("The demo's program is starting…", .text)]
    case .run(let command):
      return [
        PageLine("Waiting for the first request of \(shown(command)).", .text), PageLine([]),
        PageLine("It is linked as soon as it makes its first URLSession.", .dim), PageLine([]),
      ] + invisible + [PageLine([]), .hint("5", "shows what it prints")]
    case .attach(let program):
      return [PageLine("Waiting for the next request of \(shown(program)).", .text), PageLine([])] + invisible
    case .open(let file):
      return [PageLine("Nothing is recorded in \(shown(file)).", .text)]
    case .listen:
      return [
        PageLine("No program is linked yet. There are three ways:", .text), PageLine([]),
      ] + ways + [
        PageLine([]), PageLine([.init("Listening on ", .dim), .init(shown(setup.socket), .text)]), PageLine([]),
      ] + invisible
    }
  }

  /// The ways to attach a program, and how to try it without one.
  static var ways: [PageLine] {
    func way(_ what: String, _ command: String) -> [PageLine] {
      [
        PageLine([.init("▸ ", .mark), .init(what, .text)]), PageLine([.init("  ", .text), .init(command, .string)]),
        PageLine([]),
      ]
    }
    return way("Start it here, without changing its code", "patchbay run -- COMMAND")
      + way("Look into one that is already running", "patchbay attach PID, or 4 and then a")
      + way("Link the library, and attach when the program starts", "import Patchbay; Patchbay.attach()")
      + [PageLine([.init("patchbay demo", .string), .init(" tries it without a program of yours", .dim)])]
  }

  static var linkedLines: [PageLine] {
    [
      PageLine("Linked, and no request yet.", .text), PageLine([]),
    ] + invisible + [PageLine([]), .hint("2", "shows the stubs"), .hint("4", "shows the processes")]
  }

  static let deletedLines = [
    PageLine("No request is left; all were deleted.", .text), PageLine([]), .hint("u", "brings the last back"),
  ]

  private static var invisible: [PageLine] {
    [
      PageLine("Patchbay sees what goes through URLSession. Requests by AsyncHTTPClient,", .dim),
      PageLine("libcurl or other programs do not appear.", .dim),
    ]
  }
}
