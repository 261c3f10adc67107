package main

import (
	"os"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// newFolder gives a folder of events that keeps the evidence in a temporary file, and what closes and removes that file.
// Where there is no folder for temporary files, as in an image with nothing but this program, the evidence stays in
// memory.
func newFolder() (*reports.Folder, func()) {
	f, err := os.CreateTemp("", "idemcheck-evidence-*")
	if err != nil {
		return reports.NewFolder(), func() {}
	}
	// Without a name it is gone with this process, however that ends. Windows does not remove what is open.
	unnamed := os.Remove(f.Name()) == nil
	return reports.NewFolderIn(f), func() {
		_ = f.Close() // it has been read
		if !unnamed {
			_ = os.Remove(f.Name())
		}
	}
}
