import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { MESSAGES_SHOWN } from "../../../../src/platform/limits.ts"
import { startChannelConversation } from "../../../support/domain/guests/conversations/channel-conversation.ts"
import { layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

const THREADS = 20_000
const MESSAGES = 1_000

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** How many rows each part of the plan for any value went through, of the one statement that a call sends. */
const goneThrough = Effect.fnUntraced(function* <A, E, R>(calling: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
  yield* Effect.provideService(calling, Statement.CurrentTransformer, (statement) => {
    sent.push(statement.compile())
    return Effect.succeed(statement)
  })
  assert.lengthOf(sent, 1)
  const [text, values] = sent[0] ?? ["", []]
  const run = <Row extends object>(statement: string) => sql.unsafe<Row>(statement).unprepared
  const types = values.map((value) => (typeof value === "number" ? "int8" : "unknown")).join(", ")
  const literals = values.map((value) => `'${value}'`).join(", ")
  const rows = yield* sql.withTransaction(
    run("SET LOCAL plan_cache_mode = force_generic_plan").pipe(
      Effect.andThen(run(`PREPARE inbox (${types}) AS ${text}`)),
      Effect.andThen(
        run<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE inbox (${literals})`
        )
      ),
      Effect.tap(run("DEALLOCATE inbox"))
    )
  )
  // The scan of an index for a bitmap is half of the scan that asks for it.
  const nodes = rows[0]?.["QUERY PLAN"].flatMap(({ Plan }) => nodesOf(Plan)) ?? []
  assert.isNotEmpty(nodes)
  return nodes
    .filter((node) => node["Node Type"] !== "Bitmap Index Scan")
    .map(
      (node) =>
        [`${node["Node Type"]} ${node["Relation Name"] ?? ""}`, node["Actual Rows"] * node["Actual Loops"]] as const
    )
})

// By themselves: the many short conversations of other tests make a plan for any value take this long one for short.
const layerAlone = Layer.provideMerge(Ingest.layer, layerService(layerOwnDatabase))

layer(layerAlone, { excludeTestServices: false })(`an inbox of ${THREADS} threads`, (it) => {
  it.effect(`is read as far as it is shown, a conversation of ${MESSAGES} messages too`, () =>
    Effect.gen(function* () {
      const { operatorId, api, as, conversationId: id } = yield* startChannelConversation
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at)
        SELECT operator_id, code || nth, account_id, channel_type, 'T ' || nth, last_message_at - nth * interval '1 minute', created_at
        FROM conversations, generate_series(2, ${THREADS}::int) AS each (nth) WHERE code = ${id}`
      yield* sql`
        INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
        SELECT operator_id, id, code || nth, 'guest', 'Text', nth::text, created_at - nth * interval '1 minute'
        FROM conversations, generate_series(1, ${MESSAGES}::int) AS each (nth) WHERE code = ${id}`
      yield* sql`
        INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at, conversation_id)
        SELECT ${operatorId}, 'O-' || code, 'airbnb', code, 'accepted', 'EUR', now(), now(), code
        FROM conversations WHERE operator_id = ${operatorId}`
      // As the database does by itself once so much has come, or its upkeep.
      yield* sql`VACUUM ANALYZE conversations, messages, orders`.unprepared

      const much = (parts: ReadonlyArray<readonly [string, number]>) =>
        parts.filter(([, rows]) => rows > 3 * MESSAGES_SHOWN)
      for (const page of [{}, { limit: 100 }, { offset: 50 }]) {
        const parts = yield* goneThrough(api.query_conversations(page).pipe(as))
        // Counting them takes a look at each, and nothing beside.
        assert.isAtMost(much(parts).length, 1, `${JSON.stringify(page)} ${JSON.stringify(much(parts))}`)
      }
      for (const before of [{}, { before: `${id}1000` }]) {
        assert.deepStrictEqual(much(yield* goneThrough(api.get_conversation({ id, ...before }).pipe(as))), [])
      }
    })
  )
})
