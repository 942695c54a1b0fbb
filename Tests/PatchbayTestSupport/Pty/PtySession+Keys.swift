import CLaunch
import Foundation

extension PtySession {
  /// Presses keys, by their names in the key bindings.
  public func send(_ keys: String...) throws {
    let mode = screen.modes.applicationCursor
    send(bytes: try keys.flatMap { try KeyBytes.encode($0, applicationCursor: mode) })
  }

  /// Types text as it is.
  public func type(_ text: String) {
    send(bytes: Array(text.utf8))
  }

  /// Pastes text, bracketed if the program asked for that.
  public func paste(_ text: String) {
    let isBracketed = screen.modes.bracketedPaste
    type(isBracketed ? "\u{1B}[200~\(text)\u{1B}[201~" : text)
  }

  /// Presses and releases a mouse button (0 left, 1 middle, 2 right; 64 and 65 are the wheel) at a cell, from 0.
  public func click(column: Int, row: Int, button: Int = 0) {
    let place = "\(button);\(column + 1);\(row + 1)"
    type(button >= 64 ? "\u{1B}[<\(place)M" : "\u{1B}[<\(place)M\u{1B}[<\(place)m")
  }

  /// Sends bytes; returns at once, they are written in order.
  public func send(bytes: [UInt8]) {
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
  public func resize(columns: Int, rows: Int) {
    state.withLock { $0.screen.resize(columns: columns, rows: rows) }
    _ = patchbay_pty_resize(master, UInt16(columns), UInt16(rows))
  }

  /// Takes the terminal away, as a closed window does: the program gets SIGHUP and reads the end.
  public func hangUp() {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    watch.stop()
    // The descriptor stays taken, so that nobody else's file gets its number meanwhile.
    dup2(nowhere, master)
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    close(nowhere)
  }

  /// Sends the program a signal.
  public func signal(_ number: Int32) {
    kill(process, number)
  }

  /// The terminal's settings (local, input and output flags), to see whether they are put back.
  public var terminalFlags: [UInt32] {
    var settings = termios()
    guard tcgetattr(master, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_lflag, settings.c_cflag]
  }
}
