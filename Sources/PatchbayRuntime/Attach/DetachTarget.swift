import Foundation
import PatchbayAttach

/// A program that was attached to and is to be let go of.
package struct DetachTarget: Sendable {
  package let process: pid_t
  /// Such as `shop 4711`.
  package let title: String
  /// The socket of the console that attends to it; nil where none does any more.
  package let console: String?

  /// - Parameter text: a number or a name.
  /// - Throws: why there is nothing to let go of.
  package init(_ text: String) throws(AttachError) {
    let all = RunningPrograms.named(text).compactMap { TargetProcess($0.process).facts() }
    let attached = all.filter { facts in
      if case .attached = facts.hooked { return true }
      return false
    }
    guard let facts = attached.first else {
      guard let other = all.first else {
        throw AttachError.nobody(text)
      }
      throw AttachError(
        other.hooked == .linked
          ? "\(other.title) was not attached to: it links Patchbay, or patchbay run started it. Its console is to end."
          : "\(other.title) has no hook of Patchbay in it: there is nothing to detach.")
    }
    guard attached.count == 1 else {
      throw AttachError(
        "\(attached.count) programs of that name were attached to. Say which by its number: "
          + attached.map { String($0.process) }.joined(separator: ", "))
    }
    process = facts.process
    title = facts.title
    guard case .attached(let state) = facts.hooked else {
      console = nil
      return
    }
    let rendezvous = Rendezvous(state.rendezvous, of: facts)
    console = rendezvous.console(of: facts.process)
    if console == nil { rendezvous.remove(leadingTo: nil) }
  }
}
