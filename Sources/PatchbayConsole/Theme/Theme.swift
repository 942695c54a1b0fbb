import PatchbayGrid

/// A style for each role.
package struct Theme: Sendable, Equatable {
  package var name: String
  private var styles: [Style]
  /// The same for a terminal of 256 colours: the nearest of dark colours are all one grey.
  private var styles256: [Style]
  /// What the terminal can show.
  private(set) var depth = ColorDepth.trueColor

  /// How one role is set; what is nil comes from the role's usual look, a missing background from `text`.
  package struct Look: Sendable, Equatable {
    package var foreground: Color?
    package var background: Color?
    package var attributes: TextAttributes
    /// What stands for them where there are 256 colours; nil takes the nearest.
    package var foreground256: UInt8?
    package var background256: UInt8?

    package init(
      foreground: Color? = nil, background: Color? = nil, attributes: TextAttributes = [],
      foreground256: UInt8? = nil, background256: UInt8? = nil
    ) {
      self.foreground = foreground
      self.background = background
      self.attributes = attributes
      self.foreground256 = foreground256
      self.background256 = background256
    }

    fileprivate var reducedTo256: Look {
      Look(
        foreground: foreground256.map(Color.palette) ?? foreground,
        background: background256.map(Color.palette) ?? background, attributes: attributes)
    }
  }

  /// A theme of the looks that are given. A role without one takes the look of the role that stands for it
  /// (`ThemeRole.standIn`), in the end that of `text`.
  package init(name: String, looks: [ThemeRole: Look]) {
    self.name = name
    styles = Theme.styles(looks)
    styles256 = Theme.styles(looks.mapValues(\.reducedTo256))
  }

  private static func styles(_ looks: [ThemeRole: Look]) -> [Style] {
    let text = looks[.text] ?? Look()
    return ThemeRole.allCases.map { role in
      var look = looks[role]
      var other = role
      while look == nil, let next = other.standIn {
        other = next
        look = looks[next]
      }
      let found = look ?? text
      return Style(
        foreground: found.foreground ?? text.foreground ?? .default,
        background: found.background ?? text.background ?? .default, attributes: found.attributes)
    }
  }

  package subscript(_ role: ThemeRole) -> Style { styles[role.rawValue] }

  /// The role's text on another role's background, with that one's attributes too: a cell of a selected row. Where the
  /// background is one of few strong colours the text keeps to the one that is read on it.
  package subscript(_ role: ThemeRole, on base: ThemeRole) -> Style {
    let below = self[base]
    let above = self[role]
    let isStrong = depth == .ansi8 || depth == .ansi16
    let keeps =
      below.attributes.contains(.reverse) || (isStrong && below.background != self[.text].background)
    return Style(
      foreground: keeps ? below.foreground : above.foreground,
      background: below.background, attributes: above.attributes.union(below.attributes))
  }

  /// The same theme for a terminal of fewer colours.
  package func reduced(to depth: ColorDepth) -> Theme {
    var copy = self
    copy.depth = depth
    copy.styles = (depth == .palette256 ? styles256 : styles).map { $0.reduced(to: depth) }
    guard depth == .none else { return copy }
    for role in ThemeRole.allCases { copy.styles[role.rawValue].attributes.formUnion(role.colourless) }
    return copy
  }
}

extension ThemeRole {
  /// The role whose look this one takes in a theme that does not set it.
  package var standIn: ThemeRole? {
    switch self {
    case .text: nil
    case .line, .placeholder, .lineNumber, .cancelled, .punctuation, .columnHead, .tab, .scrollbar: .dim
    case .columnSorted, .brand, .tabActive: .header
    case .selectionIdle, .selectedText: .selection
    case .clientError, .serverError, .error, .toastError: .failure
    case .redirect, .barWait: .waiting
    case .badge, .warning, .mark, .barHeld: .held
    case .good, .barBody, .string, .spark: .success
    case .matchCurrent: .match
    case .footerKey, .key, .popupTitle: .brand
    case .methodWrite, .literal: .stub
    case .footer: .dim
    case .popupLine: .popup
    case .toast: .popup
    default: .text
    }
  }

  /// What marks the role where there are no colours at all.
  var colourless: TextAttributes {
    switch self {
    case .selection, .badge, .matchCurrent, .tabActive, .selectedText: .reverse
    case .selectionIdle, .match: .underline
    case .brand, .columnSorted, .failure, .serverError, .held, .error, .key, .footerKey, .popupTitle, .mark: .bold
    case .dim, .cancelled, .placeholder, .lineNumber: .dim
    default: []
    }
  }
}

/// What a piece of the screen means; a theme gives each a style.
package enum ThemeRole: Int, CaseIterable, Sendable {
  /// Ordinary text on the screen's background; its background is the one of all roles that name none.
  case text
  /// Less important text: times, units, hints.
  case dim
  /// Rules between panes and the like; not text.
  case line
  /// The part of a scroll bar that stands for what is seen; not text.
  case scrollbar
  /// The name of the program at the top left.
  case brand
  /// The bar at the top and its tabs.
  case header
  case tab
  case tabActive
  /// Something in the header that must be seen, such as held requests.
  case badge
  /// Column heads, and the one that is sorted by.
  case columnHead
  case columnSorted
  /// The selected row of the pane that has the keys, and of one that has not.
  case selection
  case selectionIdle
  case mark
  /// Outcomes.
  case success
  case redirect
  case clientError
  case serverError
  case failure
  case held
  case waiting
  case cancelled
  /// The name of the stub that answered.
  case stub
  /// Methods that only read, and those that change something.
  case methodRead
  case methodWrite
  /// Tokens of JSON and of markup.
  case key
  case string
  case number
  case literal
  case punctuation
  case lineNumber
  /// Places found by a search, and the one that is shown.
  case match
  case matchCurrent
  /// Lines of text that is being edited.
  case input
  case placeholder
  case selectedText
  case error
  case warning
  case good
  /// The foot of the screen.
  case footer
  case footerKey
  /// Boxes over the screen.
  case popup
  case popupTitle
  case popupLine
  case toast
  case toastError
  /// Bars and sparklines.
  case spark
  case barWait
  case barBody
  case barHeld

  /// Its name in a theme file.
  package var name: String { String(describing: self) }

  package init?(name: String) {
    guard let role = ThemeRole.allCases.first(where: { $0.name == name }) else { return nil }
    self = role
  }
}
