import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assertHeld } from "../attacks/figures.ts"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { noFormerCode } from "./former-code.ts"
import { versions } from "./versions.ts"

const server = process.env.DATABASE_URL ?? ""
const why = server === "" ? undefined : await Effect.runPromise(noFormerCode)

it.live.skipIf(server === "" || why !== undefined)(
  why === undefined
    ? withServerNote(
        "the release before and today's work on one database at once, and the former alone again after that"
      )
    : `skipped: two releases on one database (${why})`,
  () =>
    Effect.gen(function* () {
      const budget = { writers: 4, threads: 2, aloneMs: 1_500, togetherMs: 2_500, arriveMs: 60_000 }
      assertHeld((yield* versions(server, budget)).figures)
    }),
  PROCESSES_MS
)
