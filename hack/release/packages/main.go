// Command packages writes a deb and an rpm package. It reads what they hold from the standard input as JSON, and prints the path of each.
// It is a module of its own, so that nothing else needs its libraries. The same input always gives the same packages.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// order is what the packages hold.
type order struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Architecture string            `json:"architecture"` // as Go names it
	Time         time.Time         `json:"time"`         // of everything in the packages
	Description  string            `json:"description"`
	Homepage     string            `json:"homepage"`
	License      string            `json:"license"`
	Maintainer   string            `json:"maintainer"`
	Files        map[string][]file `json:"files"` // by format: deb or rpm
	Directory    string            `json:"directory"`
	Fast         bool              `json:"fast"` // compress fast
}

type file struct {
	Source      string      `json:"source"`
	Destination string      `json:"destination"`
	Mode        fs.FileMode `json:"mode"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "write packages:", err)
		os.Exit(1)
	}
}

func run() error {
	var o order
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&o); err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		path, err := o.write(format)
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		fmt.Println(path)
	}
	return nil
}

func (o order) write(format string) (string, error) {
	packager, err := nfpm.Get(format)
	if err != nil {
		return "", err
	}
	info := nfpm.WithDefaults(o.info(format))
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return "", err
	}
	path := filepath.Join(o.Directory, packager.ConventionalFileName(info))
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	return path, errors.Join(packager.Package(info, out), out.Close())
}

func (o order) info(format string) *nfpm.Info {
	info := &nfpm.Info{
		Name: o.Name, Version: o.Version, VersionSchema: "semver", Platform: "linux", Arch: o.Architecture, MTime: o.Time,
		Description: o.Description, Homepage: o.Homepage, License: o.License, Maintainer: o.Maintainer, Section: "admin", Priority: "optional",
	}
	info.RPM.BuildHost = "localhost" // instead of the name of this machine
	info.RPM.Compression = "gzip:6"
	if o.Fast {
		info.RPM.Compression, info.Deb.Compression = "gzip:1", "gzip:1"
	}
	for _, f := range o.Files[format] {
		info.Contents = append(info.Contents, &files.Content{
			Source: f.Source, Destination: f.Destination,
			FileInfo: &files.ContentFileInfo{Mode: f.Mode, Owner: "root", Group: "root", MTime: o.Time},
		})
	}
	return info
}
