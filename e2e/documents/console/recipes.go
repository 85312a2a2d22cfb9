package console

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// scripts are the keys of commands in the jobs of GitHub Actions and GitLab, in the order in which a job runs them.
var scripts = []string{"before_script", "run", "script", "after_script"}

// recipeLanguage is the info string of blocks that may be recipes.
const recipeLanguage = "yaml"

// Recipe is a job of a CI system, in a block of a document.
type Recipe struct {
	Line int
	// Steps are its commands. A step that GitHub gives to one shell may have several lines.
	Steps []Step
}

// Recipes returns the blocks of a document that are jobs of a CI system. The error is an Unmarked if a block of YAML has a command of the programs
// at the beginning of a line and is no job.
func Recipes(file string, programs ...string) ([]Recipe, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var recipes []Recipe
	lines := strings.Split(string(content), "\n")
	for begin := 0; begin < len(lines); begin++ {
		info, fenced := strings.CutPrefix(strings.TrimSpace(lines[begin]), fence)
		if !fenced {
			continue
		}
		end := begin + 1
		for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), fence) {
			end++
		}
		if info == recipeLanguage {
			recipe := Recipe{Line: begin + 1}
			if recipe.Steps, err = jobSteps(file, lines[begin+1:end], begin+2, programs); err != nil {
				return nil, err
			}
			if len(recipe.Steps) > 0 {
				recipes = append(recipes, recipe)
			}
		}
		begin = end
	}
	return recipes, nil
}

// jobSteps are the commands of a block of YAML, whose first line has the number. All that begin a line have to be among them.
func jobSteps(file string, lines []string, number int, programs []string) ([]Step, error) {
	var job any
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &job); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, number, err)
	}
	var steps []Step
	for _, command := range scriptsOf(job) {
		first, _, _ := strings.Cut(command, "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, first) })
		steps = append(steps, Step{File: file, Line: number + at, Command: strings.TrimSpace(command)})
	}
	for i, line := range lines {
		command := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "- "), "run: ")
		program, _, more := strings.Cut(command, " ")
		of := func(step Step) bool {
			return strings.Contains(step.Command, strings.TrimSpace(strings.Split(command, " #")[0]))
		}
		if more && slices.Contains(programs, program) && !slices.ContainsFunc(steps, of) {
			return nil, &Unmarked{File: file, Line: number + i, Text: command}
		}
	}
	return steps, nil
}

// scriptsOf are the commands of a job, or of all jobs.
func scriptsOf(node any) []string {
	var commands []string
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			commands = append(commands, scriptsOf(item)...)
		}
	case map[string]any:
		for _, key := range scripts {
			switch script := node[key].(type) {
			case string:
				commands = append(commands, script)
			case []any:
				for _, command := range script {
					commands = append(commands, fmt.Sprint(command))
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if !slices.Contains(scripts, key) {
				commands = append(commands, scriptsOf(node[key])...)
			}
		}
	}
	return commands
}
