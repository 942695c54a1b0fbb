import Foundation

/// What this process has allocated.
public enum HeapUse {
  /// In bytes, as `malloc_info(3)` has them of all arenas: what they have, less what is free in them. 0 where the
  /// system does not say.
  public static var allocated: Int {
    typealias Info = @convention(c) (CInt, UnsafeMutableRawPointer) -> CInt
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &size) else { return 0 }
    _ = unsafeBitCast(symbol, to: Info.self)(0, UnsafeMutableRawPointer(stream))
    fclose(stream)
    defer { free(text) }
    let sums = text.map { String(cString: $0).components(separatedBy: "</heap>").last ?? "" } ?? ""
    func bytes(_ line: String) -> Int {
      let end = sums.components(separatedBy: line).last?.components(separatedBy: "size=\"").dropFirst().first
      return end?.components(separatedBy: "\"").first.flatMap { Int($0) } ?? 0
    }
    return bytes("<system type=\"current\"") - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"")
      + bytes("<total type=\"mmap\"")
  }
}
