import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { serverGround } from "../attacks/grounds.ts"
import { withServerNote } from "../support/overlapping-transactions.ts"
import { PROCESSES_MS } from "../support/time-limits.ts"
import { workersUnderLoad } from "./workers.ts"

const server = process.env.DATABASE_URL ?? ""

it.live.skipIf(server === "")(
  withServerNote("workers that are killed and rolled, and a parent that is killed: nothing acknowledged is lost"),
  () =>
    Effect.gen(function* () {
      const ground = yield* serverGround(server)
      const budget = { workers: 2, writers: 4, kills: 1, rolls: 1, writes: 40, arriveMs: 60_000 }
      for (const { fault, lost, fell } of yield* workersUnderLoad(ground, budget)) {
        assert.deepStrictEqual({ fault, lost, fell }, { fault, lost: 0, fell: [] })
      }
    }),
  PROCESSES_MS
)
