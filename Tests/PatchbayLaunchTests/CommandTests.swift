import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayLaunch

@Suite(.bounded) struct CommandTests {
  @Test(arguments: [0, 1, 3, 125, 255])
  func theExitStatusIsTheCommands(_ status: Int32) async throws {
    let recorder = try CommandRecorder(shell: "exit \(status)", streams: .inherited)
    #expect(await recorder.command.wait() == status)
    #expect(await recorder.end().status == status)
    #expect(recorder.ended.count == 1)
  }

  @Test func itGetsNoDescriptorOfOurs() async throws {
    // As a library may open it, without a thought for children.
    var pair: [Int32] = [-1, -1]
    #expect(pipe(&pair) == 0)
    defer { for end in pair { close(end) } }
    let ours = "test -e /proc/self/fd/\(pair[0]) || test -e /proc/self/fd/\(pair[1])"
    let recorder = try CommandRecorder(shell: "\(ours) && exit 1; exit 0", streams: .inherited)
    #expect(await recorder.command.wait() == 0)
  }

  @Test(arguments: [SIGTERM, SIGKILL, SIGPIPE, SIGABRT])
  func aSignalCountsFrom128(_ number: Int32) async throws {
    let recorder = try CommandRecorder(shell: "ulimit -c 0; kill -\(number) $$; sleep 60", streams: .inherited)
    #expect(await recorder.command.wait() == 128 + number)
  }

  @Test func outputIsATerminalAndArrivesWholeBeforeTheEnd() async throws {
    let recorder = try CommandRecorder(
      shell: "test -t 0 && test -t 1 && test -t 2 && echo terminal; stty size; echo error >&2; seq 1 5000; echo last")
    let (status, output) = await recorder.end()
    #expect(status == 0)
    #expect(output.hasPrefix("terminal\r\n24 80\r\nerror\r\n1\r\n2\r\n"))
    #expect(output.hasSuffix("\r\n4999\r\n5000\r\nlast\r\n"))
  }

  @Test func aCommandThatSendsAllItsOutputElsewhereIsNotHungUp() async throws {
    let recorder = try CommandRecorder(shell: "exec </dev/null >/dev/null 2>&1; sleep 0.3; echo back >/dev/tty; exit 3")
    let (status, output) = await recorder.end()
    #expect(status == 3)
    #expect(output == "back\r\n")
  }

  @Test func whatIsSentIsEchoedAndRead() async throws {
    let recorder = try CommandRecorder(shell: "echo ready; read line; echo \"<$line>\"")
    await recorder.output(containing: "ready")
    #expect(recorder.command.send(Array("日本 x\n".utf8)))
    let (status, output) = await recorder.end()
    #expect(status == 0)
    #expect(output == "ready\r\n日本 x\r\n<日本 x>\r\n")
  }

  @Test func moreInputThanFitsIsRefusedAndNotKept() async throws {
    let recorder = try CommandRecorder(shell: "stty raw -echo; echo ready; head -c 300000 | wc -c; sleep 60")
    await recorder.output(containing: "ready")
    #expect(!recorder.command.send([UInt8](repeating: 0x61, count: 2 << 20)))
    #expect(recorder.command.send([UInt8](repeating: 0x61, count: 300_000)))
    await recorder.output(containing: "300000")
    await recorder.command.end(grace: .seconds(5))
    #expect(recorder.command.status == 128 + SIGTERM)
  }

  @Test func inputCanStayOurs() async throws {
    let recorder = try CommandRecorder(
      shell: "test -t 0 || echo ours; test -t 1 && echo own",
      streams: .terminal(columns: 80, rows: 24, ownInput: false))
    let output = await recorder.end().output
    #expect(output.hasSuffix("own\r\n"))
    #expect(output.contains("ours") == (isatty(0) == 0))
  }

