package resource

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func definition() Definition[*core.BackupBucket] {
	return Definition[*core.BackupBucket]{
		GroupVersion: core.SchemeGroupVersion, Kind: "BackupBucket", Plural: "backupbuckets", Singular: "backupbucket",
		New: func() *core.BackupBucket { return &core.BackupBucket{} },
		Strategy: Strategy[*core.BackupBucket]{
			Spec:   Field(func(b *core.BackupBucket) *core.BackupBucketSpec { return &b.Spec }),
			Status: Field(func(b *core.BackupBucket) *core.BackupBucketStatus { return &b.Status }),
		},
		Columns: []Column[*core.BackupBucket]{
			{Name: "Provider", Value: func(b *core.BackupBucket) any { return b.Spec.Provider.Type }, Empty: "<none>"},
			{Name: "Progress", Type: "integer", Wide: true, Value: func(*core.BackupBucket) any { return 7 }},
		},
		Fields: map[string]func(*core.BackupBucket) string{"spec.type": func(b *core.BackupBucket) string { return b.Spec.Provider.Type }},
	}
}

func bucket(provider string, generation, observed int64) *core.BackupBucket {
	return &core.BackupBucket{
		ObjectMeta: metav1.ObjectMeta{Name: "b", Generation: generation},
		Spec:       core.BackupBucketSpec{Provider: core.BackupBucketProvider{Type: provider}},
		Status:     core.BackupBucketStatus{ObservedGeneration: observed},
	}
}

func TestMainStrategy(t *testing.T) {
	for name, tc := range map[string]struct {
		change         func(*Strategy[*core.BackupBucket])
		old, new, want *core.BackupBucket // old is nil for a creation
	}{
		"a new object has generation 1 and no status":  {nil, nil, bucket("a", 9, 9), bucket("a", 1, 0)},
		"an equal spec keeps the generation":           {nil, bucket("a", 3, 2), bucket("a", 3, 9), bucket("a", 3, 2)},
		"API-38 another spec raises it":                {nil, bucket("a", 3, 2), bucket("b", 3, 2), bucket("b", 4, 2)},
		"a client cannot choose it":                    {nil, bucket("a", 3, 2), bucket("a", 77, 2), bucket("a", 3, 2)},
		"a kind may raise it for other reasons":        {func(s *Strategy[*core.BackupBucket]) { s.PrepareUpdate = raise }, bucket("a", 3, 2), bucket("a", 3, 2), bucket("a", 4, 2)},
		"a kind may keep it although the spec differs": {func(s *Strategy[*core.BackupBucket]) { s.KeepGeneration = keep }, bucket("a", 3, 2), bucket("b", 3, 2), bucket("b", 3, 2)},
		"several reasons raise it once":                {func(s *Strategy[*core.BackupBucket]) { s.PrepareUpdate = raise }, bucket("a", 3, 2), bucket("b", 3, 2), bucket("b", 4, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			d := definition()
			if tc.change != nil {
				tc.change(&d.Strategy)
			}
			s := newStrategy(d, runtime.NewScheme())
			if tc.old == nil {
				s.PrepareForCreate(t.Context(), tc.new)
			} else {
				s.PrepareForUpdate(t.Context(), tc.new, tc.old)
			}
			if diff := cmp.Diff(tc.want, tc.new); diff != "" {
				t.Errorf("object (-want +got):\n%s", diff)
			}
		})
	}
}

func raise(context.Context, *core.BackupBucket, *core.BackupBucket) bool { return true }
func keep(*core.BackupBucket, *core.BackupBucket) bool                   { return true }

func TestManyMistakes(t *testing.T) {
	d := definition()
	mistakes := func() (errs field.ErrorList) {
		for n := range 10_000 {
			errs = append(errs, field.Required(field.NewPath("spec").Index(n), ""))
		}
		return errs
	}
	d.Strategy.Validate = func(*core.BackupBucket) field.ErrorList { return mistakes() }
	d.Strategy.ValidateUpdate = func(_, _ *core.BackupBucket) field.ErrorList { return mistakes() }
	d.Strategy.ValidateStatus = func(_, _ *core.BackupBucket) field.ErrorList { return mistakes() }
	s, one := newStrategy(d, runtime.NewScheme()), bucket("a", 1, 0)
	for name, errs := range map[string]field.ErrorList{
		"a creation": s.Validate(t.Context(), one), "an update": s.ValidateUpdate(t.Context(), one, one), "a status": statusStrategy[*core.BackupBucket]{s}.ValidateUpdate(t.Context(), one, one),
	} {
		if len(errs) > 101 {
			t.Errorf("%s tells %d mistakes", name, len(errs))
		}
	}
}

func TestStatusStrategy(t *testing.T) {
	old, object := bucket("a", 3, 2), bucket("b", 3, 3)
	old.Finalizers, object.Labels = []string{"f"}, map[string]string{"a": "b"}
	statusStrategy[*core.BackupBucket]{newStrategy(definition(), runtime.NewScheme())}.PrepareForUpdate(t.Context(), object, old)
	want := bucket("a", 3, 3)
	want.Finalizers = []string{"f"}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	list := &core.BackupBucketList{Items: []core.BackupBucket{*bucket("a", 1, 1), *bucket("", 1, 1)}}
	table, err := newTable(definition().Columns).ConvertToTable(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, column := range table.ColumnDefinitions {
		columns = append(columns, column.Name)
	}
	if diff := cmp.Diff([]string{"Name", "Provider", "Progress", "Age"}, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if table.ColumnDefinitions[2].Priority != 1 || table.ColumnDefinitions[1].Priority != 0 {
		t.Error("only the wide column should have a priority")
	}
	for i, want := range [][]any{{"b", "a", 7, "<unknown>"}, {"b", "<none>", 7, "<unknown>"}} {
		if diff := cmp.Diff(want, table.Rows[i].Cells); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	t.Run("the age can be elsewhere", func(t *testing.T) {
		columns := append([]Column[*core.BackupBucket]{AgeColumn[*core.BackupBucket]()}, definition().Columns...)
		table, err := newTable(columns).ConvertToTable(t.Context(), list, &metav1.TableOptions{NoHeaders: true})
		if err != nil || len(table.ColumnDefinitions) != 0 || len(table.Rows[0].Cells) != 4 || table.Rows[0].Cells[1] != "<unknown>" {
			t.Errorf("got %v, %v", table, err)
		}
	})
}

func TestSelectors(t *testing.T) {
	d := definition()
	matches, err := func() (bool, error) {
		p := d.predicate(labels.Everything(), fields.OneTermEqualSelector("spec.type", "a"))
		return p.Matches(bucket("a", 1, 1))
	}()
	if err != nil || !matches {
		t.Errorf("got %v, %v", matches, err)
	}
	scheme := runtime.NewScheme()
	if err := d.addSelectors(scheme); err != nil {
		t.Fatal(err)
	}
	for field, known := range map[string]bool{"spec.type": true, "metadata.name": true, "metadata.namespace": false, "spec.other": false} {
		_, _, err := scheme.ConvertFieldLabel(d.GroupVersion.WithKind(d.Kind), field, "x")
		if (err == nil) != known {
			t.Errorf("%s: %v", field, err)
		}
	}
}
