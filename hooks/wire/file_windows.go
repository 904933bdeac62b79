package wire

import (
	"io/fs"
	"os"
)

func names(fs.FileInfo) int { return 1 }

func own(*os.File, fs.FileInfo) error { return nil }

func mayWrite(string) error { return nil } // the attempt tells

func mayOwn(fs.FileInfo) bool { return true }
