#if os(Linux)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// What the preload library offers to a hook, used by this program in its place.
  enum Preloaded {
    private typealias Function = @convention(c) () -> Void
    private typealias Hook = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private typealias Adopt = @convention(c) (Hook?, Hook?, (@convention(c) () -> UnsafeMutableRawPointer?)?) -> CInt
    nonisolated(unsafe) private static var told: [String] = []

    /// What the variables were, after the program has cleared its environment.
    static func kept() {
      for name in ProcessInfo.processInfo.environment.keys { unsetenv(name) }
      for name in ["socket", "unmatched", "rendezvous"] {
        typealias Text = @convention(c) () -> UnsafePointer<CChar>?
        print(name, function("patchbay_preload_\(name)", as: Text.self)().map { String(cString: $0) } ?? "none")
      }
    }

    /// Sessions of the hook's own are left as they are, on its thread.
    static func bypass() {
      let begin = function("patchbay_preload_bypass_begin", as: Function.self)
      let end = function("patchbay_preload_bypass_end", as: Function.self)
      let steps: [(String, Function)] = [
        ("end", end), ("begin", begin), ("nested", begin), ("still", end), ("over", end), ("over again", end),
        ("begun again", begin),
      ]
      for (way, step) in steps {
        step()
        show(way, URLSession(configuration: .ephemeral))
      }
      show("shared", URLSession.shared)
      Thread.detachNewThread {
        show("elsewhere", URLSession(configuration: .ephemeral))
        exit(0)
      }
      while true { pause() }
    }

    /// The program's own functions in the hook's place; the first that come stay.
    static func adopt() {
      let adopt = function("patchbay_preload_adopt", as: Adopt.self)
      let session: Hook = { _ in
        Preloaded.told.append("session")
        return 1
      }
      let new: Hook = { session in
        Preloaded.told.append(session == nil ? "new nothing" : "new")
        return 1
      }
      let other: Hook = { _ in
        Preloaded.told.append("other")
        return 1
      }
      print("without either", adopt(nil, new, nil), adopt(session, nil, nil))
      print("first", adopt(session, new, nil), "again", adopt(session, other, nil), "another", adopt(other, other, nil))
      show("own", URLSession(configuration: .ephemeral))
      show("delegated", URLSession(configuration: .default, delegate: Delegate(), delegateQueue: nil))
      for _ in 0..<3 { _ = URLSession.shared }
      print("told", told.joined(separator: ", "))
    }

    /// Notes in the words that are given, two for each.
    static func note(_ words: [String]) {
      typealias Note = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
      let note = function("patchbay_preload_note", as: Note.self)
      for index in stride(from: 0, to: words.count - 1, by: 2) { note(words[index], words[index + 1]) }
    }

    /// Ends the process without its exit handlers, after the function that it has named if that is wanted.
    static func leave(_ words: [String]) -> Never {
      typealias Register = @convention(c) (Function?) -> Void
      atexit { print("exit handlers") }
      if words[1] == "told" {
        function("patchbay_preload_before_exit", as: Register.self)({ _ = write(STDOUT_FILENO, "before\n", 7) })
      }
      let end = function(words[0], as: (@convention(c) (CInt) -> Void).self)
      end(7)
      abort()
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
      unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)!, to: type)
    }
  }
#endif
