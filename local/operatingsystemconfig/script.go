package operatingsystemconfig

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/gardener-up/gardener-up/local/userdata"
)

// scriptHeader begins the script. A file appears at once with its whole content and its mode, and nobody else can read it before. A machine reads the
// script as root; others name another root, for example to prepare an image.
const scriptHeader = `#!/usr/bin/env bash
set -o errexit -o nounset -o pipefail
root=${MACHINE_ROOT:-}

put() { # PATH MODE < content in base64
  mkdir -p "$(dirname "$root$1")"
  (umask 077 && base64 -d >"$root$1.new")
  chmod "$2" "$root$1.new"
  mv "$root$1.new" "$root$1"
}

`

// script is a script for bash, which each system with systemd has.
func script(d userdata.Document) ([]byte, error) {
	var out strings.Builder
	out.WriteString(scriptHeader)
	for _, file := range append(d.Files, unitFiles(d.Units)...) {
		content, err := file.Bytes()
		if err != nil {
			return nil, fmt.Errorf("decode file %s: %w", file.Path, err)
		}
		fmt.Fprintf(&out, "put %s %s <<'END'\n%s\nEND\n", quote(file.Path), file.Mode, base64.StdEncoding.EncodeToString(content))
	}
	for _, command := range unitCommands(d.Units) {
		out.WriteString("systemctl")
		for _, argument := range command {
			out.WriteString(" " + quote(argument))
		}
		out.WriteString("\n")
	}
	return []byte(out.String()), nil
}
