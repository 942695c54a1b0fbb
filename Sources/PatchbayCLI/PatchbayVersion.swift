/// The version of this build.
enum PatchbayVersion {
  static let text = "0.1.0"
}
