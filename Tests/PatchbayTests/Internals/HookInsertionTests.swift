import Foundation
import PatchbayTestSupport
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the hook stands among a session's classes, and whom it finds behind itself.
@Suite(.bounded) struct HookInsertionTests {
  private final class First: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/first" }
  }

  private final class Second: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path.hasPrefix("/") == true }
  }

  private let builtIn: [AnyClass] = URLSessionConfiguration.ephemeral.protocolClasses ?? []
  private let hook: AnyClass = PatchbayURLProtocol.self

  private func session(_ classes: [AnyClass]?) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = classes
    return URLSession(configuration: configuration)
  }

  private func names(_ classes: [AnyClass]?) -> [String] { (classes ?? []).map { "\($0)" } }

  @Test func itStandsBehindTheProgramsOwnAndBeforeFoundations() {
    let rows: [([AnyClass]?, [AnyClass])] = [
      (builtIn, [hook] + builtIn), ([First.self] + builtIn, [First.self, hook] + builtIn),
      ([First.self, Second.self] + builtIn, [First.self, Second.self, hook] + builtIn),
      (Array(builtIn.prefix(1)) + [First.self], [hook] + Array(builtIn.prefix(1)) + [First.self]),
      ([First.self], [First.self, hook]), ([], [hook]), (nil, [hook]),
      // Behind Foundation's own it is never asked.
      (builtIn + [hook], [hook] + builtIn), ([First.self] + builtIn + [hook], [First.self, hook] + builtIn),
      // Where it is asked already nothing changes.
      ([hook] + builtIn, [hook] + builtIn), ([hook, First.self], [hook, First.self]),
      ([First.self, hook] + builtIn, [First.self, hook] + builtIn), ([hook, hook] + builtIn, [hook, hook] + builtIn),
    ]
    for isNew in [false, true] {
      for (classes, expected) in rows {
        let session = session(classes)
        #expect(HookInsertion.insert(into: session, isNew: isNew))
        #expect(names(session.configuration.protocolClasses) == names(expected), "\(names(classes))")
        #expect(HookInsertion.insert(into: session, isNew: isNew), "once more changes nothing")
        #expect(names(session.configuration.protocolClasses) == names(expected))
        session.invalidateAndCancel()
      }
    }
  }

  @Test func aScopesClassIsAHookToo() {
    let scope = Patchbay.scope()
    let session = session([First.self] + builtIn)
    defer { session.invalidateAndCancel() }
    #expect(HookInsertion.insert(into: session, isNew: true, as: scope.protocolClass))
    #expect(names(session.configuration.protocolClasses) == names([First.self, scope.protocolClass] + builtIn))
    #expect(HookInsertion.insert(into: session, isNew: false))
    #expect(names(session.configuration.protocolClasses) == names([First.self, scope.protocolClass] + builtIn))
  }

  @Test func aPatchedConfigurationIsACopyWithOneHookInFront() {
    let scope = Patchbay.scope()
    let configuration = URLSessionConfiguration.ephemeral
    for classes: [AnyClass]? in [nil, [], builtIn, [First.self, hook] + builtIn, [scope.protocolClass, First.self]] {
      configuration.protocolClasses = classes
      configuration.timeoutIntervalForRequest = 7
      let patched = configuration.patched(by: scope.protocolClass)
      let others = (classes ?? []).filter { !($0 is PatchbayURLProtocol.Type) }
      #expect(names(patched.protocolClasses) == names([scope.protocolClass] + others))
      #expect(patched !== configuration && patched.timeoutIntervalForRequest == 7)
      #expect(names(configuration.protocolClasses) == names(classes))
    }
  }

  // MARK: Who would have loaded

  @Test func foundationsOwnAreKnown() {
    #expect(builtIn.count >= 2 && builtIn.allSatisfy(BuiltInClass.isBuiltIn))
    #expect(BuiltInClass.http == builtIn[0])
    for type in [First.self, hook, URLProtocol.self, NSObject.self, Patchbay.scope().protocolClass] as [AnyClass] {
      #expect(!BuiltInClass.isBuiltIn(type), "\(type)")
    }
  }

  @Test func theNextClassThatTakesTheRequestLoadsIt() throws {
    let rows: [([AnyClass], String, AnyClass)] = [
      ([hook] + builtIn, "http://a/", builtIn[0]), ([hook], "http://a/", builtIn[0]),
      ([hook, First.self] + builtIn, "http://a/first", First.self),
      ([hook, First.self] + builtIn, "http://a/other", builtIn[0]),
      ([hook, First.self, Second.self] + builtIn, "http://a/first", First.self),
      ([hook, Second.self, First.self] + builtIn, "http://a/first", Second.self),
      ([hook, First.self, Second.self] + builtIn, "http://a/other", Second.self),
      // Those before the hook were asked before it.
      ([First.self, hook] + builtIn, "http://a/first", builtIn[0]),
      ([First.self, hook, Second.self] + builtIn, "http://a/first", Second.self),
      ([First.self] + builtIn, "http://a/first", builtIn[0]),
    ]
    for (classes, text, expected): ([AnyClass], String, AnyClass) in rows {
      let session = session(classes)
      let request = URLRequest(url: try #require(URL(string: text)))
      #expect(BuiltInClass.loading(request, in: session) == expected, "\(names(classes)) \(text)")
      session.invalidateAndCancel()
    }
    let request = URLRequest(url: try #require(URL(string: "https://a/")))
    #expect(BuiltInClass.loading(request, in: nil) == BuiltInClass.http)
    let nobodys = URLRequest(url: try #require(URL(string: "nobody:x")))
    #expect(BuiltInClass.loading(nobodys, in: nil) == nil)
  }

  // MARK: Sessions of the hook's own

  @Test func theHooksOwnSessionsHaveNoHook() {
    let scope = Patchbay.scope()
    let rows: [([AnyClass]?, [AnyClass])] = [
      (builtIn, builtIn), ([hook] + builtIn, builtIn), ([First.self, hook] + builtIn, [First.self] + builtIn),
      ([hook], builtIn), ([scope.protocolClass, hook], builtIn), ([], builtIn), (nil, builtIn),
    ]
    let delegate = CallbackRecorder()
    let queue = OperationQueue()
    scope.run {
      for (classes, expected) in rows {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = classes
        configuration.timeoutIntervalForRequest = 7
        let session = OwnSessions.make(like: configuration, delegate: delegate, queue: queue) {
          $0.httpShouldSetCookies = false
        }
        #expect(names(session.configuration.protocolClasses) == names(expected), "\(names(classes))")
        #expect(session.delegate === delegate && session.delegateQueue === queue)
        #expect(!session.configuration.httpShouldSetCookies && session.configuration.timeoutIntervalForRequest == 7)
        #expect(configuration.httpShouldSetCookies && names(configuration.protocolClasses) == names(classes))
        session.invalidateAndCancel()
      }
      let plain = OwnSessions.make()
      #expect(plain.delegate == nil && names(plain.configuration.protocolClasses) == names(builtIn))
      plain.invalidateAndCancel()
      // Those of the program that are made meanwhile have it as ever.
      let session = URLSession(configuration: .ephemeral)
      #expect(names(session.configuration.protocolClasses) == names([scope.protocolClass] + builtIn))
      session.invalidateAndCancel()
    }
  }
}
