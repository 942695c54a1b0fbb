/// What was recorded from a file.
package struct ImportReport: Sendable, Equatable {
  /// The file's name.
  package var name: String
  /// The exchanges that are new.
  package var ids: [Int64]
  /// How many entries could not be read.
  package var leftOut: Int
  /// The first thing that is wrong with the file; a sentence.
  package var problem: String?

  package init(name: String, ids: [Int64], leftOut: Int = 0, problem: String? = nil) {
    self.name = name
    self.ids = ids
    self.leftOut = leftOut
    self.problem = problem
  }
}
