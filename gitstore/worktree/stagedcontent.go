package worktree

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// StagedContents tells what Content says of a file that holds exactly what is
// staged: by path, one text, or two where the file may also have CRLF at the end
// of its lines. Filters and encodings of a repository are not undone, so a path
// that has one does not match its file. It starts one process, and none where no
// path has a blob.
func StagedContents(ctx context.Context, dir string, o Options, paths []StagedPath) (map[string][]string, error) {
	contents := make(map[string][]string, len(paths))
	var blobs []StagedPath
	var ask strings.Builder
	for _, p := range paths {
		switch p.Mode {
		case "":
			contents[p.Path] = []string{Deleted}
		case "160000":
			contents[p.Path] = []string{"commit:" + p.ID}
		case "100644", "100755", "120000":
			blobs = append(blobs, p)
			ask.WriteString(p.ID + "\n")
		}
	}
	if len(blobs) == 0 {
		return contents, nil
	}
	// What is staged is here; a server is never asked for it.
	args := []string{"-c", "protocol.allow=never", "cat-file", "--batch", "--buffer"}
	if dir != "" {
		args = append([]string{"-C", dir}, args...)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = o.environ()
	cmd.WaitDelay = afterEnd
	inGroup(cmd)
	cmd.Stdin = strings.NewReader(ask.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	answer := bufio.NewReaderSize(out, 64<<10)
	for _, p := range blobs {
		texts, err := blobContent(answer, p)
		if err != nil {
			cancel()
			_ = cmd.Wait() // it was told to end: what it says of that is no news
			return nil, err
		}
		if texts != nil {
			contents[p.Path] = texts
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return contents, nil
}

// blobContent reads one object of the answer of "git cat-file --batch". An
// object that is not there has no content.
func blobContent(in *bufio.Reader, p StagedPath) ([]string, error) {
	header, err := in.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	header = strings.TrimSuffix(header, "\n")
	if header == p.ID+" missing" {
		return nil, nil
	}
	size, err := blobSize(header, p.ID)
	if err != nil {
		return nil, err
	}
	plain := sha256.New()
	crlf := &lineEnds{Hash: sha256.New()}
	if _, err := io.CopyN(io.MultiWriter(plain, crlf), in, size); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if end, err := in.ReadByte(); err != nil || end != '\n' {
		return nil, fmt.Errorf("git cat-file wrote more than it said of %s", p.ID)
	}
	kind := map[string]string{"100644": "file:", "100755": "exec:", "120000": "link:"}[p.Mode]
	texts := []string{kind + hex.EncodeToString(plain.Sum(nil))}
	if p.Mode != "120000" && crlf.added {
		texts = append(texts, kind+hex.EncodeToString(crlf.Sum(nil)))
	}
	return texts, nil
}

// blobSize reads "<id> blob <size>".
func blobSize(header, id string) (int64, error) {
	rest, ok := strings.CutPrefix(header, id+" blob ")
	size, err := strconv.ParseInt(rest, 10, 64)
	if !ok || err != nil || size < 0 {
		return 0, fmt.Errorf("git cat-file wrote a line that is not understood: %.80q", header)
	}
	return size, nil
}

// lineEnds digests a text as it is with CRLF at the end of every line.
type lineEnds struct {
	hash.Hash
	last  byte
	added bool
}

func (l *lineEnds) Write(data []byte) (int, error) {
	from := 0
	for i, c := range data {
		if c == '\n' && l.last != '\r' {
			l.Hash.Write(data[from:i])
			l.Hash.Write([]byte{'\r'})
			from, l.added = i, true
		}
		l.last = c
	}
	l.Hash.Write(data[from:])
	return len(data), nil
}
