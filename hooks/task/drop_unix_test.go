//go:build unix

package task

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTheDropBoxIsClosedToOtherUsersWhateverTheMask(t *testing.T) {
	openMask(t)
	env, key, dir := newBox(t)
	path, err := PutDrop(ctx, env, newItem(key))
	must(t, err)
	for p, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
		if info, err := os.Lstat(p); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

func TestLinksPipesFoldersAndSecondNamesAreRefusedAndNeverFollowed(t *testing.T) {
	env, key, dir := newBox(t)
	item := newItem(key)
	path, err := PutDrop(ctx, env, item)
	must(t, err)
	name := func(id string) string {
		d := item
		d.ID = id
		n, err := d.fileName()
		must(t, err)
		return filepath.Join(dir, n)
	}
	outside := filepath.Join(filepath.Dir(dir), "outside")
	must(t, os.Rename(path, outside))
	must(t, os.Symlink(outside, path))
	must(t, os.Symlink("/nowhere", name("dangling")))
	must(t, syscall.Mkfifo(name("pipe"), 0o600))
	must(t, os.Mkdir(name("folder"), 0o700))
	must(t, os.Link(outside, name("second-name")))
	before := snapshot(t, filepath.Dir(dir))
	found, refused := CollectDrops(env, key)
	if len(found) != 0 || len(refused) != 5 {
		t.Errorf("%+v, %+v", found, refused)
	}
	if after := snapshot(t, filepath.Dir(dir)); len(after) != len(before) {
		t.Error("something was removed")
	}
	if again, err := PutDrop(ctx, env, item); err == nil {
		os.Remove(again) // the other place took it
		if again == path {
			t.Error("the link was written through or replaced")
		}
	}
}

func TestADropBoxThatIsNotSafeIsNeitherWrittenNorRead(t *testing.T) {
	for name, plant := range map[string]func(dir string) error{
		"a link to a folder of ours": func(dir string) error {
			real := dir + "-real"
			return errors.Join(os.Mkdir(real, 0o700), os.Symlink(real, dir))
		},
		"a dangling link":          func(dir string) error { return os.Symlink(dir+"-nowhere", dir) },
		"a file":                   func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"open to the group":        func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) },
		"readable by everybody":    func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) },
		"a named pipe":             func(dir string) error { return syscall.Mkfifo(dir, 0o600) },
		"searchable by everybody":  func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o711)) },
		"writable by all, sticky":  func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|os.ModeSticky)) },
		"a link to what is not it": func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) },
	} {
		env, key, dir := newBox(t)
		must(t, plant(dir))
		path, err := PutDrop(ctx, env, newItem(key))
		if err == nil && filepath.Dir(path) == dir {
			t.Errorf("%s: written to %s", name, path)
		}
		if err == nil { // the other place took it
			os.Remove(path)
		}
		found, refused := CollectDrops(env, key)
		if len(found) != 0 || len(refused) == 0 || refused[0].Path != dir {
			t.Errorf("%s: %+v, %+v", name, found, refused)
		}
		if PendingDrop(env, key) {
			t.Errorf("%s: counted as waiting", name)
		}
		if !exists(dir) || exists(dir+"-nowhere") {
			t.Errorf("%s: was changed", name)
		}
	}
}

func TestWithoutASafePlaceTheFailureSaysWhy(t *testing.T) {
	scratch, here := asNobody(t)
	if !here {
		return
	}
	dir := filepath.Join(scratch, "closed")
	must(t, os.Mkdir(dir, 0o500))
	err := putIn(filepath.Join(dir, "chatrail-x"), "name", nil)
	if !Unwritable(err) {
		t.Errorf("a read-only place: %v", err)
	}
	var none error = &NoDropError{Reasons: []string{err.Error(), "another"}}
	if text := none.Error(); !strings.Contains(text, "chatrail-x") || !strings.Contains(text, "another") || strings.Contains(text, "\n") {
		t.Errorf("%q", text)
	}
}

func TestWhatOtherUsersPlantedInASharedFolderIsSurvived(t *testing.T) {
	needRoot(t)
	env, key, dir := newBox(t)
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Chown(dir, nobody, nobody))
	if path, err := PutDrop(ctx, env, newItem(key)); err == nil {
		if filepath.Dir(path) == dir {
			t.Error("wrote into another user's folder")
		}
		os.Remove(path)
	}
	if found, refused := CollectDrops(env, key); len(found) != 0 || len(refused) != 1 || !strings.Contains(refused[0].Reason, "another user") {
		t.Errorf("%+v, %+v", found, refused)
	}

	env, key, _ = newBox(t)
	path, err := PutDrop(ctx, env, newItem(key))
	must(t, err)
	must(t, os.Chown(path, nobody, nobody))
	if found, refused := CollectDrops(env, key); len(found) != 0 || len(refused) != 1 || !strings.Contains(refused[0].Reason, "another user") {
		t.Errorf("%+v, %+v", found, refused)
	}
}

func TestAFolderOfAnotherUserIsKnownByItsOwner(t *testing.T) {
	needRoot(t)
	w := newWorld(t)
	t.Setenv("SUDO_UID", "")
	outer := newBundleDir(t, filepath.Join(w.user, "src", bundleDir))
	dir := newBundleDir(t, w.at(bundleDir))
	find := func() Place {
		p, err := Discover(w.at("a"), DiscoverOptions{State: w.state, UserHome: w.user})
		must(t, err)
		return p
	}
	if p := find(); p.Path != dir {
		t.Errorf("our own: %+v", p)
	}
	must(t, os.Chown(w.project, nobody, nobody))
	if p := find(); p.Path != outer {
		t.Errorf("another user's: %+v", p)
	}
	t.Setenv("SUDO_UID", "65534")
	if p := find(); p.Path != dir {
		t.Errorf("of the user who called sudo: %+v", p)
	}
}

func TestAnOrdinaryUserPassesOverTheFoldersOfRoot(t *testing.T) {
	scratch, here := asNobody(t)
	if !here {
		return
	}
	if os.Getenv("CHATRAIL_TEST_SCRATCH") == "" {
		t.Skip("only root can make files of another user")
	}
	dir := newBundleDir(t, filepath.Join(scratch, bundleDir))
	p, err := Discover(scratch, DiscoverOptions{})
	if err != nil || p.Path != dir {
		t.Errorf("our own: %+v, %v", p, err)
	}
	// The folder above the scratch folder is root's.
	if p, err := Discover(filepath.Dir(scratch), DiscoverOptions{}); !errors.Is(err, ErrNone) {
		t.Errorf("root's: %+v, %v", p, err)
	}
}
