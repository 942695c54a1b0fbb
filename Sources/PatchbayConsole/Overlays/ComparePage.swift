import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// Two exchanges side by side.
struct ComparePage: Sendable {
  struct Row: Sendable, Equatable {
    var label: String
    var left: String
    var right: String
    var isHeading = false

    var differs: Bool { left != right }
  }

  let rows: [Row]
  var top = 0
  /// Columns that are scrolled off at the left of both sides.
  var left = 0

  /// How many rows differ beside those that always do: number and duration.
  var outcomeDifferences: Int {
    rows.filter { $0.differs && !["request", "took", "Date", "date"].contains($0.label) }.count
  }

  init(_ left: Exchange, _ right: Exchange) {
    func row(_ label: String, _ value: (Exchange) -> String) -> Row {
      Row(label: label, left: value(left), right: value(right))
    }
    func heading(_ text: String) -> Row { Row(label: text, left: "", right: "", isHeading: true) }
    rows =
      [
        row("request") { "\($0.id)" }, row("method") { $0.request.method }, row("url") { $0.request.url },
        row("status") { $0.response.map { "\($0.status) \(HTTPStatus.phrase($0.status))" } ?? "—" },
        row("error") { $0.error.map(DetailPages.sentence) ?? "—" },
        row("by") { $0.stub.map { "◆ \($0)" } ?? $0.by.rawValue },
        row("took") { $0.timing.end.map(Wording.duration) ?? "—" },
      ] + [heading("Request headers")] + ComparePage.fields(left.request.headers, right.request.headers)
      + [heading("Request body")] + ComparePage.bodies(left.request.body, right.request.body)
      + [heading("Response headers")]
      + ComparePage.fields(left.response?.headers ?? [], right.response?.headers ?? [])
      + [heading("Response body")] + ComparePage.bodies(left.response?.body, right.response?.body)
  }

  private static func fields(_ left: [HeaderField], _ right: [HeaderField]) -> [Row] {
    var names: [String] = []
    for field in left + right where !names.contains(where: { $0.caseInsensitiveEquals(field.name) }) {
      names.append(field.name)
    }
    return names.map { name in
      Row(
        label: name, left: left.all(named: name).joined(separator: ", "),
        right: right.all(named: name).joined(separator: ", "))
    }
  }

  private static func bodies(_ left: Data?, _ right: Data?) -> [Row] {
    if (left ?? Data()).isEmpty, (right ?? Data()).isEmpty { return [] }
    guard (left?.count ?? 0) < 1 << 20, (right?.count ?? 0) < 1 << 20 else {
      return LargeRows.rows(left ?? Data(), right ?? Data())
    }
    if let one = left.flatMap({ try? JSONValue(parsing: $0) }),
      let other = right.flatMap({ try? JSONValue(parsing: $0) })
    {
      return JSONRows.rows(one, other)
    }
    let texts = [left, right].map { $0.flatMap { String(validating: $0, as: UTF8.self) } }
    guard let one = texts[0] ?? (left == nil ? "" : nil), let other = texts[1] ?? (right == nil ? "" : nil) else {
      return [Row(label: left == right ? "the same" : "different", left: size(left), right: size(right))]
    }
    return LineRows.rows(one, other)
  }

  private static func size(_ data: Data?) -> String { data.map { Wording.size(Int64($0.count)) } ?? "none" }

  /// The next row that differs, from a row on.
  func next(from row: Int, step: Int) -> Int? {
    var place = row + step
    while rows.indices.contains(place) {
      if rows[place].differs { return place }
      place += step
    }
    return nil
  }
}

/// JSON side by side, by key path.
private enum JSONRows {
  private static let limit = 5_000

  static func rows(_ left: JSONValue, _ right: JSONValue) -> [ComparePage.Row] {
    var paths: [String] = []
    var values: [String: (String, String)] = [:]
    for (path, value) in leaves(left, "$") {
      paths.append(path)
      values[path] = (value, "")
    }
    for (path, value) in leaves(right, "$") {
      if let known = values[path] {
        values[path] = (known.0, value)
      } else {
        paths.append(path)
        values[path] = ("", value)
      }
    }
    let rows = paths.prefix(limit).map { path in
      ComparePage.Row(label: path, left: values[path]?.0 ?? "", right: values[path]?.1 ?? "")
    }
    let more = paths.dropFirst(limit).count { values[$0]?.0 != values[$0]?.1 }
    guard paths.count > limit else { return rows }
    let rest = "of \(paths.count - limit) more values, \(more) differ"
    return rows + [ComparePage.Row(label: "…", left: more == 0 ? rest : "", right: rest)]
  }

  private static func leaves(_ value: JSONValue, _ path: String) -> [(String, String)] {
    switch value {
    case .object(let members) where !members.isEmpty: members.flatMap { leaves($0.value, "\(path).\($0.name)") }
    case .array(let elements) where !elements.isEmpty:
      elements.enumerated().flatMap { leaves($0.element, "\(path)[\($0.offset)]") }
    default: [(path, value.compact)]
    }
  }
}

/// Text side by side, by line.
private enum LineRows {
  private static let limit = 2_000

  static func rows(_ left: String, _ right: String) -> [ComparePage.Row] {
    let allOne = left.split(separator: "\n", omittingEmptySubsequences: false)
    let allOther = right.split(separator: "\n", omittingEmptySubsequences: false)
    let one = allOne.prefix(limit).map(String.init)
    let other = allOther.prefix(limit).map(String.init)
    let changes = other.difference(from: one)
    let removed = Set(changes.removals.compactMap { if case .remove(let at, _, _) = $0 { at } else { nil } })
    let inserted = Set(changes.insertions.compactMap { if case .insert(let at, _, _) = $0 { at } else { nil } })
    var rows: [ComparePage.Row] = []
    var i = 0
    var j = 0
    while i < one.count || j < other.count {
      let isRemoved = i < one.count && removed.contains(i)
      let isInserted = j < other.count && inserted.contains(j)
      let number = String(max(i, j) + 1)
      if isRemoved || isInserted || i >= one.count || j >= other.count {
        rows.append(.init(label: number, left: isRemoved ? one[i] : "", right: isInserted ? other[j] : ""))
        if isRemoved { i += 1 }
        if isInserted { j += 1 }
        if !isRemoved, !isInserted { break }
      } else {
        rows.append(.init(label: number, left: one[i], right: other[j]))
        i += 1
        j += 1
      }
    }
    guard max(allOne.count, allOther.count) > limit else { return rows }
    let same = allOne.dropFirst(limit) == allOther.dropFirst(limit)
    let rest = "the lines from \(limit + 1) on are \(same ? "the same" : "different")"
    return rows + [.init(label: "…", left: same ? rest : "", right: rest)]
  }
}
