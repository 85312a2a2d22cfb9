package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Column of the table that kubectl prints. The column Name is added first, and Age last unless AgeColumn is listed.
type Column[T Object] struct {
	Name        string
	Description string
	Wide        bool   // printed with -o wide only
	Type        string // of the cells as in OpenAPI, "string" if empty
	// Value returns the cell. An empty string is printed as Empty.
	Value func(T) any
	Empty string
}

const ageName = "Age"

// AgeColumn places the age at another position than the end.
func AgeColumn[T Object]() Column[T] {
	return Column[T]{Name: ageName, Type: "date", Description: "time since creation", Value: func(object T) any {
		return table.ConvertToHumanReadableDateType(object.GetCreationTimestamp())
	}}
}

type tableConvertor[T Object] struct {
	columns     []Column[T]
	definitions []metav1.TableColumnDefinition
}

func newTable[T Object](columns []Column[T]) rest.TableConvertor {
	all := columns
	if !hasAge(columns) {
		all = append(append([]Column[T]{}, columns...), AgeColumn[T]())
	}
	definitions := []metav1.TableColumnDefinition{{Name: "Name", Type: "string", Format: "name", Description: "name of the object"}}
	for _, column := range all {
		definition := metav1.TableColumnDefinition{Name: column.Name, Type: column.Type, Description: column.Description}
		if definition.Type == "" {
			definition.Type = "string"
		}
		if column.Wide {
			definition.Priority = 1
		}
		definitions = append(definitions, definition)
	}
	return &tableConvertor[T]{columns: all, definitions: definitions}
}

func hasAge[T Object](columns []Column[T]) bool {
	for _, column := range columns {
		if column.Name == ageName {
			return true
		}
	}
	return false
}

func (c *tableConvertor[T]) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	out := &metav1.Table{}
	if o, ok := options.(*metav1.TableOptions); !ok || !o.NoHeaders {
		out.ColumnDefinitions = c.definitions
	}
	if list, ok := object.(metav1.ListInterface); ok {
		out.ResourceVersion = list.GetResourceVersion()
		out.Continue = list.GetContinue()
		out.RemainingItemCount = list.GetRemainingItemCount()
	} else if one, ok := object.(metav1.Object); ok {
		out.ResourceVersion = one.GetResourceVersion()
	}
	var err error
	out.Rows, err = table.MetaToTableRow(object, func(obj runtime.Object, _ metav1.Object, name, _ string) ([]any, error) {
		return c.row(name, obj.(T)), nil
	})
	return out, err
}

func (c *tableConvertor[T]) row(name string, object T) []any {
	cells := []any{name}
	for _, column := range c.columns {
		value := column.Value(object)
		if value == "" && column.Empty != "" {
			value = column.Empty
		}
		cells = append(cells, value)
	}
	return cells
}
