// Command replay takes the alarms of an idemcheck report and tries them by curl: each failed case on a fresh instance
// of the service, with the curl lines that the report gives. What curl does not see fails.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// report is what is read of a JSON report.
type report struct {
	Cases []alarm `json:"cases"`
}

// alarm is a case with what was found.
type alarm struct {
	ID        string            `json:"id"`
	Verdict   string            `json:"verdict"`
	Findings  []json.RawMessage `json:"findings"`
	Exchanges []exchange        `json:"exchanges"`
	Readings  []reading         `json:"readings"`
}

type exchange struct {
	Name    string  `json:"name"`
	Seq     int     `json:"seq"`
	Purpose string  `json:"purpose"`
	Began   float64 `json:"began_ms"`
	Ended   float64 `json:"ended_ms"`
	Status  int     `json:"status"`
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
	Curl string `json:"curl"`
}

type reading struct {
	Observer  string `json:"observer"`
	Namespace string `json:"namespace"`
	Label     string `json:"label"`
	Count     int    `json:"count"`
}

// restarted names the attempts before which the service is stopped and started again.
var restarted = map[string]bool{"after the restart": true}

func main() {
	bin := flag.String("service", "", "the built service")
	name := flag.String("middleware", "", "the middleware that the report is about")
	least := flag.Int("least", 1, "how many alarms must have been tried")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	tried, bad, err := all(ctx, service{bin: *bin, middleware: *name}, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d alarms tried by curl, %d not reproduced\n", *name, tried, bad)
	if bad > 0 || tried < *least {
		os.Exit(1)
	}
}

func all(ctx context.Context, s service, file string) (tried, bad int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, fmt.Errorf("read the report: %w", err)
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, 0, fmt.Errorf("read the report: %w", err)
	}
	for _, a := range r.Cases {
		if a.Verdict != "fail" {
			continue
		}
		attempts, why := a.attempts()
		if why != "" {
			fmt.Printf("  %-30s not tried: %s\n", a.ID, why)
			continue
		}
		tried++
		differences, err := try(ctx, s, a, attempts)
		if err != nil {
			return tried, bad, fmt.Errorf("try %s by curl: %w", a.ID, err)
		}
		if len(differences) > 0 {
			bad++
			fmt.Printf("  %-30s NOT REPRODUCED: %s\n", a.ID, strings.Join(differences, "; "))
			continue
		}
		fmt.Printf("  %-30s curl sees the same\n", a.ID)
	}
	return tried, bad, nil
}

// attempts gives the attempts of a case in their order, or why they cannot be sent one after the other by curl.
func (a alarm) attempts() (list []exchange, why string) {
	for _, x := range a.Exchanges {
		if x.Purpose == "attempt" {
			list = append(list, x)
		}
		if x.Status == 0 {
			return nil, "an answer is lost in it"
		}
	}
	slices.SortFunc(list, func(x, y exchange) int { return cmp.Compare(x.Began, y.Began) })
	for i := range list[1:] {
		if list[i+1].Began < list[i].Ended {
			return nil, "its attempts overlap"
		}
	}
	if slices.ContainsFunc(list, func(x exchange) bool { return strings.Contains(x.Name, "killed") }) {
		return nil, "the service is killed in it"
	}
	return list, ""
}

var (
	base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	id   = regexp.MustCompile(`"id":"([^"]*)"`)
)

// try sends the attempts by curl and compares statuses, which answers name the same record, and the counts.
func try(ctx context.Context, s service, a alarm, attempts []exchange) (differences []string, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	told, seen := map[string]string{}, map[string]string{}
	for _, x := range attempts {
		if restarted[x.Name] {
			if err := s.restart(ctx); err != nil {
				return nil, err
			}
		}
		status, body, err := curl(ctx, base.ReplaceAllString(x.Curl, s.url()))
		if err != nil {
			return nil, err
		}
		if status != x.Status {
			differences = append(differences, fmt.Sprintf("%q was answered %d, to curl %d", x.Name, x.Status, status))
		}
		if r, c := first(told, x.Content.Text, x.Name), first(seen, body, x.Name); r != c {
			differences = append(differences, fmt.Sprintf("%q names the record of %q, to curl that of %q", x.Name, r, c))
		}
	}
	for at, want := range a.counts() {
		got, err := s.count(ctx, at)
		if err != nil {
			return nil, err
		}
		if got != want {
			differences = append(differences, fmt.Sprintf("%d %s, to curl %d", want, at, got))
		}
	}
	return differences, nil
}

// first names the attempt whose answer was the first to bear the id that is in an answer.
func first(known map[string]string, body, name string) string {
	m := id.FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	if known[m[1]] == "" {
		known[m[1]] = name
	}
	return known[m[1]]
}

// counts gives the last counts of a case before its records were removed.
func (a alarm) counts() map[place]int {
	last := map[place]int{}
	for _, r := range a.Readings {
		if r.Label == "expected" || r.Label == "at the end" {
			last[place{r.Observer, r.Namespace}] = r.Count
		}
	}
	return last
}

// curl runs a line of the report in a shell. The line asks for the head of the answer, too.
func curl(ctx context.Context, line string) (status int, body string, err error) {
	out, err := exec.CommandContext(ctx, "bash", "-c", line+" --max-time 10").Output()
	if err != nil {
		return 0, "", fmt.Errorf("%s: %w", line, err)
	}
	head, body, _ := strings.Cut(string(out), "\r\n\r\n")
	_, err = fmt.Sscanf(head, "HTTP/1.1 %d", &status)
	return status, body, err
}
