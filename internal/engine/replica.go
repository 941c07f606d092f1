package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"windowed/internal/exit"
	"windowed/state"
)

// Replica follows every changelog partition and writes nothing: it answers what the
// instances of the group count, some milliseconds later.
type Replica struct {
	Config   Config
	Inputs   Inputs
	Restorer Restorer
	State    *state.State
	Status   *Status
	Log      *slog.Logger
}

// replicaEvery is how often a replica looks for new partitions and writes a checkpoint.
const replicaEvery = time.Second

// Run follows until ctx ends (nil) or following fails.
func (r *Replica) Run(ctx context.Context) error {
	err := r.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r *Replica) run(ctx context.Context) error {
	r.Status.set(Restoring)
	known, told := int32(0), false
	for {
		n, err := r.Inputs.Partitions(ctx)
		if err != nil {
			return err
		}
		if n.Changelog > known {
			known = n.Changelog
			if err := r.Restorer.CatchUp(ctx, upTo(known)); err != nil {
				return err
			}
		}
		if _, ok := r.State.Global(); ok {
			if err := CheckFingerprint(r.State, &r.Config, false); err != nil {
				return err
			}
			r.Status.set(Running)
		} else if !told {
			told = true
			r.Log.Info("the changelog holds no counts yet; waiting for a windowed that counts")
		}
		if err := r.Restorer.Err(); err != nil {
			return err
		}
		if err := r.State.Checkpoint(false); err != nil {
			return err
		}
		r.ends(ctx)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(replicaEvery):
		}
	}
}

// ends asks for the last stable offsets if somebody looks at them; without an answer they
// grow old.
func (r *Replica) ends(ctx context.Context) {
	if !r.Status.endsWanted() {
		return
	}
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, replicaEvery)
	defer cancel()
	if ends, err := r.Inputs.Stable(ctx); err == nil {
		ends.At = asked
		r.Status.ends(ends)
	}
}

// upTo are the partitions 0 to n-1.
func upTo(n int32) []int32 {
	all := make([]int32, n)
	for p := range all {
		all[p] = int32(p)
	}
	return all
}

// SuperviseReplica runs Replicas, each with a connection of its own, until ctx ends or
// something comes up that trying again does not heal. reopen replaces a corrupt state by
// an empty one, for the next Replica.
func SuperviseReplica(ctx context.Context, reopen func() error, connect func(context.Context) (*Replica, func(), error), status *Status, log *slog.Logger) error {
	var gone absence
	for ctx.Err() == nil {
		replica, closeAll, err := connect(ctx)
		if err == nil {
			err = replica.Run(ctx)
			closeAll()
		}
		err = gone.judge(err, time.Now())
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case errors.Is(err, state.ErrCorrupt):
			log.Error("local state is damaged; it is moved aside and restored from the changelog", "error", err)
			if err := reopen(); err != nil {
				return err
			}
			continue
		case isFinal(err):
			return err
		}
		status.rebuilt(err)
		log.Warn("following is taken up anew from the last position", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(rebuildPause):
		}
	}
	return nil
}

// isFinal says whether a new session would end like the last one.
func isFinal(err error) bool {
	for _, never := range []error{ErrFatal, state.ErrFormat, state.ErrOverflow, state.ErrUnusable} {
		if err != nil && errors.Is(err, never) {
			return true
		}
	}
	return exit.Code(err) > exit.Failure
}
