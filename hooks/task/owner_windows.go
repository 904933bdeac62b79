package task

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// noFollow is nothing on Windows: links are refused by looking first.
const noFollow = 0

// mine tells whether this process's user owns the path, or the administrators
// do and the user is one: files that an elevated process makes belong to them.
func mine(_ fs.FileInfo, path string) bool { return ownedByUser(path) }

func ownedByUser(path string) bool {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false
	}
	owner, _, err := sd.Owner()
	if err != nil || owner == nil {
		return false
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err == nil && owner.Equals(user.User.Sid) {
		return true
	}
	if !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return false
	}
	member, err := windows.Token(0).IsMember(owner)
	return err == nil && member
}

// closed is always true: the mode bits of Windows say nothing about others,
// and a folder below the user's own temporary folder inherits its rights.
func closed(fs.FileInfo) bool { return true }

// linkCount is one: other names of a file need the rights of its owner here.
func linkCount(fs.FileInfo) uint64 { return 1 }

// userID names this process's user in the name of the drop box.
func userID() string {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "user"
	}
	return user.User.Sid.String()
}
