import HarnessCases

await HarnessMain.run()
