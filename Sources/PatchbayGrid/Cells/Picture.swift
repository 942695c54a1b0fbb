/// A picture that stands in the place of cells where the terminal shows pictures: its bytes as they came.
package struct Picture: Hashable, Sendable {
  package enum Format: Hashable, Sendable {
    case png, jpeg
  }

  /// More bytes than that are not handed on: as base64 they are 5.6 MB.
  package static let byteLimit = 4 << 20
  /// What terminals take at most of a side, and of the whole: as pixels in their memory it is 160 MB.
  private static let sideLimit = 10_000
  private static let pixelLimit = 40_000_000

  package let format: Format
  package let bytes: [UInt8]
  /// In pixels.
  package let size: Size

  /// - Returns: nil where the picture is too large, or says of itself that it is.
  package init?(_ format: Format, _ bytes: [UInt8], size: Size) {
    let sides = 1...Picture.sideLimit
    guard !bytes.isEmpty, bytes.count <= Picture.byteLimit, sides.contains(size.width), sides.contains(size.height),
      size.width * size.height <= Picture.pixelLimit
    else { return nil }
    self.format = format
    self.bytes = bytes
    self.size = size
  }

  /// The cells that it fills in a room: as large as it is, or as the room is, its sides in proportion.
  ///
  /// - Parameter cell: a cell's size in pixels.
  package func fitted(in room: Size, cell: Size) -> Size {
    let width = Double(size.width) / Double(max(1, cell.width))
    let height = Double(size.height) / Double(max(1, cell.height))
    let scale = min(1, Double(room.width) / width, Double(room.height) / height)
    return Size(
      width: min(room.width, max(1, Int((width * scale).rounded()))),
      height: min(room.height, max(1, Int((height * scale).rounded()))))
  }
}

/// A picture and the cells that it may take, in the whole grid.
package struct PlacedPicture: Hashable, Sendable {
  package let picture: Picture
  package let area: Rect

  package init(_ picture: Picture, in area: Rect) {
    self.picture = picture
    self.area = area
  }
}
