package images

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tools are the packages of Debian whose programs the tests call in their containers.
var tools = []string{"bash", "bind9-dnsutils", "bind9-host", "curl", "iproute2", "netcat-openbsd"}

// needless are dependencies for the installation of a package only.
var needless = []string{"cdebconf", "debconf", "dpkg", "install-info", "tar"}

var packageName = regexp.MustCompile(`(?m)^[a-z0-9][a-z0-9.+-]*$`)

// dependencies are these packages and what they need.
func dependencies(packages []string) ([]string, error) {
	args := []string{"depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances", "--no-pre-depends"}
	output, err := exec.Command("apt-cache", append(args, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the dependencies of %s: %w; the images are made of Debian's packages, so this needs apt and its lists (apt-get update)", strings.Join(packages, ", "), err)
	}
	all := packageName.FindAllString(string(output), -1)
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(needless, name) }), nil
}

// debian has the files of Debian's packages. It downloads those that are not in the directory yet.
func debian(dir string, packages ...string) (tree, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := download(dir, packages); err != nil {
		return nil, err
	}
	t := tree{}
	for _, name := range packages {
		file, err := archive(dir, name)
		if err != nil {
			return nil, err
		}
		files, err := exec.Command("dpkg-deb", "--fsys-tarfile", file).Output()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if err := t.unpack(bytes.NewReader(files)); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	for name := range t {
		if strings.HasPrefix(name, "usr/share/doc/") || strings.HasPrefix(name, "usr/share/man/") || strings.HasPrefix(name, "usr/share/locale/") {
			delete(t, name)
		}
	}
	return t, nil
}

// download gets all packages that are not there yet at once, since each call of apt-get takes seconds.
func download(dir string, packages []string) error {
	var missing []string
	for _, name := range packages {
		if _, err := archive(dir, name); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	cmd := exec.Command("apt-get", append([]string{"download", "-q"}, missing...)...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("download Debian's packages %s: %w\n%s", strings.Join(missing, ", "), err, output)
	}
	return nil
}

// archive is the file of a package.
func archive(dir, name string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("the package %s of Debian is not in %s", name, dir)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}
