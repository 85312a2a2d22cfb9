package app

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// storedLog has lines of our loggers, of libraries, of the format text, and texts of tenants that would like to be more than texts.
const storedLog = `{"level":"info","ts":"2026-11-24T10:00:00.000Z","msg":"Part is ready","part":"etcd","took":"1.5s"}
{"level":"error","ts":"2026-11-24T10:00:01.000Z","logger":"gardenlet","msg":"Reconciler error","Shoot":{"name":"sun","namespace":"garden-local"},"attempt":9007199254740993,"error":"no room: \"disk\""}
{"level":"warn","ts":"2026-11-24T10:00:02.123456Z","logger":"etcd-client","caller":"v3/retry.go:65","msg":"retrying","list":[1,"a"],"empty":""}
{"level":"info","ts":"2026-11-24T10:00:03.000Z","logger":"gardenlet","msg":"Event of ` + "\u009b31m\u202eeht\u202c" + `\n2026-11-24 10:00:04.000  INFO  all is well\u001b[2J","part":"more","who":"\u001b[31mred","stacktrace":"main.main\n\tmain.go:1\u001b[2J\n"}
2026-11-24T10:00:05.000Z	info	gardenlet	In text	{"shoot": "garden-local/sun"}
2026-11-24T10:00:06.000Z	info	Without logger
panic: ` + "\x1b[2J" + `something
	at a line of a stack
{"no":"log"}
`

const shownLog = `2026-11-24 10:00:00.000  INFO   etcd                  Part is ready  took=1.5s
2026-11-24 10:00:01.000  ERROR  gardenlet             Reconciler error  Shoot=garden-local/sun attempt=9007199254740993 error="no room: \"disk\""
2026-11-24 10:00:02.123  WARN   etcd-client           retrying  caller=v3/retry.go:65 list=[1,"a"] empty=""
2026-11-24 10:00:03.000  INFO   gardenlet             Event of \x9b31m\u202eeht\u202c 2026-11-24 10:00:04.000  INFO  all is well\x1b[2J  part=more who="\x1b[31mred"
    stacktrace:
      main.main
      	main.go:1\x1b[2J
2026-11-24 10:00:05.000  INFO   gardenlet             In text  shoot=garden-local/sun
2026-11-24 10:00:06.000  INFO                         Without logger
    panic: \x1b[2Jsomething
    	at a line of a stack
    {"no":"log"}
`

// printLog is what "gardener logs" prints of storedLog.
func printLog(t *testing.T, out *os.File, color, output string) {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	defer func() { time.Local = local }()
	logs := logging{tail: -1}
	printer := newLogPrinter(out, &display{color: color}, output)
	w := &filteredWriter{w: printer, filter: &logs.filter}
	if err := errors.Join(logs.printTail(w, strings.NewReader(storedLog)), printer.Flush()); err != nil {
		t.Fatal(err)
	}
}

func printLogToFile(t *testing.T, color, output string) string {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	printLog(t, out, color, output)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLogAsText(t *testing.T) {
	t.Run("APP-35 a line has a time, a level, a logger, a message, and keys with values", func(t *testing.T) {
		if diff := cmp.Diff(shownLog, printLogToFile(t, colorAuto, logText)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("APP-35 what is bad has a colour", func(t *testing.T) {
		colored := strings.NewReplacer("ERROR", "\x1b[31mERROR\x1b[0m", "WARN", "\x1b[33mWARN\x1b[0m").Replace(shownLog)
		if diff := cmp.Diff(colored, printLogToFile(t, colorAlways, logText)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestLogNamesAPartOnce(t *testing.T) {
	printer := newLogPrinter(io.Discard, nil, logText)
	line := printer.text([]byte(`{"level":"info","ts":"2026-11-24T10:00:00.000Z","logger":"etcd-seed","msg":"Part is ready","part":"etcd-seed","took":"1.5s"}`))
	if want := "etcd-seed             Part is ready  took=1.5s\n"; !strings.HasSuffix(line, want) {
		t.Errorf("APP-35 the line is %q", line)
	}
}

func TestLogWithoutUTF8(t *testing.T) {
	printer := newLogPrinter(io.Discard, nil, logText)
	line := printer.text([]byte(`{"level":"info","ts":"2026-11-24T10:00:00.000Z","logger":"etcd","msg":"It","a` + "\xff" + `":"b` + "\xff" + `","c":{"name":"\ud800"}}`))
	if want := "It  a\ufffd=b\ufffd c=\ufffd\n"; !strings.HasSuffix(line, want) {
		t.Errorf("APP-35 the line is %q", line)
	}
}

func TestLogAsJSON(t *testing.T) {
	stored, printed := strings.SplitAfter(storedLog, "\n"), strings.SplitAfter(printLogToFile(t, colorAlways, ""), "\n")
	if len(stored) != len(printed) {
		t.Fatalf("%d lines instead of %d", len(printed), len(stored))
	}
	t.Run("APP-35 objects are as they are stored", func(t *testing.T) {
		if diff := cmp.Diff(stored[:4], printed[:4]); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("APP-35 each other line becomes an object", func(t *testing.T) {
		want := []string{
			`{"level":"info","ts":"2026-11-24T10:00:05.000Z","logger":"gardenlet","msg":"In text","shoot":"garden-local/sun"}` + "\n",
			`{"level":"info","ts":"2026-11-24T10:00:06.000Z","msg":"Without logger"}` + "\n",
			`{"msg":"panic: \u001b[2Jsomething"}` + "\n",
			`{"msg":"\tat a line of a stack"}` + "\n",
			`{"no":"log"}` + "\n", "",
		}
		if diff := cmp.Diff(want, printed[4:]); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		for _, line := range printed[:len(printed)-1] {
			if !json.Valid([]byte(line)) {
				t.Errorf("this is no JSON: %s", line)
			}
		}
	})
}

// BenchmarkLogAsText prints a log of 218,000 lines, as a landscape of a few days has.
func BenchmarkLogAsText(b *testing.B) {
	log := strings.Repeat(storedLog, 218_000/strings.Count(storedLog, "\n"))
	for b.Loop() {
		logs := logging{tail: -1}
		printer := newLogPrinter(io.Discard, nil, logText)
		w := &filteredWriter{w: printer, filter: &logs.filter}
		if err := errors.Join(logs.printTail(w, strings.NewReader(log)), printer.Flush()); err != nil {
			b.Fatal(err)
		}
	}
}

// The flag tells what happens without it.
func TestLogsHelp(t *testing.T) {
	var logs *cobra.Command
	for _, cmd := range documented().Commands() {
		if cmd.Name() == "logs" {
			logs = cmd
		}
	}
	if usage := logs.Flag("output").Usage; usage != "one of text, json; by default text on a terminal, and json elsewhere" || logs.Flag("output").DefValue != "" {
		t.Errorf("APP-35 -o is described as %q, by default %q", usage, logs.Flag("output").DefValue)
	}
}
