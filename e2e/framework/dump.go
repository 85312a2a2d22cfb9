package framework

import (
	"os"
	"slices"
	"strings"
)

// What is shown of the log.
const logLines, logWidth = 40, 400

// dump prints what helps to analyse a failure, of each landscape of the test.
func (l *Landscape) dump() {
	for _, one := range l.All() {
		(&Landscape{Landscape: one, Patience: l.Patience, t: l.t}).dumpOne()
	}
}

func (l *Landscape) dumpOne() {
	l.t.Logf("state directory %s", l.StateDir)
	if l.Daemon() != 0 {
		r := l.TryKubectl(l.Garden(), "get", "shoots,seeds", "-A", "-o", "wide")
		l.t.Logf("garden: kubectl get shoots,seeds\n%s%s", r.Stdout, r.Stderr)
		r = l.TryKubectl(l.Seed(), "get", "pods", "-A", "-o", "wide")
		l.t.Logf("seed: kubectl get pods\n%s%s", r.Stdout, r.Stderr)
		l.dumpUnready()
	}
	if text, err := os.ReadFile(l.Log()); err == nil {
		lines := strings.Split(string(text), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.Contains(line, `"level":"info"`) && !strings.Contains(line, "Part ")
		})
		lines = lines[max(0, len(lines)-logLines):]
		for i, line := range lines {
			lines[i] = line[:min(len(line), logWidth)]
		}
		l.t.Logf("end of the log:\n%s", strings.Join(lines, "\n"))
	}
}

// dumpUnready prints the logs of pods of the seed that are not ready.
func (l *Landscape) dumpUnready() {
	const unready = `{range .items[?(@.status.containerStatuses[0].ready==false)]}{.metadata.namespace} {.metadata.name}{"\n"}{end}`
	r := l.TryKubectl(l.Seed(), "get", "pods", "-A", "-o", "jsonpath="+unready)
	for line := range strings.Lines(r.Stdout) {
		namespace, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, previous := range []string{"true", "false"} {
			r := l.TryKubectl(l.Seed(), "logs", "-n", namespace, name, "--tail=25", "--previous="+previous)
			l.t.Logf("seed: kubectl logs -n %s %s --previous=%s\n%s%s", namespace, name, previous, r.Stdout, r.Stderr)
		}
	}
	for pid, text := range l.Processes() {
		l.t.Logf("process %d: %s", pid, text[:min(len(text), logWidth)])
	}
}
