package dns

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

var me = Claim{Owner: "me", Holder: "earth"}

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
	if err := zone.Put(me, name, recordType, values, 60); err != nil {
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
	if err := zone.Delete(me, "c.example", "TXT"); err != nil {
		t.Fatal(err)
	}
	if err := zone.Delete(me, "c.example", "TXT"); err != nil {
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
			if err := zone.Put(me, tc.name, tc.recordType, tc.values, tc.ttl); err == nil {
				t.Error("no error")
			}
		})
	}
	if names := zone.Names(); len(names) > 0 {
		t.Errorf("refused records are kept: %q", names)
	}
}

func TestZoneNamesHaveOneOwner(t *testing.T) {
	dir := t.TempDir()
	zone := openZone(t, dir)
	put(t, zone, "api.sun.example", "A", "127.0.0.2")
	for name, attempt := range map[string]func() error{
		"other values": func() error {
			return zone.Put(Claim{Owner: "thief", Holder: "earth"}, "api.sun.example", "A", []string{"127.0.0.9"}, 60)
		},
		"another spelling": func() error {
			return zone.Put(Claim{Owner: "thief", Holder: "earth"}, "API.Sun.example.", "A", []string{"127.0.0.9"}, 60)
		},
		"an alias": func() error {
			return zone.Put(Claim{Owner: "thief", Holder: "earth"}, "api.sun.example", "CNAME", []string{"thief.example"}, 60)
		},
		"after a restart": func() error {
			return openZone(t, dir).Put(Claim{Owner: "thief", Holder: "earth"}, "api.sun.example", "A", []string{"127.0.0.9"}, 60)
		},
		"without any owner": func() error { return zone.Put(Claim{}, "api.sun.example", "A", []string{"127.0.0.9"}, 60) },
	} {
		t.Run("nobody else puts "+name, func(t *testing.T) {
			var owned *OwnedError
			if err := attempt(); !errors.As(err, &owned) || owned.Owner != "me" {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("a deletion by somebody else leaves the name", func(t *testing.T) {
		if err := zone.Delete(Claim{Owner: "thief", Holder: "earth"}, "api.sun.example", "A"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"127.0.0.2"}, openZone(t, dir).Get("api.sun.example", "A")); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
	t.Run("after a deletion by the owner the name is free", func(t *testing.T) {
		if err := zone.Delete(me, "api.sun.example", "A"); err != nil {
			t.Fatal(err)
		}
		if err := zone.Put(Claim{Owner: "next", Holder: "earth"}, "api.sun.example", "A", []string{"127.0.0.3"}, 60); err != nil {
			t.Error(err)
		}
	})
	t.Run("a name of an older version gets the first owner that comes", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "old.example_A.json"), []byte(`{"name":"old.example","type":"A","values":["127.0.0.4"],"ttl":60}`), 0o600); err != nil {
			t.Fatal(err)
		}
		again := openZone(t, dir)
		put(t, again, "old.example", "A", "127.0.0.5")
		if err := again.Put(Claim{Owner: "thief", Holder: "earth"}, "old.example", "A", []string{"127.0.0.9"}, 60); err == nil {
			t.Error("no error")
		}
	})
}

// A shoot moves from one seed to another. Both seeds have the record.
func TestZoneNamesHaveOneHolder(t *testing.T) {
	dir := t.TempDir()
	zone := openZone(t, dir)
	old, next := me, Claim{Owner: "me", Holder: "moon"}
	put(t, zone, "api.sun.example", "A", "127.0.0.2")
	put(t, zone, "api.sun.example", "TXT", "earth")
	held := func(t *testing.T, by Claim, holder string) {
		t.Helper()
		for _, recordType := range []string{"A", "TXT", "AAAA"} {
			value := map[string]string{"A": "127.0.0.9", "TXT": "nobody", "AAAA": "::9"}[recordType]
			var found *HeldError
			if err := openZone(t, dir).Put(by, "API.sun.example.", recordType, []string{value}, 60); !errors.As(err, &found) || found.Holder != holder {
				t.Errorf("%s: error is %v, want one that the name is held by %s", recordType, err, holder)
			}
			if err := openZone(t, dir).Delete(by, "api.sun.example", recordType); err != nil {
				t.Error(err)
			}
		}
	}
	has := func(t *testing.T, address, text string) {
		t.Helper()
		again := openZone(t, dir)
		if diff := cmp.Diff([]string{address, text}, append(again.Get("api.sun.example", "A"), again.Get("api.sun.example", "TXT")...)); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	}
	t.Run("MIG-27 the new holder neither overwrites nor deletes what it has not taken", func(t *testing.T) {
		held(t, next, "earth")
		has(t, "127.0.0.2", "earth")
	})
	t.Run("MIG-27 the old holder neither overwrites nor deletes what another one has taken", func(t *testing.T) {
		if err := zone.Take(next, "Api.sun.example."); err != nil {
			t.Fatal(err)
		}
		if err := zone.Put(next, "api.sun.example", "A", []string{"127.0.0.3"}, 60); err != nil {
			t.Fatal(err)
		}
		held(t, old, "moon")
		has(t, "127.0.0.3", "earth")
	})
	t.Run("nobody takes a name of another owner", func(t *testing.T) {
		var owned *OwnedError
		if err := zone.Take(Claim{Owner: "thief", Holder: "moon"}, "api.sun.example"); !errors.As(err, &owned) || owned.Owner != "me" {
			t.Errorf("error is %v", err)
		}
		has(t, "127.0.0.3", "earth")
	})
	t.Run("a name of an older version has the first holder that comes", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "old.example_A.json"), []byte(`{"name":"old.example","owner":"me","type":"A","values":["127.0.0.4"],"ttl":60}`), 0o600); err != nil {
			t.Fatal(err)
		}
		again := openZone(t, dir)
		if err := again.Put(next, "old.example", "A", []string{"127.0.0.5"}, 60); err != nil {
			t.Fatal(err)
		}
		var found *HeldError
		if err := again.Put(old, "old.example", "A", []string{"127.0.0.4"}, 60); !errors.As(err, &found) || found.Holder != "moon" {
			t.Errorf("error is %v", err)
		}
	})
}

func TestDamagedRecordsAreSetAside(t *testing.T) {
	dir := t.TempDir()
	z, err := OpenZone(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.example.org", "b.example.org", "c.example.org"} {
		if err := z.Put(me, name, "A", []string{"127.0.0.1"}, 60); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"b.example.org_A.json": "{half", "c.example.org_A.json": `{"name":"c.example.org","type":"A","values":["no address"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, again := range []bool{false, true} {
		z, err = OpenZone(dir)
		if err != nil {
			t.Fatalf("APP-3 a damaged file keeps the others from being served: %v", err)
		}
		if names := z.Names(); len(names) != 1 || names[0] != "a.example.org" {
			t.Errorf("names are %v", names)
		}
		if told := len(z.Damaged()); told != 2 && !again || told != 0 && again {
			t.Errorf("told are %q, again: %t", z.Damaged(), again)
		}
	}
	if err := z.Put(me, "b.example.org", "A", []string{"127.0.0.2"}, 60); err != nil {
		t.Fatal(err)
	}
	if got := z.Get("b.example.org", "A"); len(got) != 1 || got[0] != "127.0.0.2" {
		t.Errorf("the record is %v after it was written again", got)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "b.example.org_A.json"+damagedSuffix)); err != nil || string(kept) != "{half" {
		t.Errorf("what was set aside is %q, %v", kept, err)
	}
}
