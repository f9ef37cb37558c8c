import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PAGE_MAX, RULE_FILE_BYTES } from "../../../src/platform/limits.ts"
import { createOperator, insertOrder, insertProperty } from "../../support/harness.ts"
import { fieldOfFailure } from "../../support/tools/cli/command-failures.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey automation …` answers in JSON. */
const automation = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["automation", ...args, "--json"], {
    PUBLIC_URL: "https://pms.example.test"
  })
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(automation(...args), ({ code, answer }) => {
    assert.strictEqual(code, 1)
    return String(answer["error"])
  })

const ARRIVAL = {
  name: "On arrival",
  action: "send_message",
  trigger: { event: "check_in", when: "after", days: 0, at: "09:00" },
  text: "Good morning, {{guest.first_name}}: {{stay.page}}"
}

/** An operator, and files to write rules in. */
const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "latchkey-rules-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const path = join(folder, "rule.json")
  const written = (content: string | Uint8Array) => Effect.promise(() => writeFile(path, content))
  const asked = ["create", "--operator", `${operatorId}`, "--file", path]
  const rules = Effect.map(
    sql<{ state: string }>`SELECT state FROM automation_rules WHERE operator_id = ${operatorId} ORDER BY id`,
    (rows) => rows.map(({ state }) => state)
  )
  return { sql, operatorId, folder, path, written, asked, rules }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey automation", (it) => {
  it.effect("makes a rule of a file, lists it, tries it on a stay, pauses, resumes and removes it", () =>
    Effect.gen(function* () {
      const { sql, operatorId, written, asked, rules } = yield* ready
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const stay = yield* insertOrder(operatorId, [
        { propertyId: property, checkIn: "2099-05-04", checkOut: "2099-05-07" }
      ])
      yield* sql`UPDATE stays SET guest_name = 'Ada Lovelace' WHERE operator_id = ${operatorId}`
      yield* written(JSON.stringify({ ...ARRIVAL, property_ids: [property] }))
      const created = yield* automation(...asked)
      const id = Number(created.answer["rule_id"])
      assert.deepStrictEqual(created, { code: 0, answer: { rule_id: id } })

      const list = Effect.map(automation("list", "--operator", `${operatorId}`), ({ answer }) => answer["rules"])
      const [row] = yield* Schema.decodeUnknownEffect(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))(
        yield* list
      )
      assert.deepInclude(row, { rule_id: id, state: "active", rule: { ...ARRIVAL, property_ids: [property] } })
      assert.strictEqual(row?.["since"], row?.["created_at"])

      const [token] = yield* sql<{ token: string }>`
        SELECT guide_token AS token FROM stays WHERE operator_id = ${operatorId}`
      const text = `Good morning, Ada: https://pms.example.test/guests/${token?.token}`
      const tried = yield* automation("test", `${id}`, "--stay", stay)
      assert.deepStrictEqual(tried.answer, {
        rule_id: id,
        stay_code: stay,
        state: "active",
        concerns: true,
        scheduled_at: "2099-05-04T07:00:00Z",
        timeliness: "early",
        text,
        task: null,
        reason: null,
        guest_name: "Ada Lovelace",
        channel_type: "direct"
      })
      const { stdout } = yield* runBesideService(["automation", "test", `${id}`, "--stay", stay], {
        PUBLIC_URL: "https://pms.example.test"
      })
      const [when, ...texts] = stdout.split("\n")
      assert.match(when ?? "", new RegExp(`\\b${id}\\b.*\\b${stay}\\b.*\\b2099-05-04T07:00:00Z`))
      assert.deepStrictEqual(texts, [JSON.stringify(text), ""])

      for (const [how, state] of [
        ["pause", "paused"],
        ["resume", "active"],
        ["remove", "removed"]
      ] as const) {
        assert.deepStrictEqual(yield* automation(how, `${id}`), { code: 0, answer: { rule_id: id } })
        assert.deepStrictEqual(yield* rules, [state])
      }
      assert.deepStrictEqual(yield* list, [])
      assert.strictEqual(yield* refusal("pause", `${id}`), `rule: there is no rule ${id}.`)
      const trail = yield* sql<{ operation: string; record: string }>`
        SELECT operation, record FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
      assert.deepStrictEqual(
        trail.map(({ operation, record }) => `${operation} ${record}`),
        ["create", "pause", "resume", "remove"].map((how) => `automation ${how} automation_rule:${id}`)
      )
      const messages = yield* sql`SELECT FROM messages WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(messages, [])
    })
  )

  it.effect("lists what others wrote quoted", () =>
    Effect.gen(function* () {
      const { operatorId, written, asked } = yield* ready
      yield* written(JSON.stringify({ name: 'Say "hi" \u202e', action: "answer" }))
      const { answer } = yield* automation(...asked)
      const { stdout } = yield* runBesideService(["automation", "list", "--operator", `${operatorId}`])
      assert.match(stdout, new RegExp(`^${answer["rule_id"]}  active since .*Z  answer  "Say \\\\"hi\\\\" `))
      const empty = yield* createOperator()
      assert.strictEqual(
        (yield* runBesideService(["automation", "list", "--operator", `${empty.operatorId}`])).stdout,
        "No rules.\n"
      )
    })
  )

  it.effect("says what is wrong with what it is given, and changes nothing", () =>
    Effect.gen(function* () {
      const { operatorId, folder, path, written, asked, rules } = yield* ready
      const wrong = (content: string | Uint8Array) => Effect.andThen(written(content), refusal(...asked))
      const aboutFile = (message: string, at: string, what: RegExp) => {
        assert.strictEqual(fieldOfFailure(message), "--file")
        assert.include(message, at)
        assert.match(message.replace(at, ""), what)
      }
      aboutFile(yield* refusal(...asked), path, /\bno file\b/)
      aboutFile(yield* refusal("create", "--operator", `${operatorId}`, "--file", folder), folder, /\bread\b/)
      aboutFile(yield* wrong("{"), path, /\bJSON\b/)
      aboutFile(yield* wrong(""), path, /\bJSON\b/)
      aboutFile(yield* wrong(new Uint8Array([0x22, 0xff, 0x22])), path, /\bUTF-8\b/)
      const padded = `${JSON.stringify(ARRIVAL)}${" ".repeat(RULE_FILE_BYTES)}`
      aboutFile(yield* wrong(padded), path, new RegExp(`\\b${RULE_FILE_BYTES} bytes\\b`))
      const inFile = (change: object) => wrong(JSON.stringify({ ...ARRIVAL, ...change }))
      assert.match(yield* inFile({ trigger: { event: "check_in", when: "before" } }), /^trigger\.hours: .*\brequired\b/)
      assert.match(yield* inFile({ text: "{{door}}" }), /^text: .*\{\{door\}\}/)
      assert.match(yield* inFile({ property_ids: [999_999_999] }), /^property_ids: .*\b999999999\b/)
      assert.strictEqual(fieldOfFailure(yield* inFile({ scope: "all" })), "scope")
      yield* written(JSON.stringify(ARRIVAL))
      assert.match(yield* refusal("create", "--operator", "999999999", "--file", path), /\boperator 999999999\b/)
      for (const how of ["pause", "resume", "remove"]) {
        assert.match(yield* refusal(how, "999999999"), /\brule 999999999\b/)
      }
      assert.match(yield* refusal("test", "999999999", "--stay", "5-ABC"), /\brule 999999999\b/)
      const list = (limit: number) => ["list", "--operator", `${operatorId}`, "--limit", `${limit}`]
      assert.match(yield* refusal(...list(0)), new RegExp(`^--limit: .*\\b${PAGE_MAX}\\b`))
      assert.match(yield* refusal(...list(PAGE_MAX + 1)), /^--limit/)
      assert.strictEqual((yield* automation(...list(PAGE_MAX))).code, 0)
      assert.deepStrictEqual(yield* rules, [])
    })
  )

  it.effect("reads a pipe, and no more of it than a file may have", () =>
    Effect.gen(function* () {
      const { operatorId, folder } = yield* ready
      const pipe = join(folder, "pipe")
      yield* Effect.promise(() => promisify(execFile)("mkfifo", [pipe]))
      // Who writes more than is read is told that nobody reads any more.
      const piped = (content: string) =>
        Effect.forkChild(Effect.promise(() => writeFile(pipe, content).catch(() => undefined)))
      const asked = ["create", "--operator", `${operatorId}`, "--file", pipe]
      yield* piped(JSON.stringify(ARRIVAL).padEnd(RULE_FILE_BYTES + 1))
      assert.match(yield* refusal(...asked), new RegExp(`^--file: ${pipe} .*\\b${RULE_FILE_BYTES} bytes\\b`))
      yield* piped(JSON.stringify(ARRIVAL).padEnd(RULE_FILE_BYTES))
      assert.strictEqual((yield* automation(...asked)).code, 0)
    })
  )

  it.effect("reads a file of as many bytes as one may have", () =>
    Effect.gen(function* () {
      const { written, asked } = yield* ready
      yield* written(JSON.stringify(ARRIVAL).padEnd(RULE_FILE_BYTES))
      assert.strictEqual((yield* automation(...asked)).code, 0)
    })
  )
})
