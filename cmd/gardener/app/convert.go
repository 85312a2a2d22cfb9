package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/cmd/gardener/app/legacy"
)

func newConvert(shown *display) *cobra.Command {
	var files []string
	var options legacy.Options
	cmd := &cobra.Command{
		Use: "convert -f FILE", GroupID: "use",
		Short: "Convert manifests of garden.sapcloud.io to core.gardener.cloud/v1beta1",
		Long: `Convert manifests of garden.sapcloud.io/v1beta1 and of the first versions of core.gardener.cloud to
core.gardener.cloud/v1beta1 and print the result. Other objects are printed unchanged.

A field without a successor is an error that names the object and the path, and nothing is printed. --drop removes such a field.
Fields that no longer have a meaning are left out, with a note. Convert manifests that refer to each other in one call: Seeds and
SecretBindings take their provider type from CloudProfiles and Shoots, and BackupInfrastructures take the place of their bucket from Seeds.`,
		Example: `  gardener convert -f old.yaml | gardener kubectl apply -f -
  kubectl get shoots.garden.sapcloud.io -A -o yaml | gardener convert -f -`,
		Args: needsNone,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return usageError(errors.New("no manifest was given"), `pass a file with -f, or "-f -" for standard input`)
			}
			var objects []map[string]any
			for _, file := range files {
				some, err := readManifests(file, cmd.InOrStdin())
				if err != nil {
					return usageError(err, "-f takes a file of YAML or JSON, or - for standard input")
				}
				objects = append(objects, some...)
			}
			result, err := legacy.Convert(objects, options)
			if err != nil {
				return cured(err, "correct the manifests; --drop PATH removes a field, and --provider-type names a type that they do not")
			}
			for _, note := range result.Notes {
				shown.remark(cmd.ErrOrStderr(), "note", note)
			}
			out, err := result.YAML()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(out)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&files, "filename", "f", nil, "file with manifests, or - for standard input")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml", "json")
	flags.StringVar(&options.ProviderType, "provider-type", "", "provider type of Seeds and SecretBindings that do not name one")
	_ = cmd.RegisterFlagCompletionFunc("provider-type", cobra.FixedCompletions([]string{"local"}, cobra.ShellCompDirectiveNoFileComp))
	flags.StringArrayVar(&options.Drop, "drop", nil, "path of a field to remove, such as spec.addons.heapster")
	return cmd
}

// readManifests reads all documents of a file. Lists are split into their items.
func readManifests(file string, stdin io.Reader) ([]map[string]any, error) {
	in := stdin
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("read manifests: %w", err)
		}
		defer opened.Close()
		in = opened
	}
	var all []map[string]any
	for documents, number := utilyaml.NewYAMLReader(bufio.NewReader(in)), 1; ; number++ {
		raw, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read manifests of %s: %w", file, err)
		}
		var object map[string]any
		if err := yaml.UnmarshalStrict(raw, &object); err != nil {
			return nil, fmt.Errorf("document %d of %s: %w", number, file, err)
		}
		items, isList := object["items"].([]any)
		switch {
		case object == nil:
		case !isList:
			all = append(all, object)
		}
		for i, item := range items {
			one, ok := item.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("document %d of %s: items[%d] is not an object", number, file, i)
			}
			all = append(all, one)
		}
	}
}
