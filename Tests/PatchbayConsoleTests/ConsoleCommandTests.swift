import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What a command means by itself, wherever it is given.
@Suite(.bounded) struct ConsoleCommandTests {
  @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (30, 15)])
  func halfAPageIsALineAtLeast(_ page: Int, _ half: Int) {
    #expect(MoveCommand.halfDown.step(page: page) == half && MoveCommand.halfUp.step(page: page) == -half)
    #expect(MoveCommand.pageDown.step(page: page) == page && MoveCommand.pageUp.step(page: page) == -page)
    #expect(MoveCommand.down.step(page: page) == 1 && MoveCommand.up.step(page: page) == -1)
  }

  /// While rows come, these mean the one that was read; the others leave the cursor on the newest.
  @Test func someCommandsAreAboutTheRowUnderTheCursor() {
    let requests: Set<RequestsCommand> = [
      .open, .switchPane, .mark, .delete, .stubFromRequest, .faults, .editStub, .editExternally, .hold, .replay,
      .replayEdited, .copy, .compare, .nextDetailTab, .previousDetailTab, .nextFailed, .previousFailed,
    ]
    for command in RequestsCommand.allCases {
      #expect(ConsoleCommand.requests(command).isAboutRow == requests.contains(command), "\(command)")
    }
    let moves: Set<MoveCommand> = [.up, .down]
    for command in MoveCommand.allCases {
      #expect(ConsoleCommand.move(command).isAboutRow == moves.contains(command), "\(command)")
    }
    for command in HeldCommand.allCases { #expect(ConsoleCommand.held(command).isAboutRow, "\(command)") }
    for command in DetailCommand.allCases { #expect(ConsoleCommand.detail(command).isAboutRow, "\(command)") }
    let others: [ConsoleCommand] = [
      .global(.help), .global(.undo), .stubs(.delete), .traffic(.open), .processes(.open), .output(.follow),
      .form(.save),
    ]
    for command in others { #expect(!command.isAboutRow, "\(command)") }
  }
}
