/// Why a file that is there cannot be started: the program that is to run it is not.
enum MissingInterpreter {
  /// A clause that names the program and says what to do; nil where the file names none.
  static func reason(_ path: String) -> String? {
    if let interpreter = ElfFile(path: path)?.interpreter {
      return "its dynamic linker \(interpreter) is not there; build it for this system"
    }
    guard let interpreter = script(path) else { return nil }
    if interpreter.hasSuffix("\r") {
      return "its first line ends with a carriage return; save it with Unix line ends"
    }
    return
      "the interpreter \(interpreter) that it names in its first line is not there; install it, or correct that line"
  }

  /// What a script names in its first line, of which Linux reads 256 bytes.
  private static func script(_ path: String) -> String? {
    guard let bytes = FileBytes.read(path, atMost: 256), bytes.starts(with: Array("#!".utf8)) else { return nil }
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return words.first.map { String(decoding: $0, as: UTF8.self) }
  }
}
