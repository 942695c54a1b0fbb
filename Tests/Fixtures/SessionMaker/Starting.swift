#if os(Linux)
  import Foundation

  /// Starts another program in one of the ways that the C library has: `start WAY CHANGE,… PROGRAM WORD`. A change of the
  /// environment is `bare`, `-NAME` or `NAME=VALUE`; of none at all, `whole`. Says what went wrong where nothing was started.
  enum Starting {
    private typealias Text = UnsafePointer<CChar>
    private typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    /// What takes its words one by one; the last argument is the environment, or is not looked at.
    private typealias OneByOne = @convention(c) (Text, Text, Text, Text?, List?) -> CInt
    private typealias ByList = @convention(c) (Text, List, List) -> CInt

    static func run(_ arguments: [String]) -> Never {
      let (way, changes, program, word) = (arguments[0], arguments[1], arguments[2], arguments[3])
      let environment = changed(ProcessInfo.processInfo.environment, by: changes)
      let words = list([program, word])
      let variables = list(environment.map { "\($0.key)=\($0.value)" })
      switch way {
      case "execve": execve(program, words, variables)
      case "execvpe": _ = function(way, as: ByList.self)(program, words, variables)
      case "fexecve":
        let file = open(program, O_RDONLY)
        _ = unsafeBitCast(symbol(way), to: (@convention(c) (CInt, List, List) -> CInt).self)(file, words, variables)
      case "execv", "execvp", "execl", "execlp":
        take(environment)
        switch way {
        case "execv": execv(program, words)
        case "execvp": execvp(program, words)
        default: _ = function(way, as: OneByOne.self)(program, program, word, nil, nil)
        }
      case "execle": _ = function(way, as: OneByOne.self)(program, program, word, nil, variables)
      case "posix_spawn": spawned { posix_spawn(&$0, program, nil, nil, words, variables) }
      case "posix_spawnp": spawned { posix_spawnp(&$0, program, nil, nil, words, variables) }
      default: break
      }
      print("not started:", errno)
      exit(1)
    }

    private static func changed(_ environment: [String: String], by changes: String) -> [String: String] {
      var environment = environment
      for change in changes.split(separator: ",") {
        let parts = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if change == "bare" {
          environment = [:]
        } else if change.hasPrefix("-") {
          environment[String(change.dropFirst())] = nil
        } else if parts.count == 2 {
          environment[parts[0]] = parts[1]
        }
      }
      return environment
    }

    /// The process's own environment is this one from now on.
    private static func take(_ environment: [String: String]) {
      for name in ProcessInfo.processInfo.environment.keys where environment[name] == nil { unsetenv(name) }
      for (name, value) in environment { setenv(name, value, 1) }
    }

    private static func spawned(_ start: (inout pid_t) -> CInt) {
      var process: pid_t = 0
      var status: CInt = 0
      errno = start(&process)
      guard errno == 0 else { return }
      waitpid(process, &status, 0)
      print("spawned", process)
      exit(0)
    }

    private static func list(_ texts: [String]) -> List {
      let list = List.allocate(capacity: texts.count + 1)
      for (index, text) in texts.enumerated() { list[index] = strdup(text) }
      list[texts.count] = nil
      return list
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
      unsafeBitCast(symbol(name), to: type)
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer {
      dlsym(UnsafeMutableRawPointer(bitPattern: 0), name)!
    }
  }
#endif
