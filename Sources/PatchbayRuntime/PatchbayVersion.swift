/// The version of this build.
package enum PatchbayVersion {
  package static let text = "0.1.0"
}
