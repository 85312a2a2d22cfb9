package imagestore

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
)

// mountPoints are what a node mounts into every container, and gVisor itself a /tmp. gVisor makes mount points that an image lacks, but not in a root file system that is
// read-only. Names of directories end with a slash. Where /var/run is a link, it usually leads to /run.
var mountPoints = []string{
	"dev/", "proc/", "sys/", tmp, "etc/hosts", "etc/resolv.conf",
	"run/secrets/kubernetes.io/serviceaccount/", "var/run/secrets/kubernetes.io/serviceaccount/",
}

// tmp is the directory in which everybody may make files.
const tmp = "tmp/"

// mountPointLayer is a layer below all others of an image, so it brings what none of these has or has deleted.
func mountPointLayer() (io.Reader, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for _, name := range mountPoints {
		header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}
		if strings.HasSuffix(name, "/") {
			header.Typeflag, header.Mode = tar.TypeDir, 0o755
		}
		if name == tmp {
			header.Mode = 0o1777
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
	}
	return &content, w.Close()
}
