// Checks URLs against a robots.txt: check FILE AGENT URL... Exit code 0: all allowed, 1: some
// disallowed, 2: error.
package main

import (
	"fmt"
	"os"

	"verger.example/check/robots"
)

func main() {
	if len(os.Args) < 4 {
		fail("usage: check FILE AGENT URL...")
	}
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	parsed, err := robots.Parse(file, "rfc9309")
	if err != nil {
		fail(err)
	}
	defer parsed.Close()
	code := 0
	for _, url := range os.Args[3:] {
		verdict, err := parsed.Check(os.Args[2], url)
		if err != nil {
			fail(err)
		}
		word := "allow"
		if !verdict.Allowed {
			word, code = "disallow", 1
		}
		line := ""
		if verdict.Line > 0 {
			line = fmt.Sprintf(", line %d", verdict.Line)
		}
		fmt.Printf("%s %s (%s%s)\n", word, url, verdict.Reason, line)
	}
	os.Exit(code)
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}
