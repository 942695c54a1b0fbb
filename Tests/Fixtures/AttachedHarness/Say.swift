import Foundation

/// Prints a line at once, also into a pipe.
func say(_ items: Any...) {
  let line = items.map { "\($0)" }.joined(separator: " ") + "\n"
  FileHandle.standardOutput.write(Data(line.utf8))
}
