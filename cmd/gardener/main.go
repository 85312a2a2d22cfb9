// Command gardener runs whole Gardener landscapes on one machine.
package main

import (
	"os"

	"github.com/gardener-up/gardener-up/cmd/gardener/app"
)

func main() { os.Exit(app.Main(os.Args[1:])) }
