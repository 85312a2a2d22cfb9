package machine

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

var errBootsAgain = errors.New("the machine boots again")

// onlyAtBoot are files that a machine boots with. The content of a running machine does not have them.
var onlyAtBoot = []string{kubeletDir + "/kubeconfig-bootstrap", tokenPath}

// Apply returns nil if the user data is among these files and units, the kubelet has started with it, and all other files are written.
// Extensions may add files and units for machines that run; units do not run on a machine that is a process. It compares with the user
// data instead of the files: whoever can change the arguments must not learn what files of this computer contain.
func (k *Keeper) Apply(files []extensionsv1alpha1.File, units []extensionsv1alpha1.Unit) error {
	boot, err := os.ReadFile(filepath.Join(filepath.Dir(k.userData), bootFile))
	if err != nil {
		return fmt.Errorf("find out what the machine boots from: %w", err)
	}
	data, err := os.ReadFile(k.userData)
	if err != nil {
		return fmt.Errorf("read user data: %w", err)
	}
	if bootPrint(boot) != k.booted {
		return errBootsAgain
	}
	document, err := userdata.Decode(data)
	if err != nil {
		return err
	}
	wanted, err := contentOf(files, units)
	if err != nil {
		return err
	}
	spec := document.Spec()
	has, err := contentOf(spec.Files, spec.Units)
	if err != nil {
		return err
	}
	for _, path := range onlyAtBoot {
		delete(has, path)
	}
	if name := differing(has, wanted); name != "" {
		return fmt.Errorf("the user data of this machine has another %s", name)
	}
	var additions []extensionsv1alpha1.File
	for _, file := range files {
		if _, found := has[file.Path]; !found {
			additions = append(additions, file)
		}
	}
	return k.add(additions, slices.Collect(maps.Keys(has)))
}

// contentOf is what a machine has of files and units, by the path of the file or the name of the unit.
func contentOf(files []extensionsv1alpha1.File, units []extensionsv1alpha1.Unit) (map[string]string, error) {
	out := map[string]string{}
	for _, file := range files {
		var text string
		switch content := file.Content; {
		case content.ImageRef != nil:
			text = content.ImageRef.Image + ":" + content.ImageRef.FilePathInImage
		case content.Inline != nil:
			data, err := userdata.DecodeContent(content.Inline.Encoding, content.Inline.Data)
			if err != nil {
				return nil, fmt.Errorf("read file %s: %w", file.Path, err)
			}
			text = string(data)
		}
		out[file.Path] = userdata.Mode(ptr.Deref(file.Permissions, 0)) + " " + text
	}
	for _, unit := range units {
		dropIns := map[string]string{}
		for _, dropIn := range unit.DropIns {
			dropIns[dropIn.Name] = dropIn.Content
		}
		out[unit.Name] = unitContent(ptr.Deref(unit.Content, ""), dropIns)
	}
	return out, nil
}

// unitContent is one text for a unit. Maps are printed in order.
func unitContent(content string, dropIns map[string]string) string {
	return fmt.Sprintf("%q %q", content, dropIns)
}

// differing is the path or name of something in a content that another does not have alike; empty if there is nothing.
func differing(content, other map[string]string) string {
	for name, text := range content {
		if has, found := other[name]; !found || has != text {
			return name
		}
	}
	return ""
}
