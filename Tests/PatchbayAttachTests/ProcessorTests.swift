import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct ProcessorTests {
  /// The kernel's own lists (linux-libc-dev, which the C library's headers need). arm64 goes by the generic one.
  private static let headers: [(Processor, String)] = [
    (.x86, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (.arm64, "/usr/include/asm-generic/unistd.h"),
  ].filter { FileManager.default.fileExists(atPath: $0.1) }

  @Test(.enabled(if: !headers.isEmpty, "The kernel's headers are not installed."), arguments: headers)
  func systemCallsHaveTheNumbersOfTheKernelsHeaders(_ processor: Processor, _ header: String) throws {
    var numbers: [String: UInt64] = [:]
    for line in try String(contentsOfFile: header, encoding: .utf8).split(separator: "\n") {
      guard let found = line.wholeMatch(of: /#define __NR(?:3264)?_(\w+)\s+(\d+)/) else { continue }
      numbers[String(found.1)] = UInt64(found.2)
    }
    #expect(numbers.count > 200)
    for call in KernelCall.allCases {
      #expect(call.number(on: processor) == numbers[call.rawValue], "\(call.rawValue)")
    }
  }
}
