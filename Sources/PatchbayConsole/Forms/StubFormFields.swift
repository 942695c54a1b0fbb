import Foundation
import PatchbayStubs

extension StubForm {
  /// In three groups; what few stubs need is folded away while nothing stands in it.
  static func fields(of stub: Stub) -> [Form.Field] {
    let own = actionFields(of: stub.then).map { $0.inGroup(.then, rare: rareFields.contains($0.id)) }
    let pattern = patternFields(of: stub)
    let named = ["name", "enabled"]
    let head = pattern.filter { named.contains($0.id) }
    let conditions = pattern.filter { !named.contains($0.id) && $0.id != "action" }
      .map { $0.inGroup(.when, rare: rareFields.contains($0.id)) }
    let action = (pattern.filter { $0.id == "action" } + sequenceFields(of: stub.then)).map { $0.inGroup(.then) }
    let limits = limitFields(of: stub).map { $0.inGroup(.often, rare: rareFields.contains($0.id)) }
    func rareLast(_ fields: [Form.Field]) -> [Form.Field] { fields.filter { !$0.isRare } + fields.filter(\.isRare) }
    return head + rareLast(conditions) + [.fold(.when, "more conditions")] + action + own.filter { !$0.isText }
      + [.fold(.then, "more")] + rareLast(limits) + [.fold(.often, "more")] + own.filter(\.isText)
  }

  private static let rareFields: Set<String> = [
    "url", "scheme", "port", "query", "fields", "contains", "asks", "any", "not", "process", "after", "to", "pace",
    "source", "replace", "rewrite", "scenario", "state", "next", "skip", "chance", "seed",
  ]

