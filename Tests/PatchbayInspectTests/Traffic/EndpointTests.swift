import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// Which requests are for the same kind of thing.
@Suite(.bounded) struct EndpointTests {
  @Test(arguments: [
    ("/1", "/{id}"), ("/1/2/x/3/", "/{id}/{id}/x/{id}/"), ("1", "{id}"), ("/", "/"), ("", "/"), ("//", "//"),
    // Hexadecimal: seven with a digit and a letter, or sixteen.
    ("/abcdef1", "/{id}"), ("/ABCDEF1", "/{id}"), ("/abcde1", "/abcde1"), ("/abcdefa", "/abcdefa"),
    ("/abcdeg1", "/abcdeg1"),
    ("/abcdefabcdefabcd", "/{id}"), ("/abcdefabcdefabc", "/abcdefabcdefabc"),
    ("/abcdefabcdefabcg", "/abcdefabcdefabcg"),
    // Tokens: twenty with four digits, and two dashes at most.
    ("/ghijklmnopqrstuv1234", "/{id}"), ("/ghijklmnopqrstu1234", "/ghijklmnopqrstu1234"),
    ("/ghijklmnopqrstuvw123", "/ghijklmnopqrstuvw123"), ("/ghijklmn-opqr_st1234", "/{id}"),
    ("/ghijklm-opqr_st1234", "/ghijklm-opqr_st1234"), ("/ghijklmn-opqr_stu123", "/ghijklmn-opqr_stu123"),
    ("/ghijklm-n-pqr_st1234", "/ghijklm-n-pqr_st1234"), ("/12-34", "/12-34"), ("/ZYXWVUTSRQPONMLK1234", "/{id}"),
    // UUIDs.
    ("/550e8400-e29b-41d4-a716-446655440000", "/{id}"), ("/550E8400-E29B-41D4-A716-446655440000", "/{id}"),
    ("/550e8400-e29b-41d4-a716-44665544000g", "/550e8400-e29b-41d4-a716-44665544000g"),
    ("/550e8400-e29b-41d4-a716-4466554400001", "/550e8400-e29b-41d4-a716-4466554400001"),
    ("/550e8400-e29b-41d4-a716-44665544000", "/550e8400-e29b-41d4-a716-44665544000"),
    // Other signs.
    ("/12:3", "/12:3"), ("/12/9", "/{id}/{id}"),
    ("/12@3", "/12@3"), ("/12%20", "/12%20"), ("/1{", "/1{"), ("/1`", "/1`"), ("/1[", "/1["), ("/日本", "/日本"),
    // Extensions stay.
    ("/12.json", "/{id}.json"), ("/12.jpeg1", "/{id}.jpeg1"), ("/12.jpegxx", "/12.jpegxx"), ("/1.2", "/1.2"),
    ("/12.3a", "/{id}.3a"), ("/.12a", "/.12a"), ("/12.", "/12."), ("/a.json", "/a.json"), ("/1.2.json", "/1.2.json"),
  ])
  func segmentsThatNameOneThingAreFolded(_ path: String, _ folded: String) {
    #expect(Endpoint.folded(path) == folded)
    if path.hasPrefix("/") {
      #expect(Endpoint.folded(url: "https://h.example:81\(path)?id=12#7") == folded)
    }
  }

  @Test func ofALongSegmentTheBeginningIsLookedAt() {
    let digits = String(repeating: "7", count: 1_024)
    #expect(Endpoint.folded("/\(digits)") == "/{id}")
    #expect(Endpoint.folded("/\(digits)@") == "/{id}")
    #expect(Endpoint.folded("/\(digits.dropLast())@") == "/\(digits.dropLast())@")
  }

  @Test(arguments: [
    ("/graphql", nil, "/graphql"), ("/graphql", "Get", "/graphql#Get"), ("/graphql", "", "/graphql#"),
    ("/graphql", "a#b", "/graphql#a#b"), ("", "Get", "#Get"),
  ])
  func anOperationStandsBehindASign(_ path: String, _ operation: String?, _ text: String) {
    #expect(Endpoint.text(path: path, operation: operation) == text)
    let parts = Endpoint.parts(text)
    #expect(parts.path == path && parts.operation == operation)
  }
}
