import Foundation
import PatchbayLaunch

/// Standard error while the screen is open: it would be lost in the alternate screen, so it goes to a file in the
/// state folder.
final class ErrorStream {
  private let kept: Int32

  init(folders: PrivateFolders) {
    kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard isatty(STDERR_FILENO) == 1, let folder = try? folders.state() else { return }
    let file = open(folder + "/patchbay.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    dup2(file, STDERR_FILENO)
    close(file)
  }

  /// Standard error as it was.
  func restore() {
    guard kept >= 0 else { return }
    dup2(kept, STDERR_FILENO)
  }

  deinit {
    if kept >= 0 { close(kept) }
  }
}
