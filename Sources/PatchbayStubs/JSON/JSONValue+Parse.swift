import Foundation

extension JSONValue {
  /// Reads one JSON text; the error names line and column. Nesting deeper than the limit is an error.
  package init(parsing data: Data, depthLimit: Int = 256) throws(StubError) {
    self = try Self.parse(Array(data), depthLimit: depthLimit)
  }

  /// Reads one JSON text; the error names line and column.
  package init(parsing text: String, depthLimit: Int = 256) throws(StubError) {
    self = try Self.parse(Array(text.utf8), depthLimit: depthLimit)
  }

  private static func parse(_ bytes: [UInt8], depthLimit: Int) throws(StubError) -> JSONValue {
    let result: Result<JSONValue, StubError> = bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(buffer, builder: JSONValueBuilder(), depthLimit: depthLimit)
      do throws(StubError) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension DocumentNode {
  /// Reads one JSON text, with the place of every value and name.
  package init(parsingJSON bytes: [UInt8], depthLimit: Int = 256) throws(StubError) {
    let result: Result<DocumentNode, StubError> = bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(buffer, builder: DocumentBuilder(buffer), depthLimit: depthLimit)
      do throws(StubError) { return .success(try parser.document()) } catch { return .failure(error) }
    }
    self = try result.get()
  }
}
