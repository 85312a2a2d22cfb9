package redact

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// longestLine is how much of a line is kept.
const longestLine = 1 << 20

// Redactor takes secrets out of texts. It is safe for use by several goroutines.
type Redactor struct{ known *strings.Replacer }

// New returns a Redactor for known secrets and for everything that looks like one.
func New(known *Known) *Redactor {
	var pairs []string
	for word := range known.words {
		pairs = append(pairs, word, Mark)
	}
	return &Redactor{known: strings.NewReplacer(pairs...)}
}

// Text returns a text without secrets.
func (r *Redactor) Text(text string) string {
	var out strings.Builder
	_ = r.Copy(&out, strings.NewReader(text)) // neither fails
	return out.String()
}

// Copy copies lines without secrets. The lines of a private key become one. The end of a very long line is left out.
func (r *Redactor) Copy(to io.Writer, from io.Reader) error {
	in, key := bufio.NewReaderSize(from, 64<<10), false
	for {
		line, err := readLine(in)
		if line != "" {
			begins, ends := strings.Contains(line, "PRIVATE KEY-----") && strings.Contains(line, "-----BEGIN"), strings.Contains(line, "-----END")
			if !key || begins {
				if _, err := io.WriteString(to, r.line(line)); err != nil {
					return err
				}
			}
			key = (key || begins) && !ends
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line keeps the end of the line.
func (r *Redactor) line(line string) string {
	text := strings.TrimSuffix(line, "\n")
	return looks(r.known.Replace(text)) + line[len(text):]
}

// readLine reads a line with its end.
func readLine(in *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if line.Len()+len(part) <= longestLine {
			line.Write(part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text := line.String()
		if err == nil && !strings.HasSuffix(text, "\n") {
			text += " [the end of this line is left out]\n"
		}
		return text, err
	}
}