  @Test func interruptReachesWhatStandsInTheForeground() async throws {
    let recorder = try CommandRecorder(
      shell: "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done")
    await recorder.output(containing: "ready")
    recorder.command.interrupt()
    let (status, output) = await recorder.end()
    #expect(status == 9)
    #expect(output.contains("caught"))
  }

  @Test func theKeyThatInterruptsWorksToo() async throws {
    let recorder = try CommandRecorder(shell: "echo ready; exec sleep 60")
    await recorder.output(containing: "ready")
    recorder.command.send([3])
    #expect(await recorder.command.wait() == 128 + SIGINT)
  }

  @Test func aNewSizeIsSeen() async throws {
    let recorder = try CommandRecorder(
      shell: "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done")
    await recorder.output(containing: "ready")
    recorder.command.resize(columns: 100, rows: 40)
    #expect(await recorder.end().output.contains("40 100"))
  }

  @Test func anOrphanOnTheTerminalHoldsNobodyUp() async throws {
    let recorder = try CommandRecorder(
      shell: "(trap '' HUP TERM; echo $$ orphan; sleep 600) & sleep 0; echo bye; exit 4")
    let (status, output) = await recorder.end()
    #expect(status == 4)
    #expect(output.contains("bye"))
    let start = ContinuousClock.now
    await recorder.command.end(grace: .milliseconds(200))
    #expect(ContinuousClock.now - start < .seconds(20))
    // The time limit fails the test if one stays.
    while !ProcessTable().members(ofSession: recorder.command.processIdentifier).isEmpty { await Task.yield() }
  }

  @Test func endingEndsWhatTheCommandStartedInOurSession() async throws {
    let place = try TemporaryFolder()
    let recorder = try CommandRecorder(
      shell: "sleep 600 & echo $! > '\(place.path)/child'; mv '\(place.path)/child' '\(place.path)/ready'; wait",
      streams: .inherited)
    while !FileManager.default.fileExists(atPath: "\(place.path)/ready") { await Task.yield() }
    let text = try String(contentsOfFile: "\(place.path)/ready", encoding: .utf8)
    let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let entry = try #require(ProcessTable.Entry(process: child))
    #expect(entry.isAlive)
    await recorder.command.end(grace: .seconds(10))
    #expect(!entry.isAlive)
    #expect(recorder.command.status == 128 + SIGTERM)
  }

  @Test func whatIgnoresTheFirstSignalIsKilled() async throws {
    let recorder = try CommandRecorder(shell: "trap '' TERM HUP; echo ready; while :; do sleep 0.05; done")
    await recorder.output(containing: "ready")
    await recorder.command.end(grace: .milliseconds(100))
    #expect(recorder.command.status == 128 + SIGKILL)
  }

  @Test func pathsWithSpacesAndArgumentsOfAnyBytesArriveAsTheyAre() async throws {
    let place = try TemporaryFolder("a folder: with $things")
    let script = try place.executable("my tool", "#!/bin/sh\nprintf '%s|' \"$@\" | od -An -tx1\n")
    let arguments: [ByteString] = [
      ByteString(script), "", "two words", ByteString(bytes: [0xff, 0xfe]), "$HOME",
    ]
    let recorder = try CommandRecorder(arguments, path: script)
    let hex = await recorder.end().output.split(whereSeparator: { " \r\n".contains($0) }).joined()
    #expect(hex == "7c74776f20776f7264737cfffe7c24484f4d457c")
  }

  @Test func aScriptWithoutAFirstLineRunsInTheShell() async throws {
    let place = try TemporaryFolder()
    let script = try place.executable("plain", "echo shell $1; exit 6\n")
    let recorder = try CommandRecorder([ByteString(script), "one"], path: script)
    let (status, output) = await recorder.end()
    #expect(status == 6)
    #expect(output == "shell one\r\n")
  }

