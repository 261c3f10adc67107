//go:build unix

package process

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether only this user can have written into a folder.
func private(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
