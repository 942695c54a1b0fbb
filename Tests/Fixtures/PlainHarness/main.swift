import HarnessCases

if CommandLine.arguments.dropFirst().first == "ask" {
  Asking.run()
} else {
  await HarnessMain.run()
}
