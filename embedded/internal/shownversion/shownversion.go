// Package shownversion makes a Kubernetes server of this process show another version than the linked one. The server
// of a cluster that asks for an older version emulates its minor, but would still tell the linked version in /version, in
// metrics and in the names of its clients, and clients decide by that. It changes globals, so it is for processes that
// run one server only, before they make it.
package shownversion

import (
	"fmt"
	"os"
	"strconv"
	_ "unsafe" // for linknames: no function sets these variables

	"k8s.io/apimachinery/pkg/util/version"
	_ "k8s.io/client-go/pkg/version" // has clientVersion
	componentversion "k8s.io/component-base/version"
)

// The variables that the linker sets in releases of Kubernetes.
var (
	//go:linkname serverVersion k8s.io/component-base/version.gitVersion
	serverVersion string
	//go:linkname serverMajor k8s.io/component-base/version.gitMajor
	serverMajor string
	//go:linkname serverMinor k8s.io/component-base/version.gitMinor
	serverMinor string
	//go:linkname clientVersion k8s.io/client-go/pkg/version.gitVersion
	clientVersion string
)

// Set makes the server called name show a version such as v1.34.2. Without a version it shows the linked one. In both
// cases the server's name, and not that of this binary, begins the User-Agent of its clients.
func Set(name, shown string) error {
	os.Args[0] = name
	if shown == "" {
		clientVersion = componentversion.Get().GitVersion
		return nil
	}
	parsed, err := version.ParseSemantic(shown)
	if err != nil {
		return fmt.Errorf("read version of Kubernetes %q: %w", shown, err)
	}
	serverVersion, clientVersion = "v"+parsed.String(), "v"+parsed.String()
	serverMajor, serverMinor = strconv.Itoa(int(parsed.Major())), strconv.Itoa(int(parsed.Minor()))
	return componentversion.SetDynamicVersion(serverVersion)
}
