package dns

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

func openZone(t *testing.T, dir string) *Zone {
	t.Helper()
	zone, err := OpenZone(dir)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func put(t *testing.T, zone *Zone, name, recordType string, values ...string) {
	t.Helper()
	if err := zone.Put(name, recordType, values, 60); err != nil {
		t.Fatal(err)
	}
}

func texts(records []dns.RR) []string {
	var out []string
	for _, record := range records {
		out = append(out, record.String())
	}
	return out
}

func TestZoneLookup(t *testing.T) {
	zone := openZone(t, t.TempDir())
	put(t, zone, "api.shoot.example.", "A", "127.0.0.2", "127.0.0.3")
	put(t, zone, "*.ingress.shoot.example", "CNAME", "api.shoot.example")
	put(t, zone, "own.ingress.shoot.example", "TXT", "text")

	for name, tc := range map[string]struct {
		name    string
		qtype   uint16
		records int
		exists  bool
	}{
		"a name has all its addresses":                    {"api.shoot.example.", dns.TypeA, 2, true},
		"a name without records of the type still exists": {"api.shoot.example.", dns.TypeAAAA, 0, true},
		"a name with names below it exists":               {"shoot.example.", dns.TypeA, 0, true},
		"a wildcard stands for names below":               {"grafana.ingress.shoot.example.", dns.TypeA, 1, true},
		"a wildcard stands for names far below":           {"a.b.ingress.shoot.example.", dns.TypeA, 1, true},
		"a name with records hides the wildcard":          {"own.ingress.shoot.example.", dns.TypeA, 0, true},
		"names below a name with records do not match":    {"x.own.ingress.shoot.example.", dns.TypeA, 0, false},
		"other names do not exist":                        {"other.example.", dns.TypeA, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			records, exists := zone.lookup(tc.name, tc.qtype)
			if len(records) != tc.records || exists != tc.exists {
				t.Errorf("got %q, exists %v", texts(records), exists)
			}
		})
	}
}

func TestZoneSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	zone := openZone(t, dir)
	put(t, zone, "*.a.example", "A", "127.0.0.2")
	put(t, zone, "b.example", "A", "127.0.0.2")
	put(t, zone, "B.example.", "A", "127.0.0.3") // the same name
	put(t, zone, "c.example", "TXT", "x")
	if err := zone.Delete("c.example", "TXT"); err != nil {
		t.Fatal(err)
	}
	if err := zone.Delete("c.example", "TXT"); err != nil {
		t.Fatalf("delete again: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".tmp-123"), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}

	again := openZone(t, dir)
	if diff := cmp.Diff([]string{"*.a.example", "b.example"}, again.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"127.0.0.3"}, again.Get("b.example", "A")); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestZoneRefuses(t *testing.T) {
	zone := openZone(t, t.TempDir())
	for name, tc := range map[string]struct {
		name, recordType string
		values           []string
		ttl              int64
	}{
		"no values":                    {"a.example", "A", nil, 60},
		"an address of another family": {"a.example", "A", []string{"::1"}, 60},
		"two aliases":                  {"a.example", "CNAME", []string{"b.example", "c.example"}, 60},
		"an unknown type":              {"a.example", "MX", []string{"b.example"}, 60},
		"a path":                       {"../a", "A", []string{"127.0.0.1"}, 60},
		"a negative time to live":      {"a.example", "A", []string{"127.0.0.1"}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			if err := zone.Put(tc.name, tc.recordType, tc.values, tc.ttl); err == nil {
				t.Error("no error")
			}
		})
	}
	if names := zone.Names(); len(names) > 0 {
		t.Errorf("refused records are kept: %q", names)
	}
}
