package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestFindingsNameTheLandscape(t *testing.T) {
	t.Run("APP-35 for programs and for readers", findingsNameTheLandscape)
}

func findingsNameTheLandscape(t *testing.T) {
	found := []doctor.Finding{{Check: "process", State: doctor.Problem, Message: `left by "gardener up"`, Cure: `"gardener up" ends them`}}
	named := ofX().namedFindings(found)
	var out bytes.Buffer
	if err := ofX().printAs(&out, "json", named, nil); err != nil {
		t.Fatal(err)
	}
	var got []doctor.Finding
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 1 {
		t.Fatalf("%v of %s", err, out.String())
	}
	if got[0].Message != `left by "gardener up --landscape x"` || got[0].Cure != `"gardener up --landscape x" ends them` {
		t.Errorf("programs get %+v", got[0])
	}
	out.Reset()
	if err := ofX().printAs(&out, "table", nil, func() [][]string { return findingRows(named) }); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "--landscape x") != 2 {
		t.Errorf("readers get\n%s", out.String())
	}
	if found[0].Cure != `"gardener up" ends them` {
		t.Errorf("the findings themselves have changed: %+v", found[0])
	}
}
