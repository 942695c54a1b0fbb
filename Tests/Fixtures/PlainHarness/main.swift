import Foundation
import HarnessCases

let arguments = CommandLine.arguments
if arguments.dropFirst().first == "ask" {
  Asking.run()
} else if arguments.dropFirst().first == "ask-when-told" {
  // No session is made before there is a line.
  var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
  poll(&input, 1, -1)
  Asking.run()
} else if arguments.dropFirst().first == "ask-without-environment" {
  for name in ProcessInfo.processInfo.environment.keys { unsetenv(name) }
  Asking.run()
} else if arguments.count == 4, arguments[1] == "requests", let url = URL(string: arguments[2]),
  let count = Int(arguments[3])
{
  Requests.run(url, count: count)
} else if arguments.count == 3, arguments[1] == "leave", let url = URL(string: arguments[2]) {
  Requests.leave(url)
} else {
  await HarnessMain.run()
}
