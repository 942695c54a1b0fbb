import PatchbayHistory
import PatchbayTestSupport
import Testing

/// What the history says, word for word.
@Suite(.bounded) struct HistoryErrorTests {
  private static let way = "name another file with --history PATH"

  @Test(
    arguments: [
      (.inUse(pid: 7), "The history /h is in use by another console (process 7): end that one, or WAY."),
      (.inUse(pid: nil), "The history /h is in use by another console: end that one, or WAY."),
      (.locked, "The history /h is locked by another programSAID: end that one, or WAY."),
      (.readOnly, "The history /h cannot be writtenSAID: change its permissions, or WAY."),
      (.full, "There is no room to write the history /hSAID: free some space, or WAY."),
      (.corrupt, "The history /h is damaged or is no databaseSAID: move it away, or WAY."),
      (.foreign, "The file /h is a database of another program: WAY."),
      (.newer, "The history /h was made by a newer Patchbay: update this one, or WAY."),
      (.cannotOpen, "The history /h cannot be openedSAID: check the folder, or WAY."),
      (.missing, "There is no history at /h: record something first, or WAY."),
      (.inputOutput, "The history /h could not be read or writtenSAID: check the disk, or WAY."),
      (
        .unfinished,
        "The history /h lies where nothing can be written and was not closed properly: copy it and /h-wal elsewhere, and "
          + "name the copy with --history PATH."
      ),
      (.removed, "The history /h was removed while it was in use."),
      (.replaced, "The history /h was replaced while it was in use."),
      (.cut, "The history /h was cut off by another program while it was in use: move it away."),
      (.closed, "The history /h has been closed: open it again."), (.other, "The history /h failedSAID: WAY."),
    ] as [(HistoryError.Kind, String)])
  func errorsAreSentences(_ kind: HistoryError.Kind, _ sentence: String) {
    for detail in ["", "why it is so"] {
      for isReading in [true, false] {
        var error = HistoryError(kind, path: "/h", detail: detail)
        error.isReading = isReading
        let expected = sentence.replacing("SAID", with: detail.isEmpty ? "" : " (why it is so)")
          .replacing("WAY", with: Self.way + (isReading ? "" : ", or :memory:"))
        #expect(error.description == expected)
      }
    }
  }

  private static let full = HistoryError(.full, path: "/h")
  private static let fullSentence = "There is no room to write the history /h: free some space, or \(way), or :memory:."
  private static let removed = HistoryError(.removed, path: "/h")
  private static let removedSentence = "The history /h was removed while it was in use."

  @Test(
    arguments: [
      (.retired(exchanges: 1, why: .count), "The history is full: its oldest exchange was removed."),
      (.retired(exchanges: 1_204, why: .count), "The history is full: its oldest 1,204 exchanges were removed."),
      (
        .retired(exchanges: 1, why: .size),
        "The history's file is as large as it may be: its oldest exchange was removed."
      ),
      (
        .retired(exchanges: 2, why: .size),
        "The history's file is as large as it may be: its oldest 2 exchanges were removed."
      ),
      (.failed(full), "\(fullSentence) Until then exchanges are kept in memory."),
      (.recovered, "The history is written again."),
      (
        .shed(bodies: 1, exchanges: 1),
        "The history cannot be written and memory is short: 1 body and 1 exchange were not kept."
      ),
      (
        .shed(bodies: 2_000, exchanges: 0),
        "The history cannot be written and memory is short: 2,000 bodies and 0 exchanges were not kept."
      ),
      (.lost(exchanges: 1, full), "1 exchange was not recorded. \(fullSentence)"),
      (.lost(exchanges: 0, full), "0 exchanges were not recorded. \(fullSentence)"),
      (.lost(exchanges: 1_500, full), "1,500 exchanges were not recorded. \(fullSentence)"),
      (
        .lostFile(removed, exchanges: 0, below: 9, inMemory: nil),
        "\(removedSentence) Recording goes on in a new file there."
      ),
      (
        .lostFile(removed, exchanges: 1, below: 9, inMemory: nil),
        "\(removedSentence) 1 exchange is lost with it. Recording goes on in a new file there."
      ),
      (
        .lostFile(removed, exchanges: 2_000, below: 9, inMemory: full),
        "\(removedSentence) 2,000 exchanges are lost with it. From now on exchanges are kept in memory only. \(fullSentence)"
      ),
      // It is not said twice.
      (
        .lostFile(removed, exchanges: 0, below: 9, inMemory: removed),
        "\(removedSentence) From now on exchanges are kept in memory only."
      ),
    ] as [(HistoryEvent, String)])
  func eventsAreSentences(_ event: HistoryEvent, _ sentence: String) {
    #expect(event.description == sentence)
  }

  @Test func whatIsNoLongerOpenToOthersIsNamed() {
    let sentence = HistoryEvent.closedToOthers(path: "/deep/h").description
    #expect(sentence.contains("/deep/h") && sentence.hasSuffix("."))
  }

  @Test func retentionHasItsBounds() {
    #expect(Retention() == Retention(count: 1_000_000, bytes: 8 << 30))
    #expect(Retention.memory == Retention(count: 1_000_000, bytes: 96 << 20))
    let least = Retention(count: 0, bytes: 0)
    #expect(least.count == 1 && least.bytes == 1 << 20)
    #expect(Retention(count: -5, bytes: .min) == least && Retention(count: 1, bytes: 1 << 20) == least)
    let more = Retention(count: 2, bytes: (1 << 20) + 1)
    #expect(more.count == 2 && more.bytes == (1 << 20) + 1)
  }
}
