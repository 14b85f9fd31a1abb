package robots

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

// suite is the part of the conformance suite that this test reads.
type suite struct {
	Verdicts []struct {
		Name, Agent, Robots, URL string
		Robots64                 []byte `json:"robots_b64"`
		URL64                    []byte `json:"url_b64"`
		Repeat                   *struct {
			Mark, Text string
			Count      int
		}
		Expect map[string]struct {
			Allowed bool
			Line    int
			Reason  string
		}
	}
}

func TestTheSuiteIsAnswered(t *testing.T) {
	file, err := os.ReadFile("../../../../../testdata/verger-testdata.json")
	if err != nil {
		t.Fatal(err)
	}
	var read suite
	if err := json.Unmarshal(file, &read); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, test := range read.Verdicts {
		body, url := test.Robots+string(test.Robots64), test.URL+string(test.URL64)
		if repeat := test.Repeat; repeat != nil {
			text := strings.Repeat(repeat.Text, repeat.Count)
			body = strings.ReplaceAll(body, repeat.Mark, text)
			url = strings.ReplaceAll(url, repeat.Mark, text)
		}
		for dialect, expected := range test.Expect {
			robots, err := Parse([]byte(body), dialect)
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := robots.Check(test.Agent, url)
			if err != nil {
				t.Fatal(err)
			}
			isReason := expected.Reason == "" || verdict.Reason == expected.Reason
			if verdict.Allowed != expected.Allowed || verdict.Line != expected.Line || !isReason {
				t.Errorf("%s in %s: expected %v, but found %v", test.Name, dialect, expected, verdict)
			}
			if robots.IsAllowed(test.Agent, url) != expected.Allowed {
				t.Errorf("%s in %s: IsAllowed differs", test.Name, dialect)
			}
			robots.Close()
			count++
		}
	}
	if count < 1000 {
		t.Errorf("only %d answers", count)
	}
}

func TestErrorsAreNeverAllowed(t *testing.T) {
	if _, err := Parse(nil, "rfc"); err == nil || !strings.Contains(err.Error(), "dialect") {
		t.Errorf("unknown dialect: %v", err)
	}
	robots, err := Parse(nil, "rfc9309")
	if err != nil || !robots.IsAllowed("a", "/") {
		t.Errorf("an empty file allows everything: %v", err)
	}
	robots.Close()
	robots.Close()
	if verdict, err := robots.Check("a", "/"); err == nil || verdict.Allowed {
		t.Errorf("after Close: %v, %v", verdict, err)
	}
}

func TestGoroutinesShareAFile(t *testing.T) {
	robots, err := Parse([]byte("User-agent: *\nDisallow: /a\n"), "rfc9309")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for at := 0; at < 1000; at++ {
				if robots.IsAllowed("x", "/a") || !robots.IsAllowed("x", "/b") {
					t.Error("a wrong answer")
				}
			}
		}()
	}
	all.Wait()
}

func BenchmarkIsAllowed(b *testing.B) {
	robots, err := Parse([]byte("User-agent: *\nDisallow: /a\n"), "rfc9309")
	if err != nil {
		b.Fatal(err)
	}
	for at := 0; at < b.N; at++ {
		robots.IsAllowed("ExampleBot", "/a/b")
	}
}
