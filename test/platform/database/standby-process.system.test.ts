import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { missingServerReason, startPostgresServer } from "../../support/postgres-server.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { findFreePort, makeEmptyFolder, runLatchkeyProcess } from "../../support/tools/cli/latchkey-process.ts"

/** A hot standby without a primary. It replays nothing, and serves reads like a standby with a primary. */
const standby = startPostgresServer(async (folder) => {
  await writeFile(join(folder, "standby.signal"), "")
  return ["hot_standby=on"]
})

/** A server whose sessions are read-only by default. */
const readOnly = startPostgresServer(async () => ["default_transaction_read_only=on"])

const reason = missingServerReason === undefined ? "" : ` (skipped: ${missingServerReason})`

describe.skipIf(missingServerReason !== undefined)(`a start${reason}`, () => {
  it.live.each([
    {
      what: "on a hot standby",
      server: standby,
      says: "DATABASE_URL: the server is a hot standby: connect to its primary"
    },
    {
      what: "where sessions only read",
      server: readOnly,
      says: "DATABASE_URL: the server is read-only (default_transaction_read_only)"
    }
  ])(
    "ends with one line and the reason $what",
    ({ server, says }) =>
      Effect.gen(function* () {
        const { url } = yield* server
        const env = { DATABASE_URL: url, DATA_DIR: yield* makeEmptyFolder, PORT: yield* findFreePort, DEMO: "0" }
        for (const args of [
          ["serve", "--workers", "1"],
          ["serve", "--workers", "2"]
        ]) {
          const { code, stdout, stderr } = yield* runLatchkeyProcess(args, env)
          assert.strictEqual(code, 1)
          const lines = `${stdout}${stderr}`.trim().split("\n")
          assert.lengthOf(lines, 1, lines.join("\n"))
          assert.include(lines[0] ?? "", says)
        }
      }),
    PROCESSES_MS
  )
})