  @Test func aMissingInterpreterIs127AndABrokenProgram126() throws {
    let place = try TemporaryFolder()
    let script = try place.executable("script", "#!/no/such/interpreter\n")
    let missing = #expect(throws: LaunchError.self) { _ = try CommandRecorder([ByteString(script)], path: script) }
    #expect(missing?.exitStatus == 127)
    #expect(missing?.description.contains(script) == true)
    #expect(missing?.description.contains("/no/such/interpreter that it names") == true)
    let dos = try place.executable("dos", "#!/bin/sh\r\nexit 0\r\n")
    let unread = #expect(throws: LaunchError.self) { _ = try CommandRecorder([ByteString(dos)], path: dos) }
    #expect(unread?.exitStatus == 127 && unread?.description.contains("Unix line ends") == true)
    var program = try Data(contentsOf: URL(fileURLWithPath: "/bin/sh"))
    let linker = try #require(ElfFile(path: "/bin/sh")?.interpreter)
    let named = try #require(program.range(of: Data(linker.utf8)))
    program.replaceSubrange(named, with: Data(("/no/" + linker.dropFirst(4)).utf8))
    try program.write(to: URL(fileURLWithPath: place.path + "/bytes"))
    let foreign = try place.executable("foreign", copying: place.path + "/bytes")
    let unlinked = #expect(throws: LaunchError.self) { _ = try CommandRecorder([ByteString(foreign)], path: foreign) }
    #expect(unlinked?.exitStatus == 127 && unlinked?.description.contains("dynamic linker /no/") == true)
    let broken = try place.executable("broken", "\u{7f}ELF but not really a program")
    let unfit = #expect(throws: LaunchError.self) { _ = try CommandRecorder([ByteString(broken)], path: broken) }
    #expect(unfit?.exitStatus == 126)
  }

  @Test func theCommandGetsACleanStart() async throws {
    // Ours are all close-on-exec; SIGPIPE (bit 13) is neither ignored nor blocked whatever the console does.
    signal(SIGPIPE, SIG_IGN)
    let recorder = try CommandRecorder(shell: "ls /proc/self/fd; grep -E 'SigBlk|SigIgn' /proc/self/status")
    let lines = await recorder.end().output.split(whereSeparator: \.isNewline).map(String.init)
    let descriptors = lines.compactMap(Int.init).filter { $0 > 3 }
    #expect(descriptors.allSatisfy { inheritedWithoutUs.contains($0) })
    let masks = lines.filter { $0.hasPrefix("Sig") }.compactMap { UInt64($0.split(separator: "\t")[1], radix: 16) }
    #expect(masks.count == 2)
    #expect(masks.first == 0)
    #expect(masks.allSatisfy { $0 & (1 << UInt64(SIGPIPE - 1)) == 0 })
  }

  /// Descriptors that the test's own process was given and passes on.
  private var inheritedWithoutUs: Set<Int> {
    Set((0..<256).filter { fcntl(Int32($0), F_GETFD) & FD_CLOEXEC == 0 })
  }

  @Test func aRelayPassesOnWhatIsMeantForTheCommand() async throws {
    let place = try TemporaryFolder()
    let relay = try #require(SignalRelay.begin())
    defer { relay.end() }
    #expect(SignalRelay.begin() == nil)
    // Before there is a command it waits.
    kill(getpid(), SIGUSR2)
    let recorder = try CommandRecorder(
      shell: "trap 'exit 7' USR1; trap 'touch \"\(place.path)/second\"' USR2; : > '\(place.path)/ready'; "
        + "while :; do sleep 0.02; done", streams: .inherited)
    while !FileManager.default.fileExists(atPath: "\(place.path)/ready") { await Task.yield() }
    relay.follow(recorder.command)
    while !FileManager.default.fileExists(atPath: "\(place.path)/second") { await Task.yield() }
    kill(getpid(), SIGUSR1)
    #expect(await recorder.command.wait() == 7)
  }

