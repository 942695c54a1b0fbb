import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayStubs

extension ScreenWorker {
  /// Lets the person's own editor have it. The screen is the editor's meanwhile; requests and their record go on.
  func open(_ job: EditorJob, _ runtime: ScreenRuntime) {
    attempt(runtime) { [self] in
      let text: String
      let fileExtension: String
      switch job.content {
      case .stub(let stub): (text, fileExtension) = (StubText.yaml([stub]), "yaml")
      case .text(let own, let suffix): (text, fileExtension) = (own, suffix)
      }
      let result: EditorResult
      do {
        result = try await edit(job.draft ?? text, fileExtension, job, runtime)
      } catch {
        guard let draft = job.draft else { throw error }
        result = .broken("\(error)", text: draft)
      }
      runtime.send([.editorReturned(token: job.token, result), .resized(runtime.terminal.size)])
    }
  }

  private func edit(
    _ text: String, _ fileExtension: String, _ job: EditorJob, _ runtime: ScreenRuntime
  ) async throws -> EditorResult {
    let file = try EditorFile(text, fileExtension: fileExtension)
    var isKept = false
    defer { if !isKept { file.remove() } }
    let command = EditorFile.command(file.path)
    let status: Int32
    do {
      status = try await runtime.terminal.runExternally(command, input: runtime.input)
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
      return .stub(try StubText.single(edited))
    } catch {
      return .broken("\(error)", text: edited)
    }
  }
}
