/// How one text of a request is compared.
public enum TextPattern: Hashable, Sendable {
  /// `*` is any run of characters, `/` included; everything else is literal; the whole text must fit.
  case glob(String)
  /// A regular expression that must be found somewhere in the text (written `{ matches: … }`).
  case matches(String)
}
