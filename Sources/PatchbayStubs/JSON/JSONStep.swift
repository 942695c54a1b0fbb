/// One step on the way from a JSON document to a value in it.
package enum JSONStep: Hashable, Sendable {
  case member(String)
  /// An element of a list, counted from 0.
  case element(Int)
}

extension JSONValue {
  /// The value at the end of a way; nil where the way leads nowhere.
  package func value(at steps: some Collection<JSONStep>) -> JSONValue? {
    guard let step = steps.first else { return self }
    return child(step)?.value(at: steps.dropFirst())
  }

  /// The document with another value at the end of a way; nil where the way leads nowhere.
  package func replacing(at steps: some Collection<JSONStep>, with value: JSONValue) -> JSONValue? {
    guard let step = steps.first else { return value }
    guard let changed = child(step)?.replacing(at: steps.dropFirst(), with: value) else { return nil }
    switch (self, step) {
    case (.object(var members), .member(let name)):
      guard let place = members.lastIndex(where: { $0.name == name }) else { return nil }
      members[place].value = changed
      return .object(members)
    case (.array(var elements), .element(let place)):
      elements[place] = changed
      return .array(elements)
    default: return nil
    }
  }

  private func child(_ step: JSONStep) -> JSONValue? {
    switch (self, step) {
    case (.object, .member(let name)): self[name]
    case (.array(let elements), .element(let place)) where elements.indices.contains(place): elements[place]
    default: nil
    }
  }

  /// The merge patch (RFC 7396) by which this document gets another value there; nil where the way leads nowhere. A
  /// patch cannot reach into a list: from the first one on the way it carries the whole list, as it is here.
  package func mergePatch(at steps: [JSONStep], to value: JSONValue) -> JSONValue? {
    let members = steps.prefix {
      if case .member = $0 { true } else { false }
    }
    guard let inner = self.value(at: members)?.replacing(at: steps.dropFirst(members.count), with: value) else {
      return nil
    }
    return members.reversed().reduce(inner) { patch, step in
      if case .member(let name) = step { .object([Member(name, patch)]) } else { patch }
    }
  }

  /// Two merge patches as one, this one first. Other than in a document, a null in the second one stays.
  package func followed(byPatch next: JSONValue) -> JSONValue {
    guard case .object(var members) = self, case .object(let more) = next else { return next }
    for member in more {
      if let place = members.lastIndex(where: { $0.name == member.name }) {
        members[place].value = members[place].value.followed(byPatch: member.value)
      } else {
        members.append(member)
      }
    }
    return .object(members)
  }

  /// What a merge patch puts where, each way with what is at its end, in its order; null stands for what it removes.
  package var patchedValues: [(steps: [JSONStep], value: JSONValue)] {
    guard case .object(let members) = self, !members.isEmpty else { return [([], self)] }
    return members.flatMap { member in
      member.value.patchedValues.map { ([.member(member.name)] + $0.steps, $0.value) }
    }
  }
}
