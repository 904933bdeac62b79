package refs

import "golang.org/x/sys/windows"

// ownedByUser follows git's rule: the user owns the path, or the group of the
// administrators does and the user is a member. What cannot be looked at is
// not ours.
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
	// The nil token is the caller's own, as CheckTokenMembership wants it.
	member, err := windows.Token(0).IsMember(owner)
	return err == nil && member
}