  /// Not stopping the command would leave the shell waiting for one of the two.
  @Test(.alone) func aStopThatComesBeforeThereIsACommandWaitsForIt() async throws {
    let relay = try #require(SignalRelay.begin())
    defer { relay.end() }
    kill(getpid(), SIGTSTP)
    let recorder = try CommandRecorder(shell: "while :; do sleep 0.02; done", streams: .inherited)
    let command = recorder.command.processIdentifier
    let us = getpid()
    // We stop with it, and somebody else has to let us go on. The command is sent its signal before we are, but may have
    // no processor to act on it yet.
    let helper = try TestProgram([
      "/bin/sh", "-c",
      "until grep -q '^State:.T' /proc/\(us)/status; do sleep 0.02; done; n=0; "
        + "until grep -q '^State:.T' /proc/\(command)/status || [ $((n += 1)) -gt 250 ]; do sleep 0.02; done; "
        + "kill -CONT \(us); exit $((n > 250))",
    ])
    relay.follow(recorder.command)
    #expect(try await eventually("the helper's end") { helper.exitStatus } == 0)
    try await eventually("the command goes on") { !Processes.isStopped(command) }
    await recorder.command.end(grace: .seconds(10))
  }

  /// Its thread, its descriptors and who listens go, too.
  @Test func aTerminalGoesWithItsCommand() async throws {
    final class Listener: Sendable {}
    var listener: Listener? = Listener()
    let isGone = { [weak listener] in listener == nil }
    let launch = CommandLaunch(
      path: "/bin/sh", arguments: ["sh", "-c", "echo bye; exit 5"], streams: .terminal(columns: 80, rows: 24))
    var command: Command? = try Command.start(launch, queue: DispatchQueue(label: "test.command")) { [listener] _ in
      _ = listener
    }
    listener = nil
    let process = try #require(command).processIdentifier
    #expect(await command?.wait() == 5)
    #expect(command?.status == 5 && command?.signal(SIGTERM) == false && !isGone())
    command = nil
    try await eventually("its terminal's end") { isGone() }
    try await eventually("its number is given back") { ProcessTable.Entry(process: process) == nil }
  }

  /// Its thread waits in the kernel, also after it was woken.
  @Test(.alone) func aTerminalWhereNothingHappensTakesNoTime() async throws {
    let recorder = try CommandRecorder(shell: "stty -echo; echo ready; exec sleep 60")
    await recorder.output(containing: "ready")
    #expect(recorder.command.send([0x61]))
    func used() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    var isIdle = false
    for _ in 0..<10 where !isIdle {
      let before = used()
      try await Task.sleep(for: .milliseconds(200))
      isIdle = used() - before < .milliseconds(40)
    }
    #expect(isIdle)
    await recorder.command.end(grace: .seconds(10))
  }

  @Test func withoutATerminalOfItsOwnNothingIsTaken() async throws {
    let recorder = try CommandRecorder(shell: "exec sleep 60", streams: .inherited)
    #expect(!recorder.command.send([0x61]))
    recorder.command.resize(columns: 1, rows: 1)
    // An interrupt is for its process then; what is ignored here is ignored there, as in a script's background.
    var action = sigaction()
    sigaction(SIGINT, nil, &action)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    recorder.command.interrupt()
    if isIgnored { recorder.command.signal(SIGTERM) }
    #expect(await recorder.command.wait() == 128 + (isIgnored ? SIGTERM : SIGINT))
    #expect(!recorder.command.signal(SIGTERM))
  }

  @Test(arguments: [(0, 0, "1 1"), (-5, 70_000, "65535 1"), (70_000, 3, "3 65535")])
  func aSizeIsAtLeastACellAndAtMostWhatATerminalCanSay(_ columns: Int, _ rows: Int, _ size: String) async throws {
    let recorder = try CommandRecorder(shell: "stty size", streams: .terminal(columns: columns, rows: rows))
    #expect(await recorder.end().output == size + "\r\n")
  }

