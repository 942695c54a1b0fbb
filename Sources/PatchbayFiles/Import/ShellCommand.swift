import PatchbayStubs

/// The words of a command as a shell splits them; nothing is run or filled in.
struct ShellCommand {
  private(set) var words: [String] = []
  /// Where it begins.
  private(set) var position: SourcePosition?
  /// What could not be read as a shell would.
  private(set) var problem: String?

  /// The commands of a script: one a line, where the line does not go on, without comments.
  static func all(in text: String) -> [ShellCommand] {
    var reader = Reader(Array(text.unicodeScalars))
    return reader.commands()
  }

  private struct Reader {
    let text: [Unicode.Scalar]
    var at = 0
    var line = 1
    var lineStart = 0
    var found: [ShellCommand] = []
    var command = ShellCommand()
    var word: String.UnicodeScalarView?

    init(_ text: [Unicode.Scalar]) { self.text = text }

    mutating func commands() -> [ShellCommand] {
      while at < text.count {
        let scalar = text[at]
        switch scalar {
        case "\\": escape()
        // The line continuation and the escape of `cmd`.
        case "^" where at + 1 < text.count && (text[at + 1] == "\n" || text[at + 1] == "\r"): escape()
        case "'": single()
        case "\"": double()
        case "$" where at + 1 < text.count && text[at + 1] == "'": ansi()
        case "#" where word == nil: skipLine()
        case "\n", ";":
          endWord()
          endCommand()
          next()
        case "&" where word == nil || text.indices.contains(at + 1) && text[at + 1] == "&":
          endWord()
          endCommand()
          next()
        case "|" where word == nil:
          endWord()
          command.problem = command.problem ?? "what follows `|` is left out"
          skipPipeline()
        case " ", "\t", "\r":
          endWord()
          next()
        default: take(scalar)
        }
      }
      endWord()
      endCommand()
      return found
    }

    private mutating func next() {
      if text[at] == "\n" {
        line += 1
        lineStart = at + 1
      }
      at += 1
    }

    private mutating func begin() {
      if word == nil { word = String.UnicodeScalarView() }
      if command.position == nil { command.position = SourcePosition(line: line, column: at - lineStart + 1) }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
      begin()
      word?.append(scalar)
      next()
    }

    private mutating func endWord() {
      if let word { command.words.append(String(word)) }
      word = nil
    }

    private mutating func endCommand() {
      if !command.words.isEmpty { found.append(command) }
      command = ShellCommand()
    }

    private mutating func skipLine() { while at < text.count, text[at] != "\n" { next() } }

    /// Up to the end of the command.
    private mutating func skipPipeline() { while at < text.count, text[at] != "\n", text[at] != ";" { next() } }

    private mutating func escape() {
      next()
      guard at < text.count else { return }
      if text[at] == "\r" { next() }
      guard at < text.count else { return }
      if text[at] == "\n" { next() } else { take(text[at]) }
    }

    private mutating func single() {
      begin()
      next()
      while at < text.count, text[at] != "'" { take(text[at]) }
      close("'")
    }

    private mutating func double() {
      begin()
      next()
      while at < text.count, text[at] != "\"" {
        if text[at] == "\\", at + 1 < text.count {
          next()
          switch text[at] {
          case "\"", "\\", "$", "`": take(text[at])
          case "\n": next()
          default:
            word?.append("\\")
            take(text[at])
          }
        } else {
          if text[at] == "$" || text[at] == "`" {
            command.problem = "what the shell fills in (`$…`) stands as it is written"
          }
          take(text[at])
        }
      }
      close("\"")
    }

    /// `$'…'` of bash, in which browsers write what holds quotes.
    private mutating func ansi() {
      begin()
      next()
      next()
      while at < text.count, text[at] != "'" {
        guard text[at] == "\\", at + 1 < text.count else {
          take(text[at])
          continue
        }
        next()
        let letter = text[at]
        switch letter {
        case "n": add("\n")
        case "t": add("\t")
        case "r": add("\r")
        case "u": unicode(4)
        case "U": unicode(8)
        case "x": unicode(2)
        default: take(letter)
        }
      }
      close("'")
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
      word?.append(scalar)
      next()
    }

    private mutating func unicode(_ most: Int) {
      next()
      var value: UInt32 = 0
      var digits = 0
      while digits < most, at < text.count, let digit = Character(text[at]).hexDigitValue {
        value = value << 4 | UInt32(digit)
        digits += 1
        next()
      }
      // Two halves of a pair.
      if (0xD800..<0xDC00).contains(value), at + 5 < text.count, text[at] == "\\", text[at + 1] == "u" {
        let low = text[(at + 2)..<(at + 6)].reduce(UInt32(0)) { $0 << 4 | UInt32(Character($1).hexDigitValue ?? 0) }
        if (0xDC00..<0xE000).contains(low) {
          value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
          at += 6
        }
      }
      word?.append(Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    private mutating func close(_ quote: Character) {
      guard at < text.count else {
        command.problem = "a quote (\(quote)) is not closed: the command goes on to the end"
        return
      }
      next()
    }
  }
}
