package operatingsystemconfig

import (
	"fmt"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// render makes the result from a spec. read returns the content of a key of a Secret.
func render(spec *extensionsv1alpha1.OperatingSystemConfigSpec, read func(name, key string) ([]byte, error)) ([]byte, error) {
	document := userdata.Document{Purpose: string(spec.Purpose), CRI: spec.CRIConfig}
	for _, file := range spec.Files {
		rendered, err := renderFile(file, read)
		if err != nil {
			return nil, fmt.Errorf("render file %s: %w", file.Path, err)
		}
		document.Files = append(document.Files, rendered)
	}
	for _, unit := range spec.Units {
		document.Units = append(document.Units, renderUnit(unit))
	}
	return encode(spec, document)
}

func renderFile(file extensionsv1alpha1.File, read func(name, key string) ([]byte, error)) (userdata.File, error) {
	mode := uint32(0)
	if file.Permissions != nil {
		mode = *file.Permissions
	}
	content := file.Content
	switch {
	case content.Inline != nil:
		data, err := userdata.DecodeContent(content.Inline.Encoding, content.Inline.Data)
		if err != nil {
			return userdata.File{}, contract.Permanent(err, "ERR_CONFIGURATION_PROBLEM")
		}
		return userdata.NewFile(file.Path, mode, data), nil
	case content.SecretRef != nil:
		data, err := read(content.SecretRef.Name, content.SecretRef.DataKey)
		if err != nil {
			return userdata.File{}, err
		}
		return userdata.NewFile(file.Path, mode, data), nil
	case content.ImageRef != nil:
		return userdata.File{
			Path: file.Path, Mode: userdata.Mode(mode),
			Image: content.ImageRef.Image, PathInImage: content.ImageRef.FilePathInImage,
		}, nil
	}
	return userdata.NewFile(file.Path, mode, nil), nil
}

func renderUnit(unit extensionsv1alpha1.Unit) userdata.Unit {
	rendered := userdata.Unit{Name: unit.Name, Enable: unit.Enable, FilePaths: unit.FilePaths}
	if unit.Command != nil {
		rendered.Command = string(*unit.Command)
	}
	if unit.Content != nil {
		rendered.Content = *unit.Content
	}
	for _, dropIn := range unit.DropIns {
		rendered.DropIns = append(rendered.DropIns, userdata.DropIn{Name: dropIn.Name, Content: dropIn.Content})
	}
	return rendered
}
