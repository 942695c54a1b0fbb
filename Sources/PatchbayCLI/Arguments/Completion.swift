import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbaySystem

/// What the shells offer where an argument is a name and no file.
extension CompletionKind {
  /// The faults, with what the program sees. Of the variables zsh and fish set one each, and bash none.
  static var faults: CompletionKind {
    .shellCommand(#"patchbay faults --completing "$ZSH_VERSION" --completing "$FISH_VERSION" 2>/dev/null"#)
  }

  /// The stubs of the console that the line names; of all that run where it names none.
  static var stubs: CompletionKind { .asking("stubs list") }

  /// The scenarios of the stubs of those consoles; behind the name of one its states.
  static var scenarios: CompletionKind { .asking("stubs scenario") }

  /// The ids of what those consoles hold. fish counts the arguments that complete, so that the fault behind an id needs it.
  static var heldExchanges: CompletionKind { .asking("hold list") }

  /// What can be run, then files.
  static var commands: CompletionKind { .asking("run") }

  /// The programs that can be attached to, by number and name.
  static var programs: CompletionKind {
    .shellCommand(
      "patchbay attach --list 2>/dev/null | awk -F'\\t' '{ print $1; sub(/ .*/, \"\", $4); sub(/.*\\//, \"\", $4); print $4 }'"
    )
  }

  /// The themes that are found by name.
  static var themes: CompletionKind { .shellCommand("patchbay themes list 2>/dev/null | cut -f1") }

  /// One text for all shells, which have the line in places of their own: bash in the first, zsh in the second, fish
  /// tells it by a command that the others do not know.
  private static func asking(_ command: String) -> CompletionKind {
    .shellCommand(
      #"patchbay \#(command) --completing "$COMP_LINE$BUFFER$(commandline -p 2>/dev/null)" 2>/dev/null"#)
  }
}

/// A name that a shell offers, and what it means where the shell has a place for that.
enum OfferedName {
  /// - Parameter shells: the versions of zsh and of fish, empty where it is another shell.
  static func line(_ name: String, _ meaning: String, shells: [String]) -> String {
    let name = SafeText.line(name)
    let meaning = SafeText.line(meaning)
    if shells.first?.isEmpty == false { return "\(name.replacing(":", with: "\\:")):\(meaning)" }
    return shells.last?.isEmpty == false ? "\(name)\t\(meaning)" : name
  }
}

/// A line as it was typed up to now, for what completes it.
struct TypedLine {
  private let words: [String]

  init(_ line: String) {
    var words = [""]
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        words[words.count - 1].append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if quote == nil, character == " " {
        if words.last != "" { words.append("") }
      } else {
        words[words.count - 1].append(character)
      }
    }
    self.words = words
  }

  /// The value of an option on it; nil where it is not given.
  func value(of option: String) -> String? {
    guard let index = words.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else { return nil }
    if words[index] != option { return String(words[index].dropFirst(option.count + 1)) }
    return words.indices.contains(index + 1) ? words[index + 1] : nil
  }

  /// The words of the command that `run` is to start, the one that is being typed last; nil where an option of ours or
  /// its value is being typed.
  var command: [String]? {
    guard let run = words.firstIndex(of: "run") else { return nil }
    if let index = OptionWords.firstOther(in: words[(run + 1)...]) { return Array(words[index...]) }
    return words.firstIndex(of: "--").map { Array(words[($0 + 1)...]) }
  }
}

extension TypedLine {
  /// The names of the stubs of the consoles that are meant.
  func stubNames() async -> [String] {
    var names: Set<String> = []
    for reply in await replies(to: "stubs.list") {
      guard case .array(let stubs)? = reply["stubs"] else { continue }
      names.formUnion(stubs.compactMap { $0["name"]?.text })
    }
    return names.sorted()
  }

  /// The ids of what is held, the first held first.
  func heldIDs() async -> [Int] {
    await replies(to: "hold.list").flatMap { reply -> [Int] in
      guard case .array(let held)? = reply["held"] else { return [] }
      return held.compactMap { $0["id"]?.integer }
    }
  }

  /// The names of scenarios; where the line ends behind one, its states in their order.
  func scenarioWords() async -> [String] {
    var names: [String] = []
    for reply in await replies(to: "stubs.scenario") {
      guard case .array(let scenarios)? = reply["scenarios"] else { continue }
      for scenario in scenarios {
        guard let name = scenario["name"]?.text, case .array(let states)? = scenario["states"] else { continue }
        if words.dropLast().contains(name) { return states.compactMap(\.text) }
        if !names.contains(name) { names.append(name) }
      }
    }
    return names
  }

  private func replies(to request: String) async -> [ControlReply] {
    let sockets: [String]
    if let named = value(of: "--socket") {
      sockets = [AbsolutePath.of(named)]
    } else {
      sockets = (try? PrivateFolders().runtime()).map { ControlClient.consoles(in: $0) } ?? []
    }
    var replies: [ControlReply] = []
    for socket in sockets {
      guard
        let client = try? await ControlClient.connect(
          socket: socket, as: "completion", patience: .milliseconds(700)),
        let reply = try? await client.request(request)
      else { continue }
      replies.append(reply)
    }
    return replies
  }

  /// What the word that is being typed behind `--` may become: the first one a program, the others files.
  func commandWords(path: String) -> [String] {
    guard let words = command, let word = words.last else { return [] }
    guard words.count == 1, !word.contains("/") else { return Self.files(word) }
    let programs = path.split(separator: ":").flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? [])
        .filter { $0.hasPrefix(word) && Self.isProgram("\(folder)/\($0)") }
    }
    return Set(programs).sorted() + Self.files(word)
  }

  /// Whether it can be started; folders are executable, too.
  private static func isProgram(_ path: String) -> Bool {
    Path.status(path, following: true)?.isFile == true && access(path, X_OK) == 0
  }

  private static func files(_ word: String) -> [String] {
    let head = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: head.isEmpty ? "." : AbsolutePath.of(head))) ?? []
    let start = word.dropFirst(head.count)
    return names.filter { $0.hasPrefix(start) && (!start.isEmpty || !$0.hasPrefix(".")) }.sorted().map { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: AbsolutePath.of(head + name), isDirectory: &isFolder)
      return head + name + (isFolder.boolValue ? "/" : "")
    }
  }
}
