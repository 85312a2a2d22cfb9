package redact

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// longestLine is how much of a line is kept.
const longestLine = 64 << 10

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
		line, cut, err := readLine(in)
		if line != "" {
			begins, ends := strings.Contains(line, "PRIVATE KEY-----") && strings.Contains(line, "-----BEGIN"), strings.Contains(line, "-----END")
			if !key || begins {
				if _, err := io.WriteString(to, r.line(line, cut)); err != nil {
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

// line keeps the end of the line. If the line was cut, half a secret may be at its end, which is dropped.
func (r *Redactor) line(line string, cut bool) string {
	text := strings.TrimSuffix(line, "\n")
	plain := looks(r.known.Replace(text))
	if cut {
		return plain[:max(0, len(plain)-longest)] + " [the end of this line is left out]\n"
	}
	return plain + line[len(text):]
}

// readLine reads a line with its end, or the beginning of a very long one.
func readLine(in *bufio.Reader) (text string, cut bool, _ error) {
	var line strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if cut = cut || line.Len()+len(part) > longestLine; !cut {
			line.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line.String(), cut, err
		}
	}
}
