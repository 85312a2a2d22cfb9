// Package configfile writes and reads flags of etcd as a file in etcd's own format of configuration.
//
// etcd itself ignores all of its flags if it has a configuration file. A member has both: the file for what all members have in
// common, and flags for what is its own. So whoever starts a member turns the file into flags again. The package is a leaf.
package configfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

// maxSize is far more than all settings of an etcd need.
const maxSize = 64 << 10

// sections of the format are the files of TLS, without the prefix of their flags.
var sections = []struct{ name, prefix string }{{"client-transport-security", ""}, {"peer-transport-security", "peer-"}}

// ofTLS are the names within a section.
var ofTLS = []string{"cert-file", "key-file", "client-cert-auth", "trusted-ca-file"}

// Encode returns the file for flags of the form --name=value, in the order of their names.
func Encode(flags ownflags.Flags) ([]byte, error) {
	settings := map[string]any{}
	for _, flag := range flags {
		name, value, found := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if !found || !strings.HasPrefix(flag, "--") {
			return nil, fmt.Errorf("etcd's flag %q is not of the form --name=value", flag)
		}
		section, key := sectionOf(name)
		if section == "" {
			settings[name] = typed(value)
			continue
		}
		in, _ := settings[section].(map[string]any)
		if in == nil {
			in = map[string]any{}
			settings[section] = in
		}
		in[key] = typed(value)
	}
	return yaml.Marshal(settings)
}

// sectionOf returns the section of a flag and its name in there; empty if it is in none.
func sectionOf(flag string) (section, key string) {
	for _, name := range ofTLS {
		for _, s := range sections {
			if flag == s.prefix+name {
				return s.name, name
			}
		}
	}
	return "", ""
}

// typed is the value as etcd expects it: some settings are numbers, and some are no strings but true or false.
func typed(value string) any {
	if number, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(number, 10) == value {
		return number
	}
	if value == "true" || value == "false" {
		return value == "true"
	}
	return value
}

// Decode returns the flags that a file sets, in the order of their names.
func Decode(content []byte) (ownflags.Flags, error) {
	text, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		return nil, fmt.Errorf("no YAML: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	settings := map[string]any{}
	if err := decoder.Decode(&settings); err != nil {
		return nil, fmt.Errorf("no map of settings: %w", err)
	}
	for _, s := range sections {
		in, found := settings[s.name]
		if !found {
			continue
		}
		delete(settings, s.name)
		values, isMap := in.(map[string]any)
		if !isMap {
			return nil, fmt.Errorf("%s: no map of settings", s.name)
		}
		for name, value := range values {
			if !slices.Contains(ofTLS, name) {
				return nil, fmt.Errorf("%s: unknown setting %q", s.name, name)
			}
			settings[s.prefix+name] = value
		}
	}
	var flags ownflags.Flags
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		switch value := settings[name].(type) {
		case string, bool, json.Number:
			flags = append(flags, fmt.Sprintf("--%s=%v", name, value))
		default:
			return nil, fmt.Errorf("%s: the value is neither text, number, true nor false", name)
		}
	}
	return flags, nil
}

// Sum is the checksum of a file, for Read.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Former is where Read finds a file that another one has replaced: beside it, with its checksum in the name.
func Former(path, sum string) string { return path + "." + sum }

// Read returns the flags in a file whose checksum must be this one: who may write the file decides nothing without whoever starts the
// member. If the file has been replaced, Read takes the former one from beside it: members that still have to be updated start with it.
func Read(path, sum string) (ownflags.Flags, error) {
	content, err := contentOf(path)
	if err != nil {
		return nil, err
	}
	if got := Sum(content); got != sum {
		former, err := contentOf(Former(path, sum))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || Sum(former) != sum {
			return nil, fmt.Errorf("configuration of etcd in %s has the checksum %s instead of %s: it is that of another version of the Etcd, "+
				"or somebody changed it; reconcile the Etcd", path, got, sum)
		}
		content = former
	}
	flags, err := Decode(content)
	if err != nil {
		return nil, fmt.Errorf("configuration of etcd in %s: %w", path, err)
	}
	return flags, nil
}

func contentOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("configuration of etcd: %w", err)
	}
	if info.Size() > maxSize {
		return nil, fmt.Errorf("configuration of etcd in %s has %d bytes, more than %d", path, info.Size(), maxSize)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration of etcd: %w", err)
	}
	return content, nil
}
