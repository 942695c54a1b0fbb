import PatchbayGrid

/// The boxes that lie over the screen or in its place, the uppermost last. Only the stack changes them.
struct BoxStack: Sendable, RandomAccessCollection {
  private var boxes: [any Box] = []

  var startIndex: Int { boxes.startIndex }
  var endIndex: Int { boxes.endIndex }
  subscript(place: Int) -> any Box { boxes[place] }

  // MARK: Opening and closing

  mutating func push(_ box: any Box) { boxes.append(box) }

  /// Puts a box in the place of the uppermost, if there is one.
  mutating func replaceTop(with box: any Box) { if let top = boxes.indices.last { boxes[top] = box } }

  mutating func pop() -> (any Box)? { boxes.popLast() }

  // MARK: What they are told

  /// The uppermost was opened just now.
  mutating func opened(_ context: ConsoleContext, _ out: inout Outcomes) {
    if let top = boxes.indices.last { boxes[top].opened(context, &out) }
  }

  /// An answer of the runtime, or a tick: all boxes get it, for a form below a prompt waits for its own.
  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    for place in boxes.indices { boxes[place].update(event, context, &out) }
  }

  mutating func typed(_ input: InputEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    if let top = boxes.indices.last { boxes[top].update(.input(input), context, &out) }
  }

  mutating func run(_ command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    if let top = boxes.indices.last { boxes[top].run(command, context, &out) }
  }

  /// What was typed in a prompt that has just been closed.
  mutating func answered(
    _ purpose: Prompt.Purpose, _ text: String, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    if let top = boxes.indices.last { boxes[top].answered(purpose, text, context, &out) }
  }

  /// What is said beside the answer, where the uppermost box is a prompt.
  mutating func setPromptNote(_ note: String) {
    guard var prompt = boxes.last as? Prompt else { return }
    prompt.note = note
    replaceTop(with: prompt)
  }

  // MARK: What is shown

  /// The place of the uppermost; an offer over another box takes the keys as a popup does.
  var topPlace: BoxPlace? { boxes.last.map { $0.place == .offer && boxes.count > 1 ? .popup : $0.place } }

  /// What stands in the place of the tab.
  var screen: (any Box)? { boxes.first.flatMap { $0.place.isScreen ? $0 : nil } }

  /// What stands in the place of the footer.
  var line: (any Box)? { boxes.last.flatMap { $0.place == .line ? $0 : nil } }

  var popups: [any Box] { boxes.filter { $0.place == .popup || $0.place == .offer } }

  /// When the first of them wants a tick.
  var nextTick: Int64? { boxes.compactMap(\.nextTick).min() }
}
