package operatingsystemconfig

import (
	"fmt"
	"regexp"
	"strings"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// format is a text that an operating system can apply to itself.
type format struct {
	// encode writes a document whose files and units are sorted.
	encode func(userdata.Document) ([]byte, error)
	// command applies the text in a file to a running machine. It contains %s for the quoted path.
	command string
}

// formatOf returns the format of an operating system.
func formatOf(osType string) format {
	switch osType {
	case coreos:
		return format{coreosConfig, "/usr/bin/coreos-cloudinit --from-file=%s"}
	case suse:
		return format{cloudConfig, "/usr/bin/cloud-init --file %s single -n write_files --frequency=once"}
	}
	return format{script, "/usr/bin/env bash %s"}
}

// encode writes the result. A machine with a node agent, or one of the provider, reads the document itself. Where spec.reloadConfigFilePath
// asks for a command, the result is what that command reads.
func encode(spec *extensionsv1alpha1.OperatingSystemConfigSpec, document userdata.Document) ([]byte, error) {
	if spec.ReloadConfigFilePath == nil {
		return document.Encode()
	}
	for _, file := range document.Files {
		if file.Image != "" {
			err := fmt.Errorf("file %s comes from an image, which only a node agent can read; spec.reloadConfigFilePath asks for content that a command applies", file.Path)
			return nil, contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
		}
	}
	return formatOf(spec.Type).encode(document.Sorted())
}

// report sets what the status says about the reload of a result. Nothing asks for it when the node agent applies the content.
func report(status *extensionsv1alpha1.OperatingSystemConfigStatus, spec *extensionsv1alpha1.OperatingSystemConfigSpec) {
	status.Command, status.Units, status.Files = nil, nil, nil
	path := spec.ReloadConfigFilePath
	if path == nil {
		return
	}
	command := fmt.Sprintf(formatOf(spec.Type).command, quote(*path))
	status.Command = &command
	for _, unit := range spec.Units {
		status.Units = append(status.Units, unit.Name)
	}
	for _, file := range spec.Files {
		status.Files = append(status.Files, file.Path)
	}
}

var plain = regexp.MustCompile(`^[\w./@:+-]+$`)

// quote makes one word of a shell.
func quote(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