  @Test func endingTwiceIsEndingOnce() async throws {
    let recorder = try CommandRecorder(shell: "exec sleep 60")
    await recorder.command.end(grace: .seconds(10))
    await recorder.command.end(grace: .seconds(10))
    recorder.command.interrupt()
    #expect(!recorder.command.send([3]) && recorder.command.status == 128 + SIGTERM)
    try await eventually("its end is told, once") { recorder.ended == [128 + SIGTERM] }
  }

  /// Also where it is ended so fast that nobody has seen it end yet.
  @Test func whoEndsItAtOnceIsToldOfItsEnd() async throws {
    for _ in 0..<8 {
      let recorder = try CommandRecorder(shell: "exec sleep 60")
      await recorder.command.end(grace: .zero)
      let status = try #require(recorder.command.status)
      #expect([128 + SIGTERM, 128 + SIGKILL].contains(status))
      try await eventually("its end is told") { recorder.ended == [status] }
    }
  }

  /// It could not act on the signal otherwise.
  @Test func oneThatIsStoppedIsEndedAsGentlyAndAsFast() async throws {
    let recorder = try CommandRecorder(shell: "echo ready; exec sleep 60")
    await recorder.output(containing: "ready")
    let process = recorder.command.processIdentifier
    #expect(recorder.command.signal(SIGSTOP))
    try await eventually("it is stopped") { Processes.isStopped(process) }
    let start = ContinuousClock.now
    await recorder.command.end(grace: .seconds(30))
    #expect(recorder.command.status == 128 + SIGTERM)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(ProcessTable.Entry(process: process) == nil, "its number is given back")
  }

  /// A shell with job control gives each command a group of its own.
  @Test func interruptIsForTheGroupInTheForegroundAndNotForTheShell() async throws {
    let recorder = try CommandRecorder(shell: "trap : INT; set -m; echo ready; sleep 60; echo \"after $?\"")
    await recorder.output(containing: "ready")
    // Those that come before the shell has started it are the shell's.
    func endsByOneMore() -> Bool {
      recorder.command.interrupt()
      return !recorder.ended.isEmpty
    }
    try await eventually("its end") { endsByOneMore() }
    #expect(recorder.ended == [0] && recorder.output.contains("after 130\r\n"))
  }

  @Test func aMebibyteOfInputWaitsAndNotAByteMore() async throws {
    let recorder = try CommandRecorder(shell: "stty raw -echo; echo ready; exec sleep 60")
    await recorder.output(containing: "ready")
    let most = [UInt8](repeating: 0x61, count: 1 << 20)
    #expect(!recorder.command.send(most + [0x61]))
    #expect(recorder.command.send(most))
    #expect(!recorder.command.send(most))
    await recorder.command.end(grace: .seconds(10))
  }

  @Test func aTerminalThatNobodyHasAnyMoreTakesNothing() async throws {
    let recorder = try CommandRecorder(shell: "exit 3")
    #expect(await recorder.end().status == 3)
    try await eventually("its terminal is closed") { !recorder.command.send([]) }
  }

  /// Also where nobody took it before the command had ended.
  @Test func whatWasWrittenIsReportedBeforeTheEnd() async throws {
    let gate = DispatchSemaphore(value: 0)
    let seen = SeenLock<[CommandEvent]>([])
    let launch = CommandLaunch(
      path: "/bin/sh", arguments: ["sh", "-c", "echo first; head -c 6000 /dev/zero"],
      streams: .terminal(columns: 80, rows: 24))
    let command = try Command.start(launch, queue: DispatchQueue(label: "test.command")) { event in
      let count = seen.withLock { events in
        events.append(event)
        return events.count
      }
      if count == 1 { gate.wait() }
    }
    #expect(await command.wait() == 0)
    gate.signal()
    func events() -> [CommandEvent] { seen.withLock { $0 } }
    try await eventually("its end") { events().contains(.ended(status: 0)) }
    let bytes = events().flatMap { event -> [UInt8] in
      guard case .output(let bytes) = event else { return [] }
      return bytes
    }
    #expect(bytes.count == 6007 && events().last == .ended(status: 0))
  }

