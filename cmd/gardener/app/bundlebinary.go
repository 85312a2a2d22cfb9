package app

import (
	"crypto/ed25519"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"runtime/debug"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// machines are the architectures of binaries.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// sameRelease makes sure that a binary is for its architecture, and was built from the same commit as the own one.
func sameRelease(program applianceimage.Program, own string) error {
	file, err := elf.Open(program.Binary)
	if err != nil {
		return fmt.Errorf("%s is no binary for Linux: %w", program.Binary, err)
	}
	defer func() { _ = file.Close() }()
	if want, known := machines[program.Architecture]; !known || file.Machine != want {
		return fmt.Errorf("%s is for %s, not for %s", program.Binary, file.Machine, program.Architecture)
	}
	mine, err := buildinfo.ReadFile(own)
	if err != nil {
		return err
	}
	other, err := buildinfo.ReadFile(program.Binary)
	if err != nil {
		return fmt.Errorf("%s is no gardener: %w", program.Binary, err)
	}
	if mine.Path != other.Path || commit(mine) != commit(other) {
		return fmt.Errorf("%s is %s of commit %q; this is %s of commit %q", program.Binary, other.Path, commit(other), mine.Path, commit(mine))
	}
	return nil
}

// commit is the commit that a binary was built from, and whether it had changes.
func commit(info *debug.BuildInfo) string {
	text := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			text = setting.Value + text
		case setting.Key == "vcs.modified" && setting.Value == "true":
			text += " with changes"
		}
	}
	return text
}

// readPublicKey reads the file with the public key of a bundle. Without a file there is none.
func readPublicKey(file string) (ed25519.PublicKey, error) {
	if file == "" {
		return nil, nil
	}
	key, err := bundle.ReadPublicKey(file)
	return key, cured(err, "name the file with the extension "+bundle.PublicExtension+" that came with the bundle")
}
