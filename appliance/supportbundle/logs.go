package supportbundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Logs are the log files of the landscape and of its further seeds, and what their last ends say. Of each file the last size bytes are kept.
func Logs(p paths.Paths, seeds []string, size int64) []Section {
	sections := logsOf(p, "logs", size)
	for _, seed := range seeds {
		sections = append(sections, logsOf(p.Seed(seed), path.Join("logs", "seeds", seed), size)...)
	}
	return sections
}

func logsOf(p paths.Paths, dir string, size int64) []Section {
	files := []string{p.Logs().Current(), p.Logs().Previous(), p.Run().Failure(), p.Run().Crash()}
	for n := range config.KeptLogs {
		files = append(files, p.Logs().Older(n+1))
	}
	var sections []Section
	for _, file := range files {
		sections = append(sections, Section{Name: path.Join(dir, filepath.Base(file)), Collect: func(_ context.Context, w io.Writer) error { return tail(w, file, size) }})
	}
	return sections
}

// tail writes the last lines of a file, up to size bytes.
func tail(w io.Writer, name string, size int64) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNothing
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if from := info.Size() - size; from > 0 {
		if _, err := file.Seek(from, io.SeekStart); err != nil {
			return err
		}
		if err := skipLine(file); err != nil {
			return err
		}
		fmt.Fprintf(w, "[the first %d bytes are left out]\n", from)
	}
	return copyLines(w, file, size)
}

// copyLines copies whole lines, up to size bytes.
func copyLines(w io.Writer, from io.Reader, size int64) error {
	text, err := io.ReadAll(io.LimitReader(from, size))
	if int64(len(text)) == size {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	_, failed := w.Write(text)
	return errors.Join(err, failed)
}

// skipLine reads to the end of a line: half a line could be half a secret, which nothing recognises.
func skipLine(file *os.File) error {
	one := make([]byte, 1)
	for one[0] != '\n' {
		if _, err := file.Read(one); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}
