package groups

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Root is the control group of a landscape's pods, or why there is none.
type Root struct {
	Group
	// Reason says why there is no group. It is empty if there is one.
	Reason string `json:"reason,omitempty"`
}

// Read reads the root that Encode has written to a file. Without the file there is none, and no reason.
func Read(file string) (r Root, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read control group of pods: %w", err)
	}
	return r, nil
}

// Encode is the content of the file that Read reads.
func (r Root) Encode() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts and a number only
	}
	return text
}
