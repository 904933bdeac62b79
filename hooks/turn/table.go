package turn

import "strings"

// A part of the table is about one thing. Its rows are tried in order and the
// first that fits acts; the parts follow each other, unless a row of a final
// part fitted.
type part struct {
	about string
	final bool
	rows  []row
}

// A row says what happens at some moments (none named: at any) when all of its
// conditions hold.
type row struct {
	on   at
	when all
	then do
}

// The lists of a row. Conditions and effects are pointers so that the linker
// lays the table out and a starting hook pays nothing for it.
type (
	at  []Kind
	all []*cond
	do  []*effect
)

var table = []part{
	{"Children write nothing, and what was delivered twice counts once.", true, []row{
		{at{ChildStart}, all{healthy, trusted, notDefault}, do{sayReadOnly}},
		{at{ChildStart, ChildStop, Other}, nil, nil},
		{nil, all{byChild}, nil},
		{at{SessionStart}, all{sameStart}, nil},
		{at{Prompt}, all{samePrompt}, nil},
		{at{PreCompact}, all{samePreCompact}, nil},
		{at{SessionEnd}, all{sameEnd}, nil},
	}},
	{"A context begins; a compaction owes it the orientation.", false, []row{
		{at{SessionStart}, all{freshStart, deaf}, do{beginContext, forgive, postpone}},
		{at{SessionStart}, all{freshStart}, do{beginContext, forgive}},
		{at{SessionStart}, all{resumed, summedUp}, do{owe, noteSummary}},
		{at{SessionStart}, all{compactStart, settledLately}, nil},
		{at{SessionStart}, all{compactStart}, do{beginContext, owe}},
		{at{PreCompact}, nil, do{owe}},
		{at{PostCompact}, all{owed}, nil},
		{at{PostCompact}, all{settledLately}, nil},
		{at{PostCompact}, nil, do{owe}},
		{at{Prompt}, all{startsTurn, summedUp}, do{beginContext, owe, noteSummary}},
		{at{Prompt}, all{startsTurn, owed}, do{beginContext}},
	}},
	{"A frozen bundle is warned of once for each cause.", false, []row{
		{at{SessionStart, Prompt, Stop}, all{frozenAnew}, do{warn}},
	}},
	{"What waits to be recorded is recorded.", false, []row{
		{at{SessionStart, Prompt, Stop}, all{healthy}, do{drain}},
		{at{PreCompact, SessionEnd}, all{healthy, openLoop}, do{drain, checkpoint}},
		{at{PreCompact, SessionEnd}, all{healthy}, do{drain}},
	}},
	{"The orientation is said where it was lost or has changed.", false, []row{
		{nil, all{unhealthy}, nil},
		{at{SessionStart}, all{deaf}, nil},
		{at{SessionStart}, all{compactStart, owed}, do{say, sayAfterCompaction, settle}},
		{at{Prompt}, all{startsTurn, owed}, do{say, sayAfterCompaction, settle}},
		{at{Prompt}, all{startsTurn, unsaid}, do{say, makeUp}},
		{at{SessionStart}, all{freshStart}, do{say}},
		{at{SessionStart}, all{resumed, owed}, nil},
		{at{SessionStart}, all{resumed, neverSaid}, do{say}},
		{at{SessionStart}, all{resumed, trustChanged}, do{say}},
		{at{SessionStart}, all{resumed, trusted, notDefault, changed}, do{sayChanged}},
	}},
	{"A session that begins without the context of another is told once which task came before.", false, []row{
		{at{SessionStart}, all{freshStart, cameBefore, deaf}, do{waitBefore}},
		{at{SessionStart}, all{freshStart, cameBefore}, do{tellBefore}},
		{at{Prompt}, all{startsTurn, cameBefore, waiting}, do{tellBefore}},
	}},
	{"A prompt opens a review, or keeps the pending one.", false, []row{
		{at{Prompt}, all{unhealthy}, nil},
		{at{Prompt}, all{startsNoTurn}, nil},
		{at{Prompt}, all{pendingReview, sameTurn, lined}, nil},
		{at{Prompt}, all{pendingReview, sameTurn}, do{askInFull}},
		{at{Prompt}, all{pendingReview, notified, lined}, nil},
		{at{Prompt}, all{pendingReview, notified}, do{askInFull}},
		{at{Prompt}, all{noNewID}, nil},
		{at{Prompt}, all{lined}, do{openReview, askShort}},
		{at{Prompt}, nil, do{openReview, askInFull}},
	}},
	{"A stop is held up once, for a healthy review that was skipped.", false, []row{
		{at{Stop}, all{unhealthy}, nil},
		{at{Stop}, all{noPendingReview}, nil},
		{at{Stop}, all{blockedBefore}, nil},
		{at{Stop}, all{unheard}, nil},
		{at{Stop}, all{stopActive}, nil},
		{at{Stop}, all{planning}, nil},
		{at{Stop}, all{backgroundOut}, nil},
		{at{Stop}, all{emptyAnswer}, nil},
		{at{Stop}, all{unattended}, nil},
		{at{Stop}, all{unnamed, stoppedUnnamed}, nil},
		{at{Stop}, all{unnamed}, do{block, useUnnamedStop}},
		{at{Stop}, nil, do{block}},
	}},
}

// Table prints the whole table as Markdown.
func Table() string {
	var b strings.Builder
	for i, p := range table {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.about)
		if p.final {
			b.WriteString(" A row that fits ends the step.")
		}
		b.WriteString("\n\n| at | if | then |\n| --- | --- | --- |\n")
		for _, r := range p.rows {
			b.WriteString("| " + r.moments() + " | " + r.conditions() + " | " + r.effects() + " |\n")
		}
	}
	return b.String()
}

func (r row) moments() string {
	if len(r.on) == 0 {
		return "any"
	}
	names := make([]string, len(r.on))
	for i, k := range r.on {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func (r row) conditions() string {
	if len(r.when) == 0 {
		return "otherwise"
	}
	names := make([]string, len(r.when))
	for i, c := range r.when {
		names[i] = c.says
	}
	return strings.Join(names, "; ")
}

func (r row) effects() string {
	if len(r.then) == 0 {
		return "nothing"
	}
	names := make([]string, len(r.then))
	for i, act := range r.then {
		names[i] = act.says
	}
	return strings.Join(names, "; ")
}
