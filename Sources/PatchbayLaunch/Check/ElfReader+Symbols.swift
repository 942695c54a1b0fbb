import CLaunch

extension ElfReader {
  /// Whether a symbol table of the file defines the symbol (SHT_SYMTAB or SHT_DYNSYM; a stripped file may have neither).
  func defines(_ symbol: String, in sections: [Section]) -> Bool {
    sections.contains { table in
      guard table.type == 2 || table.type == 11, sections.indices.contains(table.link),
        let name = offset(of: symbol, in: sections[table.link])
      else { return false }
      return defines(nameOffset: name, in: table)
    }
  }

  /// Where the whole text stands in a string table, from the table's start.
  private func offset(of text: String, in strings: Section) -> UInt32? {
    guard let range = range(of: strings), !range.isEmpty else { return nil }
    let wanted = Array(text.utf8) + [0]
    return wanted.withUnsafeBytes { wanted in
      var at = range.lowerBound
      while let found = find(wanted, from: at, to: range.upperBound) {
        if found == range.lowerBound || bytes[found - 1] == 0 { return UInt32(exactly: found - range.lowerBound) }
        at = found + 1
      }
      return nil
    }
  }

  private func defines(nameOffset: UInt32, in table: Section) -> Bool {
    let size = is64Bit ? 24 : 16
    guard let range = range(of: table), Int(exactly: table.entrySize) == size else { return false }
    return stride(from: range.lowerBound, to: range.upperBound - size + 1, by: size).contains { at in
      int(UInt64(at)) == nameOffset && half(UInt64(at) + (is64Bit ? 6 : 14)) != 0
    }
  }

  private func range(of section: Section) -> Range<Int>? {
    guard section.offset <= UInt64(bytes.count), section.size <= UInt64(bytes.count) - section.offset else {
      return nil
    }
    return Int(section.offset)..<Int(section.offset + section.size)
  }

  private func find(_ wanted: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    guard start < end, let base = bytes.baseAddress,
      let found = launch_find(base + start, end - start, wanted.baseAddress!, wanted.count)
    else { return nil }
    return found - base
  }
}
