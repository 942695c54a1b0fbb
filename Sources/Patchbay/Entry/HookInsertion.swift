import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the hook stands among a session's classes when nobody put it there by hand: behind the program's own, which
/// keep what they take, and before the first of Foundation's.
///
/// The one place where the hook is put into a session: for `attach()` and stubs in code, for the preload library and for
/// `patchbay attach`.
enum HookInsertion {
  private struct Replaced: @unchecked Sendable { let classes: [AnyClass] }  // Is only kept.
  /// Lists that were a session's own when the hook came. They stay, for another thread may have read one and not
  /// retained it yet: as many as there were sessions at work.
  private static let replaced = Mutex<[Replaced]>([])

  /// Puts the hook into a session. Its configuration is its own and counts from its next task on; tasks that have
  /// begun are left alone.
  ///
  /// - Parameters:
  ///   - isNew: Nobody but the caller has it yet.
  ///   - type: The hook, or a class that marks a scope as well.
  /// - Returns: Whether the hook is asked for its next task. It is not where the program's configuration does not keep
  ///   the classes that it is given.
  @discardableResult
  static func insert(
    into session: URLSession, isNew: Bool, as type: PatchbayURLProtocol.Type = PatchbayURLProtocol.self
  ) -> Bool {
    let configuration = session.configuration
    let classes = configuration.protocolClasses
    if isAsked(in: classes, as: type) { return true }
    let registered = classes?.isEmpty ?? true ? registered : []
    replaced.withLock { replaced in
      // Two threads may come with the same session.
      let before = configuration.protocolClasses
      guard !isAsked(in: before, as: type) else { return }
      if !isNew, let before { replaced.append(Replaced(classes: before)) }
      let classes = inserted(type, into: before ?? [], registered: registered)
      // Whoever reads the list sees all of it.
      atomicMemoryFence(ordering: .releasing)
      configuration.protocolClasses = classes
    }
    return isAsked(in: session.configuration.protocolClasses, as: type)
  }

  private static func inserted(
    _ type: PatchbayURLProtocol.Type, into classes: [AnyClass], registered: [AnyClass]
  ) -> [AnyClass] {
    // One that marks no scope keeps its place, which the program may have given it.
    if let place = hook(in: classes) {
      var classes = classes
      classes[place] = type
      return classes
    }
    var classes = classes.filter { !($0 is PatchbayURLProtocol.Type) }
    if classes.isEmpty { classes = registered }
    let index = classes.firstIndex { BuiltInClass.isBuiltIn($0) } ?? classes.endIndex
    return classes[..<index] + [type] + classes[index...]
  }

  /// Whether the hook is among these classes and comes to be asked; where it is to mark a scope, one that marks any.
  private static func isAsked(in classes: [AnyClass]?, as type: PatchbayURLProtocol.Type) -> Bool {
    guard let classes, let place = hook(in: classes) else { return false }
    return !type.marksScope || (classes[place] as? PatchbayURLProtocol.Type)?.marksScope == true
  }

  /// Where the hook is that comes to be asked: behind Foundation's own it never is.
  private static func hook(in classes: [AnyClass]) -> Int? {
    guard let place = classes.firstIndex(where: { $0 is PatchbayURLProtocol.Type }),
      !classes[..<place].contains(where: { BuiltInClass.isBuiltIn($0) })
    else { return nil }
    return place
  }

  /// The program's own classes that a session without classes asks: those that were registered before the process's
  /// first session, which registers Foundation's behind them. `shared` has a copy of that list.
  private static var registered: [AnyClass] {
    let all = URLSession.shared.configuration.protocolClasses ?? []
    return all.prefix { !BuiltInClass.isBuiltIn($0) }.filter { !($0 is PatchbayURLProtocol.Type) }
  }
}

extension URLSessionConfiguration {
  /// A copy with Patchbay's hook in front of its protocol classes, and the process attached to a console if one is
  /// there (see ``Patchbay/attach()``).
  ///
  /// ```swift
  /// let session = URLSession(configuration: .ephemeral.patched())
  /// ```
  public func patched() -> URLSessionConfiguration {
    Hook.current.link.begin(.configuration)
    return patched(by: PatchbayURLProtocol.self)
  }

  func patched(by protocolClass: PatchbayURLProtocol.Type) -> URLSessionConfiguration {
    let patched = (copy() as? URLSessionConfiguration) ?? self
    let others = (patched.protocolClasses ?? []).filter { !($0 is PatchbayURLProtocol.Type) }
    patched.protocolClasses = [protocolClass] + others
    return patched
  }
}
