package runtime

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLogFormat(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for name, tc := range map[string]struct {
		output string
		want   []string
	}{
		"every line is a record":                    {"a\nb\n", []string{"stdout F a", "stdout F b"}},
		"an empty line is a record":                 {"\n", []string{"stdout F "}},
		"APP-11 a last line without end is partial": {"a\nb", []string{"stdout F a", "stdout P b"}},
		"a long line comes in parts":                {long + "yz\n", []string{"stdout P " + long, "stdout F yz"}},
		"no output is no record":                    {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			log, err := openLog(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := log.stream("stdout").ReadFrom(io.LimitReader(strings.NewReader(tc.output), 1<<20)); err != nil {
				t.Fatal(err)
			}
			log.close()
			if diff := cmp.Diff(tc.want, records(t, path)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLogRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	out := log.stream("stderr")
	_, _ = out.Write([]byte("before\n"))
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := log.reopen(); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Write([]byte("after\n"))
	log.close()
	_, _ = out.Write([]byte("too late\n"))
	if diff := cmp.Diff([]string{"stderr F before"}, records(t, path+".old")); diff != "" {
		t.Errorf("rotated log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stderr F after"}, records(t, path)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestListeners(t *testing.T) {
	log, err := openLog("")
	if err != nil {
		t.Fatal(err)
	}
	a := log.attach()
	for range 1000 { // nobody reads: output must not wait
		_, _ = log.stream("stdout").Write([]byte("hello\n"))
	}
	if chunk := <-a.chunks; chunk.stream != "stdout" || string(chunk.data) != "hello\n" {
		t.Errorf("listener gets %q of %s", chunk.data, chunk.stream)
	}
	log.close()
	for range a.chunks { // ends because the log is closed
	}
	log.detach(a)
	if _, open := <-log.attach().chunks; open {
		t.Error("a late listener is not notified")
	}
}

var record = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d) `)

// records returns the records of a log without their times, whose form it checks.
func records(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		if !record.MatchString(line) {
			t.Errorf("record %q does not begin with a time", line)
		}
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		all = append(all, rest)
	}
	return all
}
