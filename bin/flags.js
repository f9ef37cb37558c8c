// What `serve` gives Node. Read by the command itself and by the bench, so that what is measured is what runs.

/** Where objects are born, in MB. Node would let it grow to 64 MB, and a busy service then takes 150 MB more. */
export const SERVE_FLAGS = ["--max-semi-space-size=8"]
