package framework

import "path/filepath"

// Examples is the directory of what users apply. Tests run in the directory of their package, e2e/<name>.
func Examples() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		panic(err) // no working directory
	}
	return dir
}
