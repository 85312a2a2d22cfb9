package apply

import (
	"slices"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Content is the desired content of a machine.
type Content struct {
	Files []extensionsv1alpha1.File
	Units []extensionsv1alpha1.Unit
	// CRI configures containerd; nil leaves containerd alone.
	CRI *extensionsv1alpha1.CRIConfig
}

// ContentOf returns the content of a machine: that of the OperatingSystemConfig and what extensions add to it.
func ContentOf(osc *extensionsv1alpha1.OperatingSystemConfig, host string) Content {
	content := Content{CRI: osc.Spec.CRIConfig}
	for _, file := range slices.Concat(osc.Spec.Files, osc.Status.ExtensionFiles) {
		if file.HostName != nil && *file.HostName != host {
			continue
		}
		i := slices.IndexFunc(content.Files, func(f extensionsv1alpha1.File) bool { return f.Path == file.Path })
		if i < 0 {
			content.Files = append(content.Files, file)
		} else {
			content.Files[i] = file
		}
	}
	content.Units = slices.Clone(osc.Spec.Units)
	for _, unit := range osc.Status.ExtensionUnits {
		i := slices.IndexFunc(content.Units, func(u extensionsv1alpha1.Unit) bool { return u.Name == unit.Name })
		if i < 0 {
			content.Units = append(content.Units, unit)
		} else {
			content.Units[i] = merge(content.Units[i], unit)
		}
	}
	return content
}

// merge adds what an extension specifies for a unit. It adds drop-ins and paths, and replaces other fields if they are
// set.
func merge(base, extension extensionsv1alpha1.Unit) extensionsv1alpha1.Unit {
	if extension.Command != nil {
		base.Command = extension.Command
	}
	if extension.Enable != nil {
		base.Enable = extension.Enable
	}
	if extension.Content != nil {
		base.Content = extension.Content
	}
	base.FilePaths = slices.Concat(base.FilePaths, extension.FilePaths)
	base.DropIns = slices.Concat(base.DropIns, extension.DropIns)
	return base
}
