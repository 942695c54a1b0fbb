import Foundation
import PatchbayStubs

extension FieldWriter {
  mutating func request(_ tag: UInt64, _ request: RecordedRequest) {
    record(tag) {
      $0.text(1, request.method)
      $0.text(2, request.url)
      $0.headers(3, request.headers)
      if let body = request.body { $0.data(4, body) }
      $0.flag(5, request.truncated)
    }
  }

  mutating func response(_ tag: UInt64, _ response: RecordedResponse) {
    record(tag) {
      $0.nonzeroSigned(1, Int64(response.status))
      $0.headers(3, response.headers)
      if let body = response.body { $0.data(4, body) }
      $0.flag(5, response.truncated)
    }
  }

  mutating func error(_ tag: UInt64, _ error: RecordedError) {
    record(tag) {
      $0.text(1, error.domain)
      $0.nonzeroSigned(2, Int64(error.code))
      $0.text(3, error.name)
      $0.text(4, error.message)
    }
  }

  mutating func settings(_ tag: UInt64, _ settings: HookSettings) {
    record(tag) {
      $0.number(1, settings.degree.wireCode)
      for host in settings.hosts {
        $0.record(2) {
          $0.text(1, host.host)
          $0.number(2, host.degree.wireCode)
        }
      }
      $0.flag(3, settings.keepStubs)
      $0.flag(4, settings.timeoutRunsWhileHeld)
      $0.nonzero(5, settings.bodyLimit)
      $0.nonzero(6, settings.requestBodyLimit)
    }
  }
}

extension FieldReader {
  func request() throws(WireError) -> RecordedRequest {
    var fields = self
    var request = RecordedRequest(method: "", url: "")
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: request.method = value.text()
      case 2: request.url = value.text()
      case 3: request.headers.append(try value.header())
      case 4: request.body = value.data()
      case 5: request.truncated = try value.flag()
      default: break
      }
    }
    return request
  }

  func response() throws(WireError) -> RecordedResponse {
    var fields = self
    var response = RecordedResponse(status: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: response.status = Int(try value.signed())
      case 3: response.headers.append(try value.header())
      case 4: response.body = value.data()
      case 5: response.truncated = try value.flag()
      default: break
      }
    }
    return response
  }

  func error() throws(WireError) -> RecordedError {
    var fields = self
    var error = RecordedError(domain: "", code: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: error.domain = value.text()
      case 2: error.code = Int(try value.signed())
      case 3: error.name = value.text()
      case 4: error.message = value.text()
      default: break
      }
    }
    return error
  }

  func settings() throws(WireError) -> HookSettings {
    var fields = self
    var settings = HookSettings(requestBodyLimit: 0, bodyLimit: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: settings.degree = HookSettings.Degree(wireCode: try value.number()) ?? .full
      case 2: settings.hosts.append(try value.hostDegree())
      case 3: settings.keepStubs = try value.flag()
      case 4: settings.timeoutRunsWhileHeld = try value.flag()
      case 5: settings.bodyLimit = try value.number()
      case 6: settings.requestBodyLimit = try value.number()
      default: break
      }
    }
    return settings
  }

  private func hostDegree() throws(WireError) -> HookSettings.HostDegree {
    var fields = self
    var host = HookSettings.HostDegree(host: "", degree: .full)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: host.host = value.text()
      case 2: host.degree = HookSettings.Degree(wireCode: try value.number()) ?? .full
      default: break
      }
    }
    return host
  }
}
