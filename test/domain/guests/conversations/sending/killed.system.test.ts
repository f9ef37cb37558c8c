import { spawn } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../../migrations/index.ts"
import { toConnectorName } from "../../../../../src/connectors/http/connector-names.ts"
import { SEND_LEASE_MS } from "../../../../../src/domain/guests/conversations/sending/SendQueue.ts"
import { migrate } from "../../../../../src/platform/database/migrate.ts"
import { layerPostgres } from "../../../../../src/platform/database/postgres.ts"
import { insertConversation } from "../../../../support/conversations.ts"
import { startReceiver } from "../../../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator } from "../../../../support/harness.ts"
import { insertChannelAccount } from "../../../../support/listings.ts"
import { loadMessageLines, queueMessage } from "../../../../support/messages.ts"
import { withServerNote } from "../../../../support/overlapping-transactions.ts"
import { createScratchDatabase } from "../../../../support/own-database.ts"
import { PROCESSES_MS } from "../../../../support/time-limits.ts"

// The process is killed between the act and writing down how it ended, and every message is there once at most.

const server = process.env["DATABASE_URL"] ?? ""

/** A conversation with two messages that wait, at an account that a connector on that port reaches. */
const waitingAt = Effect.fnUntraced(function* (port: number) {
  yield* migrate(migrations)
  const sql = yield* SqlClient.SqlClient
  const [made] = yield* sql<{ id: number }>`
    INSERT INTO connectors (name, url, secret, created_at)
    VALUES ('tiny', ${`http://127.0.0.1:${port}/`}, ${`whsec_${"A".repeat(32)}`}, now()) RETURNING id`
  const { operatorId } = yield* createOperator()
  const talks = Effect.gen(function* () {
    const accountId = yield* insertChannelAccount(operatorId, { connector: toConnectorName(made?.id ?? 0) })
    const talk = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
    for (const text of ["one", "two"]) yield* queueMessage(talk.code, { text })
    return talk
  })
  return { known: yield* talks, forgotten: yield* talks }
})

interface Asked {
  readonly thread_id: string
  readonly message_id: string
  readonly text: string
  readonly again: boolean
}

const life = (env: Record<string, string>, lives: number) => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../../../../support/domain/guests/conversations/sending/message-sending-process.ts")],
    {
      env: { PATH: process.env["PATH"] ?? "", ...env, AHEAD_MS: String(lives * (SEND_LEASE_MS + 5_000)) },
      stdio: "inherit"
    }
  )
  const over = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return { child, over: Effect.promise(() => over) }
}

// On the embedded database the same is tested without a process (echoes.service.test.ts): to open it five times takes seconds.
it.live.skipIf(server === "")(
  withServerNote("killed once a message got there, the service brings it no second time, and goes on"),
  () =>
    Effect.gen(function* () {
      const url = yield* createScratchDatabase(server)
      const [env, database] = [{ DATABASE_URL: url }, layerPostgres({ url: Redacted.make(url) })]
      const there: Array<Asked> = []
      const bothThere = yield* Deferred.make<void>()
      let forgotten = ""
      const { port } = yield* startReceiver((response, { body }) => {
        const asked: Asked = JSON.parse(body)
        const isKnown = there.some(({ message_id }) => message_id === asked.message_id)
        if (asked.thread_id === forgotten && asked.again) return response.end('{"outcome": "unknown"}')
        if (!isKnown) there.push(asked)
        // The first life hears of none that it got there.
        if (there.length === 2 && !isKnown) Deferred.doneUnsafe(bothThere, Effect.void)
        if (there.length <= 2 && !isKnown) return
        response.end('{"outcome": "sent", "channel_message_id": null}')
      })
      const talks = yield* Effect.orDie(Effect.provide(waitingAt(port), database))
      forgotten = talks.forgotten.thread_id

      const first = life(env, 0)
      yield* Effect.addFinalizer(() => Effect.sync(() => first.child.kill("SIGKILL")))
      yield* Deferred.await(bothThere)
      first.child.kill("SIGKILL")
      yield* first.over

      const second = life(env, 1)
      yield* Effect.addFinalizer(() => Effect.sync(() => second.child.kill("SIGKILL")))
      yield* second.over

      for (const { thread_id } of [talks.known, talks.forgotten]) {
        const texts = there.flatMap((each) => (each.thread_id === thread_id ? [each.text] : []))
        assert.deepStrictEqual(texts, ["one", "two"])
      }
      const states = Effect.forEach([talks.known, talks.forgotten], ({ code }) => loadMessageLines(code))
      const [known, forgot] = yield* Effect.orDie(Effect.provide(states, database))
      assert.deepStrictEqual(known, ["one: sent", "two: sent"])
      assert.deepStrictEqual(
        forgot?.map((message) => message.split(", ")[0]),
        ["one: unknown", "two: sent"]
      )
    }).pipe(Effect.scoped),
  PROCESSES_MS
)
