import PatchbayLaunch

/// The command of `run` was not started: the exit status is that of env(1), which no other subcommand ends with.
package struct CommandNotRun: Error {
  package var reason: LaunchError
}
