import PatchbayGrid

/// A component that lies over the screen or in its place, and takes all keys while it is the uppermost.
protocol Box: Sendable {
  var place: BoxPlace { get }

  /// Whether letters are typed into it.
  var takesText: Bool { get }

  /// The keys that an offer takes: the footer offers none of them.
  var takenKeys: [Key] { get }

  /// What the footer says while it is the uppermost.
  func hints(_ context: ConsoleContext) -> [FooterHint]

  /// When it wants a `.tick`; nil: never.
  var nextTick: Int64? { get }

  /// It was opened.
  mutating func opened(_ context: ConsoleContext, _ out: inout Outcomes)

  /// Input, which goes to the uppermost box; `tick` and answers of the runtime (`preview`, `fetched`, `swatches`, …),
  /// which go to every box.
  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes)

  /// A command that another box, such as a question over a form, has for the one below it.
  mutating func run(_ command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes)

  /// What was typed in a prompt over it.
  mutating func answered(_ purpose: Prompt.Purpose, _ text: String, _ context: ConsoleContext, _ out: inout Outcomes)

  /// It was closed, by whatever way.
  func closed(_ out: inout Outcomes)

  /// - Parameter area: everything between header and footer; a `line` gets the footer.
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext)
}

/// Where a box stands.
enum BoxPlace: Sendable {
  /// In the place of the tab.
  case screen
  /// A form, in the place of the tab.
  case form
  /// Over the screen.
  case popup
  /// At the right of the foot; a key that is not one of its own closes it and does what it always does.
  case offer
  /// A line in the place of the footer.
  case line

  var isScreen: Bool { self == .screen || self == .form }
}

extension Box {
  var takesText: Bool { false }
  var takenKeys: [Key] { [] }
  var nextTick: Int64? { nil }

  mutating func run(_ command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes) {}

  mutating func answered(
    _ purpose: Prompt.Purpose, _ text: String, _ context: ConsoleContext, _ out: inout Outcomes
  ) {}

  mutating func opened(_ context: ConsoleContext, _ out: inout Outcomes) {}

  func closed(_ out: inout Outcomes) {}
}
