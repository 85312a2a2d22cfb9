package userdata

import (
	"net/url"
	"slices"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Spec is the document as an OperatingSystemConfig, for machines that can apply one.
func (d Document) Spec() extensionsv1alpha1.OperatingSystemConfigSpec {
	spec := extensionsv1alpha1.OperatingSystemConfigSpec{
		Purpose: extensionsv1alpha1.OperatingSystemConfigPurpose(d.Purpose), CRIConfig: d.CRI,
	}
	for _, file := range d.Files {
		out := extensionsv1alpha1.File{Path: file.Path}
		if mode, err := strconv.ParseUint(file.Mode, 8, 12); err == nil {
			out.Permissions = ptr.To(uint32(mode))
		}
		if file.Image != "" {
			out.Content.ImageRef = &extensionsv1alpha1.FileContentImageRef{Image: file.Image, FilePathInImage: file.PathInImage}
		} else {
			out.Content.Inline = &extensionsv1alpha1.FileContentInline{Encoding: file.Encoding, Data: file.Content}
		}
		spec.Files = append(spec.Files, out)
	}
	for _, unit := range d.Units {
		out := extensionsv1alpha1.Unit{Name: unit.Name, Enable: unit.Enable, FilePaths: unit.FilePaths}
		if unit.Command != "" {
			out.Command = ptr.To(extensionsv1alpha1.UnitCommand(unit.Command))
		}
		if unit.Content != "" {
			out.Content = ptr.To(unit.Content)
		}
		for _, dropIn := range unit.DropIns {
			out.DropIns = append(out.DropIns, extensionsv1alpha1.DropIn{Name: dropIn.Name, Content: dropIn.Content})
		}
		spec.Units = append(spec.Units, out)
	}
	return spec
}

// Servers are the host names of the API servers that the document's kubeconfigs name, in order and without repetition.
func (d Document) Servers() []string {
	var names []string
	for _, file := range d.Files {
		content, err := file.Bytes()
		if err != nil || file.Image != "" {
			continue
		}
		config, err := clientcmd.Load(content)
		if err != nil {
			continue // any other file
		}
		for _, cluster := range config.Clusters {
			if server, err := url.Parse(cluster.Server); err == nil && server.Hostname() != "" {
				names = append(names, server.Hostname())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
