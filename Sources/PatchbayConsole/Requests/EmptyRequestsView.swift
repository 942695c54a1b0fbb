import PatchbayGrid

extension ConsoleState {
  /// What to do where there are no requests to show.
  func drawNoRequests(_ grid: inout Grid) {
    let lines: [PageLine]
    if requests.isSearching {
      // What is found at once is not announced.
      lines = isSearchingLong ? [PageLine(requests.bar.applied.isEmpty ? "Reading…" : "Searching…", .waiting)] : []
    } else if !requests.bar.applied.isEmpty {
      lines = [
        PageLine("No request fits the filter.", .text), PageLine([]),
        hint("esc", "takes it away"), hint("/", "changes it"),
      ]
    } else if requests.query.after > 0 {
      lines = [PageLine("The list is cleared.", .text), PageLine([]), hint("u", "brings it back")]
    } else if processes.linked == 0 {
      lines = attachLines
    } else {
      lines = linkedLines
    }
    drawNotice(lines, &grid)
  }

  /// Whether the search goes on for so long that it is said.
  var isSearchingLong: Bool { requests.isSearching && now.microseconds >= searchSaidAt }

  var searchSaidAt: Int64 { requests.searchBegan.microseconds + 150_000 }

  /// Lines where there is nothing to list, a third down and in the middle.
  func drawNotice(_ lines: [PageLine], _ grid: inout Grid) {
    let top = max(0, (grid.height - lines.count) / 3)
    let width = lines.map { textWidth($0.text) }.max() ?? 0
    let left = max(2, (grid.width - width) / 2)
    for (row, line) in lines.enumerated() {
      grid.put(
        spans: line.pieces.map { Span($0.text, theme[$0.role]) }, at: Point(x: left, y: top + row),
        maxWidth: grid.width - left - 1)
    }
  }

  func hint(_ key: String, _ text: String) -> PageLine {
    PageLine([.init(padded(key, toWidth: 5), .key), .init(text, .dim)])
  }

  private var attachLines: [PageLine] {
    switch setup.mode {
    case .demo: return [PageLine("The demo's program is starting…", .text)]
    case .run(let command):
      return [
        PageLine("Waiting for the first request of \(shown(command)).", .text), PageLine([]),
        PageLine("It is linked as soon as it makes its first URLSession.", .dim), PageLine([]),
      ] + invisible + [PageLine([]), hint("5", "shows what it prints")]
    case .listen:
      return [
        PageLine("No program is linked yet. There are two ways:", .text), PageLine([]),
      ] + ways + [
        PageLine([]), PageLine([.init("It is found at ", .dim), .init(shown(setup.socket), .text)]), PageLine([]),
      ] + invisible
    }
  }

  /// The two ways to attach a program, and how to try it without one.
  var ways: [PageLine] {
    func way(_ what: String, _ command: String) -> [PageLine] {
      [
        PageLine([.init("▸ ", .mark), .init(what, .text)]), PageLine([.init("  ", .text), .init(command, .string)]),
        PageLine([]),
      ]
    }
    return way("Start it here, without changing its code", "patchbay run -- COMMAND")
      + way("Link the library, and attach when the program starts", "import Patchbay; Patchbay.attach()")
      + [PageLine([.init("patchbay demo", .string), .init(" tries it without a program of yours", .dim)])]
  }

  private var linkedLines: [PageLine] {
    [
      PageLine("Linked, and no request yet.", .text), PageLine([]),
    ] + invisible + [PageLine([]), hint("2", "shows the stubs"), hint("4", "shows the processes")]
  }

  private var invisible: [PageLine] {
    [
      PageLine("Patchbay sees what goes through URLSession. Requests by AsyncHTTPClient,", .dim),
      PageLine("libcurl or other programs do not appear.", .dim),
    ]
  }
}
