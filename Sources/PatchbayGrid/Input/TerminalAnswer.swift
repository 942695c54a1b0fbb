/// What a terminal says when it is asked for pictures; it comes among the keys.
package enum TerminalAnswer: Equatable, Sendable {
  /// It shows pictures by kitty's protocol.
  case showsPictures
  /// It has answered the last question; one that knows nothing of pictures says no more than that.
  case done

  /// Whether the terminal shows pictures by kitty's protocol, asked with a picture of one pixel that is not shown, and
  /// its attributes (DA1), which every terminal answers.
  package static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

  /// From an application program command, as `Gi=31;OK`; nil for what does not answer our question with yes.
  init?(command: ArraySlice<UInt8>) {
    guard command.first == 0x47, command.count <= 256 else { return nil }
    let parts = command.dropFirst().split(separator: 0x3B, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].elementsEqual("OK".utf8),
      parts[0].split(separator: 0x2C).contains(where: { $0.elementsEqual("i=31".utf8) })
    else { return nil }
    self = .showsPictures
  }
}
