import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { RateWindows } from "../../../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../../src/changes/FailedCallCounter.ts"
import { WakeUp } from "../../../src/jobs/WakeUp.ts"
import { AUDIT_DEFAULT, AUDIT_MAX } from "../../../src/platform/limits.ts"
import { call, callForResponse, createOperator, insertProperty, layerService } from "../../support/harness.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"
import { layerRunningService, runBesideService, type ServiceFolder } from "../../support/tools/cli/running-service.ts"

const Account = Schema.NullOr(Schema.Struct({ id: Schema.Int, name: Schema.String, email: Schema.String }))
const Audit = Schema.fromJsonString(
  Schema.Struct({
    changes: Schema.Array(
      Schema.Struct({
        at: Schema.String,
        account: Account,
        application: Schema.String,
        operation: Schema.String,
        request_id: Schema.NullOr(Schema.String),
        record: Schema.String,
        fields: Schema.Array(Schema.String)
      })
    ),
    refused: Schema.Array(
      Schema.Struct({
        account: Account,
        application: Schema.String,
        operation: Schema.String,
        error_code: Schema.Int,
        times: Schema.Int,
        first_hour: Schema.String,
        last_hour: Schema.String
      })
    )
  })
)

/** What `latchkey audit --json` answers. */
const audited = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["audit", "--json", ...args])
  assert.deepStrictEqual([code, stderr], [0, ""], stdout)
  return yield* Schema.decodeUnknownEffect(Audit)(stdout)
})

/** Runs a command that must succeed; answers a field of its answer. */
const ran = Effect.fnUntraced(function* (
  words: string,
  made = "operator_id"
): Effect.fn.Return<unknown, never, ServiceFolder> {
  const { code, stdout } = yield* runBesideService([...words.split(" "), "--json"])
  assert.strictEqual(code, 0, stdout)
  return Object(JSON.parse(stdout))[made]
})

const PASSWORD = "kettle-Zq7secret"

/** The service over the database that the commands work beside; what it refused is written down when it ends. */
const withService = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.provide(
      work,
      layerService(
        Layer.succeed(SqlClient.SqlClient, sql),
        RateWindows.layerMemory,
        ScriptedChannel.layer,
        WakeUp.layerProcess,
        FailedCallCounter.layer
      )
    )
  ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set()))

