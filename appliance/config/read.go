package config

import (
	"errors"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// maxFile is far more than a configuration needs. Parsing takes a hundred times as much memory.
const maxFile = 1 << 20

// readFile reads a regular file of at most maxFile bytes. Anything else may have no end.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d KiB", name, maxFile>>10)
	}
	return data, nil
}

// decode returns all unknown keys at once.
func decode(data []byte, into any) error {
	text, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return err
	}
	mistakes, err := json.UnmarshalStrict(text, into)
	return errors.Join(append(mistakes, err)...)
}
