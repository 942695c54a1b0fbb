import CLaunch
import Foundation

extension PtySession {
  /// Presses keys, by their names in the key bindings.
  package func send(_ keys: String...) throws {
    let mode = screen.modes.applicationCursor
    send(bytes: try keys.flatMap { try KeyBytes.encode($0, applicationCursor: mode) })
  }

  /// Types text as it is.
  package func type(_ text: String) {
    send(bytes: Array(text.utf8))
  }

  /// Pastes text, bracketed if the program asked for that.
  package func paste(_ text: String) {
    let isBracketed = screen.modes.bracketedPaste
    type(isBracketed ? "\u{1B}[200~\(text)\u{1B}[201~" : text)
  }

  /// Presses and releases a mouse button (0 left, 1 middle, 2 right; 64 and 65 are the wheel) at a cell, from 0.
  package func click(column: Int, row: Int, button: Int = 0) {
    let place = "\(button);\(column + 1);\(row + 1)"
    type(button >= 64 ? "\u{1B}[<\(place)M" : "\u{1B}[<\(place)M\u{1B}[<\(place)m")
  }

  /// Sends bytes; returns at once, they are written in order.
  package func send(bytes: [UInt8]) {
    state.withLock { $0.pressed() }
    writeQueue.async { [self] in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var poller = pollfd(fd: master, events: Int16(POLLOUT), revents: 0)
          poll(&poller, 1, 100)
          if exitStatus != nil { return }
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  /// Changes the terminal's size; the program gets SIGWINCH.
  package func resize(columns: Int, rows: Int) {
    state.withLock { $0.screen.resize(columns: columns, rows: rows) }
    _ = patchbay_pty_resize(master, UInt16(columns), UInt16(rows))
  }

  /// Takes the terminal away, as a closed window does: the program gets SIGHUP and reads the end.
  package func hangUp() {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    watch.stop()
    // The descriptor stays taken, so that nobody else's file gets its number meanwhile.
    dup2(nowhere, master)
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    close(nowhere)
  }

  /// Sends the program a signal.
  package func signal(_ number: Int32) {
    kill(process, number)
  }

  /// The terminal's settings (local, input and output flags), to see whether they are put back.
  package var terminalFlags: [UInt32] {
    var settings = termios()
    guard tcgetattr(master, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_lflag, settings.c_cflag]
  }
}

/// The bytes that xterm sends for a key, by the key's name as in the key bindings (`ctrl-r`, `shift-tab`, `alt-x`).
package enum KeyBytes {
  private static let letters: [String: String] = [
    "up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H",
    "f1": "P", "f2": "Q", "f3": "R", "f4": "S",
  ]
  private static let numbers: [String: Int] = [
    "ins": 2, "del": 3, "pgup": 5, "pgdn": 6, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23,
    "f12": 24,
  ]
  private static let plain: [String: String] = [
    "enter": "\r", "esc": "\u{1B}", "tab": "\t", "space": " ", "backspace": "\u{7F}",
  ]

  package static func encode(_ name: String, applicationCursor: Bool = false) throws -> [UInt8] {
    var rest = name[...]
    var bits = 0
    for (prefix, bit) in [("ctrl-", 4), ("alt-", 2), ("shift-", 1)] where rest.hasPrefix(prefix) && rest != prefix {
      rest = rest.dropFirst(prefix.count)
      bits |= bit
    }
    let base = String(rest)
    if base == "tab", bits == 1 { return Array("\u{1B}[Z".utf8) }
    if let letter = letters[base] {
      if bits > 0 { return Array("\u{1B}[1;\(bits + 1)\(letter)".utf8) }
      let isSS3 = applicationCursor || base.hasPrefix("f")
      return Array("\u{1B}\(isSS3 ? "O" : "[")\(letter)".utf8)
    }
    if let number = numbers[base] {
      return Array((bits > 0 ? "\u{1B}[\(number);\(bits + 1)~" : "\u{1B}[\(number)~").utf8)
    }
    guard let text = plain[base] ?? (base.count == 1 ? base : nil) else { throw PtyError.unknownKey(name) }
    var bytes = Array(text.utf8)
    if bits & 4 != 0, bytes.count == 1 { bytes[0] &= 0x1F }
    return bits & 2 != 0 ? [0x1B] + bytes : bytes
  }
}
