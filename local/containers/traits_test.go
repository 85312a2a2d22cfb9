package containers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCgroupsAndDataDir(t *testing.T) {
	for name, tc := range map[string]struct{ told, cgroups, dir string }{
		"docker":                              {`{"CgroupVersion":"1","DockerRootDir":"/var/lib/docker"}`, "1", "/var/lib/docker"},
		"podman":                              {`{"host":{"cgroupVersion":"v2"},"store":{"graphRoot":"/var/lib/containers/storage"}}`, "2", "/var/lib/containers/storage"},
		"an engine that tells something else": {`28.0.0`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseTraits([]byte(tc.told))
			if got.cgroups != tc.cgroups || got.dataDir != tc.dir {
				t.Errorf("cgroups %q, data in %q; want %q, %q", got.cgroups, got.dataDir, tc.cgroups, tc.dir)
			}
		})
	}
}

func TestTraits(t *testing.T) {
	for name, tc := range map[string]struct {
		told string
		want []string
	}{
		"an ordinary docker":                  {told: `{"Driver":"overlay2","DriverStatus":[["Backing Filesystem","extfs"]],"SecurityOptions":["name=seccomp,profile=default"]}`},
		"docker on btrfs":                     {told: `{"Driver":"btrfs"}`, want: []string{"--volume", "/dev/mapper:/dev/mapper"}},
		"docker on overlay on xfs":            {told: `{"Driver":"overlay2","DriverStatus":[["Backing Filesystem","xfs"],["Odd"]]}`, want: []string{"--volume", "/dev/mapper:/dev/mapper"}},
		"docker with users of its own":        {told: `{"Driver":"overlay2","SecurityOptions":["name=userns"]}`, want: []string{"--userns=host"}},
		"docker of an ordinary user":          {told: `{"Driver":"btrfs","SecurityOptions":["name=rootless"]}`, want: []string{"--device", "/dev/fuse"}},
		"podman of an ordinary user":          {told: `{"host":{"security":{"rootless":true}},"store":{"graphDriverName":"overlay"}}`, want: []string{"--device", "/dev/fuse"}},
		"podman on btrfs":                     {told: `{"store":{"graphDriverName":"overlay","graphStatus":{"Backing Filesystem":"btrfs"}}}`, want: []string{"--volume", "/dev/mapper:/dev/mapper"}},
		"an engine that tells something else": {told: `28.0.0`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseTraits([]byte(tc.told)).args()); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}
