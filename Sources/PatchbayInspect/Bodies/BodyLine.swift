/// One line of a body as it is shown: indentation and coloured runs of text.
public struct BodyLine: Hashable, Sendable {
  /// Steps of indentation; how wide one is, is the view's business.
  public var indent: Int
  public var runs: [Run]
  /// The line goes on the one before it, which was too long to be shown as one.
  public var continues: Bool
  /// The line opens a container that can be folded.
  public var opens: Bool

  public struct Run: Hashable, Sendable {
    public var kind: Kind
    public var text: String

    public init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }
  }

  public enum Kind: Hashable, Sendable, CaseIterable {
    case text
    case key
    case string
    case number
    case literal
    case punctuation
    case tag
    case attribute
    case comment
    case offset
    /// What is not part of the body: a note, a sign for what was left out.
    case note
  }

  public init(indent: Int = 0, runs: [Run], continues: Bool = false, opens: Bool = false) {
    self.indent = indent
    self.runs = runs
    self.continues = continues
    self.opens = opens
  }

  /// The text without indentation.
  public var text: String { runs.map(\.text).joined() }
}
