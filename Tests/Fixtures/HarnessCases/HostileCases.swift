import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Servers that lie, break off, or attack. Half a head, a length of `Int64.max` and trailers are not among them:
/// Foundation ends the process there, with the hook and without.
enum HostileCases {
  private static let names = [
    "nothing", "newlines", "zeros", "binary", "half-status", "status-000", "status-negative",
    "status-long", "status-text", "status-600", "version-2", "version-9", "reason-long", "reason-bytes", "field-long",
    "field-endless", "fields-many", "field-no-colon", "field-no-name", "field-no-value", "field-zero", "field-bytes",
    "field-latin", "field-escape", "field-space-name", "line-feeds", "folded-first", "interim-flood", "interim-only",
    "switching", "type-odd", "disposition", "cookies-odd", "unauthorized-plain", "unauthorized-digest",
    "unauthorized-odd", "proxy", "length-negative", "length-text", "length-huge", "length-short",
    "lengths-differ", "length-and-chunks", "chunk-huge", "chunk-negative", "chunk-extension",
    "chunk-short", "chunk-endless", "chunk-no-end", "encoding-unknown", "encoding-empty", "encoding-twice",
    "encoding-br", "transfer-gzip", "gzip-cut", "no-content", "not-modified", "reset", "surplus", "second-answer",
    "to-file", "to-ftp", "to-data", "to-nothing", "to-query", "to-fragment", "to-slashes", "to-space", "to-unicode",
    "to-percent", "to-port", "to-no-host", "to-javascript", "to-long", "to-user", "to-dots", "to-capitals", "to-304",
    "to-300", "to-306", "to-399", "to-201", "to-twice", "to-self-refused", "to-cut", "to-endless",
  ]

  static let all: [HarnessCase] = names.flatMap { name in
    [
      HarnessCase("hostile \(name), handler") { context in
        let session = context.session()
        await context.finish { session.dataTask(with: context.url("/hostile/\(name)"), completionHandler: $0) }
      },
      HarnessCase("hostile \(name), async") { context in
        let session = context.session()
        await context.attempt { try await session.data(from: context.url("/hostile/\(name)")) }
      },
      HarnessCase("hostile \(name), delegate") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).dataTask(with: context.url("/hostile/\(name)")).resume()
        await delegate.ends()
      },
      HarnessCase("hostile \(name), download") { context in
        let delegate = RecordingDelegate(context)
        context.session(delegate: delegate).downloadTask(with: context.url("/hostile/\(name)")).resume()
        await delegate.ends()
      },
    ]
  }
}
