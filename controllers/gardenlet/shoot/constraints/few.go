package constraints

import (
	"fmt"
	"strings"
)

// maxNamed is how many webhooks or definitions a message names.
const maxNamed = 5

// few counts texts and keeps the first few.
type few struct {
	texts []string
	count int
}

// add adds a text, unless it is empty.
func (f *few) add(text string) {
	if text == "" {
		return
	}
	if f.count++; f.count <= maxNamed {
		f.texts = append(f.texts, text)
	}
}

func (f *few) text(separator string) string {
	out := strings.Join(f.texts, separator)
	if f.count > maxNamed {
		out += fmt.Sprintf("%sand %d more", separator, f.count-maxNamed)
	}
	return out
}
