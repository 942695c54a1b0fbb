/// What is wrong with a stub that nobody has read by the schema: one that a program declares in its code. In the words in
/// which a stub file is told the same.
extension Stub {
  /// A clause for each expression, template and name of a fault that cannot be used; empty where the stub is right.
  package var mistakes: [String] {
    let own = when.mistakes + then.mistakes
    guard own.isEmpty else { return own }
    let groups = KnownGroups(when)
    return then.templates.flatMap(\.groups).compactMap { groups.mistake(inName: $0) }
  }
}

extension RequestPattern {
  fileprivate var mistakes: [String] {
    texts.flatMap { $0.mistakes } + (body?.mistakes ?? []) + (any + not).flatMap(\.mistakes)
  }

  private var texts: [TextPattern] {
    let body = (body?.form ?? []) + (body?.multipart ?? [])
    return [url, scheme, host, path, process, self.body?.contains, self.body?.graphql?.operation].compactMap { $0 }
      + (query + headers + body).compactMap(\.value)
  }

  /// The pattern without the conditions that cannot be used: whoever may not stay silent about a mistake takes every
  /// request that the rest fits.
  package var withoutMistakes: RequestPattern {
    func isRight(_ pattern: TextPattern?) -> Bool { pattern?.mistakes.isEmpty ?? true }
    func right(_ pattern: TextPattern?) -> TextPattern? { isRight(pattern) ? pattern : nil }
    func right(_ conditions: [Condition]) -> [Condition] { conditions.filter { isRight($0.value) } }
    var copy = self
    copy.url = right(url)
    copy.scheme = right(scheme)
    copy.host = right(host)
    copy.path = right(path)
    copy.process = right(process)
    copy.query = right(query)
    copy.headers = right(headers)
    if let source = body?.matches, !isRight(.matches(source)) { copy.body?.matches = nil }
    copy.body?.contains = right(body?.contains)
    copy.body?.graphql?.operation = right(body?.graphql?.operation)
    if any.contains(where: { !$0.mistakes.isEmpty }) { copy.any = [] }
    copy.not = not.filter(\.mistakes.isEmpty)
    copy.body?.pointer.removeAll { BodyPattern.mistake(inPointer: $0.name) != nil }
    copy.body?.form = right(body?.form ?? [])
    copy.body?.multipart = right(body?.multipart ?? [])
    return copy
  }
}

extension TextPattern {
  fileprivate var mistakes: [String] {
    leaves.compactMap { leaf in
      guard case .matches(let source) = leaf else { return nil }
      do throws(StubError) { _ = try PatternRegex(source) } catch {
        return "in the expression `\(source.shortened(to: 60))`: \(error.message)"
      }
      return nil
    }
  }
}

extension BodyPattern {
  fileprivate var mistakes: [String] {
    let expressions = matches.map { TextPattern.matches($0).mistakes } ?? []
    return expressions + pointer.compactMap { Self.mistake(inPointer: $0.name) }
  }

  /// RFC 6901 §3.
  static func mistake(inPointer pointer: String) -> String? {
    pointer.isEmpty || pointer.hasPrefix("/") ? nil : "the JSON Pointer `\(pointer)` must begin with `/`"
  }
}

extension Action {
  fileprivate var mistakes: [String] {
    switch self {
    case .respond(let response): response.mistakes
    case .fail(let fault): fault.mistakes
    case .sequence(let actions, _): actions.flatMap { $0.mistakes }
    case .pass(let changes): changes.mistakes
    case .hold, .code: []
    }
  }
}

extension CannedResponse {
  fileprivate var mistakes: [String] {
    templateTexts.flatMap { Template.mistakes(in: $0).map(\.message) } + [mistakeOfFile].compactMap { $0 }
  }

  /// A clause where the body is a file, which nobody reads for a program.
  package var mistakeOfFile: String? {
    let path: String
    switch body {
    case .folder(let folder, _):
      guard !folder.hasPrefix("/") else { return nil }
      return "the folder `\(folder.shortened(to: 60))` is relative, which only stub files can be; give its whole path"
    case .file(let file): path = file
    default: return nil
    }
    return "the file `\(path.shortened(to: 60))` is read for stub files only; read it and give its bytes, `.data(…)`"
  }
}

extension Fault {
  fileprivate var mistakes: [String] {
    var name: String?
    if case .named(let given) = error { name = Self.mistake(inName: given) }
    return [name].compactMap { $0 } + (after?.response.mistakes ?? [])
  }

  /// A clause where the name is neither a code's nor a named fault's.
  static func mistake(inName name: String) -> String? {
    guard URLErrorCode.code(named: name) == nil, FaultPreset[name] == nil else { return nil }
    let known = URLErrorCode.all.map(\.name) + FaultPreset.all.map(\.name)
    let number = Int(name).flatMap { URLErrorCode.name(of: $0) }.map { "; did you mean `\($0)`?" }
    let hint = number ?? NearestName.hint(for: name, among: known)
    return "`\(name.shortened(to: 40))` is neither a URLError code such as timedOut nor a named fault\(hint)"
  }
}