  private static func patternFields(of stub: Stub) -> [Form.Field] {
    let when = stub.when
    let kinds = kinds(stub)
    return [
      .line("name", "name", stub.name, help: "unique among the stubs"),
      .toggle("enabled", "on", stub.enabled, help: "space switches"),
      .line(
        "method", "method", when.methods.joined(separator: ", "), example: "any", help: "GET, or a list: POST, PUT"),
      .line(
        "url", "url", PatternText.text(when.url), example: "any", help: "* is any run; ~ begins a regular expression"),
      .line("scheme", "scheme", PatternText.text(when.scheme), example: "any", help: "http or https"),
      .line("host", "host", PatternText.text(when.host), example: "any", help: "such as *.example.com"),
      .line("port", "port", when.port.map(String.init) ?? "", example: "any", help: "such as 8443"),
      .line("path", "path", PatternText.text(when.path), example: "any", help: "such as /v1/users/*, or ~^/v[12]/"),
      .line("query", "query", PatternText.text(when.query, sign: "="), example: "any", help: "page=2; !debug"),
      .line(
        "fields", "headers", PatternText.text(when.headers, sign: ":"), example: "any",
        help: "Authorization: Bearer *; !X-Debug"),
      .line(
        "contains", "body contains", BodyAsks.contained(when.body), example: "anything",
        help: "text in the request's body"),
      .line(
        "asks", "body conditions", BodyAsks.text(when.body), example: "anything",
        help: "json: {\"id\": 7}, or graphql, form, pointer, equals, matches, multipart"),
      .line(
        "any", "one of", BodyAsks.text(when.any), example: "no other", help: #"whole patterns: [{"method": "GET"}, …]"#),
      .line("not", "but not", BodyAsks.text(when.not), example: "nothing", help: #"patterns: [{"path": "/health*"}]"#),
      .line(
        "process", "process", PatternText.text(when.process), example: "any", help: "a name; with its number: that one"),
      .choice("action", "then", kinds, kinds.firstIndex(of: stub.then.kindName) ?? 0, help: "← → chooses"),
    ]
  }

  /// What can be chosen: code only where a program's code stands behind the stub.
  private static func kinds(_ stub: Stub) -> [String] { stub.then == .code ? actions + ["code"] : actions }

  private static func sequenceFields(of action: Action) -> [Form.Field] {
    var afterwards = Action.Afterwards.repeat
    if case .sequence(_, let wanted) = action { afterwards = wanted }
    let choices = Action.Afterwards.allCases
    return [
      .choice("step", "step", ["1 of 1"], 0, help: "ctrl-n adds one, ctrl-o takes it out, ctrl-t earlier"),
      .choice(
        "afterwards", "after all", choices.map(\.rawValue), choices.firstIndex(of: afterwards) ?? 0,
        help: "when all steps were taken; ← → chooses"),
      .choice("stepAction", "step does", SequenceSteps.actions, 0, help: "what this step does; ← → chooses"),
    ]
  }

  /// The fields that say what an action does.
  static func actionFields(of action: Action) -> [Form.Field] {
    let response = action.canned
    let changes = action.changes
    let source = BodySource(response?.body)
    return [
      .line(
        "status", "status", (response?.status ?? changes.map { $0.status } ?? 200).map(String.init) ?? "",
        help: "100 to 599; a name finds its code"),
      .line(
        "error", "error", action.fault.map { errorText($0.error) } ?? "timedOut",
        help: "URLError code (timedOut), fault, or domain code message"),
      .toggle(
        "after", "break off", action.fault?.after != nil, help: "on: part of an answer comes first, then it fails"),
      .line(
        "bytes", "after", action.fault?.after?.bytes.map { SizeText.print($0) } ?? "", example: "the whole body",
        help: "how much of the body comes: 40, 2kB"),
      .choice("point", "where", Action.HoldPoint.allCases.map(\.rawValue), holdIndex(action), help: "← → chooses"),
      .line(
        "to", "to", changes?.to ?? "", example: "where it was asked", help: "another server: http://127.0.0.1:8080"),
      .line("delay", "delay", delayText(action), example: "none", help: "300ms, or 100ms to 900ms"),
      .line(
        "pace", "speed", paceText(response?.pace ?? changes?.pace), example: "at once", help: "20kB/s, or 5 over 2s"),
      .choice(
        "source", "body from", BodySource.allCases.map(\.rawValue), BodySource.allCases.firstIndex(of: source) ?? 0,
        help: "text, a file, a folder, events, or so many bytes; ← → chooses"),
      .line("file", "file", BodySource.path(response?.body), example: "a path", help: "relative to the stub file"),
      .choice(
        "otherwise", "if missing", CannedResponse.Missing.allCases.map(\.rawValue),
        BodySource.otherwise(response?.body) == .notFound ? 1 : 0,
        help: "what a path gets that is not there; ← → chooses"),
      .line("filler", "size", BodySource.size(response?.body), example: "5MB", help: "that much is made up"),
      .text("headers", "Headers", headerText(action), help: "Name: value, one a line"),
      .text(
        "replace", "Replace in the body", ReplaceText.text(changes?.replace ?? []),
        help: "find => with, one a line"),
      .text(
        "patch", "Merge patch", changes?.mergePatch?.indented() ?? "",
        help: "JSON laid over the answer's (RFC 7396); null takes away"),
      .text(
        "rewrite", "What is sent instead", changes?.request?.json.indented() ?? "",
        help: "JSON: {\"method\": …, \"query\": …, \"headers\": …}; null takes away"),
      .text("body", "Body", bodyText(response?.body), help: "what is sent"),
    ]
  }

  private static func limitFields(of stub: Stub) -> [Form.Field] {
    [
      .line(
        "scenario", "scenario", stub.scenario?.name ?? "", example: "none",
        help: "a name that the stubs of one story share"),
      .line(
        "state", "in state", stub.scenario?.state ?? "", example: "any", help: "answers only then; all begin in Started"
      ),
      .line(
        "next", "to state", stub.scenario?.next ?? "", example: "stays", help: "the state that follows when it answers"),
      .line("skip", "skip", stub.skip == 0 ? "" : String(stub.skip), example: "0", help: "requests let past first"),
      .line(
        "chance", "chance", chanceText(stub), example: "100%", help: "share of the requests: 50%"),
      .line(
        "seed", "seed", stub.seed.map(String.init) ?? "", example: "by chance",
        help: "a number: the same requests, and random values, each time"),
      .line(
        "times", "times", stub.times.map(String.init) ?? "", example: "always", help: "how many it takes, each process"),
    ]
  }

  /// The fields of each action.
  private static let answerFields: Set<String> = [
    "status", "pace", "source", "file", "otherwise", "filler", "headers", "body",
  ]
  private static let ownFields: [String: Set<String>] = [
    "respond": answerFields.union(["delay"]), "fail": ["error", "delay", "after"],
    "pass": ["to", "status", "delay", "pace", "headers", "replace", "patch", "rewrite"], "hold": ["point"],
  ]
  private static let allFields = ownFields.values.reduce(Set(["bytes"])) { $0.union($1) }

  /// The fields that the chosen action, or the chosen step of a sequence, has.
  static func showFields(_ form: inout Form) {
    let isSequence = form.text("action") == "sequence"
    let action = isSequence ? form.text("stepAction") : form.text("action")
    var used = ownFields[action] ?? []
    if action == "fail", form.isOn("after") { used.formUnion(answerFields.union(["bytes"])) }
    let source = BodySource(rawValue: form.text("source")) ?? .text
    if source != .file, source != .folder { used.remove("file") }
    if source != .folder { used.remove("otherwise") }
    if source != .filler { used.remove("filler") }
    if source == .events { used.remove("pace") }
    if source != .text, source != .events { used.remove("body") }
    for place in form.fields.indices {
      let id = form.fields[place].id
      if ["step", "stepAction", "afterwards"].contains(id) { form.fields[place].isHidden = !isSequence }
      if id == "state" || id == "next" { form.fields[place].isHidden = form.text("scenario").isEmpty }
      // The network's answer keeps its status unless one is given; an answer of one's own must have one.
      if id == "status" { form.fields[place].example = action == "pass" ? "as it comes" : "such as 503" }
      guard allFields.contains(id) else { continue }
      form.fields[place].isHidden = !used.contains(id)
    }
    form.foldFields()
  }
}

extension StubForm {
  static func chanceText(_ stub: Stub) -> String {
    stub.chance.map { Wording.percent($0).replacing(" ", with: "") } ?? ""
  }

  static func errorText(_ failure: Fault.Failure) -> String {
    switch failure {
    case .named(let name): name
    case .custom(let domain, let code, let message): "\(domain) \(code)\(message.map { " \($0)" } ?? "")"
    }
  }

  static func delayText(_ action: Action) -> String {
    switch action.response?.delay ?? action.changes?.delay ?? action.fault?.delay {
    case nil: ""
    case .fixed(let time): DurationText.print(time)
    case .random(let from, let to): "\(DurationText.print(from)) to \(DurationText.print(to))"
    }
  }

  static func paceText(_ pace: Pace?) -> String {
    switch pace {
    case nil: ""
    case .throttle(let speed): "\(SizeText.print(speed))/s"
    case .dribble(let pieces, let over): "\(pieces) over \(DurationText.print(over))"
    }
  }

  static func holdIndex(_ action: Action) -> Int {
    guard case .hold(let point) = action else { return 0 }
    return Action.HoldPoint.allCases.firstIndex(of: point) ?? 0
  }

  static func headerText(_ action: Action) -> String {
    if let response = action.canned { return PatternText.text(response.headers) }
    guard let changes = action.changes else { return "" }
    return changes.headers.flatMap { change in
      change.values?.map { "\(change.name): \($0)" } ?? ["!\(change.name)"]
    }.joined(separator: "\n")
  }

  static func bodyText(_ body: CannedResponse.Body?) -> String {
    switch body {
    case nil, .some(.none), .filler, .file, .folder: ""
    case .events:
      if case .object(let members)? = body.map({ CannedResponse(body: $0).json }) {
        members.first { $0.name == "events" }?.value.indented() ?? ""
      } else {
        ""
      }
    case .json(let value): value.indented()
    case .text(let text): text
    case .data(let data): String(validating: data, as: UTF8.self) ?? ""
    }
  }

  /// What stands in the place of a body that is not text; nil where it can be edited.
  static func bodyNote(_ body: CannedResponse.Body?) -> String? {
    switch body {
    case .data(let data) where String(validating: data, as: UTF8.self) == nil:
      "\(Wording.size(Int64(data.count))) that are not text, unless you type here (E: as base64)"
    default: nil
    }
  }
}

extension Action {
  var response: CannedResponse? { if case .respond(let response) = self { response } else { nil } }
  /// The answer that it gives, or that comes before it fails.
  var canned: CannedResponse? { response ?? fault?.after?.response }
  var changes: PassChanges? { if case .pass(let changes) = self { changes } else { nil } }
  var fault: Fault? { if case .fail(let fault) = self { fault } else { nil } }

  /// Its word in stub files.
  var kindName: String {
    switch self {
    case .respond: "respond"
    case .fail: "fail"
    case .pass: "pass"
    case .hold: "hold"
    case .sequence: "sequence"
    case .code: "code"
    }
  }
}

/// Where the bytes of an answer's body come from, as a form has it.
enum BodySource: String, Sendable, CaseIterable {
  /// What stands in the body editor; bytes that are no text stay until something is typed.
  case text
  case file
  case folder
  /// In the body editor, as the JSON that stands after `events:`.
  case events
  case filler

  init(_ body: CannedResponse.Body?) {
    switch body {
    case .file: self = .file
    case .folder: self = .folder
    case .events: self = .events
    case .filler: self = .filler
    default: self = .text
    }
  }

  static func path(_ body: CannedResponse.Body?) -> String {
    switch body {
    case .file(let path), .folder(let path, _): path
    default: ""
    }
  }

  static func otherwise(_ body: CannedResponse.Body?) -> CannedResponse.Missing {
    if case .folder(_, let otherwise) = body { otherwise } else { .pass }
  }

  static func size(_ body: CannedResponse.Body?) -> String {
    if case .filler(let bytes) = body { SizeText.print(bytes) } else { "" }
  }
}
