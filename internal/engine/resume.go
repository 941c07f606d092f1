package engine

import (
	"fmt"

	"windowed/internal/exit"
	"windowed/internal/fault"
	"windowed/state"
	"windowed/window"
)

// InputOffsets are what the broker says of one input partition.
type InputOffsets struct {
	Start int64 // log start
	End   int64 // high watermark
	Group int64 // committed by the group; -1: nothing
}

// Consent are the flags that resolve a mismatch between state and input, each at the
// price its name says.
type Consent struct {
	Gap      bool // --accept-gap: records that are gone stay uncounted
	NewInput bool // --accept-new-input: the topic was made anew; read it from its start
	Reset    bool // --reset-counts: the counts are lost; read the input from its start
}

// Resume is the meta a partition goes on from. The state is the truth; the input and
// the group's offset must fit it, or the counts would silently be wrong. meta is nil if
// the state has none.
func Resume(topic string, p int32, meta *state.Meta, in InputOffsets, id [16]byte, closeThrough int64, ok Consent) (state.Meta, error) {
	refuse := func(format string, args ...any) (state.Meta, error) {
		return state.Meta{}, exit.Errorf(exit.Usage, "%s partition %d: "+format, append([]any{topic, p}, args...)...)
	}
	if meta == nil {
		if in.Group >= 0 && !ok.Reset {
			return refuse("the group has committed offset %d, but neither the state directory nor the changelog knows a count: they are lost or belong to another job; name the right --changelog-topic, or count from offset %d again with --reset-counts",
				in.Group, in.Start)
		}
		m := state.NewMeta(in.Start)
		m.TopicID = id
		// A partition that joins late must not hold back, nor reopen, what is closed.
		m.Time.CloseThrough = closeThrough
		return m, nil
	}
	m := *meta
	var none [16]byte
	recreated := m.TopicID != none && id != none && m.TopicID != id
	switch {
	case ok.NewInput && (recreated || m.Next > in.End):
		m.Next = in.Start
	case recreated:
		return refuse("the topic was made anew since offset %d was counted; if its records are new ones, start once with --accept-new-input", m.Next)
	case m.Next > in.End:
		return refuse("counted up to offset %d, but the log ends at %d: the topic was made anew or has lost records; if its records are new ones, start once with --accept-new-input", m.Next, in.End)
	case m.Next < in.Start && !ok.Gap:
		return refuse("offsets %d to %d were deleted before they were counted: retention is shorter than the lag; start once with --accept-gap to go on behind them", m.Next, in.Start-1)
	case in.Group > m.Next && !ok.Gap:
		return refuse("the group has committed offset %d, but the state has counted up to %d only: offsets between them would be lost; reset the group's offset, or start once with --accept-gap", in.Group, m.Next)
	}
	if fault.Planted(fault.ResumeAtGroup) && in.Group >= 0 {
		m.Next = in.Group
	}
	m.Next = max(m.Next, in.Start)
	if in.Group > m.Next && !recreated && in.Group <= in.End {
		m.Next = in.Group
	}
	if id != none {
		m.TopicID = id
	}
	return m, nil
}

// CheckFingerprint compares the configuration with the one the state was made under.
func CheckFingerprint(st *state.State, cfg *Config, reconfigure bool) error {
	g, ok := st.Global()
	if !ok {
		return nil
	}
	what, changeable := g.Fingerprint.Difference(cfg.Fingerprint())
	switch {
	case what == "" || changeable && reconfigure:
		return nil
	case changeable:
		return exit.Errorf(exit.Usage, "%s since these counts were begun; to change it from the windows after %s on, start once with --reconfigure while no other instance runs",
			what, closedText(g.CloseThrough))
	}
	return exit.Errorf(exit.Usage, "%s since these counts were begun; go back to it, or begin anew with another --group, --changelog-topic and --state", what)
}

func closedText(c int64) string {
	if c == window.None {
		return "now"
	}
	return fmt.Sprint(window.FormatTime(c))
}
