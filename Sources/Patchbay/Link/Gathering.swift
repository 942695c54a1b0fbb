/// How long reports are gathered before they are sent: shortly for a few requests, so that they are on screen at once;
/// longer the more are made, because each time that they are sent threads of two processes wake, and push the program's
/// own off their processors.
struct Gathering {
  /// To be waited before the next batch is taken.
  private(set) var milliseconds: Int32 = 2

  mutating func took(_ batch: ReportQueue.Batch) {
    let perSecond = batch.reports.count * 1_000 / Int(milliseconds)
    // Large bodies fill the queue while it waits.
    if batch.reports.count < 8 || batch.bodyBytes >= 4 << 20 {
      milliseconds = 2
    } else {
      milliseconds = perSecond < 10_000 ? 16 : 28
    }
  }
}
