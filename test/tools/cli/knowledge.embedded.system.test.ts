import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { searchVectorSql, toKnowledgeFragments } from "../../../src/domain/knowledge/search/fragments.ts"
import { createOperator, insertOrder } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

const ask = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["knowledge", "ask", ...args, "--json"])
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const WIFI = { title: "Wi-Fi", contents: [{ sub_title: "Network", text: "The password is \u001b[31msail-away." }] }

/** An operator with an entry for guests, prepared, and a stay that is far from over. */
const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const stays = [{ propertyId: null, checkIn: "2099-05-01", checkOut: "2099-05-04" }]
  const stayCode = yield* insertOrder(operatorId, stays)
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
      scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
    VALUES (${operatorId}, ${WIFI.title}, true, 'guests', 'all', '{-1}', 'all', '{unlimited}', '[]', 'done', 'infinity', now())
    RETURNING id`
  const id = row?.id ?? 0
  for (const [place, { sub_title, text, searchable }] of toKnowledgeFragments(WIFI).entries()) {
    yield* sql`
      INSERT INTO knowledge_fragments (operator_id, knowledge_base_id, revision, place, sub_title, text, words)
      VALUES (${operatorId}, ${id}, 1, ${place}, ${sub_title}, ${text}, ${searchVectorSql(sql, sql`${searchable}`)})`
  }
  return { operator: String(operatorId), stayCode, id }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey knowledge ask", (it) => {
  it.effect("answers the guest of a stay, and a stranger nothing", () =>
    Effect.gen(function* () {
      const { operator, stayCode, id } = yield* ready
      const question = "Wie ist das WLAN-Passwort?"
      assert.deepStrictEqual(yield* ask("--operator", operator, "--stay", stayCode, question), {
        code: 0,
        answer: {
          sentences: [
            {
              text: "The password is \u001b[31msail-away.",
              knowledge_base_id: id,
              title: "Wi-Fi",
              sub_title: "Network"
            }
          ]
        }
      })
      assert.deepStrictEqual(yield* ask("--operator", operator, question), { code: 0, answer: { sentences: [] } })
      const inWords = yield* runBesideService([
        "knowledge",
        "ask",
        "--operator",
        operator,
        "--stay",
        stayCode,
        question
      ])
      assert.strictEqual(inWords.stdout, `"The password is \\u001b[31msail-away."  (entry ${id} "Wi-Fi", "Network")\n`)
      const silent = yield* runBesideService(["knowledge", "ask", "--operator", operator, question])
      assert.strictEqual(silent.stdout, "No answer.\n")
    })
  )

  it.effect("names the flag that is wrong", () =>
    Effect.gen(function* () {
      const { operator, stayCode } = yield* ready
      const other = yield* ready
      const nobody = yield* ask("--operator", "999999999", "--stay", stayCode, "Wifi?")
      assert.strictEqual(nobody.code, 1)
      assert.match(String(nobody.answer["error"]), /^--operator: .*\b999999999\b/)
      for (const unknown of ["5-NONE", other.stayCode]) {
        const { code, answer } = yield* ask("--operator", operator, "--stay", unknown, "Wifi?")
        assert.strictEqual(code, 1)
        assert.strictEqual(answer["error"], "--stay: no such stay.")
      }
      assert.strictEqual((yield* ask("Wifi?")).code, 1)
    })
  )
})
