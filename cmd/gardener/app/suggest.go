package app

import "github.com/spf13/cobra"

// similarTo returns the command below cmd that was probably meant, with its whole path: one of its own, or else one of those below
// them, as in "gardener list". Verbs of shoots come first, since people use them most.
func similarTo(typed string, cmd *cobra.Command) string {
	groups := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.Name() == "shoot" {
			groups = append(groups, sub)
		}
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "completion" && sub.Name() != "component" {
			groups = append(groups, sub)
		}
	}
	for _, group := range groups {
		var names []string
		for _, sub := range group.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		if similar := closest(typed, names); similar != "" {
			return group.CommandPath() + " " + similar
		}
	}
	return ""
}

// closest returns the name that differs least from what was typed, or nothing if none is similar. Two wrong letters of four make another word.
func closest(typed string, names []string) string {
	best, least := "", 3
	if len(typed) <= 4 {
		least = 2
	}
	for _, name := range names {
		if d := distance(typed, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, replace, or swap with their neighbour, to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
