// Package shownversion makes a Kubernetes server of this process report another version than the linked one. A cluster may ask for
// an older version. Its server then emulates the older minor, but would still report the linked version in /version, in metrics and
// in the names of its clients. Clients decide by the reported version. The package changes globals. So it is for processes that run
// only one server, and must be called before the server is made.
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

// Set makes the server called name report a version such as v1.34.2. Without a version it reports the linked one. In both cases the
// User-Agent of its clients begins with the server's name, not with the name of this binary.
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
