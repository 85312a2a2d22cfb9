package imagestore

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestUserIn(t *testing.T) {
	root := fstest.MapFS{
		"etc/passwd": {Data: []byte("root:x:0:0::/:/bin/sh\nbroken\nweb:x:1000:100::/:/bin/sh\n")},
		"etc/group":  {Data: []byte("root:x:0:\nstaff:x:50:mail,web\nusers:x:100:\n")},
	}
	for name, tc := range map[string]struct {
		user    string
		want    User
		refused bool
	}{
		"APP-11 nobody is named: root":      {want: User{}},
		"APP-11 a name, with its groups":    {user: "web", want: User{ID: 1000, Group: 100, Groups: []uint32{50}}},
		"APP-11 the number of a known user": {user: "1000", want: User{ID: 1000, Group: 100, Groups: []uint32{50}}},
		"APP-11 a number of no user":        {user: "7", want: User{ID: 7}},
		"APP-11 a name of no user":          {user: "nobody", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := userIn(root, tc.user)
			if (err != nil) != tc.refused {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, got); err == nil && diff != "" {
				t.Errorf("user (-want +got):\n%s", diff)
			}
		})
	}
	if group, err := groupIn(root, "staff"); group != 50 || err != nil {
		t.Errorf("group %d, %v", group, err)
	}
	if _, err := groupIn(root, "none"); err == nil {
		t.Error("an unknown group is accepted")
	}
	if user, err := userIn(fstest.MapFS{}, "0"); user.ID != 0 || err != nil {
		t.Errorf("an image without /etc/passwd: %v, %v", user, err)
	}
}