  /// One that has left the command's session is not ended, and has its terminal still.
  @Test(.alone) func endingClosesTheTerminalWhoeverHasIt() async throws {
    let recorder = try CommandRecorder(shell: "tty; setsid sleep 60 & echo $! done; exec sleep 61")
    await recorder.output(containing: "done")
    let words = recorder.output.split(whereSeparator: \.isWhitespace).map(String.init)
    let terminal = try #require(words.first)
    let other = try #require(pid_t(words[1]))
    defer { kill(other, SIGKILL) }
    try await eventually("a session of its own") { ProcessTable.Entry(process: other)?.session == other }
    #expect(access(terminal, F_OK) == 0)
    await recorder.command.end(grace: .seconds(10))
    #expect(!recorder.command.send([0x61]))
    #expect(ProcessTable.Entry(process: other)?.isAlive == true)
    try await eventually("the terminal is closed") { access(terminal, F_OK) != 0 }
  }

  /// Numbers that it gave back may be other files' by then.
  @Test(.alone) func aTerminalIsClosedOnce() async throws {
    final class Listener: Sendable {}
    var listener: Listener? = Listener()
    let isGone = { [weak listener] in listener == nil }
    let launch = CommandLaunch(
      path: "/bin/sh", arguments: ["sh", "-c", "exit 5"], streams: .terminal(columns: 80, rows: 24))
    var command: Command? = try Command.start(launch, queue: DispatchQueue(label: "test.command")) { [listener] _ in
      _ = listener
    }
    listener = nil
    #expect(await command?.wait() == 5)
    while command?.send([]) == true { await Task.yield() }
    let later = (0..<16).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    command = nil
    try await eventually("its terminal's end") { isGone() }
    for descriptor in later { #expect(close(descriptor) == 0) }
  }

  /// Those that ended and those that could not be started.
  @Test(.alone) func commandsLeaveNoDescriptorsOpen() async throws {
    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    var before = 0
    for round in 0...16 {
      let recorder = try CommandRecorder(shell: "exit \(round)")
      #expect(await recorder.end().status == Int32(round))
      #expect(throws: LaunchError.self) { _ = try CommandRecorder(["none"], path: "/nowhere/none") }
      if round == 0 { before = try count() }
    }
    let most = before + 7
    try await eventually("they are closed") { try count() <= most }
  }

  @Test func whatCannotBeStartedIsSaidWithItsReason() throws {
    let place = try TemporaryFolder()
    func refusal(_ path: String) -> LaunchError? {
      #expect(throws: LaunchError.self) { _ = try CommandRecorder([ByteString(path)], path: path) }
    }
    let missing = "\(place.path)/none"
    #expect(refusal(missing) == LaunchError("cannot run \(missing): it is no longer there", exitStatus: 127))
    let plain = try place.file("plain", "text", mode: 0o644)
    #expect(refusal(plain) == LaunchError("cannot run \(plain): permission denied", exitStatus: 126))
    let broken = try place.executable("broken", "\u{7f}ELF but not really a program")
    #expect(
      refusal(broken) == LaunchError("cannot run \(broken): it is not a program for this machine", exitStatus: 126))
  }

  @Test func manyAtOnceDoNotMixUp() async throws {
    let recorders = try (0..<16).map { try CommandRecorder(shell: "seq 1 200; echo mine \($0); exit \($0)") }
    for (index, recorder) in recorders.enumerated() {
      let (status, output) = await recorder.end()
      #expect(status == Int32(index))
      #expect(output.hasSuffix("200\r\nmine \(index)\r\n"))
    }
  }
}
