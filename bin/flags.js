// What `serve` gives Node. Read by the command itself and by the bench, so that what is measured is what runs.

/** The room of what dies young. The references of the bench have it too. */
export const NURSERY_FLAGS = [
  // Where objects are born, in MB, from the first one on. In a smaller place a call under load does not end before it is
  // looked through, and what the call holds is moved among what lives long: with 8 MB 140 MB in six seconds.
  "--min-semi-space-size=32",
  "--max-semi-space-size=32"
]

export const SERVE_FLAGS = [
  ...NURSERY_FLAGS,
  // What dies young is little work when the place is that large: helpers that wait for each other would only take
  // processor time from the database and the other requests.
  "--no-parallel-scavenge",
  // The embedded database is compiled while it runs, with up to 600 MB for its largest function. Several compilers at once
  // leave 20 to 40 MB of that behind, each in heaps of its own.
  "--wasm-num-compilation-tasks=1",
  // For src/jobs/idle-memory.ts.
  "--expose-gc"
]
