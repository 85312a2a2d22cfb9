package storagelimit

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestDisk(t *testing.T) {
	for name, tc := range map[string]struct {
		args    []string
		watches bool
		want    string // in the error
	}{
		"API servers watch the disk of their container":  {watches: true},
		"they watch another one if told so":              {args: []string{"--disk-watch=" + t.TempDir()}, watches: true},
		"they watch nothing if told so":                  {args: []string{"--disk-watch="}},
		"a disk that cannot be watched is told at start": {args: []string{"--disk-watch=" + filepath.Join(t.TempDir(), "missing")}, want: "--disk-watch: how much"},
	} {
		t.Run("APP-5 "+name, func(t *testing.T) {
			var disk Disk
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			disk.AddFlag(flags)
			if err := flags.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			low, err := disk.Watch()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %v, want %q", err, tc.want)
			}
			if (low != nil) != tc.watches {
				t.Errorf("watches: %t", low != nil)
			}
		})
	}
}