layer(layerRunningService, { excludeTestServices: true })("latchkey audit", (it) => {
  it.effect("shows what commands changed, each under its own words, the latest first, and no secret", () =>
    Effect.gen(function* () {
      const create =
        "operator create --name Harbour --time-zone Europe/Lisbon --currency EUR --email audit@example.test"
      const operator = yield* ran(`${create} --password ${PASSWORD}`)
      const of = `--operator ${operator}`
      const sub = `account create ${of} --email audit-sub@example.test --password ${PASSWORD}`
      const account = yield* ran(sub, "account_id")
      const token = yield* ran(`token create --account ${account} --name Robot --scope writable`, "token_id")
      yield* ran(`token limit ${token} --per-minute 5`)
      yield* ran(`token revoke ${token}`)
      yield* ran(`token revoke ${token}`)
      yield* ran(`operator update ${operator} --rooms 250`)
      yield* ran(`operator limits ${operator} --reset`)
      yield* ran(`operator limits ${operator} --set {"user":{"1m":9}}`)
      yield* ran(`operator limits ${operator}`)
      yield* ran("webhook deliveries")
      const { changes, refused } = yield* audited("--operator", `${operator}`)
      assert.deepStrictEqual(refused, [])
      assert.deepStrictEqual(
        changes.map(({ operation, record, fields }) => [operation, record, ...fields].join(" ")),
        [
          `operator limits operator:${operator} limits`,
          `operator update operator:${operator} room_limit`,
          `token revoke token:${token} revoked_at`,
          `token limit token:${token} limits`,
          `token create token:${token}`,
          `account create account:${account}`,
          ...changes.slice(-2).map(({ operation, record }) => `${operation} ${record}`)
        ]
      )
      for (const { application, account: who, request_id } of changes) {
        assert.deepStrictEqual([application, who, request_id], ["command line", null, null])
      }
      const { stdout } = yield* runBesideService(["audit", "--operator", `${operator}`])
      assert.match(stdout, /^\S+Z {2}command line {2}operator limits {2}operator:\d+ {2}limits\n/)
      const sql = yield* SqlClient.SqlClient
      const [whole] = yield* sql<{ text: string }>`SELECT coalesce(string_agg(trail::text, ' '), '') AS text FROM trail`
      assert.notInclude(whole?.text, PASSWORD)
      assert.notInclude(stdout, PASSWORD)
    })
  )

  it.effect("shows who changed what through the API, the rows of a request together, then what was refused", () =>
    Effect.gen(function* () {
      const operator = yield* createOperator()
      const { operatorId, accountId, token } = operator
      yield* insertProperty(operatorId, "Loft")
      const { made, edited } = yield* withService(
        Effect.gen(function* () {
          const made = yield* callForResponse(token, "create_task", { type: "cleaning", note: "Zq7 note" })
          assert.strictEqual(made.envelope.error_code, 0)
          const { task_id: id } = Object(made.envelope.data)
          const edited = yield* callForResponse(token, "update_task", { id, note: "Zq7 other", fee: 5 })
          assert.strictEqual(edited.envelope.error_code, 0, edited.envelope.error_msg)
          for (const unknown of [1e9, 1e9 + 1]) yield* call(token, "delete_task", { id: unknown })
          yield* call(operator.readOnlyToken, "delete_task", { id })
          return { made: { ...made.envelope, id }, edited: edited.envelope }
        })
      )
      const record = `task:${made.id}`
      const { changes, refused } = yield* audited("--operator", `${operatorId}`)
      assert.deepStrictEqual(
        changes.map(({ account, request_id, ...rest }) => [account?.id, request_id, rest.operation, rest.record]),
        [
          [accountId, edited.request_id, "update_task", record],
          [accountId, made.request_id, "create_task", record]
        ]
      )
      assert.includeMembers([...(changes[0]?.fields ?? [])], ["fee", "note"])
      assert.deepStrictEqual(changes[1]?.fields, [])
      assert.deepStrictEqual(
        refused.map(({ account, application, operation, error_code, times }) =>
          [account?.id, application, operation, error_code, times].join(" ")
        ),
        [`${accountId} test delete_task 404 2`, `${accountId} test delete_task 401 1`]
      )
      const { stdout } = yield* runBesideService(["audit", "--operator", `${operatorId}`])
      const lines = stdout.trim().split("\n")
      assert.lengthOf(lines, 5)
      assert.match(lines[0] ?? "", /^\S+Z {2}"Owner" with "test" {2}update_task {2}task:\d+ {2}.*fee, .*note.* {2}\S+$/)
      assert.match(lines[2] ?? "", /^\w+:$/)
      assert.match(
        lines[3] ?? "",
        /^ {2}2 \w+ {2}404 {2}delete_task {2}"Owner" with "test" {2}.*\d{4}-\d\d-\d\dT\d\d:00:00Z$/
      )
      assert.notInclude(stdout, "Zq7")

      const one = yield* audited("--operator", `${operatorId}`, "--record", record, "--limit", "1")
      assert.deepStrictEqual(one, { changes: changes.slice(0, 1), refused: [] })
    })
  )

  it.effect("narrows by time, from since on and before until, and counts refusals of the hours that are touched", () =>
    Effect.gen(function* () {
      const { operatorId, accountId } = yield* createOperator()
      const other = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      for (const [at, request] of [
        ["2027-05-07T09:59:59.999Z", "req_1"],
        ["2027-05-07T10:00:00Z", "req_2"],
        ["2027-05-07T11:00:00Z", "req_3"]
      ] as const) {
        for (const id of [operatorId, other.operatorId]) {
          yield* sql`
            INSERT INTO trail (operator_id, at, application, operation, request_id, record, fields)
            SELECT ${id}::bigint, ${at}::timestamptz, 'a', 'b', ${request}::text, 'task:' || n, '{}'
            FROM generate_series(1, 3) n`
        }
      }
      for (const hour of [9, 10, 11]) {
        yield* sql`
          INSERT INTO refusals (operator_id, hour, account_id, application, operation, error_code, times)
          VALUES (${operatorId}, ${new Date(Date.UTC(2027, 4, 7, hour))}, ${accountId}, 'a', 'b', 404, ${10 ** (hour - 9)})`
      }
      const spans = [
        [[], ["req_3", "req_2", "req_1"], 111],
        [["--since", "2027-05-07T10:00:00Z"], ["req_3", "req_2"], 110],
        [["--until", "2027-05-07T11:00:00Z"], ["req_2", "req_1"], 11],
        [["--since", "2027-05-07 10:30:00", "--until", "2027-05-07T11:00:00.001Z"], ["req_3"], 110]
      ] as const
      for (const [args, requests, times] of spans) {
        const { changes, refused } = yield* audited("--operator", `${operatorId}`, ...args)
        assert.deepStrictEqual(
          changes.map(({ request_id, record }) => `${request_id} ${record}`),
          requests.flatMap((request) => [1, 2, 3].map((n) => `${request} task:${n}`))
        )
        assert.deepStrictEqual(
          refused.map((each) => each.times),
          [times]
        )
      }
    })
  )

  it.effect(`lists ${AUDIT_DEFAULT} changes if not told otherwise and ${AUDIT_MAX} at most`, () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO trail (operator_id, at, application, operation, record, fields)
        SELECT ${operatorId}::bigint, now() - make_interval(secs => n), 'a', 'b', 'task:' || n, '{}'
        FROM generate_series(1, ${AUDIT_MAX + 1}::int) n`
      const listed = (...args: ReadonlyArray<string>) =>
        Effect.map(audited("--operator", `${operatorId}`, ...args), ({ changes }) => changes.length)
      assert.strictEqual(yield* listed(), AUDIT_DEFAULT)
      assert.strictEqual(yield* listed("--limit", `${AUDIT_MAX}`), AUDIT_MAX)
    })
  )

  it.effect.each([
    ["an unknown operator", ["--operator", "999999"], /\boperator 999999\b/],
    ["no operator", [], /operator/],
    ["too many", ["--operator", "1", "--limit", `${AUDIT_MAX + 1}`], new RegExp(`"--limit: .*\\b${AUDIT_MAX}\\b`)],
    ["none", ["--operator", "1", "--limit", "0"], new RegExp(`"--limit: .*\\b${AUDIT_MAX}\\b`)],
    ["what is no record", ["--operator", "1", "--record", "5-ABC"], /"--record: .*\breservation:5-ABC\b/],
    ["what is no time", ["--operator", "1", "--since", "yesterday"], /since/],
    [
      "no span",
      ["--operator", "1", "--since", "2027-05-07 10:00:00", "--until", "2027-05-07 10:00:00"],
      /"--until: .*--since\b/
    ]
  ] as const)("refuses %s", ([, args, message]) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runBesideService(["audit", "--json", ...args])
      assert.strictEqual(code, 1)
      assert.match(stdout, message)
    })
  )
})
