package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const (
	kubeletDir  = "/var/lib/kubelet"
	kubeletUnit = "kubelet.service"
)

// Options of a machine's boot.
type Options struct {
	// UserData is the file with the document to boot from.
	UserData string
	// Root is the directory that serves as the machine's file system.
	Root string
	// NodeName, ProviderID and NodeIP are the values that the kubelet registers.
	NodeName, ProviderID, NodeIP string
}

// Prepare writes the files of the machine and returns the arguments of its kubelet. It may run any number of times.
// Files that the kubelet wrote are kept.
func Prepare(o Options) ([]string, error) {
	data, err := os.ReadFile(o.UserData)
	if err != nil {
		return nil, fmt.Errorf("read user data: %w", err)
	}
	document, err := userdata.Decode(data)
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, fmt.Errorf("find root directory: %w", err)
	}
	for _, file := range document.Files {
		if linked, err := linkCA(root, file, o.UserData); err != nil {
			return nil, fmt.Errorf("link file %s: %w", file.Path, err)
		} else if linked {
			continue
		}
		if err := writeFile(root, file); err != nil {
			return nil, fmt.Errorf("write file %s: %w", file.Path, err)
		}
	}
	if err := os.MkdirAll(within(root, kubeletDir), 0o700); err != nil {
		return nil, fmt.Errorf("make directory of the kubelet: %w", err)
	}
	if err := forgetCredentials(root, o.UserData); err != nil {
		return nil, fmt.Errorf("renew credentials of the kubelet: %w", err)
	}
	watch, err := watchArgs(root, o.UserData)
	if err != nil {
		return nil, fmt.Errorf("find out when to boot again: %w", err)
	}
	for _, unit := range document.Units {
		if unit.Name == kubeletUnit {
			args, err := kubeletArgs(unit, root, o)
			return append(args, watch...), err
		}
	}
	return nil, fmt.Errorf("the user data has no unit %s", kubeletUnit)
}

// writeFile writes one file below root. Files from images are skipped, because the programs are part of this binary.
func writeFile(root string, file userdata.File) error {
	if file.Image != "" {
		return nil
	}
	if !filepath.IsAbs(file.Path) {
		return errors.New("the path is not absolute")
	}
	content, err := file.Bytes()
	if err != nil {
		return err
	}
	mode, err := strconv.ParseUint(file.Mode, 8, 12)
	if err != nil {
		return fmt.Errorf("read mode: %w", err)
	}
	path := within(root, file.Path)
	if err := atomicfile.Update(path, relocate(content, root), fs.FileMode(mode), 0o755); err != nil {
		return err
	}
	return os.Chmod(path, fs.FileMode(mode)) // also of a file that has this content already
}

// within is the location of an absolute path below root. The path cannot lead out of root.
func within(root, path string) string {
	return filepath.Join(root, filepath.Clean("/"+path))
}

// relocate changes the kubelet's paths in content to paths below root.
func relocate(content []byte, root string) []byte {
	return bytes.ReplaceAll(content, []byte(kubeletDir+"/"), []byte(within(root, kubeletDir)+"/"))
}

// kubeletArgs takes from the unit the flags that an embedded kubelet supports, and adds those that only the machine
// knows.
func kubeletArgs(unit userdata.Unit, root string, o Options) ([]string, error) {
	flags, err := parseExecStart(unit)
	if err != nil {
		return nil, err
	}
	args := []string{
		"--root-dir=" + within(root, kubeletDir),
		"--hostname-override=" + o.NodeName,
		"--provider-id=" + o.ProviderID,
		"--node-ip=" + o.NodeIP,
	}
	for _, flag := range flags {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch name {
		case "config", "kubeconfig", "bootstrap-kubeconfig":
			args = append(args, "--"+name+"="+within(root, value))
		case "node-labels":
			args = append(args, "--"+name+"="+value)
			args = append(args, versionArgs(value)...)
		case "register-with-taints":
			args = append(args, "--"+name+"="+value)
		}
	}
	return args, nil
}

// versionArgs make the node show the version in its labels, because all machines run the kubelet of this binary.
func versionArgs(labels string) []string {
	for _, label := range strings.Split(labels, ",") {
		if version, ok := strings.CutPrefix(label, constants.LabelWorkerKubernetesVersion+"="); ok && version != "" {
			return []string{"--kubernetes-version=v" + version}
		}
	}
	return nil
}
