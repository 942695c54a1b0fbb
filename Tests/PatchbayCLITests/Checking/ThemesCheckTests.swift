import PatchbayTestSupport
import Testing

@Suite("patchbay themes check", .crowd, .bounded) final class ThemesCheckTests: DeskSuite {
  @Test("names the roles that are hard to read in the order of the file, and judges each file by itself")
  func weak() async throws {
    let good = try desk.folder.write(
      "name: good\nroles:\n  text: { fg: \"#ffffff\", bg: \"#000000\" }\n", to: "good.yaml")
    let pale = try desk.folder.write(
      "name: pale\nroles:\n  warning: \"#333333\"\n  text: { fg: \"#ffffff\", bg: \"#000000\" }\n  dim: \"#444444\"\n",
      to: "pale.yaml")
    let fine = try await desk.run("themes", "check", good)
    #expect(fine.exitStatus == 0 && fine.errors.isEmpty, "\(fine.said)")
    #expect(fine.output == "\(good): good, 1 roles, no mistakes.\n")
    let both = try await desk.run("themes", "check", pale, good)
    #expect(both.exitStatus == 1, "\(both.said)")
    #expect(
      both.output
        == "\(pale): pale, 3 roles, hard to read in places.\n\(good): good, 1 roles, no mistakes.\n", "\(both.said)")
    let told = both.errors.split(separator: "\n")
    let later = try #require(told.firstIndex { $0.hasPrefix("\(pale):5:3: the role `dim` is hard to read on ") })
    #expect(later > 0 && told[..<later].allSatisfy { $0.hasPrefix("\(pale):3:3: the role `warning` is hard to read") })
    #expect(told[later...].allSatisfy { $0.hasPrefix("\(pale):5:3: ") }, "\(both.said)")
  }
}
