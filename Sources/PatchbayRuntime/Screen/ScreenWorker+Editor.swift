import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayStubs
import PatchbaySystem

extension ScreenWorker {
  /// Lets the person's own editor have it. The screen is the editor's meanwhile; requests and their record go on.
  func open(_ job: EditorJob, _ runtime: any ScreenHost) {
    attempt(runtime) { [self] in
      let text: String
      let fileExtension: String
      switch job.content {
      case .stub(let stub): (text, fileExtension) = (StubFile.yaml([stub]), "yaml")
      case .text(let own, let suffix): (text, fileExtension) = (own, suffix)
      }
      let result: EditorResult
      do {
        result = try await edit(job.draft ?? text, fileExtension, job, runtime)
      } catch {
        guard let draft = job.draft else { throw error }
        result = .broken("\(error)", text: draft)
      }
      runtime.send([.editorReturned(token: job.token, result), .resized(runtime.size)])
    }
  }

  private func edit(
    _ text: String, _ fileExtension: String, _ job: EditorJob, _ runtime: any ScreenHost
  ) async throws -> EditorResult {
    let file = try EditorFile(text, fileExtension: fileExtension)
    var isKept = false
    defer { if !isKept { file.remove() } }
    let command = EditorFile.command(file.path)
    let status: Int32
    do {
      status = try await runtime.runExternally(command)
    } catch {
      throw RuntimeError("The editor cannot be started (\(error)): set $VISUAL or $EDITOR to one that is there.")
    }
    let edited: String
    do {
      edited = try file.read()
    } catch let error as EditorFile.NotText {
      isKept = true
      throw error
    }
    guard status == 0 else {
      isKept = edited != text
      throw RuntimeError(EditorFile.sentence(status: status, command: command, keptIn: isKept ? file.path : nil))
    }
    guard edited != text || job.draft != nil else { return .unchanged }
    guard case .stub = job.content else { return edited == text ? .unchanged : .text(edited) }
    do {
      return .stub(try StubFile.stub(edited))
    } catch {
      return .broken("\(error)", text: edited)
    }
  }
}

/// A text that an editor works on, in a private temporary file.
private struct EditorFile {
  let path: String

  init(_ text: String, fileExtension: String) throws {
    path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString.prefix(8)).\(fileExtension)"
    do {
      try OutputFile.write(text.utf8, to: path, access: .secret)
    } catch {
      throw RuntimeError("\(path) cannot be written (\(error.reason)): look whether the disk is full.")
    }
  }

  /// `$VISUAL`, else `$EDITOR`, else `vi`, as the shell reads it, on a file.
  static func command(_ path: String) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let named = [environment["VISUAL"], environment["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
    // The words that make a shell necessary: quotes, escapes, variables.
    guard named.contains(where: { "\"'\\$`~".contains($0) }) else {
      return named.split(separator: " ").map(String.init) + [path]
    }
    return ["/bin/sh", "-c", "exec \(named) \"$1\"", "patchbay", path]
  }

  /// What is said where the editor did not end with status 0.
  ///
  /// - Parameter kept: where the text is, if the editor wrote one nevertheless.
  static func sentence(status: Int32, command: [String], keptIn kept: String?) -> String {
    if status == 126 || status == 127, kept == nil {
      let named = command.first == "/bin/sh" ? command[2].dropFirst(5).dropLast(5) : Substring(command[0])
      return "The editor \(named) cannot be started: set $VISUAL or $EDITOR to one that is there."
    }
    let how = status > 128 ? "was ended by signal \(status - 128)" : "ended with status \(status)"
    return "The editor \(how): nothing was changed here" + (kept.map { "; what it wrote is in \($0)." } ?? ".")
  }

  /// What the editor left: UTF-8, or UTF-16 with a byte order mark; the mark is no part of it.
  ///
  /// - Throws: a sentence. A file that is there and cannot be read as text stays there.
  func read() throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RuntimeError("The editor took \(path) away: nothing was changed.")
    }
    let text: String?
    if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
      text = String(data: data, encoding: .utf16)
    } else {
      text = String(validating: data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data, as: UTF8.self)
    }
    guard let text else { throw NotText(path: path) }
    return text
  }

  /// The editor wrote something that is no text.
  struct NotText: Error, CustomStringConvertible {
    let path: String
    var description: String {
      "What the editor wrote is not UTF-8 text: nothing was changed here; it is in \(path)."
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
