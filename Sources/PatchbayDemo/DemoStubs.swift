/// The stub file that the demo starts with.
package enum DemoStubs {
  /// The name of the stub that the headless demo turns on half-way.
  package static let headlessToggle = "maintenance"

  /// Four stubs, all off.
  package static let yaml = """
    # The demo's stubs, all off. Turn one on with the space bar and watch the next request.
    patchbay: 1
    stubs:
    - name: maintenance
      enabled: false
      when: { method: GET, path: /v1/books }
      then:
        respond:
          status: 503
          headers: { Retry-After: "120" }
          json: { code: 100, message: ただいまメンテナンス中です。 }

    - name: orders work again
      enabled: false
      when: { path: "/v1/orders/*" }
      then:
        respond:
          status: 200
          json: { id: 9001, status: shipped, items: [{ title: こころ, count: 1 }] }
          delay: 300ms

    - name: recommendations time out
      enabled: false
      when: { method: GET, path: /v1/recommendations }
      then: { fail: timedOut }

    - name: look at sign-ins
      enabled: false
      when: { method: POST, path: /v1/sessions }
      then: { hold: request }
    """
}
