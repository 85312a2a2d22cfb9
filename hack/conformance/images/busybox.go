package images

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// accounts are those of the images. The last ones are for a test of groups that an image defines.
const (
	users = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\nuser-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh\n"
	group = "root:x:0:\nnogroup:x:65534:\nuser-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n"
)

// busybox is a root file system with the static busybox of Debian.
func busybox(dir string) (tree, error) {
	t, err := debian(filepath.Join(dir, "debian"), "busybox-static")
	if err != nil {
		return nil, err
	}
	const program = "usr/bin/busybox"
	found, ok := t[program]
	if !ok {
		return nil, fmt.Errorf("the package busybox-static of Debian has no %s", program)
	}
	file := filepath.Join(dir, "busybox")
	if err := os.WriteFile(file, found.content, 0o755); err != nil {
		return nil, err
	}
	applets, err := exec.Command(file, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("list what busybox can do: %w", err)
	}
	for _, name := range strings.Fields(string(applets)) {
		if name != "busybox" {
			t.link("usr/bin/"+name, "busybox")
		}
	}
	for _, name := range merged {
		t.directory("usr/"+name, 0o755)
		t.link(name, "usr/"+name)
	}
	for _, name := range []string{"dev", "etc", "home", "home/user-defined-in-image", "proc", "root", "run", "sys", "uploads", "usr", "var", "var/run"} {
		t.directory(name, 0o755)
	}
	t.directory("tmp", 0o1777)
	t.write("etc/passwd", users)
	t.write("etc/group", group)
	return t, nil
}
