print("terminal-fixture")
