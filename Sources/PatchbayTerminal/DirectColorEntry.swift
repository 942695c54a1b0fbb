import Foundation

/// A terminfo entry for 24-bit colour, made of the one that the terminal has. Systems come without `xterm-direct`, and
/// its package is installed by nobody; without such an entry ncurses takes 256 colours for all that there are.
///
/// It lies in a folder of its own as long as ncurses reads it. What is said of the format: term(5), "legacy storage
/// format" and "extended number format".
struct DirectColorEntry {
  /// What `TERM` would have to name.
  let name = "patchbay-direct"
  private let folder: String
  private let before: String?

  /// Makes it known to ncurses in this process. nil where the entry of that type is not found or cannot be read.
  init?(of type: String) {
    guard let found = Self.file(of: type), let bytes = FileManager.default.contents(atPath: found),
      let entry = CompiledEntry([UInt8](bytes))
    else { return nil }
    var template = Array((NSTemporaryDirectory() + "patchbay-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    before = ProcessInfo.processInfo.environment["TERMINFO"]
    let place = folder + "/p"
    guard mkdir(place, 0o700) == 0,
      FileManager.default.createFile(atPath: place + "/" + name, contents: Data(entry.direct(named: name)))
    else {
      remove()
      return nil
    }
    setenv("TERMINFO", folder, 1)
  }

  /// When ncurses has read it, or does not want it. Programs that are started later see nothing of it.
  func remove() {
    if let before { setenv("TERMINFO", before, 1) } else { unsetenv("TERMINFO") }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Where ncurses would find the entry: each folder has those of a letter in one below it, named by it or by its number.
  private static func file(of type: String) -> String? {
    guard let first = type.utf8.first, !type.contains("/") else { return nil }
    let environment = ProcessInfo.processInfo.environment
    var folders = [environment["TERMINFO"], environment["HOME"].map { $0 + "/.terminfo" }].compactMap(\.self)
    folders += environment["TERMINFO_DIRS"]?.split(separator: ":").map(String.init) ?? []
    folders += [
      "/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo", "/usr/local/share/terminfo",
    ]
    let below = [String(type.prefix(1)), String(first, radix: 16)]
    return folders.lazy.flatMap { folder in below.map { "\(folder)/\($0)/\(type)" } }
      .first { FileManager.default.isReadableFile(atPath: $0) }
  }
}

/// A compiled terminfo entry in its parts. What it has beyond the capabilities that are numbered is left out: nothing of
/// it is used here.
struct CompiledEntry {
  private var flags: [UInt8]
  private var numbers: [Int32]
  /// Where each string begins in the table; below 0: it has none.
  private var places: [Int]
  private var table: [UInt8]

  // Places of capabilities, as <term.h> numbers them.
  private static let canChange = 27
  private static let (colours, pairs) = (13, 14)
  private static let (initialise, foreground, background) = (299, 359, 360)

  /// nil: it is damaged, or in another format.
  init?(_ bytes: [UInt8]) {
    func short(_ at: Int) -> Int? {
      guard at >= 0, at + 1 < bytes.count else { return nil }
      return Int(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
    }
    guard let magic = short(0), [0o432, 0o1036].contains(magic), let names = short(2), let flagCount = short(4),
      let numberCount = short(6), let placeCount = short(8), let tableSize = short(10),
      [names, flagCount, numberCount, placeCount, tableSize].allSatisfy({ $0 >= 0 })
    else { return nil }
    let width = magic == 0o432 ? 2 : 4
    var at = 12 + names
    guard at + flagCount <= bytes.count else { return nil }
    flags = Array(bytes[at..<at + flagCount])
    at += flagCount
    at += at % 2
    numbers = []
    for _ in 0..<numberCount {
      guard let low = short(at) else { return nil }
      var value = Int32(low)
      if width == 4 {
        guard let high = short(at + 2) else { return nil }
        value = Int32(truncatingIfNeeded: high << 16 | low & 0xFFFF)
      }
      numbers.append(value)
      at += width
    }
    places = []
    for _ in 0..<placeCount {
      guard let place = short(at) else { return nil }
      places.append(place)
      at += 2
    }
    guard at + tableSize <= bytes.count else { return nil }
    table = Array(bytes[at..<at + tableSize])
    guard places.allSatisfy({ $0 < table.count }) else { return nil }
  }

  /// The same with colours of 24 bits: 0 to 7 stay the eight of ANSI, all else is red, green and blue in one number.
  func direct(named name: String) -> [UInt8] {
    var entry = self
    entry.set(Self.colours, 1 << 24)
    entry.set(Self.pairs, 1 << 16)
    if entry.flags.count > Self.canChange { entry.flags[Self.canChange] = 0 }
    if entry.places.count > Self.initialise { entry.places[Self.initialise] = -1 }
    entry.set(Self.foreground, Self.colour(3))
    entry.set(Self.background, Self.colour(4))
    return entry.encoded(named: name)
  }

  private static func colour(_ digit: Int) -> String {
    "\u{1B}[%?%p1%{8}%<%t\(digit)%p1%d%e\(digit)8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"
  }

  private mutating func set(_ place: Int, _ number: Int32) {
    while numbers.count <= place { numbers.append(-1) }
    numbers[place] = number
  }

  private mutating func set(_ place: Int, _ text: String) {
    while places.count <= place { places.append(-1) }
    places[place] = table.count
    table += Array(text.utf8) + [0]
  }

  private func encoded(named name: String) -> [UInt8] {
    func short(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
    let names = Array("\(name)|24-bit colour\u{0}".utf8)
    var bytes = [0o1036, names.count, flags.count, numbers.count, places.count, table.count].flatMap(short)
    bytes += names + flags
    if bytes.count % 2 == 1 { bytes.append(0) }
    for number in numbers { bytes += short(Int(number)) + short(Int(number) >> 16) }
    bytes += places.flatMap(short) + table
    if bytes.count % 2 == 1 { bytes.append(0) }
    // One capability by name, a flag: RGB says that a colour is not the number of one.
    let flag = Array("RGB\u{0}".utf8)
    bytes += [1, 0, 0, 1, flag.count].flatMap(short) + [1, 0] + short(0) + flag
    return bytes
  }
}
