package mergedkubeconfigs

import (
	"fmt"
	"strings"
)

// TakenError tells which entries of a file have the names of others that are to be merged into it.
type TakenError struct {
	File    string
	Entries []string // as in `cluster "a"`
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s has entries that this landscape has not added: %s", e.File, strings.Join(e.Entries, ", "))
}
