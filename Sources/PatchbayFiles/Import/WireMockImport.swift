import Foundation
import PatchbayStubs

/// WireMock's mappings: files with one, with a list under `mappings`, and folders of them.
///
/// Of mappings that fit the same request WireMock takes the one with the lowest `priority`, and of those the one that was
/// added last; here the first stub counts, so they are put in that order.
struct WireMockImport {
  /// The folder that `bodyFileName` means; nil where there is none.
  var filesFolder: String?
  private(set) var bodies: ImportedBodies
  private var mappings: [Mapping] = []

  private struct Mapping {
    var draft: StubDraft
    var priority: Int
    /// A condition could not be said, so that it fits more requests.
    var isWider: Bool
  }

  private static let defaultPriority = 5

  init(bodies: ImportedBodies) { self.bodies = bodies }

  mutating func add(_ node: DocumentNode, path: String, _ notes: inout ImportNotes) {
    for item in node.list ?? node["mappings"]?.list ?? [node] {
      let mapping = item["mapping"] ?? item
      guard mapping["request"]?.isMap == true || mapping["response"]?.isMap == true else {
        notes.add("a mapping without `request` and `response` is left out", path: path, at: mapping.position)
        continue
      }
      add(mapping: mapping, path: path, &notes)
    }
  }

  /// The stubs in the order in which they are to be asked.
  mutating func finish(_ notes: inout ImportNotes) -> [StubDraft] {
    let sorted = mappings.enumerated().sorted { left, right in
      let (one, other) = (left.element.priority, right.element.priority)
      return one == other ? left.offset > right.offset : one < other
    }.map(\.element)
    var same: [JSONValue: Int] = [:]
    for mapping in sorted { same[mapping.draft.when.json, default: 0] += 1 }
    return sorted.map { mapping in
      var draft = mapping.draft
      guard mapping.isWider else { return draft }
      if (same[draft.when.json] ?? 0) > 1 {
        draft.enabled = false
        draft.comments.append("Off: without the condition that was left out it would take the requests of others.")
        notes.add(
          "the stub `\(draft.name)` is off: without that condition it would take the requests of others",
          path: draft.path, at: draft.position)
      } else {
        draft.comments.append("A condition was left out, so it fits more requests than in WireMock.")
      }
      return draft
    }
  }

  private mutating func add(mapping: DocumentNode, path: String, _ notes: inout ImportNotes) {
    let request = mapping["request"] ?? DocumentNode(.map([]), at: mapping.position)
    let response = mapping["response"] ?? DocumentNode(.map([]), at: mapping.position)
    var matching = WireMockRequest(path: path)
    matching.read(request, &notes)
    var answer = WireMockResponse(path: path, filesFolder: filesFolder, template: matching.template)
    let then = answer.action(response, &bodies, &notes)
    for entry in mapping.entries where !Self.known.contains(entry.key) {
      if entry.value.list?.isEmpty == true || entry.value.isNull { continue }
      notes.add("`\(entry.key)` of a mapping has no place in a stub file", path: path, at: entry.keyPosition)
    }
    let name = mapping["name"]?.scalar ?? matching.title
    var draft = StubDraft(name: name, when: matching.pattern, then: then, path: path, position: mapping.position)
    if let scenario = mapping["scenarioName"]?.scalar {
      var members = [JSONValue.Member("name", .string(scenario))]
      if let state = mapping["requiredScenarioState"]?.scalar { members.append(.init("in", .string(state))) }
      if let state = mapping["newScenarioState"]?.scalar { members.append(.init("to", .string(state))) }
      draft.scenario = .object(members)
    }
    mappings.append(
      Mapping(
        draft: draft, priority: mapping["priority"]?.integer(in: -1_000_000...1_000_000) ?? Self.defaultPriority,
        isWider: matching.isWider))
  }

  private static let known: Set<String> = [
    "id", "uuid", "name", "request", "response", "priority", "scenarioName", "requiredScenarioState",
    "newScenarioState", "persistent", "insertionIndex",
  ]
}
