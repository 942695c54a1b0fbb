/// What was recorded from a file.
public struct ImportReport: Sendable, Equatable {
  /// The file's name.
  public var name: String
  /// The exchanges that are new.
  public var ids: [Int64]
  /// How many entries could not be read.
  public var leftOut: Int
  /// The first thing that is wrong with the file; a sentence.
  public var problem: String?

  public init(name: String, ids: [Int64], leftOut: Int = 0, problem: String? = nil) {
    self.name = name
    self.ids = ids
    self.leftOut = leftOut
    self.problem = problem
  }
}
