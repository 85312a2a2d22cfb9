package config

import (
	"fmt"
)

// Load reads the file, applies override, which sets the flags, and then the defaults. An empty name means no file. The error
// lists every mistake with its path in the file.
func Load(file string, override func(*Landscape)) (*Landscape, error) {
	l := &Landscape{}
	if file != "" {
		data, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
		if err := decode(data, l); err != nil {
			return nil, fmt.Errorf("configuration %s: %w", file, err)
		}
	}
	if override != nil {
		override(l)
	}
	SetDefaults(l)
	if errs := Validate(l); len(errs) > 0 {
		if file == "" {
			return nil, fmt.Errorf("configuration: %w", errs.ToAggregate())
		}
		return nil, fmt.Errorf("configuration %s: %w", file, errs.ToAggregate())
	}
	return l, nil
}
