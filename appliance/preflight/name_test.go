package preflight

import (
	"testing"

	"github.com/gardener-up/gardener-up/appliance/fault"
)

func TestNamesOfStateDirectories(t *testing.T) {
	for path, want := range map[string]fault.ID{
		"/home/zoë/ü ö/.local/state/gardener/local": "",
		"/home/Дмитрий/日本/😀":                        "",
		`/home/it's "mine"/a[b]*?$(HOME)%s=#;&\`:    "",
		"/home/a,b":                                 fault.Path,
		"/mnt/c:":                                   fault.Path,
		"/home/a\nb":                                fault.Path,
		"/home/zo\xeb":                              fault.Path, // in an older encoding
	} {
		t.Run("APP-2 "+path, func(t *testing.T) {
			if err := nameable(path); fault.Of(err) != want || (err != nil) != (want != "") {
				t.Errorf("the error is %v with ID %q, want %q", err, fault.Of(err), want)
			}
		})
	}
}
