/// How long reports are gathered before they are sent: shortly for a few requests, so that they are on screen at once;
/// longer while many are made, because each time that they are sent threads of two processes wake, and push the
/// program's own off their processors.
struct Gathering {
  private var isBusy = false

  /// To be waited before the next batch is taken.
  var milliseconds: Int32 { isBusy ? 16 : 8 }

  mutating func took(_ batch: ReportQueue.Batch) {
    // Large bodies fill the queue while it waits.
    isBusy = batch.reports.count >= 8 && batch.bodyBytes < 4 << 20
  }
}
