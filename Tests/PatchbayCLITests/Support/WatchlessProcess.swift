import PatchbayTestSupport
import Testing

/// A command in a namespace in which its user has no inotify instances. To take all that there are would take them from
/// the user's other programs.
enum WatchlessProcess {
  static let words = [
    "/usr/bin/unshare", "-Ur", "/bin/sh", "-c",
    "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"",
  ]

  static let isPossible = Namespace.isPossible(words)
  static let otherwise: Comment = "no namespace can be made here in which a user has no inotify instances"
}
