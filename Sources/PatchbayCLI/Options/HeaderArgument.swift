import ArgumentParser
import PatchbayStubs

/// A header as curl takes it: `K: V`.
struct HeaderArgument: ExpressibleByArgument {
  var field: HeaderField

  init?(argument: String) {
    let halves = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty else { return nil }
    field = HeaderField(String(halves[0]), String(halves[1].drop { $0 == " " }))
  }

  var json: JSONValue { [.string(field.name), .string(field.value)] }
}
