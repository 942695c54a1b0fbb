import PatchbayStubs

extension RequestPattern {
  /// A URL glob (`*` is any run of characters, `/` included; all else is literal; the whole URL must fit), any method.
  public static func url(_ glob: String) -> RequestPattern { RequestPattern(url: .glob(glob)) }

  public static func get(_ glob: String) -> RequestPattern { method("GET", glob) }
  public static func head(_ glob: String) -> RequestPattern { method("HEAD", glob) }
  public static func post(_ glob: String) -> RequestPattern { method("POST", glob) }
  public static func put(_ glob: String) -> RequestPattern { method("PUT", glob) }
  public static func patch(_ glob: String) -> RequestPattern { method("PATCH", glob) }
  public static func delete(_ glob: String) -> RequestPattern { method("DELETE", glob) }

  /// A method and a URL glob.
  public static func method(_ method: String, _ glob: String) -> RequestPattern {
    RequestPattern(methods: [method], url: .glob(glob))
  }
}
