import Foundation
import PatchbayStubs
import PatchbayWire

/// Stubs that answer as it was recorded: a session becomes an offline server.
package enum StubsExport {
  /// The stubs in the order in which their requests first came. A request that was asked again and answered otherwise
  /// becomes a sequence, whose last answer stays; a redirect that was followed is a stub of its own. Exchanges without
  /// an answer or an error of their own are left out. Where a secret was masked, anything fits.
  package static func stubs(from exchanges: [Exchange]) -> [Stub] {
    var bodies = BodyFiles()
    return recorded(from: exchanges, bodies: &bodies).map(\.stub)
  }

  /// The same, each with what is to be said of it.
  ///
  /// - Parameter bodies: gets those that are better not written into the stub file.
  package static func recorded(from exchanges: [Exchange], bodies: inout BodyFiles) -> [RecordedStub] {
    let answered = exchanges.flatMap { RequestResponsePair.all(of: $0, bodies: &bodies) }
    let asked = Dictionary(grouping: answered) { Key($0, withBody: false) }
      .mapValues { Set($0.map { $0.body ?? Data() }).count }
    var order: [Key] = []
    var groups: [Key: [RequestResponsePair]] = [:]
    for pair in answered {
      let differs = (asked[Key(pair, withBody: false)] ?? 0) > 1
      let key = Key(pair, withBody: differs && BodyPattern(exactly: pair.body) != nil)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(pair)
    }
    // Those that look at a body come first: the one without would take their requests.
    let sorted = order.filter { $0.body != nil } + order.filter { $0.body == nil }
    var names: Set<String> = []
    return sorted.map { key in
      let pairs = groups[key] ?? []
      var stub = stub(key, answers: pairs.map(\.answer), names: &names)
      // Half a body as if it were whole is worse than none: what is not stubbed fails where that is asked for.
      if pairs.contains(where: { !$0.isWhole }) { stub.enabled = false }
      var notes: [String] = []
      for note in pairs.flatMap(\.notes) where !notes.contains(note) { notes.append(note) }
      return RecordedStub(stub: stub, notes: notes)
    }
  }

  private struct Key: Hashable {
    var method: String
    var url: String
    var body: Data?

    init(_ asked: RequestResponsePair, withBody: Bool) {
      method = asked.method
      url = URLSpelling.normal(asked.url)
      body = withBody ? asked.body ?? Data() : nil
    }
  }

  private static func stub(_ key: Key, answers: [Action], names: inout Set<String>) -> Stub {
    var pattern = RequestPattern(methods: [key.method], url: literal(key.url))
    if let body = key.body { pattern.body = BodyPattern(exactly: body) }
    var distinct: [Action] = []
    for answer in answers where distinct.last != answer { distinct.append(answer) }
    let then = distinct.count == 1 ? distinct[0] : .sequence(answers, afterwards: .last)
    let wanted = "\(key.method) \(URLParts(key.url).pathText(of: key.url))"
    var name = wanted
    var number = 2
    while !names.insert(name).inserted {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return Stub(name: name, when: pattern, then: then)
  }

  /// A pattern that fits this text only, but for any text where a secret was masked.
  static func literal(_ text: String) -> TextPattern {
    let pieces = text.components(separatedBy: Redaction.mask)
    guard pieces.contains(where: { $0.contains("*") }) else { return .glob(pieces.joined(separator: "*")) }
    return .matches("^" + pieces.map { quoted($0) }.joined(separator: ".*") + "$")
  }

  /// A regular expression for this text only.
  static func quoted(_ text: String) -> String {
    let special: Set<Character> = ["\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}"]
    return text.map { special.contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}

extension BodyPattern {
  /// A pattern for exactly this body, but for what was masked; nil where it is no text.
  fileprivate init?(exactly body: Data?) {
    guard let text = (body ?? Data()).utf8Text else { return nil }
    let pieces = text.replacingOccurrences(of: "\"\(Redaction.mask)\"", with: Redaction.mask)
      .components(separatedBy: Redaction.mask)
    if pieces.count > 1 {
      self.init(matches: "^" + pieces.map { StubsExport.quoted($0) }.joined(separator: ".*") + "$")
    } else {
      self.init(equals: text)
    }
  }
}

extension URLParts {
  /// The path without the query.
  fileprivate func pathText(of url: String) -> String {
    let text = url.utf8Slice(path)
    return text.isEmpty ? "/" : text
  }
}

/// A stub made of what was recorded.
package struct RecordedStub: Hashable, Sendable {
  package var stub: Stub
  /// What it lacks, a sentence each: comments before it in its file.
  package var notes: [String]
}

/// Bodies that lie in files beside a stub file, so that it stays one that people and `--stubs` can read.
package struct BodyFiles: Sendable {
  /// Larger bodies are not written into the stub file.
  private static let large = 64 << 10
  /// As much of smaller ones is, in all: a stub file may have 16 MiB, and YAML needs up to three times a body's bytes.
  private static let room = 4 << 20
  /// Bodies for which a file of their own is not worth while.
  private static let small = 256

  /// Where they lie, relative to the stub file; nil where all bodies are to be in it.
  private let folder: String?
  package private(set) var files: [ExportedFile] = []
  private var names: [Data: String] = [:]
  private var written = 0

  package init(folder: String? = nil) { self.folder = folder }

  /// The path of the file for this body, relative to the stub file; nil where it is to stand in the stub.
  mutating func place(_ body: Data, type: String?) -> String? {
    guard let folder, body.count > Self.small else { return nil }
    if let known = names[body] { return "\(folder)/\(known)" }
    guard body.count > Self.large || written + body.count > Self.room else {
      written += body.count
      return nil
    }
    let name = "\(files.count + 1).\(BodyFileName.ending(type, body))"
    names[body] = name
    files.append(ExportedFile(name: name, data: body))
    return "\(folder)/\(name)"
  }
}

/// The exchanges of a file that is made of all of them together, up to a bound: they are in memory until it is written.
struct GatheredExchanges: Sendable {
  private(set) var list: [Exchange] = []
  private var bytes = 0

  /// The most bytes of exchanges that one file is made of.
  private static let limit = 512 << 20

  /// - Throws: `FormatError` where it would be too much.
  mutating func add(_ exchange: Exchange) throws {
    bytes += 1_000 + (exchange.request.body?.count ?? 0) + (exchange.response?.body?.count ?? 0)
    guard bytes <= Self.limit else {
      throw FormatError(
        "This is too much for one file (\(list.count) exchanges are \(Self.limit >> 20) MiB): "
          + "narrow it with a filter, --since or --limit.")
    }
    list.append(exchange)
  }
}

/// A stub file. The same request asked twice becomes one sequence, so all exchanges are needed together.
struct StubsExporter: ExchangeExporter {
  private let context: ExportContext
  private(set) var files: [ExportedFile] = []
  private(set) var stubCount: Int?
  private var exchanges = GatheredExchanges()

  init(_ context: ExportContext) { self.context = context }

  mutating func entry(_ exchange: Exchange) throws -> String {
    try exchanges.add(exchange)
    return ""
  }

  mutating func end() -> String {
    var bodies = BodyFiles(folder: context.bodyFolder)
    let stubs = StubsExport.recorded(from: exchanges.list, bodies: &bodies)
    files = bodies.files
    stubCount = stubs.count
    return context.stubFile(stubs)
  }
}

extension ExportFormat {
  package static let stubs = ExportFormat(
    "stubs", key: "s", title: "Stubs", detail: "answers the same, offline", label: "stubs",
    output: .file(ending: ".yaml") { StubsExporter($0) })
}
