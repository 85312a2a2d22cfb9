package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The findings are those of staticcheck's own command.
func TestFindings(t *testing.T) {
	out, err := exec.Command("go", "run", "-trimpath", ".", "./testdata/findings").CombinedOutput()
	if err == nil {
		t.Error("findings are no error")
	}
	for _, want := range []string{"(SA1019)", "(SA4023)", "(U1000)"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "(SA5011)") {
		t.Errorf("what never returns is not known:\n%s", out)
	}
}
