/// Examples of each command, for its `--help` and its man page. Each line is run by a test.
enum Examples {
  /// A line and what it does.
  typealias Example = (line: String, meaning: String)

  static func of(_ command: String) -> [Example] { table[command] ?? [] }

  /// As `--help` has them; empty where a command has none.
  static func section(_ command: String) -> String {
    let examples = of(command)
    guard !examples.isEmpty else { return "" }
    return "\nEXAMPLES:\n" + examples.map { "  \($0.line)\n      \($0.meaning)\n" }.joined()
  }

  /// Of all commands, in the order of their names.
  static var all: [Example] { table.keys.sorted().flatMap { table[$0] ?? [] } }

  private static let table: [String: [Example]] = [
    "patchbay": [
      ("patchbay demo", "Try it: a program and a server of its own, no network."),
      ("patchbay run ./app --verbose", "Start a program with all its requests on screen."),
      ("patchbay help filter", "Read the manual's page on filters."),
    ],
    "patchbay run": [
      ("patchbay run ./app --verbose", "Options of ours stand before the command, its own behind it."),
      (
        "patchbay run --stubs offline.yaml --unmatched fail --headless -- swift test",
        "Tests without a network: what no stub answers fails."
      ),
      (
        "patchbay run --headless --expect 'path:/v1/books count:2' --forbid 'status:5xx' --report checks.xml -- ./app",
        "End with status 3 unless that was asked twice, and if anything answered 5xx; as JUnit XML, too."
      ),
      ("patchbay run --headless --record offline.yaml --force -- ./app", "Write stubs that answer what was seen."),
    ],
    "patchbay attach": [
      ("patchbay attach --list", "The programs that can be attached to."),
      ("patchbay attach --observe 4121", "Look at process 4121 and touch nothing."),
      ("patchbay attach app", "Look into the program of that name."),
    ],
    "patchbay detach": [("patchbay detach 4121", "Detach from it; it runs on as before.")],
    "patchbay listen": [
      ("patchbay listen", "Wait on the default socket for programs that call Patchbay.attach()."),
      (
        "patchbay listen --headless --log requests.jsonl --until-idle 5s",
        "Write what is asked to a file; end after 5 s of quiet."
      ),
    ],
    "patchbay demo": [
      ("patchbay demo", "A bookshop's app on screen: press 2, then space on a stub, then 1."),
      ("patchbay demo --headless --for 3s --log -", "Three seconds of it as JSON Lines."),
    ],
    "patchbay history": [
      ("patchbay history 'host:api status:>=400' --limit 20", "The newest 20 that went wrong."),
      ("patchbay history -path:/health --json", "All but health checks, as JSON Lines."),
      ("patchbay history --since 10m --exit-status is:bad", "Status 1 when nothing failed in the last ten minutes."),
    ],
    "patchbay export": [
      ("patchbay export har -o session.har", "All that is recorded, for a browser's network view."),
      ("patchbay export curl 'path:/v1/orders' --limit 1", "The newest such request as a cURL command."),
      ("patchbay export stubs 'host:api' -o offline.yaml", "Stubs that answer what was recorded."),
    ],
    "patchbay open": [
      ("patchbay open session.har", "Browse what a browser saved."),
      ("patchbay open other.sqlite --filter run:last", "The newest run of a colleague's history."),
    ],
    "patchbay import": [
      ("patchbay import session.har", "Record what a browser saw."),
      ("patchbay import - < session.har", "The same from standard input."),
    ],
    "patchbay stubs": [
      ("patchbay stubs check offline.yaml", "Report every mistake with line and column."),
      ("patchbay stubs list", "What is in force in the running console."),
    ],
    "patchbay stubs check": [("patchbay stubs check offline.yaml", "Report every mistake with line and column.")],
    "patchbay stubs import": [
      ("patchbay stubs import 'curl -d a=1 https://api.example.com/login'", "A stub for that request, to be filled in.")
    ],
    "patchbay stubs list": [
      ("patchbay stubs list", "Each stub, whether it is on, and how often it was hit."),
      ("patchbay stubs list --json", "The same for a script."),
    ],
    "patchbay stubs add": [("patchbay stubs add offline.yaml", "Put its stubs in force in the running console.")],
    "patchbay stubs enable": [
      ("patchbay stubs enable maintenance", "Returns when every linked process has it in force.")
    ],
    "patchbay stubs disable": [("patchbay stubs disable maintenance", "The next request is not answered by it.")],
    "patchbay stubs pause": [("patchbay stubs pause", "All off at once, as 0 on screen.")],
    "patchbay stubs resume": [("patchbay stubs resume", "On again as they were.")],
    "patchbay stubs remove": [
      ("patchbay stubs remove 'orders gone'", "Take it off the list; the file stays as it is.")
    ],
    "patchbay stubs revert": [("patchbay stubs revert maintenance", "As it stands in its file.")],
    "patchbay stubs scenario": [
      ("patchbay stubs scenario", "The scenarios, and the state of each in each process."),
      ("patchbay stubs scenario session 'signed in'", "Move one; Started is where it begins."),
    ],
    "patchbay stubs reset": [("patchbay stubs reset", "Reset the counts of hits, times and sequences.")],
    "patchbay stubs explain": [
      (
        "patchbay stubs explain --url https://api.example.com/v1/books offline.yaml",
        "Show why each stub does or does not match."
      ),
      (
        "patchbay stubs explain --method POST --url https://api.example.com/v1/login --body '{\"user\":\"ann\"}'",
        "Ask the running console's stubs."
      ),
    ],
    "patchbay stubs schema": [
      ("patchbay stubs schema > stubs.schema.json", "For an editor that completes and checks.")
    ],
    "patchbay log": [
      ("patchbay log 'host:api status:>=400'", "Follow what goes wrong, one line each."),
      ("patchbay log --json > requests.jsonl", "All of it as JSON Lines, until the console ends."),
    ],
    "patchbay hold": [("patchbay hold list", "The requests that wait for a decision, with their numbers.")],
    "patchbay hold list": [("patchbay hold list --json", "The held requests for a script.")],
    "patchbay hold continue": [("patchbay hold continue 17", "Let request 17 go on.")],
    "patchbay hold drop": [("patchbay hold drop 17", "It ends as a lost connection.")],
    "patchbay hold respond": [
      (
        "patchbay hold respond 17 --status 503 --header 'Retry-After: 5' --body '{\"error\":\"busy\"}'",
        "Answer it by hand."
      )
    ],
    "patchbay hold fail": [("patchbay hold fail 17 timedOut", "Let it fail; `patchbay faults` lists the names.")],
    "patchbay themes": [("patchbay themes list", "The themes that are found.")],
    "patchbay themes list": [("patchbay themes list", "The themes that are found, and where.")],
    "patchbay themes check": [("patchbay themes check mine.yaml", "Show what is wrong in a theme.")],
    "patchbay themes show": [("patchbay themes show hanabi", "Its colours, on this terminal.")],
    "patchbay doctor": [("patchbay doctor", "What is missing here, and how to fix it.")],
    "patchbay faults": [
      ("patchbay faults", "Every fault, and what the program sees."),
      ("patchbay faults --json", "The same for a script."),
    ],
    "patchbay schema": [
      ("patchbay schema jsonl > exchange.schema.json", "What a line of --log and --json is."),
      ("patchbay schema stubs > stubs.schema.json", "For an editor that completes and checks stub files."),
    ],
    "patchbay install": [
      ("patchbay install", "Into ~/.local."), ("patchbay install --prefix ./here", "Below another folder."),
    ],
    "patchbay uninstall": [("patchbay uninstall --prefix ./here", "Remove what install put there.")],
  ]
}
