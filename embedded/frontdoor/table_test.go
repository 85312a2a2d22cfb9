package frontdoor

import "testing"

func TestTable(t *testing.T) {
	routes := table{}
	for i, name := range []string{"api.a.test", "*.a.test", "*.test", "Upper.test.", "api.a.test"} {
		routes.add(name, Destination{Port: i + 1})
	}
	for name, want := range map[string]int{
		"api.a.test":   1, // the first that claimed it
		"x.a.test":     2,
		"x.y.a.test":   2, // any number of labels
		"x.b.test":     3,
		"upper.test":   4,
		"test":         0,
		"api.a.test.x": 0,
	} {
		if got, _ := routes.lookup(name); got.Port != want {
			t.Errorf("%s: got %d, want %d", name, got.Port, want)
		}
	}
}

func TestStaticTableRefusesBadAddresses(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "127.0.0.1:https", ""} {
		if _, err := staticTable(map[string]string{"a.test": address}); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
}
