#if os(Linux)
  import Foundation
  import PatchbayLaunch
  import PatchbayTestSupport
  import Testing

  @testable import PatchbayAttach

  /// Where a program that was attached to and its consoles find each other.
  // Its folders are named after this process.
  @Suite(.serialized, .bounded) struct RendezvousTests {
    private let folder: String

    init() throws {
      folder = "/tmp/pb-rv-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    private var facts: TargetFacts {
      var facts = TargetFacts(process: getpid())
      (facts.user, facts.group, facts.name) = (geteuid(), getegid(), "shop")
      return facts
    }

    private var folders: PrivateFolders {
      PrivateFolders(environment: { [folder] in $0 == "XDG_RUNTIME_DIR" ? folder : nil })
    }

    /// Ours, lying in the folder.
    private func libraries() -> HookLibraries {
      let ours = HookLibraries(
        preload: "\(folder)/\(HookLibraries.preloadName)", hook: "\(folder)/\(HookLibraries.hookName)")
      for path in [ours.preload, ours.hook] {
        #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)) && chmod(path, 0o644) == 0)
      }
      return ours
    }

    @Test func somebodyListensOrNobodyDoes() throws {
      defer { clean() }
      let path = "\(folder)/s.sock"
      #expect(!SocketProbe.isListening(path))
      let descriptor = try listeningSocket(path)
      #expect(SocketProbe.isListening(path))
      close(descriptor)
      // Its file stays when who listened there has gone.
      #expect(FileManager.default.fileExists(atPath: path) && !SocketProbe.isListening(path))
      #expect(!SocketProbe.isListening("/" + String(repeating: "x", count: 107)))
      #expect(!SocketProbe.isListening("/" + String(repeating: "x", count: 4_000)))
    }

    /// Who has no time yet to accept anybody listens all the same, and who was asked is left at once.
    @Test func whoIsBusyListensToo() throws {
      defer { clean() }
      let path = "\(folder)/" + String(repeating: "x", count: SocketPath.limit - folder.utf8.count - 1)
      let descriptor = try listeningSocket(path)
      defer { close(descriptor) }
      for _ in 0..<8 { #expect(SocketProbe.isListening(path)) }
      let accepted = accept(descriptor, nil, nil)
      #expect(accepted >= 0)
      defer { close(accepted) }
      var poller = pollfd(fd: accepted, events: Int16(POLLIN), revents: 0)
      #expect(poll(&poller, 1, 20_000) == 1)
    }

    /// A console that was killed on the way has left it.
    @Test func whatLiesWhereTheLinkIsMadeIsInNobodysWay() throws {
      defer { clean() }
      let rendezvous = Rendezvous("\(folder)/at-7.sock", of: facts)
      #expect(symlink("/old.sock", "\(rendezvous.path).\(getpid())") == 0)
      try rendezvous.lead(to: "/new.sock")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) == "/new.sock")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["at-7.sock"])
    }

    /// Those that have the hook already are not offered again, unless nobody attends to them.
    @Test func aProgramIsFreeAsLongAsNoConsoleAttendsToIt() throws {
      defer { clean() }
      var program = facts
      #expect(RunningPrograms.isFree(program))
      program.hooked = .linked
      #expect(!RunningPrograms.isFree(program))
      let rendezvous = Rendezvous("\(folder)/at-7.sock", of: facts)
      program.hooked = .attached(AttachedState(isWhole: true, rendezvous: rendezvous.path))
      #expect(RunningPrograms.isFree(program))
      let descriptor = try listeningSocket("\(folder)/1.sock")
      defer { close(descriptor) }
      try rendezvous.lead(to: "\(folder)/1.sock")
      #expect(!RunningPrograms.isFree(program))
    }

    @Test func theLinkLeadsToTheConsoleThatAttends() throws {
      defer { clean() }
      let rendezvous = Rendezvous("\(folder)/in/at-7.sock", of: facts)
      #expect(rendezvous.path == "\(folder)/in/at-7.sock" && rendezvous.folder == "\(folder)/in")
      #expect(rendezvous.console(of: getpid()) == nil)
      let (first, second) = ("\(folder)/1.sock", "\(folder)/2.sock")
      // The folder may have been swept away.
      try rendezvous.lead(to: first)
      let mode = try FileManager.default.attributesOfItem(atPath: rendezvous.folder)[.posixPermissions] as? Int
      #expect(mode == 0o700)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) == first)
      #expect(rendezvous.console(of: getpid()) == nil)
      let descriptor = try listeningSocket(first)
      defer { close(descriptor) }
      #expect(rendezvous.console(of: getpid()) == first)
      try rendezvous.lead(to: second)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) == second)
      #expect(try FileManager.default.contentsOfDirectory(atPath: rendezvous.folder) == ["at-7.sock"])
      // Another console attends to it by now.
      rendezvous.remove(leadingTo: first)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) == second)
      rendezvous.remove(leadingTo: second)
      #expect(throws: (any Error).self) { try FileManager.default.destinationOfSymbolicLink(atPath: rendezvous.path) }
      try rendezvous.lead(to: second)
      rendezvous.remove(leadingTo: nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: rendezvous.folder) == [])
    }

    @Test func aFolderThatIsNoneIsRefused() throws {
      defer { clean() }
      let link = "\(folder)/link"
      #expect(symlink("/tmp", link) == 0)
      let refusal = AttachError(
        "\(link), where the hook waits for a console, belongs to somebody else. Start the program again.")
      #expect(throws: refusal) { try Rendezvous("\(link)/at-7.sock", of: facts).lead(to: "/x.sock") }
      let file = "\(folder)/file"
      #expect(FileManager.default.createFile(atPath: file, contents: nil))
      #expect(throws: AttachError.self) { try Rendezvous("\(file)/at-7.sock", of: facts).lead(to: "/x.sock") }
      // A link cannot take the place of a folder.
      try FileManager.default.createDirectory(atPath: "\(folder)/at-7.sock", withIntermediateDirectories: true)
      let own = AttachError.system("make the link \(folder)/at-7.sock, by which the hook finds this console", EISDIR)
      #expect(throws: own) { try Rendezvous("\(folder)/at-7.sock", of: facts).lead(to: "/x.sock") }
    }

    @Test func whoSharesFilesAndUserMeetsInTheRuntimeFolder() throws {
      defer { clean() }
      let place = try MeetingPlace(for: facts, folders: folders)
      let runtime = "\(folder)/patchbay"
      #expect(place.path == runtime && place.ownPath == runtime && !place.needsOwnSocket)
      #expect(place.rendezvous == Rendezvous("\(runtime)/at-\(getpid()).sock", of: facts))
      #expect(place.file("a") == "\(runtime)/a" && place.ownFile("a") == "\(runtime)/a")
      let ours = HookLibraries(preload: "/a/p.so", hook: "/a/h.so")
      let seen = try place.libraries(ours)
      #expect(seen.preload == ours.preload && seen.hook == ours.hook)
      // Nothing of it is the program's alone.
      #expect(FileManager.default.createFile(atPath: "\(runtime)/kept", contents: nil))
      place.giveToUser()
      place.remove(waitingIn: nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: runtime) == ["kept"])
      #expect(throws: AttachError.self) {
        try FileManager.default.removeItem(atPath: runtime)
        #expect(FileManager.default.createFile(atPath: runtime, contents: nil))
        _ = try MeetingPlace(for: facts, folders: folders)
      }
    }

    @Test func anotherUsersProgramGetsAFolderOfItsOwn() throws {
      defer { clean() }
      var other = facts
      other.user = geteuid() + 1
      let place = try MeetingPlace(for: other, folders: folders)
      defer { try? FileManager.default.removeItem(atPath: place.ownPath) }
      #expect(place.path == "/tmp/patchbay-attach-\(getpid())-\(getpid())" && place.ownPath == place.path)
      #expect(place.needsOwnSocket && FileManager.default.fileExists(atPath: place.ownPath))
      // The name is taken now, so that the next one lies elsewhere.
      let second = try MeetingPlace(for: other, folders: folders)
      #expect(second.path == "/dev/shm/patchbay-attach-\(getpid())-\(getpid())" || second.path.hasPrefix("/var/tmp/"))
      second.remove(waitingIn: nil)
      #expect(!FileManager.default.fileExists(atPath: second.ownPath))
      // Libraries that it cannot reach are copied there.
      let (preload, hook) = ("\(folder)/libPatchbayPreload.so", "\(folder)/libPatchbayHook.so")
      for (path, text) in [(preload, "preload"), (hook, "hook")] {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        #expect(chmod(path, 0o600) == 0)
      }
      let seen = try place.libraries(HookLibraries(preload: preload, hook: hook))
      #expect(seen.preload == place.file("libPatchbayPreload.so") && seen.hook == place.file("libPatchbayHook.so"))
      for (path, text) in [(seen.preload, "preload"), (seen.hook, "hook")] {
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o755)
      }
      // Those that anybody can read are taken where they are.
      for path in [folder, preload, hook] { #expect(chmod(path, path == folder ? 0o755 : 0o644) == 0) }
      #expect(try place.libraries(HookLibraries(preload: preload, hook: hook)).hook == hook)
      #expect(throws: AttachError.self) { try place.libraries(HookLibraries(preload: preload, hook: "/nowhere.so")) }
      // It waits in the folder for the next console, where it has to.
      place.remove(waitingIn: place.rendezvous)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.ownPath) == [])
      place.remove(waitingIn: Rendezvous("/elsewhere/at.sock", of: other))
      #expect(!FileManager.default.fileExists(atPath: place.ownPath))
    }

    /// What consoles that were killed have left goes first.
    @Test func whereEveryFolderIsTakenThatIsSaid() throws {
      defer { clean() }
      var other = facts
      other.sharesFiles = false
      // The kernel gives no number above 2^22.
      let left = "/tmp/patchbay-attach-\(1 << 29)-\(1 << 27)"
      try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: left) }
      var places: [MeetingPlace] = []
      defer { for place in places { place.remove(waitingIn: nil) } }
      let refusal = AttachError(
        "shop \(getpid()) sees other files than Patchbay, and nowhere in its /tmp, /dev/shm and /var/tmp can the hook be put. "
          + "Start it there with: patchbay run")
      #expect(throws: refusal) {
        for _ in 0..<4 { places.append(try MeetingPlace(for: other, folders: folders)) }
      }
      #expect(!FileManager.default.fileExists(atPath: left))
      #expect((1...3).contains(places.count) && Set(places.map(\.path)).count == places.count)
      #expect(places.first?.path == "/tmp/patchbay-attach-\(getpid())-\(getpid())")
      // None is left where it is of no use.
      for folder in ["/tmp", "/dev/shm", "/var/tmp"] {
        let path = "\(folder)/patchbay-attach-\(getpid())-\(getpid())"
        #expect(FileManager.default.fileExists(atPath: path) == places.contains { $0.path == path }, "\(path)")
      }
    }

    /// However open ours are.
    @Test func aProgramThatSeesOtherFilesGetsCopies() throws {
      defer { clean() }
      var other = facts
      other.sharesFiles = false
      let ours = libraries()
      #expect(chmod(folder, 0o755) == 0 && MeetingPlace.isOpenToAll(ours.preload))
      let place = try MeetingPlace(for: other, folders: folders)
      defer { try? FileManager.default.removeItem(atPath: place.ownPath) }
      let seen = try place.libraries(ours)
      #expect(seen.preload == place.file(HookLibraries.preloadName) && seen.hook == place.file(HookLibraries.hookName))
      #expect(FileManager.default.fileExists(atPath: place.ownFile(HookLibraries.hookName)))
      // It has gone meanwhile.
      try FileManager.default.removeItem(atPath: place.ownPath)
      let copy = place.ownFile(HookLibraries.preloadName)
      #expect {
        _ = try place.libraries(ours)
      } throws: { error in
        "\(error)".hasPrefix("\(copy) cannot be written (")
          && "\(error)".hasSuffix("), so the hook cannot be put where shop \(getpid()) sees it.")
      }
    }

    /// Only who has all rights can give something away.
    @Test(.enabled(if: geteuid() == 0)) func whatIsInItIsGivenToTheProgramsUser() throws {
      defer { clean() }
      var other = facts
      (other.user, other.group) = (54_321, 54_322)
      let place = try MeetingPlace(for: other, folders: folders)
      defer { try? FileManager.default.removeItem(atPath: place.ownPath) }
      #expect(FileManager.default.createFile(atPath: place.ownFile("a"), contents: nil))
      place.giveToUser()
      for path in [place.ownPath, place.ownFile("a")] {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        #expect(facts[.ownerAccountID] as? UInt32 == 54_321 && facts[.groupOwnerAccountID] as? UInt32 == 54_322)
      }
      // And so is a folder that has to be made again.
      let rendezvous = place.rendezvous
      try FileManager.default.removeItem(atPath: place.ownPath)
      try rendezvous.lead(to: "/x.sock")
      let made = try FileManager.default.attributesOfItem(atPath: rendezvous.folder)
      #expect(made[.ownerAccountID] as? UInt32 == 54_321 && made[.groupOwnerAccountID] as? UInt32 == 54_322)
      // That of a third one is not entered.
      #expect(chown(rendezvous.folder, 54_323, 0) == 0)
      #expect(throws: AttachError.self) { try rendezvous.lead(to: "/y.sock") }
    }

    /// Where it waits is what another user's program says.
    @Test(.enabled(if: geteuid() == 0)) func nothingIsMadeOrRemovedForAProgramThatSaysAnything() throws {
      defer { clean() }
      var other = facts
      (other.user, other.group) = (54_321, 54_322)
      for path in ["\(folder)/new/at-7.sock", "\(folder)/at-7.sock", "\(folder)/victim"] {
        #expect(FileManager.default.createFile(atPath: "\(folder)/victim", contents: Data("mine".utf8)))
        #expect(symlink("/x", "\(folder)/at-7.sock") == 0)
        let rendezvous = Rendezvous(path, of: other)
        #expect(throws: AttachError.self) { try rendezvous.lead(to: "/x.sock") }
        rendezvous.remove(leadingTo: nil)
        #expect(
          Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == ["victim", "at-7.sock"])
        unlink("\(folder)/at-7.sock")
      }
      // In a folder of its own it is only the link that goes.
      #expect(chown(folder, 54_321, 54_322) == 0)
      Rendezvous("\(folder)/victim", of: other).remove(leadingTo: nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["victim"])
    }

    /// The folder is another user's soon, who may put there what they like.
    @Test(arguments: [true, false]) func whatIsPutInAFoldersPlaceIsLeftAlone(_ isLink: Bool) throws {
      defer { clean() }
      var other = facts
      other.sharesFiles = false
      let ours = libraries()
      let victim = "\(folder)/victim"
      #expect(FileManager.default.createFile(atPath: victim, contents: Data("mine".utf8)) && chmod(victim, 0o600) == 0)
      let place = try MeetingPlace(for: other, folders: folders)
      if isLink {
        // A name that a library is to have: what lies there is replaced, and not what it leads to.
        #expect(symlink(victim, place.ownFile(HookLibraries.hookName)) == 0)
        _ = try place.libraries(ours)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.ownFile(HookLibraries.hookName))) == Data("x".utf8))
        place.remove(waitingIn: nil)
        #expect(!FileManager.default.fileExists(atPath: place.ownPath))
      } else {
        try FileManager.default.removeItem(atPath: place.ownPath)
        #expect(symlink(folder, place.ownPath) == 0)
        defer { unlink(place.ownPath) }
        #expect(throws: AttachError.self) { try place.libraries(ours) }
        place.giveToUser()
        place.remove(waitingIn: nil)
        #expect(FileManager.default.fileExists(atPath: place.ownPath))
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("mine".utf8))
      let mode = try FileManager.default.attributesOfItem(atPath: victim)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }
#endif
