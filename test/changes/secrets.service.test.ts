import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import { FAILED_CALLS_WRITE_MS, FailedCallCounter } from "../../src/changes/FailedCallCounter.ts"
import { toReceivedInput } from "../../src/contract/input.ts"
import { isChange } from "../../src/contract/operation.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import type { ApiOperation } from "../../src/service/Api.ts"
import { Service } from "../../src/service/service.ts"
import { layerService } from "../support/harness.ts"
import {
  COMPANION_FIELDS,
  changeOperations,
  makeSampleFields,
  payloadFieldsOf,
  tokenOperations
} from "../support/operation-samples.ts"
import { makeSampleWorld, type SampleWorld } from "../support/sample-world.ts"
import { ScriptedChannel } from "../support/scripted-channel.ts"
import { layerTestDatabase } from "../support/test-database.ts"

// Whatever people write into a record, who they are, how to reach them, and what opens something, is in the record and
// nowhere else: neither in the trail nor in the counts of what was refused, the idempotency keys' own texts or the log.

/**
 * By field: what somebody may write there. All of it can be found again by MARK, which no request id can be by chance: these
 * have neither L nor O nor U.
 */
const WRITTEN: Readonly<Record<string, unknown>> = {
  note: "Quoll note",
  message: "Quoll message",
  title: "Quoll title",
  name: "Quoll name",
  tag_name: "Quoll tag",
  guest_name: "Quoll guest",
  email: "quoll@example.test",
  mobile: "+351 977700777",
  remarks: "Quoll remarks",
  creator: "Quoll creator",
  lock_code: "Quoll42",
  custom_fields: { "Quoll door": "Quoll gate" },
  url: "https://quoll.example.test/quoll"
}
const MARK = /quoll|977700777/i

/** Other operations change a stay's custom fields and its lock code; a consumer's name is what the record is called. */
const isLeftOut = ({ _tag }: ApiOperation, field: string) =>
  (_tag === "update_reservation_basic" && (field === "custom_fields" || field === "lock_code")) ||
  (_tag.endsWith("_event_consumer") && field === "name")

const marksIn = (operation: ApiOperation, written: (value: unknown) => unknown) =>
  Object.fromEntries(
    payloadFieldsOf(operation).flatMap(([name]) =>
      Object.hasOwn(WRITTEN, name) && !isLeftOut(operation, name) ? [[name, written(WRITTEN[name])]] : []
    )
  )

const isEnd = ({ _tag }: ApiOperation) => /^(delete|remove|cancel)_/.test(_tag)

/** Every operation that changes something, those last after which there is nothing left to change. */
const changing = changeOperations.toSorted((one, other) => Number(isEnd(one)) - Number(isEnd(other)))

const layerCounting = layerService(
  layerTestDatabase,
  RateWindows.layerMemory,
  ScriptedChannel.layer,
  WakeUp.layerProcess,
  FailedCallCounter.layer
)

const called = Effect.fnUntraced(function* (world: SampleWorld, operation: ApiOperation, fields: object) {
  const service = yield* Service
  const { envelope } = yield* service.call(operation._tag, {
    transport: "rest",
    headers: { authorization: `Bearer ${world.token}` },
    params: {},
    idempotencyKey: { field: "Idempotency-Key", value: `Quoll-${operation._tag}-${JSON.stringify(fields).length}` },
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
  return envelope
})

const SECRET = /whsec_[\w+/=-]+/g

/** All that the operator's rows of these tables say. */
const textOf = Effect.fnUntraced(function* (operatorId: number, tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.forEach(
    tables,
    (table) => sql<{ text: string }>`SELECT t::text AS text FROM ${sql(table)} t WHERE operator_id = ${operatorId}`
  )
  return rows.flat().map(({ text }) => text)
}, Effect.orDie)

layer(layerCounting, { excludeTestServices: false })("what people write", (it) => {
  it.effect("is in no row of the trail and in no line of the log, whether it was taken or refused", () =>
    Effect.gen(function* () {
      const world = yield* makeSampleWorld
      const lines: Array<string> = []
      const secrets: Array<string> = []
      const unaccepted: Array<[operation: string, why: string]> = []
      let refused = 0
      yield* Effect.gen(function* () {
        for (const operation of changing) {
          const base = makeSampleFields(operation, world, COMPANION_FIELDS)
          // No two groups, tags, properties or room types have one name.
          const marks = marksIn(operation, (value) =>
            value === WRITTEN["name"] || value === WRITTEN["title"] ? `Quoll ${lines.length}` : value
          )
          const rotate = operation._tag === "update_webhook" ? { rotate_secret: true } : {}
          const taken = yield* called(world, operation, { ...base, ...marks, ...rotate })
          if (taken.error_code !== 0) unaccepted.push([operation._tag, taken.error_msg])
          secrets.push(...(JSON.stringify(taken.data).match(SECRET) ?? []))
          const long = marksIn(operation, (value) => (typeof value === "string" ? value.repeat(2_000) : value))
          if ((yield* called(world, operation, { ...base, ...long, quoll_unknown: "Quoll" })).error_code !== 0)
            refused++
          yield* TestClock.adjust("1 second")
        }
      }).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([keeping(lines)])))
      yield* TestClock.adjust(FAILED_CALLS_WRITE_MS)
      let counts: ReadonlyArray<string> = []
      while (counts.length === 0) counts = yield* textOf(world.operatorId, ["refusals"])

      const trail = yield* textOf(world.operatorId, ["trail"])
      const keys = yield* textOf(world.operatorId, ["idempotency_keys"])
      assert.isAbove(trail.length, changing.length / 2)
      // One order cannot be approved and declined, and an action that was run is nobody's to delete.
      const why = JSON.stringify(unaccepted)
      assert.deepStrictEqual(
        Array.from(unaccepted, ([operation]) => operation),
        ["decline_reservation", "delete_automation_action"],
        why
      )
      assert.isAbove(refused, 10)
      assert.isAbove(lines.length, changing.length)
      assert.lengthOf(secrets, 2)
      const everything = [...trail, ...counts, ...lines]
      assert.deepStrictEqual(
        everything.filter((text) => MARK.test(text)),
        []
      )
      const opening = [...secrets, world.token, world.readOnlyToken]
      assert.deepStrictEqual(
        [...everything, ...keys].filter((text) => /Quoll-/.test(text) || opening.some((each) => text.includes(each))),
        []
      )
    })
  )

  it.effect("is in no trail of who only reads: reading leaves none", () =>
    Effect.gen(function* () {
      const world = yield* makeSampleWorld
      const before = yield* textOf(world.operatorId, ["trail", "idempotency_keys"])
      for (const operation of tokenOperations.filter((each) => !isChange(each))) {
        const { error_code, error_msg } = yield* called(
          world,
          operation,
          makeSampleFields(operation, world, COMPANION_FIELDS)
        )
        assert.strictEqual(error_code, 0, `${operation._tag}: ${error_msg}`)
      }
      assert.sameMembers([...(yield* textOf(world.operatorId, ["trail", "idempotency_keys"]))], [...before])
    })
  )
})

/** Keeps each line as a collector would get it: its message with its fields, its annotations and its cause. */
const keeping = (lines: Array<string>) =>
  Logger.map(Logger.formatJson, (line) => {
    lines.push(line)
  })
