package shoot

import "testing"

func TestFrontDoor(t *testing.T) {
	host := func(name string) string { return map[string]string{"api.edge": "127.0.0.2", "api.six": "::2"}[name] }
	for name, tc := range map[string]struct {
		door FrontDoor
		name string
		want string
	}{
		"without a front door advertised addresses are dialled": {FrontDoor{Host: host}, "api.edge", ""},
		"there is one for all":                                          {FrontDoor{Address: "127.0.0.1:8443"}, "api.edge", "127.0.0.1:8443"},
		"PRT-4 a name may have another host at the same port":           {FrontDoor{"127.0.0.1:8443", host}, "api.edge", "127.0.0.2:8443"},
		"PRT-4 also of the other family":                                {FrontDoor{"127.0.0.1:8443", host}, "api.six", "[::2]:8443"},
		"PRT-4 a name without another host keeps the one that all have": {FrontDoor{"127.0.0.1:8443", host}, "api.usual", "127.0.0.1:8443"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.door.of(tc.name); got != tc.want {
				t.Errorf("address %q, want %q", got, tc.want)
			}
		})
	}
}
