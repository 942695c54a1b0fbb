import Foundation
import PatchbayStubs

extension FieldWriter {
  mutating func exchange(_ update: ExchangeUpdate) {
    number(1, update.key)
    if let start = update.start { record(2) { $0.start(start) } }
    if let answer = update.answer {
      record(3) {
        $0.number(1, answer.by.wireCode)
        $0.text(2, answer.stub)
        if let edited = answer.edited { $0.request(3, edited) }
      }
    }
    for hop in update.hops {
      record(4) {
        $0.nonzeroSigned(1, Int64(hop.status))
        $0.text(2, hop.url)
        $0.headers(3, hop.headers)
        if let at = hop.at { $0.signed(4, at) }
        $0.text(5, hop.target)
      }
    }
    if let held = update.held { number(5, held.wireCode) }
    if let head = update.head {
      record(6) {
        $0.signed(1, head.at)
        $0.nonzeroSigned(2, Int64(head.status))
        $0.headers(3, head.headers)
      }
    }
    if let data = update.data { self.data(7, data) }
    if let end = update.end { record(8) { $0.end(end) } }
    if let sent = update.sent { request(9, sent) }
    if let turn = update.turn { record(10) { $0.text(1, turn) } }
  }

  private mutating func start(_ start: ExchangeUpdate.Start) {
    signed(1, start.at.microseconds)
    request(2, start.request)
    number(3, start.task.wireCode)
    nonzero(4, start.revision)
    if let replay = start.replay { number(5, replay) }
  }

  private mutating func end(_ end: ExchangeUpdate.End) {
    signed(1, end.at)
    number(2, end.outcome.wireCode)
    if let error = end.error { self.error(3, error) }
    nonzeroSigned(4, end.held)
    nonzeroSigned(5, end.bytesSent)
    nonzeroSigned(6, end.bytesReceived)
    flag(7, end.requestTruncated)
    flag(8, end.responseTruncated)
    flag(9, end.hasBody)
  }
}

extension FieldReader {
  func exchange() throws(WireError) -> ExchangeUpdate {
    var fields = self
    var key: UInt64?
    var update = ExchangeUpdate(key: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: key = try value.number()
      case 2: update.start = try value.start()
      case 3: update.answer = try value.answer()
      case 4: if update.hops.count < Wire.hopLimit { update.hops.append(try value.hop()) }
      case 5: update.held = ExchangeUpdate.Held(wireCode: try value.number())
      case 6: update.head = try value.head()
      case 7: update.data = value.data()
      case 8: update.end = try value.end()
      case 9: update.sent = try value.request()
      case 10: update.turn = try value.turn()
      default: break
      }
    }
    update.key = try required(key, 1)
    return update
  }

  private func start() throws(WireError) -> ExchangeUpdate.Start {
    var fields = self
    var at: Timestamp?
    var request: RecordedRequest?
    var start = ExchangeUpdate.Start(
      at: Timestamp(microseconds: 0), request: RecordedRequest(method: "", url: ""), task: .unknown, revision: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: at = try value.moment()
      case 2: request = try value.request()
      case 3: start.task = Exchange.TaskKind(wireCode: try value.number()) ?? .unknown
      case 4: start.revision = try value.number()
      case 5: start.replay = try value.number()
      default: break
      }
    }
    start.at = try required(at, 1)
    start.request = try required(request, 2)
    return start
  }

  private func answer() throws(WireError) -> ExchangeUpdate.Answer {
    var fields = self
    var answer = ExchangeUpdate.Answer(by: .network)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: answer.by = Exchange.Answerer(wireCode: try value.number()) ?? .network
      case 2: answer.stub = value.text()
      case 3: answer.edited = try value.request()
      default: break
      }
    }
    return answer
  }

  private func hop() throws(WireError) -> RedirectHop {
    var fields = self
    var hop = RedirectHop(status: 0, url: "")
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: hop.status = try value.code()
      case 2: hop.url = value.text()
      case 3: try value.header(into: &hop.headers)
      case 4: hop.at = try value.count()
      case 5: hop.target = value.text()
      default: break
      }
    }
    return hop
  }

  private func turn() throws(WireError) -> String {
    var fields = self
    var target = ""
    while let (tag, value) = try fields.next() {
      if tag == 1 { target = value.text() }
    }
    return target
  }

  private func head() throws(WireError) -> ExchangeUpdate.Head {
    var fields = self
    var at: Int64?
    var head = ExchangeUpdate.Head(at: 0, status: 0, headers: [])
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: at = try value.count()
      case 2: head.status = try value.code()
      case 3: try value.header(into: &head.headers)
      default: break
      }
    }
    head.at = try required(at, 1)
    return head
  }

  private func end() throws(WireError) -> ExchangeUpdate.End {
    var fields = self
    var at: Int64?
    var end = ExchangeUpdate.End(at: 0, outcome: .responded)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: at = try value.count()
      case 2: end.outcome = Exchange.Outcome(wireCode: try value.number()) ?? .responded
      case 3: end.error = try value.error()
      case 4: end.held = try value.count()
      case 5: end.bytesSent = try value.count()
      case 6: end.bytesReceived = try value.count()
      case 7: end.requestTruncated = try value.flag()
      case 8: end.responseTruncated = try value.flag()
      case 9: end.hasBody = try value.flag()
      default: break
      }
    }
    end.at = try required(at, 1)
    return end
  }
}
