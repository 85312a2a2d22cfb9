package app

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
)

func TestNamesOfShoots(t *testing.T) {
	for name, tc := range map[string]struct {
		args    []string
		want    types.NamespacedName
		problem string
	}{
		"a name":                              {args: []string{"sun"}, want: types.NamespacedName{Namespace: defaultNamespace, Name: "sun"}},
		"a name and its namespace":            {args: []string{"sun", "-n", "garden-sky"}, want: types.NamespacedName{Namespace: "garden-sky", Name: "sun"}},
		"a qualified name":                    {args: []string{"garden-sky/sun"}, want: types.NamespacedName{Namespace: "garden-sky", Name: "sun"}},
		"a qualified name and its namespace":  {args: []string{"garden-sky/sun", "-n", "garden-sky"}, want: types.NamespacedName{Namespace: "garden-sky", Name: "sun"}},
		"a qualified name and another one":    {args: []string{"garden-sky/sun", "-n", "garden-sea"}, problem: `shoot "garden-sky/sun" is not in namespace "garden-sea"`},
		"an empty name":                       {args: []string{"garden-sky/"}, problem: `"garden-sky/" is not the name of a shoot`},
		"too many parts":                      {args: []string{"a/b/c"}, problem: `"a/b/c" is not the name of a shoot`},
		"no name":                             {problem: `"verb" needs the name of a shoot`},
		"two names, of which one is too many": {args: []string{"sun", "moon"}, problem: `also got moon`},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			var got types.NamespacedName
			cmd := &cobra.Command{Use: "verb", SilenceErrors: true, SilenceUsage: true, Args: needs("the name of a shoot"), RunE: func(cmd *cobra.Command, args []string) (err error) {
				got, err = shootKey(cmd, args[0])
				return err
			}}
			addNamespace(cmd, &globalFlags{})
			cmd.SetArgs(tc.args)
			err := cmd.Execute()
			if tc.problem == "" {
				if err != nil || got != tc.want {
					t.Fatalf("%v, %v", got, err)
				}
				return
			}
			var coded *exitError
			if !errors.As(err, &coded) || coded.code != codeUsage || !strings.Contains(err.Error(), tc.problem) || coded.hint == "" {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestSuggestions(t *testing.T) {
	for typed, want := range map[string]string{
		"wiat": "gardener shoot wait", "lits": "gardener shoot list", "hibernat": "gardener shoot hibernate", "descibre": "gardener shoot describe", "zzzz": "--help",
	} {
		t.Run("APP-35 "+typed, func(t *testing.T) {
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetArgs([]string{"shoot", typed})
			if code := report(root.Execute(), newDisplay(), &out); code != codeUsage || !strings.Contains(out.String(), want) {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
}
